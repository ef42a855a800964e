package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"

	"golang.org/x/sync/errgroup"
)

// responseBatch is the number of answers that are graded in one go.
const responseBatch = 64

// askingFlags are of eval with models.
var askingFlags = []string{"tasks", "prompts", "model", "method", "samples", "k", "seed", "transcript", "replay"}

// gradeResponses is eval --responses. Answers are graded on all processors; the rows are
// in the order of the file.
func (e env) gradeResponses() error {
	if e.NArg() > 0 {
		return errors.New("--responses grades answers that are there: it takes no tasks")
	}
	for _, flag := range askingFlags {
		if e.IsSet(flag) {
			return fmt.Errorf("--responses grades answers that are there: --%s has no place beside it", flag)
		}
	}
	if pattern := e.String("instances"); (pattern == "") != (e.String("domain") == "") {
		return errors.New("--domain and --instances go together")
	} else if pattern != "" && !strings.Contains(pattern, "%d") {
		return fmt.Errorf("--instances %s: the name needs %%d, which stands for the instance's number", pattern)
	}
	name := e.String("responses")
	in, closeIn, err := e.open(name)
	if err != nil {
		return err
	}
	defer closeIn()
	place := shownName(name)
	responses, unanswered, err := eval.ReadResponses(in, eval.ResponseOptions{
		Name: place, Domain: e.String("domain"), Instances: e.String("instances"), Bundled: bundledTexts,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if len(responses) == 0 {
		return fmt.Errorf("%s has no answers: of %s none has raw_response, llm_raw_response, response or messages with one of the assistant", place, plural(unanswered, "entry"))
	}
	type key struct {
		domain, problem, optimal, truth string
		kind                            prompt.Kind
		query                           string
		inline, unsolvable              bool
	}
	// Tasks are read by whoever needs one first; answers to one task mostly
	// stand together.
	type lazyTask func() *eval.Task
	tasks := map[key]lazyTask{}
	taskOf := make([]lazyTask, len(responses))
	var distinct []lazyTask
	for i := range responses {
		r := &responses[i]
		k := key{r.Domain, r.Problem, r.Optimal, r.TruePlan, r.Kind, r.Query, r.Inline, r.Unsolvable}
		if tasks[k] == nil {
			tasks[k] = sync.OnceValue(func() *eval.Task { return e.responseTask(r, filepath.Dir(name)) })
			distinct = append(distinct, tasks[k])
		}
		taskOf[i] = tasks[k]
	}
	if e.Bool("optimal") {
		list := make([]*eval.Task, len(distinct))
		for i, task := range distinct {
			list[i] = task()
		}
		if err := e.findOptima(list); err != nil {
			return err
		}
	}
	if n := sameIDs(responses); n > 0 {
		fmt.Fprintf(e.err, "planproof: %s with the id of one before it in the same group; each counts\n", plural(n, "entry"))
	}
	bar := e.rowProgress()
	rows := make([]eval.GradedResponse, len(responses))
	group, ctx := errgroup.WithContext(e.Context.Context)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for at := 0; at < len(responses); at += responseBatch {
		group.Go(func() error {
			for i := at; i < min(at+responseBatch, len(responses)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				rows[i] = eval.GradeResponse(&responses[i], taskOf[i]())
			}
			bar.Add(min(responseBatch, len(responses)-at))
			return nil
		})
	}
	err = group.Wait()
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.limited(statusInterrupted, "interrupted")
	}
	if err != nil {
		return err
	}
	return e.reportResponses(rows, unanswered)
}

// sameIDs counts the entries with the id of one before them.
func sameIDs(responses []eval.Response) int {
	n, seen := 0, map[[2]string]bool{}
	for i := range responses {
		k := [2]string{responses[i].Group, responses[i].ID}
		if k[1] != "" && seen[k] {
			n++
		}
		seen[k] = true
	}
	return n
}

// responseTask reads the task of a response. Files are named from the folder of the
// response file.
func (e env) responseTask(r *eval.Response, dir string) *eval.Task {
	row := &prompt.Row{ID: r.ID}
	if r.Inline {
		row.DomainText, row.ProblemText = r.Domain, r.Problem
	} else {
		row.Domain, row.Problem = r.Domain, r.Problem
		if !r.File {
			row.Domain, row.Problem = beside(dir, r.Domain), beside(dir, r.Problem)
		}
	}
	t := e.evalTask(row)
	t.Unsolvable = r.Unsolvable
	var err error
	if t.Problem != nil && r.Kind != "" {
		err = t.AskedBy(e.Context.Context, r.Kind, r.Query)
	}
	switch cost, ok := pddl.ParseFraction(r.Optimal); {
	case t.Problem == nil || err != nil:
	case r.TruePlan != "":
		err = t.CheapestBy(r.TruePlan)
	case r.Optimal != "" && !ok:
		err = fmt.Errorf("optimal_cost %s is no cost", r.Optimal)
	case r.Optimal != "":
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

func (e env) reportResponses(rows []eval.GradedResponse, unanswered int) error {
	if err := writeRows(e, rows); err != nil {
		return err
	}
	cells, causes := eval.SummariseResponses(rows)
	if name := e.String("svg"); name != "" {
		title := "correct answers with 95 % Wilson intervals; the mark is the recorded rate"
		if err := e.writeFile(name, func(w io.Writer) error { return eval.WriteChart(w, title, eval.ResponseBars(cells)) }); err != nil {
			return err
		}
	}
	code := exitYes
	for i := range cells {
		if cells[i].Graded < cells[i].Rows {
			code = exitBad
		}
	}
	var err error
	if e.Bool("json") {
		err = printJSON(e.out, map[string]any{"groups": cells, "causes": causes, "unanswered": unanswered})
	} else {
		if unanswered > 0 {
			fmt.Fprintf(e.err, "%s without an answer left out\n", plural(unanswered, "entry"))
		}
		err = eval.WriteResponseCells(e.out, cells, causes)
		eval.WriteUngraded(e.err, eval.Ungraded(rows))
	}
	if err != nil {
		return err
	}
	return exit(code)
}

// bundledTexts reads the bundled task of a name such as blocksworld:4-17.
func bundledTexts(name string) (domain, problem string, ok bool, err error) {
	if !domains.IsName(name) {
		return "", "", false, nil
	}
	d, p, err := domains.Load(name)
	if err != nil {
		return "", "", false, err
	}
	return d.Text, p.Text, true, nil
}
