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
	"sync"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"
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
				t := e.evalTask(&promptRow{ID: name, Task: name})
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
		t := e.evalTask(&promptRow{ID: name, Domain: args[0], Problem: name})
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
func (e env) evalTask(row *promptRow) *eval.Task {
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
		var row promptRow
		if rec, err := dataSetRow(line); err != nil {
			return err
		} else if rec != nil {
			row = promptRow{ID: rec.ID, DomainText: rec.Domain, ProblemText: rec.Problem}
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
		t, err := e.promptTask(&rec)
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

// promptTask makes the task that a record asks about, and checks what it says of it.
func (e env) promptTask(rec *prompt.Record) (*eval.Task, error) {
	t := e.evalTask(&promptRow{ID: rec.ID, DomainText: rec.Domain, ProblemText: rec.Problem})
	if !slices.Contains(prompt.Kinds(), rec.Kind) {
		return nil, rowjson.Errorf(rowjson.CodeValue, "kind", "there are no prompts of kind %q", rec.Kind)
	}
	if strings.TrimSpace(rec.Prompt.Text) == "" {
		return nil, rowjson.Errorf(rowjson.CodeMissing, "prompt.text", "no prompt: it has no text")
	}
	if budget, ok := costNumber(rec.Budget); ok {
		t.Budget = &budget
	} else if rec.Budget != "" {
		return nil, rowjson.Errorf(rowjson.CodeValue, "budget", "its budget %q is no cost", rec.Budget)
	}
	if rec.Gold != nil {
		t.Unsolvable = rec.Gold.Unsolvable
		if cost, ok := costNumber(rec.Gold.Cost); ok && rec.Gold.Optimal {
			t.Optimal = &cost
		}
		if t.Problem != nil {
			if err := grade.CheckGold(e.Context.Context, rec.Gold, t.Problem); err != nil {
				return nil, err
			}
		}
	}
	if t.Cheapest = rec.Kind == prompt.KindCostOptimal; t.Cheapest && t.Optimal == nil {
		return nil, rowjson.Errorf(rowjson.CodeMissing, "gold.cost", "a cost-optimal prompt needs its gold answer, to tell which plans are cheapest")
	}
	if eval.OtherKind(rec.Kind) && t.Problem != nil {
		var err error
		if t.Other, err = grade.NewGrader(rec); err != nil {
			return nil, rowjson.At(rowjson.CodeMissing, "gold", err)
		}
	}
	return t, nil
}

func costNumber(text string) (pddl.Number, bool) {
	if num, den, ok := strings.Cut(text, "/"); ok {
		a, ok1 := pddl.ParseNumber(num)
		b, ok2 := pddl.ParseNumber(den)
		if !ok1 || !ok2 {
			return a, false
		}
		return a.Div(b)
	}
	return pddl.ParseNumber(text)
}

// findOptima solves every task, for the least cost of its plans. A task that is not solved
// within the limits keeps its least cost unknown.
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
	for _, t := range tasks {
		if t.Problem == nil || t.Other != nil || t.Optimal != nil || t.Unsolvable {
			continue
		}
		task, err := grounder.Ground(ctx, t.Problem, grounder.Options{Memory: lim.memory})
		if err != nil {
			continue
		}
		r, err := pipeline.Search(ctx, t.Problem, task, pipeline.Options{Search: search.Config{Limits: search.Limits{Memory: lim.memory}}})
		if err != nil {
			return err
		}
		switch r.Status {
		case search.Unsolvable:
			t.Unsolvable = true
		case search.SolvedOptimally:
			t.Optimal = &r.Cost
		}
		if e.Context.Context.Err() != nil {
			return e.limited(statusInterrupted, "interrupted")
		}
	}
	return nil
}

// evalMethods reads --method.
func (e env) evalMethods() ([]*eval.Method, error) {
	var out []*eval.Method
	for _, name := range e.StringSlice("method") {
		if slices.ContainsFunc(out, func(m *eval.Method) bool { return m.Name == name }) {
			return nil, fmt.Errorf("--method names %s twice: its answers would be counted twice; --samples asks several times", name)
		}
		m, err := e.evalMethod(name, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// feedbackNodes bounds the search for a hint, by work: the same answers get the same hints.
const feedbackNodes = 200_000

// wordAbout tells what a word of a method is about; one of each is enough.
func wordAbout(word string) string {
	switch kind, _, _ := strings.Cut(word, "-"); {
	case word == "nl" || word == "pddl":
		return "style"
	case word == "cot" || word == "state":
		return "reasoning"
	case strings.HasSuffix(word, "-shot"):
		return "shots"
	case kind == "modulo" || kind == "feedback":
		return kind
	}
	return word
}

// evalMethod reads the words of a method. budget, unless nil, is told in its prompts.
func (e env) evalMethod(name string, budget *pddl.Number) (*eval.Method, error) {
	o := prompt.Options{Seed: 1, NoGold: true}
	if budget != nil {
		o.Budget = &costmodel.BudgetSpec{Level: costmodel.Explicit, Amount: *budget}
	}
	m := &eval.Method{Name: name, Rounds: 1, Feedback: eval.Feedback}
	critic := feedback.Options{Limits: search.Limits{Nodes: feedbackNodes}}
	said := map[string]string{}
	for _, word := range strings.Split(name, "+") {
		about := wordAbout(word)
		if said[about] != "" {
			return nil, fmt.Errorf("--method %s: %s and %s are two words about one thing", name, said[about], word)
		}
		said[about] = word
		number, shots := strings.CutSuffix(word, "-shot")
		rounds, modulo := strings.CutPrefix(word, "modulo-")
		level, isFeedback := strings.CutPrefix(word, "feedback-")
		switch {
		case word == "nl" || word == "pddl":
			o.Style = prompt.Style(word)
		case word == "cot" || word == "state":
			o.Reasoning = prompt.Reasoning(word)
		case word == "grammar":
			m.Grammar = planGrammar
		case word == "modulo":
			m.Rounds = 5
		case isFeedback:
			critic.Level = feedback.Level(level)
			if !slices.Contains(feedback.Levels(), critic.Level) {
				return nil, fmt.Errorf("--method %s: there is no feedback %q; it is binary, first, all or hint", name, level)
			}
		case shots:
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n > 100 {
				return nil, fmt.Errorf("--method %s: %q is not a number of examples such as 1-shot; zero-shot is what a method is that names none, such as nl", name, word)
			}
			o.Shots = n
		case modulo:
			n, err := strconv.Atoi(rounds)
			if err != nil || n < 1 || n > 1000 {
				return nil, fmt.Errorf("--method %s: %q is not a number of answers such as modulo-5", name, word)
			}
			m.Rounds = n
		default:
			return nil, fmt.Errorf("--method %s: there is no %q; the words are nl, pddl, cot, state, N-shot, grammar, modulo, modulo-N and feedback-LEVEL", name, word)
		}
	}
	if critic.Level != "" && said["modulo"] == "" {
		return nil, fmt.Errorf("--method %s: feedback-%s needs modulo, which asks again", name, critic.Level)
	}
	if critic.Level != "" {
		critic.Style = o.Style
		m.Feedback = eval.CriticFeedback(critic)
	}
	var cache sync.Map // a prompt is made once for all models and samples
	type made struct {
		once   sync.Once
		prompt *prompt.Prompt
		err    error
	}
	m.Prompt = func(ctx context.Context, t *eval.Task) (*prompt.Prompt, error) {
		v, _ := cache.LoadOrStore(t, &made{})
		p := v.(*made)
		p.once.Do(func() {
			rec, err := prompt.Make(ctx, prompt.Task{ID: t.ID, Problem: t.Problem, Bundled: t.Bundled}, o)
			if p.err = err; err == nil {
				p.prompt = &rec.Prompt
			}
		})
		return p.prompt, p.err
	}
	return m, nil
}

// planGrammar keeps answers to the plans of a task, in PDDL between the usual marks, or as
// JSON for a model that takes nothing but a schema.
func planGrammar(can model.Capabilities, t *eval.Task) (*model.Grammar, error) {
	o := constrain.GrammarOptions{Format: constrain.FormatGBNF, Wrap: constrain.WrapPlan, NonEmpty: true}
	for _, f := range constrain.GrammarFormats() { // their names are those of the notations
		if can.Grammar(model.GrammarKind(f)) {
			o.Format = f
			break
		}
	}
	if o.Format == constrain.FormatJSONSchema {
		o.Wrap = constrain.WrapNone
	}
	g, err := constrain.NewGrammar(t.Problem, o)
	if err != nil {
		return nil, err
	}
	return &model.Grammar{Kind: model.GrammarKind(o.Format), Text: g.Text}, nil
}
