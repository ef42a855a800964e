package taskline

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/pddl"
)

// Env is what the action of a command about tasks gets: the parsed flags, the streams and the tasks.
type Env struct {
	cmdline.Env
	Tasks *taskref.Rows // resolves the tasks that rows name
}

// New adds the tasks to what every command gets.
func New(ce cmdline.Env) Env {
	e := Env{Env: ce}
	e.Tasks = e.rowTasks()
	return e
}

// ReadSource reads a file, or standard input for "-", which can be read only once.
func (e Env) ReadSource(name string) (*pddl.Source, error) {
	if name == "" {
		return nil, errors.New("the name of an input file is empty")
	}
	if name == "-" {
		in, err := e.Open(name)
		if err != nil {
			return nil, err
		}
		return pddl.ReadSourceFrom("<stdin>", in)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, cmdline.FolderError(name)
	}
	return pddl.ReadSource(name)
}

// TaskSources takes the task off the front of the arguments: DOMAIN PROBLEM, or one
// bundled name. It returns the two texts and the other arguments.
func (e Env) TaskSources(args []string) (dom, prob *pddl.Source, rest []string, err error) {
	if len(args) > 0 && taskref.IsBundled(args[0]) {
		dom, prob, err = domains.Load(args[0])
		return dom, prob, args[1:], err
	}
	if len(args) < 2 {
		return nil, nil, nil, fmt.Errorf("%s needs DOMAIN and PROBLEM (or one bundled name like blocksworld:4-17); see planproof %s --help", e.Command.Name, e.Command.Name)
	}
	if dom, err = e.ReadSource(args[0]); err != nil {
		return nil, nil, nil, err
	}
	if prob, err = e.ReadSource(args[1]); err != nil {
		return nil, nil, nil, err
	}
	return dom, prob, args[2:], nil
}

// parseTask parses both texts and prints their diagnostics to standard error. A nil
// problem means that there were errors.
func (e Env) parseTask(dom, prob *pddl.Source, opt pddl.Options) (*pddl.Problem, pddl.Diagnostics) {
	p, diags := e.Tasks.Parse(taskref.KeyOf(dom, prob), opt)
	diags.Format(e.Stderr)
	return p, diags
}

// Task reads the task that the arguments name. When it has errors they are printed,
// with --json also as an object on standard output, and the error sets code 2.
func (e Env) Task() (p *pddl.Problem, rest []string, err error) {
	dom, prob, rest, err := e.TaskSources(e.Args().Slice())
	if err != nil {
		return nil, nil, err
	}
	p, diags := e.parseTask(dom, prob, pddl.Options{Strict: e.Bool("strict")})
	if p == nil || diags.HasErrors() {
		return nil, nil, e.Refuse(diags)
	}
	return p, rest, nil
}

// Bundled reads a bundled task by its name. Its errors are as those of Task.
func (e Env) Bundled(name string) (*pddl.Problem, error) {
	dom, prob, err := domains.Load(name)
	if err != nil {
		return nil, err
	}
	p, diags := e.parseTask(dom, prob, pddl.Options{Strict: e.Bool("strict")})
	if p == nil || diags.HasErrors() {
		return nil, e.Refuse(diags)
	}
	return p, nil
}

// OnlyTask reads the task that the arguments name and nothing else, and applies --schedule
// where the command has it.
func (e Env) OnlyTask() (*pddl.Problem, error) { return NoMore(e.Scheduled()) }

// NoMore refuses arguments after a task.
func NoMore(p *pddl.Problem, rest []string, err error) (*pddl.Problem, error) {
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unexpected argument %q", rest[0])
	}
	return p, err
}

// maxRowTexts bounds the texts of files that are kept, and the parsed domains.
const maxRowTexts = 64 << 20

// rowTasks returns the resolver of the tasks that rows name.
func (e Env) rowTasks() *taskref.Rows {
	read := func(path string) (string, error) {
		if strings.TrimSpace(path) == "-" {
			return "", taskref.ErrStdin
		}
		src, err := e.ReadSource(path)
		if err != nil {
			return "", err
		}
		return src.Text, nil
	}
	return &taskref.Rows{Resolver: taskref.NewResolver(taskref.Options{CacheBytes: maxRowTexts, ShortNames: true, Read: read}), Options: pddl.Options{Strict: e.Bool("strict")}}
}

// Schedule reads --schedule; without the flag it is the empty schedule.
func (e Env) Schedule() (costmodel.Schedule, error) {
	s, err := costmodel.ReadArgument("--schedule", e.String("schedule"), e.ReadSource)
	return s, e.Faults(err)
}

// NamedSchedules reads the schedules of a --schedule that may be repeated.
func (e Env) NamedSchedules() ([]costmodel.Named, error) {
	named, err := costmodel.ReadArguments("--schedule", e.StringSlice("schedule"), e.ReadSource)
	return named, e.Faults(err)
}

// Reprice returns what --schedule does to a problem, nil without the flag.
func (e Env) Reprice() (func(*pddl.Problem) (*pddl.Problem, error), error) {
	s, err := e.Schedule()
	if err != nil || s.Empty() {
		return nil, err
	}
	return s.Apply, nil
}

// Scheduled reads the task of the arguments and applies --schedule to it, where the command has
// that flag. It returns the arguments after the task.
func (e Env) Scheduled() (p *pddl.Problem, rest []string, err error) {
	reprice, err := e.Reprice()
	if err != nil {
		return nil, nil, err
	}
	p, rest, err = e.Task()
	if err == nil && reprice != nil {
		p, err = reprice(p)
	}
	return p, rest, err
}
