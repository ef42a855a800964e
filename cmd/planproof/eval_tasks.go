package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
)

// maxRange bounds NAME:a..b.
const maxRange = 100_000

// evalTasks reads the tasks. With --prompts the rows also say what to ask, as a method.
func (e env) evalTasks() ([]*eval.Task, []*eval.Method, error) {
	sources := 0
	for _, given := range []bool{e.NArg() > 0, e.String("tasks") != "", e.String("prompts") != ""} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return nil, nil, errors.New("eval needs tasks: bundled names, DOMAIN PROBLEM..., --tasks FILE or --prompts FILE, and one of these only")
	}
	var tasks []*eval.Task
	var methods []*eval.Method
	var err error
	switch {
	case e.String("tasks") != "":
		tasks, err = e.tasksOfRows(e.String("tasks"))
	case e.String("prompts") != "":
		if e.IsSet("method") {
			return nil, nil, errors.New("--prompts says what to ask; --method has no place beside it")
		}
		tasks, methods, err = e.tasksOfPrompts(e.String("prompts"))
	default:
		tasks, err = e.tasksOfArgs()
	}
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, t := range tasks {
		if seen[t.ID] {
			return nil, nil, fmt.Errorf("two tasks have the id %q", t.ID)
		}
		seen[t.ID] = true
	}
	if e.Bool("optimal") {
		err = e.findOptima(tasks)
	}
	return tasks, methods, err
}

// tasksOfArgs reads bundled names, also as ranges, or a domain and its problems. Here a
// fault ends the command; in a file of rows it is the status of that task.
func (e env) tasksOfArgs() ([]*eval.Task, error) {
	args := e.Args().Slice()
	var tasks []*eval.Task
	if isBundled(args[0]) {
		for _, arg := range args {
			names, err := bundledRange(arg)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				t := e.evalTask(&prompt.Row{ID: name, Task: name})
				if t.Problem == nil {
					return nil, errors.New(t.Err)
				}
				tasks = append(tasks, t)
			}
		}
		return tasks, nil
	}
	if len(args) < 2 {
		return nil, errors.New("eval needs DOMAIN and at least one PROBLEM")
	}
	for _, name := range args[1:] {
		t := e.evalTask(&prompt.Row{ID: name, Domain: args[0], Problem: name})
		if t.Problem == nil {
			return nil, errors.New(t.Err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// bundledRange expands blocksworld:4-1..20.
func bundledRange(arg string) ([]string, error) {
	head, last, ok := strings.Cut(arg, "..")
	if !ok {
		return []string{arg}, nil
	}
	at := strings.LastIndexAny(head, "-:") + 1
	from, err1 := strconv.ParseUint(head[at:], 10, 63)
	to, err2 := strconv.ParseUint(last, 10, 63)
	if err1 != nil || err2 != nil || from > to || to-from >= maxRange {
		return nil, fmt.Errorf("%q is not a range of tasks such as blocksworld:4-1..20", arg)
	}
	var names []string
	for n := from; n <= to; n++ {
		names = append(names, fmt.Sprint(head[:at], n))
	}
	return names, nil
}

// evalTask makes a task of a row; what cannot be read is a task all the same, with the
// reason.
func (e env) evalTask(row *prompt.Row) *eval.Task {
	t := &eval.Task{ID: row.ID, Bundled: row.Task}
	p, err := e.rowProblem(row)
	if err == nil {
		var reprice func(*pddl.Problem) (*pddl.Problem, error)
		if reprice, err = e.reprice(); err == nil && reprice != nil {
			p, err = reprice(p)
		}
	}
	if err != nil {
		t.Err = err.Error()
		return t
	}
	t.Problem = p
	if t.ID == "" {
		if t.ID = row.Task; t.ID == "" {
			t.ID = p.Name
		}
	}
	return t
}

// shownName is the name of an input in errors.
func shownName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// eachRow hands the lines of a JSON Lines file to yield. What is wrong with rows is told
// of all of them.
func (e env) eachRow(name string, yield func(n int, line []byte) error) error {
	in, closeIn, err := e.open(name)
	if err != nil {
		return err
	}
	defer closeIn()
	name = shownName(name)
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

// rowIDs finds rows with the id of one before them.
type rowIDs map[string]int

func (seen rowIDs) add(id string, n int) error {
	if first := seen[id]; first != 0 {
		return rowjson.Errorf(rowjson.CodeDuplicate, "id", "the id %q is that of line %d", id, first)
	}
	seen[id] = n
	return nil
}

func (e env) tasksOfRows(name string) ([]*eval.Task, error) {
	var tasks []*eval.Task
	ids := rowIDs{}
	err := e.eachRow(name, func(n int, line []byte) error {
		var row prompt.Row
		if rec, err := dataSetRow(line); err != nil {
			return err
		} else if rec != nil {
			row = prompt.Row{ID: rec.ID, DomainText: rec.Domain, ProblemText: rec.Problem}
		} else if err := rowjson.Unmarshal(line, &row, true); err != nil {
			return err
		}
		if row.Kind != "" && row.Kind != string(prompt.KindGeneration) {
			return rowjson.Errorf(rowjson.CodeValue, "kind", "%q: about tasks, only plans are asked for; make prompts of other kinds by planproof prompt --batch, for --prompts", row.Kind)
		}
		t := e.evalTask(&row)
		if t.ID == "" {
			t.ID = fmt.Sprintf("row %d", n)
		}
		tasks = append(tasks, t)
		return ids.add(t.ID, n)
	})
	return tasks, err
}

// dataSetRow reads a row of planproof export as a record of planproof prompt; nil for a row
// that is none.
func dataSetRow(line []byte) (*prompt.Record, error) {
	var mark struct{ Structure, Split string }
	if json.Unmarshal(line, &mark) != nil || mark.Structure == "" || mark.Split == "" {
		return nil, nil
	}
	var r dataset.Record
	if err := rowjson.Unmarshal(line, &r, true); err != nil {
		return nil, err
	}
	answer := strings.TrimSpace(r.Answer)
	end := answer[strings.LastIndexByte(answer, '\n')+1:] // the mark that ends a plan
	return &prompt.Record{
		ID: r.ID, Kind: prompt.KindGeneration, Domain: r.DomainText, Problem: r.ProblemText,
		Prompt: prompt.Prompt{System: r.System, Text: r.Prompt, Stop: []string{end, "[STATEMENT]"}},
		Gold:   &prompt.Gold{Text: r.Answer, Plan: r.Gold.Plan, Cost: r.Gold.Cost, Optimal: r.Gold.Optimal},
	}, nil
}

// tasksOfPrompts reads records of planproof prompt --json, or rows of planproof export. Their prompts are the one
// method of the run.
func (e env) tasksOfPrompts(name string) ([]*eval.Task, []*eval.Method, error) {
	prompts, ids, kinds := map[*eval.Task]*prompt.Prompt{}, rowIDs{}, map[string]prompt.Kind{}
	var tasks []*eval.Task
	err := e.eachRow(name, func(n int, line []byte) error {
		var rec prompt.Record
		if row, err := dataSetRow(line); err != nil {
			return err
		} else if row != nil {
			rec = *row
		} else if err := rowjson.Unmarshal(line, &rec, true); err != nil {
			return err
		}
		t, err := eval.PromptTask(e.Context.Context, &rec, e.evalTask(&prompt.Row{ID: rec.ID, DomainText: rec.Domain, ProblemText: rec.Problem}))
		if err != nil {
			return err
		}
		if t.ID == "" {
			t.ID = fmt.Sprintf("row %d", n)
		}
		prompts[t] = &rec.Prompt
		tasks = append(tasks, t)
		first, known := kinds[t.ID]
		if !known {
			kinds[t.ID] = rec.Kind
		} else if first != rec.Kind { // prompts of another kind about the same task
			t.ID += " " + string(rec.Kind)
		}
		return ids.add(t.ID, n)
	})
	m := &eval.Method{Name: "prompts", Prompt: func(_ context.Context, t *eval.Task) (*prompt.Prompt, error) { return prompts[t], nil }}
	return tasks, []*eval.Method{m}, err
}

// evalMethods reads --method.
func (e env) evalMethods() ([]*eval.Method, error) {
	var out []*eval.Method
	for _, name := range e.StringSlice("method") {
		if slices.ContainsFunc(out, func(m *eval.Method) bool { return m.Name == name }) {
			return nil, fmt.Errorf("--method names %s twice: its answers would be counted twice; --samples asks several times", name)
		}
		m, err := eval.ParseMethod(name, nil)
		if err != nil {
			return nil, fmt.Errorf("--method %w", err)
		}
		out = append(out, m)
	}
	return out, nil
}

// findOptima is --optimal: it finds the least cost of each task within the limits.
func (e env) findOptima(tasks []*eval.Task) error {
	lim, err := e.limits()
	if err != nil {
		return err
	}
	ctx := e.Context.Context
	if !lim.deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, lim.deadline)
		defer cancel()
	}
	if err := eval.FindOptima(ctx, tasks, lim.memory); err != nil {
		return err
	}
	if e.Context.Context.Err() != nil {
		return e.limited(statusInterrupted, "interrupted")
	}
	return nil
}
