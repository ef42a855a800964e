package store

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder lists the tasks of a folder and the folders below it, in order of their paths:
// every problem file (*.pddl) with its domain file. A task is named by the path of its
// problem file relative to dir, without the extension.
//
// The domain of a problem p03-x.pddl is the first of these that is there, in the same
// folder: the files that the names of the problem lead to (p03-x-domain.pddl,
// domain-p03-x.pddl, then the same with the part p03 before the first "-" or "_"; "_" may
// stand for "-"), domain.pddl, the folder's only domain file; then domain.pddl in the
// folder above. A problem without one, and a file that is neither domain nor problem, is
// an Input with an Err.
func Folder(dir string) ([]Input, error) {
	files, err := scanFolder(dir)
	if err != nil {
		return nil, err
	}
	var inputs []Input
	for _, path := range files.problems {
		in := Input{Name: taskName(dir, path), ProblemFile: path}
		if in.DomainFile, in.Err = files.domainOf(path); in.Err == nil {
			in.Err = checkName(in.Name)
		}
		inputs = append(inputs, in)
	}
	for path, err := range files.others {
		inputs = append(inputs, Input{Name: taskName(dir, path), ProblemFile: path, Err: err})
	}
	slices.SortFunc(inputs, func(a, b Input) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ProblemFile, b.ProblemFile))
	})
	return inputs, nil
}

func taskName(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		rel = path
	}
	if name := strings.TrimSuffix(filepath.ToSlash(rel), filepath.Ext(rel)); name != "" {
		return name
	}
	return rel
}

// pddlFiles are the files of a tree, each by its path.
type pddlFiles struct {
	problems  []string
	others    map[string]error // why a file is neither
	domains   map[string]bool
	perFolder map[string][]string // the domain files of a folder
}

func scanFolder(dir string) (*pddlFiles, error) {
	f := &pddlFiles{others: map[string]error{}, domains: map[string]bool{}, perFolder: map[string][]string{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pddl") {
			return nil
		}
		kind, err := definitionKind(path)
		switch {
		case err != nil: // one bad file does not hide the others
			f.others[path] = err
		case kind == "domain":
			f.domains[path] = true
			f.perFolder[filepath.Dir(path)] = append(f.perFolder[filepath.Dir(path)], path)
		case kind == "problem":
			f.problems = append(f.problems, path)
		default:
			f.others[path] = fmt.Errorf("%s: neither a domain nor a problem: it does not begin with (define (domain ...) or (define (problem ...)", path)
		}
		return nil
	})
	return f, err
}

// domainOf finds the domain file of a problem file.
func (f *pddlFiles) domainOf(path string) (string, error) {
	dir, ext := filepath.Dir(path), filepath.Ext(path)
	stem := strings.TrimSuffix(filepath.Base(path), ext)
	parts := []string{stem}
	if i := strings.IndexAny(stem, "-_"); i > 0 {
		parts = append(parts, stem[:i])
	}
	var names []string
	for _, part := range parts {
		for _, sep := range []string{"-", "_"} {
			names = append(names, part+sep+"domain", "domain"+sep+part)
		}
	}
	for _, name := range append(names, "domain") {
		if p := filepath.Join(dir, name+ext); f.domains[p] {
			return p, nil
		}
	}
	switch here := f.perFolder[dir]; {
	case len(here) == 1:
		return here[0], nil
	case len(here) > 1:
		return "", fmt.Errorf("%s: which of the %d domain files of its folder is its domain? Name it domain.pddl or %s-domain.pddl", path, len(here), stem)
	}
	if p := filepath.Join(filepath.Dir(dir), "domain"+ext); f.domains[p] {
		return p, nil
	}
	return "", fmt.Errorf("%s: no domain file: there is neither domain.pddl nor %s-domain.pddl in its folder", path, stem)
}

// peekSize is how far a file is read to tell a domain from a problem: past the comments
// that generators write at the top.
const peekSize = 1 << 20

// definitionKind returns the word after "(define (", in lower case. What is no file (a pipe
// would never end, or never begin) is an error.
func definitionKind(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r := bufio.NewReader(io.LimitReader(file, peekSize))
	var words []byte
	for len(words) < 64 {
		c, err := r.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		if c == ';' {
			if _, err := r.ReadString('\n'); err != nil && err != io.EOF {
				return "", err
			}
			c = '\n'
		}
		if n := len(words); n > 0 && isSpace(c) && isSpace(words[n-1]) {
			continue
		}
		words = append(words, c)
	}
	text := strings.TrimPrefix(string(words), "\ufeff")
	fields := strings.Fields(strings.ToLower(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text)))
	if len(fields) < 4 || fields[0] != "(" || fields[1] != "define" || fields[2] != "(" {
		return "", nil
	}
	return fields[3], nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }
