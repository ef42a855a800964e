package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/readings"
	"github.com/planproof/planproof/rltrain/rows"
)

// extractRows is extract --batch: one line for each row, in order.
func (e env) extractRows() error {
	if e.Int("workers") < 0 {
		return errors.New("--workers must not be negative")
	}
	tasks := &rowTasks{e: e, tasks: map[rows.TaskRef]*rowTask{}}
	if e.NArg() > 0 {
		p, rest, err := e.task()
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return fmt.Errorf("unexpected argument %q: the answers are in the rows of --batch", rest[0])
		}
		tasks.own = readings.NewTask(func() (*pddl.Problem, error) { return p, nil })
	}
	in, closeIn, err := e.open(e.String("batch"))
	if err != nil {
		return err
	}
	defer closeIn()
	defer collectAt(rowGarbage)()
	bar := e.rowProgress()
	stats, err := readings.Run(e.Context.Context, in, bar.Count(e.out), readings.Options{
		As: e.String("as"), JSON: e.Bool("json"), Workers: e.Int("workers"), Task: tasks.get,
	})
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.limited("interrupted", "interrupted: the rows printed so far are complete")
	}
	if err != nil {
		return err
	}
	if !e.Bool("json") {
		fmt.Fprintf(e.err, "%s: %d with a %s, %d without, %s\n", plural(stats.Found+stats.Missing+stats.Errors, "answer"), stats.Found, e.String("as"), stats.Missing, plural(stats.Errors, "error"))
	}
	switch {
	case stats.Errors > 0:
		return exit(exitBad)
	case stats.Missing > 0:
		return exit(exitNo)
	}
	return nil
}

// maxTaskText bounds the texts of the tasks that are kept.
const maxTaskText = 64 << 20

// rowTasks keeps the tasks that rows name. It forgets them all when their texts have grown
// to maxTaskText.
type rowTasks struct {
	e     env
	own   *readings.Task // of rows that name no task; nil for none
	mu    sync.Mutex
	tasks map[rows.TaskRef]*rowTask
	text  int
}

// rowTask is a task with the files that it was read from, and when they were as noted.
type rowTask struct {
	*readings.Task
	files []fileStamp
	seen  time.Time
}

// get returns the task of a reference, with its files as they were at a time or later.
func (c *rowTasks) get(ref rows.TaskRef, at time.Time) (*readings.Task, error) {
	if ref.IsZero() {
		if c.own == nil {
			return nil, errors.New("no task: neither domain and problem, nor their text, nor the name of a bundled task")
		}
		return c.own, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tasks[ref]
	if t == nil || !t.fresh(at) {
		row := &prompt.Row{Task: ref.Task, Domain: ref.Domain, Problem: ref.Problem, DomainText: ref.DomainText, ProblemText: ref.ProblemText}
		if ref.Domain != "" && ref.Problem+ref.ProblemText+ref.Task == "" && domains.IsName(ref.Domain) {
			row.Task, row.Domain = ref.Domain, ""
		}
		seen := time.Now()
		t = &rowTask{readings.NewTask(func() (*pddl.Problem, error) { return c.e.rowProblem(row) }), filesOf(row), seen}
		if c.text += 1<<10 + len(ref.DomainText) + len(ref.ProblemText); c.text > maxTaskText {
			clear(c.tasks)
			c.text = 0
		}
		c.tasks[ref] = t
	}
	return t.Task, nil
}
