package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/readings"
)

// extractRows is extract --batch: one line for each row, in order.
func (e env) extractRows() error {
	if e.Int("workers") < 0 {
		return errors.New("--workers must not be negative")
	}
	tasks := &rowTasks{e: e, tasks: map[taskref.Key]*readings.Task{}}
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
	in, err := e.open(e.String("batch"))
	if err != nil {
		return err
	}
	defer in.Close()
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
	tasks map[taskref.Key]*readings.Task
	text  int
}

// get returns the task of a reference, with its files as they were at a time or later.
func (c *rowTasks) get(ref taskref.Ref, at time.Time) (*readings.Task, error) {
	if ref.IsZero() {
		if c.own == nil {
			return nil, errors.New("no task: neither domain and problem, nor their text, nor the name of a bundled task")
		}
		return c.own, nil
	}
	if ref.Domain != "" && ref.Problem+ref.ProblemText+ref.Task == "" && domains.IsName(ref.Domain) {
		ref.Task, ref.Domain = ref.Domain, ""
	}
	c.mu.Lock() // also for reading: who names a pipe wants it read once
	defer c.mu.Unlock()
	key, err := c.e.rowKey(ref, at)
	if err != nil {
		return nil, err
	}
	t := c.tasks[key]
	if t == nil {
		t = readings.NewTask(func() (*pddl.Problem, error) { return c.e.keyProblem(key) })
		if c.text += 1<<10 + int(key.Bytes()); c.text > maxTaskText {
			clear(c.tasks)
			c.text = 0
		}
		c.tasks[key] = t
	}
	return t, nil
}
