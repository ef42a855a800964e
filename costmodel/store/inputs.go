package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
)

// Input is a task that is to be filled in: two files, two texts, or what Load returns.
type Input struct {
	Name string
	// DomainFile and ProblemFile are used where there is no text.
	DomainFile, ProblemFile string
	DomainText, ProblemText *string
	// Load, if set, gives the texts instead.
	Load func() (domain, problem *pddl.Source, err error)
	// Schedules replace those of the options if not nil.
	Schedules []costmodel.Schedule
	// Err says why this input is not a task.
	Err error
}

// texts reads the input and brings it into canonical form.
func (in *Input) texts() (*Texts, error) {
	dom, prob, err := in.Sources(pddl.ReadSource)
	if err != nil {
		return nil, err
	}
	return canonicalise(dom, prob)
}

// Sources returns the texts of domain and problem. read reads a file.
func (in *Input) Sources(read func(file string) (*pddl.Source, error)) (domain, problem *pddl.Source, err error) {
	switch {
	case in.Err != nil:
		return nil, nil, in.Err
	case in.Load != nil:
		return in.Load()
	}
	source := func(file string, text *string, member string) (*pddl.Source, error) {
		if text != nil {
			return pddl.NewSource(in.Name+": "+member, *text), nil
		}
		return read(file)
	}
	if domain, err = source(in.DomainFile, in.DomainText, "domain_text"); err == nil {
		problem, err = source(in.ProblemFile, in.ProblemText, "problem_text")
	}
	return domain, problem, err
}

// checkName refuses names that would not survive a listing.
func checkName(name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("the id %q is not UTF-8", name)
	}
	for _, c := range name {
		if c < ' ' || c == 0x7f {
			return fmt.Errorf("the id %q holds a control character", name)
		}
	}
	return nil
}

// Opener opens what names stand for.
type Opener struct {
	// Open opens a file of JSON Lines; "-" is standard input. It is needed where such files are
	// named.
	Open func(name string) (io.ReadCloser, error)
}

// Inputs are the tasks of a list of names.
type Inputs struct {
	// Tasks are read while they are iterated over. An Input that cannot be read has an Err.
	Tasks iter.Seq[Input]
	// Count is the number of tasks as far as it is known beforehand; a pipe counts 0.
	Count int

	parts []iter.Seq[Input]
	files []io.Closer
}

// Inputs opens folders (see [Folder]), files of JSON Lines (see [Rows]), manifests and
// bundled tasks. All of them are opened before the first task is read, so that a misspelt
// name does not come to light after hours.
func (o Opener) Inputs(names ...string) (*Inputs, error) {
	in := &Inputs{}
	for _, name := range names {
		if err := o.add(in, name); err != nil {
			in.Close()
			return nil, err
		}
	}
	in.Tasks = func(yield func(Input) bool) {
		for _, part := range in.parts {
			for task := range part {
				if !yield(task) {
					return
				}
			}
		}
	}
	return in, nil
}

// Close closes the files that are open.
func (in *Inputs) Close() {
	for _, f := range in.files {
		f.Close()
	}
}

func (in *Inputs) list(tasks []Input) {
	in.parts, in.Count = append(in.parts, slices.Values(tasks)), in.Count+len(tasks)
}

// add opens one name.
func (o Opener) add(in *Inputs, name string) error {
	info, err := os.Stat(name)
	switch {
	case taskref.IsBundled(name):
		if !domains.IsName(name) {
			return fmt.Errorf("%s is neither a file nor a bundled task", name)
		}
		in.list([]Input{{Name: name, Load: func() (*pddl.Source, *pddl.Source, error) { return domains.Load(name) }}})
		return nil
	case name == "-":
		return o.rows(in, name, "<stdin>")
	case err != nil:
		return err
	case info.IsDir():
		list, err := Folder(name)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s: no problem files (*.pddl) in this folder or below", name)
		}
		if err == nil {
			err = o.nameByManifest(list, filepath.Join(name, costmodel.ManifestName))
		}
		in.list(list)
		return err
	case strings.HasSuffix(strings.ToLower(name), ".pddl"):
		return fmt.Errorf("%s: truth fill takes a folder of tasks or a file of JSON Lines, not a PDDL file", name)
	case costmodel.IsManifest(name):
		set, err := costmodel.LoadBudgetSet(name)
		if err == nil {
			in.list(o.Manifest(set))
		}
		return err
	}
	if info.Mode().IsRegular() {
		n, err := countLines(name)
		if err != nil {
			return err
		}
		in.Count += n
	}
	return o.rows(in, name, name)
}

func (o Opener) rows(in *Inputs, name, place string) error {
	r, err := o.Open(name)
	if err == nil {
		in.parts, in.files = append(in.parts, Rows(r, place)), append(in.files, r)
	}
	return err
}

// Manifest lists the tasks of a set by their files, or by their ids where those are the
// names of bundled tasks.
func (o Opener) Manifest(set *costmodel.BudgetSet) []Input {
	inputs := make([]Input, len(set.Tasks))
	for i := range set.Tasks {
		t := &set.Tasks[i]
		inputs[i] = Input{Name: t.ID}
		if t.Problem == "" {
			inputs[i].Load = func() (*pddl.Source, *pddl.Source, error) { return domains.Load(t.ID) }
			continue
		}
		inputs[i].DomainFile, inputs[i].ProblemFile = filepath.Join(set.Dir, t.Domain), filepath.Join(set.Dir, t.Problem)
	}
	return inputs
}

// nameByManifest gives the tasks of a folder the ids of its manifest, if it has one.
func (o Opener) nameByManifest(list []Input, manifest string) error {
	if !costmodel.IsManifest(manifest) {
		return nil
	}
	set, err := costmodel.LoadBudgetSet(manifest)
	if err != nil {
		return err
	}
	ids := map[string]string{}
	for _, in := range o.Manifest(set) {
		ids[in.ProblemFile] = in.Name
	}
	for i := range list {
		if id := ids[filepath.Clean(list[i].ProblemFile)]; id != "" {
			list[i].Name = id
		}
	}
	return nil
}

// countLines counts the rows of a file.
func countLines(name string) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, buf := 0, make([]byte, 1<<16)
	for {
		k, err := f.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
