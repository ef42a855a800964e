package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
)

// readSource reads a file, or standard input for "-", which can be read only once.
func (e env) readSource(name string) (*pddl.Source, error) {
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

// taskSources takes the task off the front of the arguments: DOMAIN PROBLEM, or one
// bundled name. It returns the two texts and the other arguments.
func (e env) taskSources(args []string) (dom, prob *pddl.Source, rest []string, err error) {
	if len(args) > 0 && taskref.IsBundled(args[0]) {
		dom, prob, err = domains.Load(args[0])
		return dom, prob, args[1:], err
	}
	if len(args) < 2 {
		return nil, nil, nil, fmt.Errorf("%s needs DOMAIN and PROBLEM (or one bundled name like blocksworld:4-17); see planproof %s --help", e.Command.Name, e.Command.Name)
	}
	if dom, err = e.readSource(args[0]); err != nil {
		return nil, nil, nil, err
	}
	if prob, err = e.readSource(args[1]); err != nil {
		return nil, nil, nil, err
	}
	return dom, prob, args[2:], nil
}

// parseTask parses both texts and prints their diagnostics to standard error. A nil
// problem means that there were errors.
func (e env) parseTask(dom, prob *pddl.Source, opt pddl.Options) (*pddl.Problem, pddl.Diagnostics) {
	p, diags := e.tasks.Parse(taskref.KeyOf(dom, prob), opt)
	diags.Format(e.Stderr)
	return p, diags
}

// task reads the task that the arguments name. When it has errors they are printed,
// with --json also as an object on standard output, and the error sets code 2.
func (e env) task() (p *pddl.Problem, rest []string, err error) {
	dom, prob, rest, err := e.taskSources(e.Args().Slice())
	if err != nil {
		return nil, nil, err
	}
	p, diags := e.parseTask(dom, prob, pddl.Options{Strict: e.Bool("strict")})
	if p == nil || diags.HasErrors() {
		return nil, nil, e.refuse(diags)
	}
	return p, rest, nil
}

// onlyTask reads the task that the arguments name and nothing else, and applies --schedule
// where the command has it.
func (e env) onlyTask() (*pddl.Problem, error) { return noMore(e.scheduled()) }

// noMore refuses arguments after a task.
func noMore(p *pddl.Problem, rest []string, err error) (*pddl.Problem, error) {
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unexpected argument %q", rest[0])
	}
	return p, err
}

// maxRowTexts bounds the texts of files that are kept, and the parsed domains.
const maxRowTexts = 64 << 20

// rowTasks returns the resolver of the tasks that rows name.
func (e env) rowTasks() *taskref.Rows {
	read := func(path string) (string, error) {
		if strings.TrimSpace(path) == "-" {
			return "", taskref.ErrStdin
		}
		src, err := e.readSource(path)
		if err != nil {
			return "", err
		}
		return src.Text, nil
	}
	return &taskref.Rows{Resolver: taskref.NewResolver(taskref.Options{CacheBytes: maxRowTexts, ShortNames: true, Read: read}), Options: pddl.Options{Strict: e.Bool("strict")}}
}

// rowProblem reads the task of a row.
func (e env) rowProblem(row *prompt.Row) (*pddl.Problem, error) {
	key, err := e.tasks.Key(taskref.Ref{Task: row.Task, Domain: row.Domain, Problem: row.Problem, DomainText: row.DomainText, ProblemText: row.ProblemText}, time.Time{})
	if err != nil {
		return nil, err
	}
	return e.tasks.Problem(key)
}

// schedule reads --schedule; without the flag it is the empty schedule.
func (e env) schedule() (costmodel.Schedule, error) {
	s, err := costmodel.ReadArgument("--schedule", e.String("schedule"), e.readSource)
	return s, e.faults(err)
}

// namedSchedules reads the schedules of a --schedule that may be repeated.
func (e env) namedSchedules() ([]costmodel.Named, error) {
	named, err := costmodel.ReadArguments("--schedule", e.StringSlice("schedule"), e.readSource)
	return named, e.faults(err)
}

// reprice returns what --schedule does to a problem, nil without the flag.
func (e env) reprice() (func(*pddl.Problem) (*pddl.Problem, error), error) {
	s, err := e.schedule()
	if err != nil || s.Empty() {
		return nil, err
	}
	return s.Apply, nil
}

// rows returns where rows of verdicts and scores go: readable lines, or as they are with --json.
func (e env) rows() io.Writer {
	if e.Bool("json") {
		return e.Stdout
	}
	return rows.Readable(e.Stdout)
}

// rowGarbage is the percentage for rows: docs/decisions/serving.md.
const rowGarbage = 200

// oneFile opens the one file of rows that the command takes, and names it for errors.
func (e env) oneFile(what string) (in io.ReadCloser, name string, err error) {
	if e.NArg() != 1 {
		return nil, "", fmt.Errorf("%s needs %s, or - for standard input", strings.TrimPrefix(e.Command.HelpName, "planproof "), what)
	}
	in, err = e.Open(e.Args().First())
	return in, cmdline.InputName(e.Args().First()), err
}
