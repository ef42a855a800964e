package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// maxRowTexts bounds the texts of files that are kept, and the parsed domains.
const maxRowTexts = 64 << 20

var errRowStdin = errors.New("cannot be standard input")

// rowTasks returns the resolver of the tasks that rows name: most problems of a file are of a
// few domains.
func (e env) rowTasks() *taskref.Resolver {
	return taskref.NewResolver(taskref.Options{CacheBytes: maxRowTexts, ShortNames: true, Read: func(path string) (string, error) {
		if strings.TrimSpace(path) == "-" {
			return "", errRowStdin
		}
		src, err := e.readSource(path)
		if err != nil {
			return "", err
		}
		return src.Text, nil
	}})
}

// rowProblem reads the task of a row.
func (e env) rowProblem(row *prompt.Row) (*pddl.Problem, error) {
	key, err := e.rowKey(taskref.Ref{Task: row.Task, Domain: row.Domain, Problem: row.Problem, DomainText: row.DomainText, ProblemText: row.ProblemText}, time.Time{})
	if err != nil {
		return nil, err
	}
	return e.keyProblem(key)
}

// rowKey finds the texts of a row's task, with files as they were at a time or later.
func (e env) rowKey(ref taskref.Ref, at time.Time) (taskref.Key, error) {
	if ref.Task != "" {
		if ref != (taskref.Ref{Task: ref.Task}) {
			return taskref.Key{}, errors.New("give either a task, or a domain and a problem")
		}
		return e.tasks.Bundled(ref.Task)
	}
	key, err := e.tasks.Parts(ref, at)
	if part := (*taskref.PartError)(nil); errors.As(err, &part) {
		switch part.Err {
		case nil:
			err = fmt.Errorf("the row has no %s", part.Part)
		case errRowStdin:
			err = fmt.Errorf("the row's %s %w", part.Part, part.Err)
		default:
			err = part.Err
		}
	}
	return key, err
}

// keyProblem parses a row's task.
func (e env) keyProblem(key taskref.Key) (*pddl.Problem, error) {
	p, diags := e.tasks.Parse(key, pddl.Options{Strict: e.Bool("strict")})
	if errs := diags.Errors(); len(errs) > 0 {
		return nil, errors.New(errs[0].String())
	}
	return p, nil
}
