package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
)

// Task is a task of a set.
type Task struct {
	ID string
	// Domain and Problem name its files where it has any.
	Domain, Problem string
	Parsed          *pddl.Problem
}

// Reader reads tasks and results. Read and Tell are required.
type Reader struct {
	store.Opener
	// Read reads a PDDL file.
	Read func(file string) (*pddl.Source, error)
	// Tell is handed what is wrong with the inputs, one fault at a time: [pddl.Diagnostics],
	// which may be mere warnings, or another error.
	Tell func(error)
}

// maxDomainBytes bounds the parsed domains that are kept while tasks are read.
const maxDomainBytes = 64 << 20

// Set lists the tasks of a folder, a manifest, a file of JSON Lines or a bundled name. A
// manifest gives their order and ids. priced counts rows that name a schedule.
func (r Reader) Set(name string) (inputs []store.Input, set *costmodel.BudgetSet, priced int, err error) {
	manifest := name
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		manifest = filepath.Join(name, costmodel.ManifestName)
	}
	if isManifest(manifest) {
		if set, err = costmodel.LoadBudgetSet(manifest); err != nil {
			return nil, nil, 0, err
		}
		return r.Manifest(set), set, 0, nil
	}
	in, err := r.Inputs(name)
	if err != nil {
		return nil, nil, 0, err
	}
	defer in.Close()
	for t := range in.Tasks {
		if t.Schedules != nil {
			priced++
		}
		inputs = append(inputs, t)
	}
	return inputs, nil, priced, nil
}

// isManifest reports whether a file is the manifest of a set: by its name, so that a damaged
// one is reported, or by its first row.
func isManifest(path string) bool {
	if filepath.Base(path) == costmodel.ManifestName {
		_, err := os.Stat(path)
		return err == nil
	}
	return costmodel.IsManifest(path)
}

// Tasks parses inputs. All faults are reported, and then there is no task: an answer about some
// tasks would pass for one about all.
func (r Reader) Tasks(inputs []store.Input) (tasks []Task, err error) {
	faulty, refs := false, taskref.NewResolver(taskref.Options{CacheBytes: maxDomainBytes})
	for i := range inputs {
		in := &inputs[i]
		domain, problem, err := in.Sources(r.Read)
		if err != nil {
			if in.Err == nil {
				err = fmt.Errorf("%s: %w", in.Name, err)
			}
			r.Tell(err)
			faulty = true
			continue
		}
		p, diags := refs.Parse(taskref.KeyOf(domain, problem), pddl.Options{})
		if len(diags) > 0 {
			r.Tell(diags)
		}
		if p == nil || diags.HasErrors() {
			faulty = true
			continue
		}
		tasks = append(tasks, Task{in.Name, in.DomainFile, in.ProblemFile, p})
	}
	switch {
	case faulty:
		return nil, errors.New("not all tasks can be read, so nothing was answered")
	case len(tasks) == 0:
		return nil, errors.New("there are no tasks")
	}
	return tasks, nil
}

// IsTask reports whether words are the files of a domain and a problem, rather than a list of
// inputs.
func IsTask(words []string) bool {
	if len(words) != 2 || taskref.IsBundled(words[0]) || taskref.IsBundled(words[1]) {
		return false
	}
	for _, a := range words {
		if info, err := os.Stat(a); err == nil && info.IsDir() || strings.HasSuffix(strings.ToLower(a), ".jsonl") {
			return false
		}
	}
	return true
}
