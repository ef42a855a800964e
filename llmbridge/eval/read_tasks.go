package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// TaskReader reads the tasks of a run. A task in a file of rows that cannot be read is a
// task all the same: its rows have the status [UnreadableTask].
type TaskReader struct {
	// Problem reads the task that a row names.
	Problem func(*prompt.Row) (*pddl.Problem, error)
	// Reprice replaces the costs of a task; nil leaves them.
	Reprice func(*pddl.Problem) (*pddl.Problem, error)
	// Reader is that of the tasks whose prompt or response names none.
	Reader extract.Kind
	// Convert makes a record of a row in another layout, and returns nil for a row in none
	// that it knows. It may be nil.
	Convert func(row []byte) (*prompt.Record, error)
}

// Task reads the task of a row. Its id is that of the row, else the bundled name, else the
// problem's name.
func (r *TaskReader) Task(row *prompt.Row) *Task {
	t := &Task{ID: row.ID, Bundled: row.Task, Reader: r.Reader}
	p, err := r.Problem(row)
	if err == nil && r.Reprice != nil {
		p, err = r.Reprice(p)
	}
	if err != nil {
		t.Err = err.Error()
		return t
	}
	t.Problem, t.ID = p, cmp.Or(t.ID, row.Task, p.Name)
	return t
}

// Tasks reads tasks. All of them must be readable.
func (r *TaskReader) Tasks(rows []*prompt.Row) ([]*Task, error) {
	var tasks []*Task
	for _, row := range rows {
		t := r.Task(row)
		if t.Problem == nil {
			return nil, errors.New(t.Err)
		}
		tasks = append(tasks, t)
	}
	return tasks, checkIDs(tasks)
}

// checkIDs refuses two tasks with one id.
func checkIDs(tasks []*Task) error {
	seen := map[string]bool{}
	for _, t := range tasks {
		if seen[t.ID] {
			return fmt.Errorf("two tasks have the id %q", t.ID)
		}
		seen[t.ID] = true
	}
	return nil
}

// eachRow hands the lines of JSON Lines to yield. The error names all bad rows
// (*rowjson.Faults), with name as that of the file.
func eachRow(name string, in io.Reader, yield func(n int, line []byte) error) error {
	var faults rowjson.Faults
	r := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(rowjson.BOM))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := yield(n, line); err != nil {
				faults.Add(name, n, 1, line, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return faults.Err()
		}
		if err != nil {
			return err
		}
	}
}

// rowIDs maps the ids of rows to their lines.
type rowIDs map[string]int

// add refuses an id that an earlier row has.
func (seen rowIDs) add(t *Task, n int) error {
	if first := seen[t.ID]; first != 0 {
		return rowjson.Errorf(rowjson.CodeDuplicate, "id", "the id %q is that of line %d", t.ID, first)
	}
	seen[t.ID] = n
	return nil
}

// ReadRows reads tasks from rows of JSON Lines ([prompt.Row]). The error names all bad rows.
func (r *TaskReader) ReadRows(name string, in io.Reader) ([]*Task, error) {
	var tasks []*Task
	ids := rowIDs{}
	err := eachRow(name, in, func(n int, line []byte) error {
		var row prompt.Row
		if rec, err := r.convert(line); err != nil {
			return err
		} else if rec != nil {
			row = prompt.Row{ID: rec.ID, DomainText: rec.Domain, ProblemText: rec.Problem}
		} else if err := rowjson.Unmarshal(line, &row, true); err != nil {
			return err
		}
		if row.Kind != "" && row.Kind != string(prompt.KindGeneration) {
			return rowjson.Errorf(rowjson.CodeValue, "kind", "%q: about tasks, only plans are asked for; make prompts of other kinds by planproof prompt --batch, for --prompts", row.Kind)
		}
		t := r.Task(&row)
		t.ID = cmp.Or(t.ID, fmt.Sprintf("row %d", n))
		tasks = append(tasks, t)
		return ids.add(t, n)
	})
	return tasks, err
}

func (r *TaskReader) convert(line []byte) (*prompt.Record, error) {
	if r.Convert == nil {
		return nil, nil
	}
	return r.Convert(line)
}

// ReadPrompts reads records of prompts ([prompt.Record]) as JSON Lines. It returns the tasks
// that they ask about, and the method that asks with their prompts.
func (r *TaskReader) ReadPrompts(ctx context.Context, name string, in io.Reader) ([]*Task, *Method, error) {
	prompts, ids, kinds := map[*Task]*prompt.Prompt{}, rowIDs{}, map[string]prompt.Kind{}
	var tasks []*Task
	err := eachRow(name, in, func(n int, line []byte) error {
		rec, err := r.convert(line)
		if rec == nil && err == nil {
			rec = &prompt.Record{}
			err = rowjson.Unmarshal(line, rec, true)
		}
		if err != nil {
			return err
		}
		t, err := PromptTask(ctx, rec, r.Task(&prompt.Row{ID: rec.ID, DomainText: rec.Domain, ProblemText: rec.Problem}))
		if err != nil {
			return err
		}
		t.ID = cmp.Or(t.ID, fmt.Sprintf("row %d", n))
		prompts[t] = &rec.Prompt
		tasks = append(tasks, t)
		if first, known := kinds[t.ID]; !known {
			kinds[t.ID] = rec.Kind
		} else if first != rec.Kind { // prompts of another kind about the same task
			t.ID += " " + string(rec.Kind)
		}
		return ids.add(t, n)
	})
	m := &Method{Name: "prompts", Prompt: func(_ context.Context, t *Task) (*prompt.Prompt, error) { return prompts[t], nil }}
	return tasks, m, err
}

// ResponseTask reads the task of a response. Names of files are relative to dir, the folder
// of the response file.
func (r *TaskReader) ResponseTask(ctx context.Context, a *Response, dir string) *Task {
	row := &prompt.Row{ID: a.ID}
	switch {
	case a.Inline:
		row.DomainText, row.ProblemText = a.Domain, a.Problem
	case a.File:
		row.Domain, row.Problem = a.Domain, a.Problem
	default:
		row.Domain, row.Problem = beside(dir, a.Domain), beside(dir, a.Problem)
	}
	t := r.Task(row)
	t.Unsolvable, t.Reader = a.Unsolvable, cmp.Or(a.Reader, r.Reader)
	var err error
	if t.Problem != nil && a.Kind != "" {
		err = t.askedBy(ctx, a.Kind, a.Query)
	}
	switch cost, ok := pddl.ParseFraction(a.Optimal); {
	case t.Problem == nil || err != nil:
	case a.TruePlan != "":
		err = t.cheapestBy(a.TruePlan)
	case a.Optimal != "" && !ok:
		err = fmt.Errorf("optimal_cost %s is no cost", a.Optimal)
	case a.Optimal != "":
		t.Optimal, t.Cheapest = &cost, true
	}
	if err != nil {
		t.Problem, t.Err = nil, err.Error()
	}
	return t
}

func beside(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}
