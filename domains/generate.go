package domains

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Task is a generated task. Name loads the same one again.
type Task struct {
	Name            string
	Domain, Problem *pddl.Source
}

// GenerateOptions say which tasks [Generate] makes.
type GenerateOptions struct {
	// Params are given by name; the others have their defaults.
	Params map[string]int
	// Seed is the last number in the first task's name; the other tasks count up from
	// it. 0 means 1.
	Seed uint64
	// Count is the number of tasks; 0 means 1.
	Count int
}

// MaxGenerated is the largest number of tasks for one call of [Generate].
const MaxGenerated = 1_000_000

// Generate makes tasks of a kind. Each task is exactly what [Load] returns for its name, so
// a list of names is enough to pass on a set of tasks. Errors wrap [ErrUnknown] or
// [ErrParameter].
func Generate(name string, opt GenerateOptions) ([]*Task, error) {
	k, err := findKind(name)
	if err != nil {
		return nil, err
	}
	params, err := k.named(opt.Params)
	if err != nil {
		return nil, err
	}
	count := max(1, opt.Count)
	last := new(big.Int).SetUint64(max(1, opt.Seed))
	end := new(big.Int).Add(last, big.NewInt(int64(count-1)))
	switch {
	case opt.Count < 0 || count > MaxGenerated:
		return nil, fmt.Errorf("%w: count is %d, not a number from 1 to %d", ErrParameter, opt.Count, MaxGenerated)
	case k.Last == "" && (count > 1 || opt.Seed > 1):
		return nil, fmt.Errorf("%w: %s has a single task for given parameters and takes no seed", ErrParameter, k.Name)
	case k.Last != "" && end.Cmp(k.limit(params)) > 0:
		return nil, fmt.Errorf("%w: tasks like %s have numbers from 1 to %s, not %s to %s", ErrParameter, k.task(params, big.NewInt(1)).Name, k.limit(params), last, end)
	}
	tasks := make([]*Task, count)
	for i := range tasks {
		tasks[i] = k.task(params, new(big.Int).Add(last, big.NewInt(int64(i))))
	}
	return tasks, nil
}

// named returns all parameters in order, given some of them by name.
func (k *kind) named(given map[string]int) ([]int, error) {
	params := make([]int, len(k.Params))
	known := map[string]bool{}
	for i, p := range k.Params {
		known[p.Name] = true
		params[i] = p.Default
		if n, ok := given[p.Name]; ok {
			if n < p.Min || n > p.Max {
				return nil, fmt.Errorf("%w: %s is %d, not a number from %d to %d", ErrParameter, p.Name, n, p.Min, p.Max)
			}
			params[i] = n
		}
	}
	var unknown []string
	for name := range given {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		sort.Strings(unknown)
		return nil, fmt.Errorf("%w: %s has no %s; the form is %s", ErrParameter, k.Name, strings.Join(unknown, ", "), k.form())
	}
	if k.check != nil {
		return params, k.check(params)
	}
	return params, nil
}

// Write writes tasks of one kind to a folder, which it makes if needed: domain.pddl, one
// file per problem, named after the task ("blocksworld-4-17.pddl"), and names.txt, which
// lists the task names in order. Existing files of these names are replaced.
func Write(dir string, tasks []*Task) error {
	if len(tasks) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name, text string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
	}
	if err := write("domain.pddl", tasks[0].Domain.Text); err != nil {
		return err
	}
	var names strings.Builder
	for _, t := range tasks {
		if t.Domain.Name != tasks[0].Domain.Name {
			return fmt.Errorf("tasks of %s and %s do not share a domain file", tasks[0].Name, t.Name)
		}
		if err := write(strings.ReplaceAll(t.Name, ":", "-")+".pddl", t.Problem.Text); err != nil {
			return err
		}
		names.WriteString(t.Name + "\n")
	}
	return write("names.txt", names.String())
}
