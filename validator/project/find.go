package project

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/pddl"
)

// Kind is what a file holds.
type Kind string

// Kinds of files.
const (
	Domain  Kind = "domain"
	Problem Kind = "problem"
	Plan    Kind = "plan"
	Unknown Kind = "unknown" // a .pddl file that defines neither a domain nor a problem
)

// File is a file of a project.
type File struct {
	Path string
	Kind Kind
	// Of is the file that this one needs: a problem's domain, a plan's problem.
	Of *File
	// Source is the text; nil if it could not be read, and Err says why. Err also says why Of
	// is nil.
	Source *pddl.Source
	Err    error

	name, domain string // of the domain or problem; of the problem's domain
}

// planSuffixes are what plans are called after the name of their problem.
var planSuffixes = []string{".plan", ".soln", ".sol"}

// Find reads the PDDL and plan files among paths, which are files or folders, and pairs them.
// Folders are searched whole, but for those whose name begins with a dot. The files come in the
// order of their paths, each once; domains that a given problem needs are read even when they
// were not named, and are then not part of the list.
//
// A problem's domain is the file that defines the name in (:domain NAME), in the problem's
// folder or else the nearest one above it. Of several in a folder, it is the one whose name goes
// with the problem's (p01-domain.pddl or domain-p01.pddl with p01.pddl). A plan's problem is the
// file of the same name: p01.plan, p01.pddl.plan and p01.plan.2 belong to p01.pddl; .soln and
// .sol do as .plan.
func Find(paths []string) ([]*File, error) {
	var files []*File
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && d == nil:
				return err // of what was asked for
			case err != nil: // the other folders are still looked at
				files = append(files, &File{Path: filepath.Clean(path), Kind: Unknown, Err: err})
				return filepath.SkipDir
			case d.IsDir() && len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
				return filepath.SkipDir
			case !d.IsDir() && (IsPDDL(path) || ProblemOfPlan(path) != ""):
				files = append(files, &File{Path: filepath.Clean(path)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() && !IsPDDL(path) && ProblemOfPlan(path) == "" {
			return nil, fmt.Errorf("%s is neither PDDL nor a plan by its name: want .pddl, or %s for a plan", path, strings.Join(planSuffixes, ", "))
		}
	}
	slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	files = slices.CompactFunc(files, func(a, b *File) bool { return a.Path == b.Path })
	x := index{known: map[string]*File{}, folders: map[string][]*File{}}
	for _, f := range files {
		x.known[f.Path] = f
	}
	for _, f := range files {
		if f.Err == nil {
			f.read()
		}
	}
	for _, f := range files {
		x.pair(f)
	}
	return files, nil
}

// IsPDDL reports whether a file is PDDL by its name.
func IsPDDL(path string) bool { return strings.EqualFold(filepath.Ext(path), ".pddl") }

// ProblemOfPlan is the path of a plan's problem without its suffix, "" if path is no plan.
func ProblemOfPlan(path string) string {
	for _, suffix := range planSuffixes {
		i := strings.LastIndex(path, suffix)
		if i <= strings.LastIndexByte(path, filepath.Separator)+1 {
			continue
		}
		if rest := path[i+len(suffix):]; rest == "" || numbered.MatchString(rest) {
			return strings.TrimSuffix(path[:i], ".pddl")
		}
	}
	return ""
}

var numbered = pattern.New(`^\.[0-9]+$`)

// headSize is how much of a file is looked at for its head: IPC problems name their domain in
// the first lines, below a comment at most.
const headSize = 1 << 16

var (
	comment  = pattern.New(`;[^\n]*`)
	defines  = pattern.New(`(?i)^\s*\(\s*define\s*\(\s*(domain|problem)\s+([^\s()]+)`)
	ofDomain = pattern.New(`(?i)\(\s*:domain\s+([^\s()]+)`)
)

// read fills in the text, and what the file's head says.
func (f *File) read() {
	if !IsPDDL(f.Path) {
		f.Kind = Plan
	} else {
		f.Kind = Unknown
	}
	if f.Source, f.Err = pddl.ReadSource(f.Path); f.Err != nil || f.Kind == Plan {
		return
	}
	head := comment.ReplaceAllString(f.Source.Text[:min(len(f.Source.Text), headSize)], "")
	m := defines.FindStringSubmatch(strings.TrimPrefix(head, "\ufeff"))
	if m == nil {
		return
	}
	f.Kind, f.name = Kind(strings.ToLower(m[1])), strings.ToLower(m[2])
	if m := ofDomain.FindStringSubmatch(head); m != nil && f.Kind == Problem {
		f.domain = strings.ToLower(m[1])
	}
}

// index finds what files belong to.
type index struct {
	known   map[string]*File
	folders map[string][]*File // domains by folder
}

func (x *index) pair(f *File) {
	if f.Err != nil {
		return
	}
	switch f.Kind {
	case Problem:
		f.Of, f.Err = x.domainOf(f)
	case Plan:
		path := ProblemOfPlan(f.Path) + ".pddl"
		p := x.file(path)
		if p == nil {
			f.Err = fmt.Errorf("the plan's problem %s is missing", path)
			return
		}
		if p.Of == nil && p.Err == nil && p.Kind == Problem {
			p.Of, p.Err = x.domainOf(p)
		}
		f.Of = p
	}
}

// file returns the file at a path, read when it is first asked for; nil if there is none.
func (x *index) file(path string) *File {
	if f := x.known[path]; f != nil {
		return f
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return nil
	}
	f := &File{Path: path}
	f.read()
	x.known[path] = f
	return f
}

// domains lists the domains of a folder, by path.
func (x *index) domains(folder string) []*File {
	if list, ok := x.folders[folder]; ok {
		return list
	}
	var list []*File
	entries, _ := os.ReadDir(folder) // a folder that cannot be read has none
	for _, e := range entries {
		if e.IsDir() || !IsPDDL(e.Name()) {
			continue
		}
		if f := x.file(filepath.Join(folder, e.Name())); f != nil && f.Kind == Domain {
			list = append(list, f)
		}
	}
	x.folders[folder] = list
	return list
}

// maxUp is how many folders above a problem are searched for its domain.
const maxUp = 3

func (x *index) domainOf(p *File) (*File, error) {
	folder := filepath.Dir(p.Path)
	for range 1 + maxUp {
		var named []*File
		for _, d := range x.domains(folder) {
			if d.name == p.domain {
				named = append(named, d)
			}
		}
		if len(named) > 1 {
			named = goesWith(named, p)
		}
		switch {
		case len(named) == 1:
			return named[0], nil
		case len(named) > 1:
			return nil, fmt.Errorf("%d files define the domain %s, such as %s and %s: none goes with this file by its name", len(named), p.domain, named[0].Path, named[1].Path)
		}
		folder = filepath.Join(folder, "..")
	}
	if p.domain == "" {
		return nil, fmt.Errorf("the problem names no (:domain ...)")
	}
	return nil, fmt.Errorf("no file here or in the %d folders above defines the domain %s", maxUp, p.domain)
}

// goesWith keeps the domains that go with a problem by their names. If there is none, all remain.
func goesWith(domains []*File, p *File) []*File {
	var match []*File
	for _, d := range domains {
		if GoesWith(d.Path, p.Path) {
			match = append(match, d)
		}
	}
	if match == nil {
		return domains
	}
	return match
}

// GoesWith reports whether the file name of a domain is that of a problem with "domain" before or after it.
func GoesWith(domain, problem string) bool {
	stem := func(path string) string {
		return strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	}
	return strings.Trim(strings.Replace(stem(domain), "domain", "", 1), "-_") == stem(problem)
}
