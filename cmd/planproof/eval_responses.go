package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync"

	"planproof/domains"
	"planproof/llmbridge/eval"

	"golang.org/x/sync/errgroup"
)

// responseBatch is the number of answers that are graded in one go.
const responseBatch = 64

// gradeResponses is eval --responses. Answers are graded on all processors; the rows are
// in the order of the file.
func (e env) gradeResponses() error {
	if e.NArg() > 0 || e.String("tasks")+e.String("prompts")+e.String("replay")+e.String("transcript") != "" || len(e.StringSlice("model")) > 0 {
		return errors.New("--responses grades answers that are there: it takes neither tasks nor models")
	}
	name := e.String("responses")
	in, closeIn, err := e.open(name)
	if err != nil {
		return err
	}
	defer closeIn()
	responses, unanswered, err := eval.ReadResponses(in, eval.ResponseOptions{
		Domain: e.String("domain"), Instances: e.String("instances"), Bundled: bundledTexts,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(responses) == 0 {
		return fmt.Errorf("%s has no answers", name)
	}
	type key struct {
		domain, problem, optimal, query string
		inline, unsolvable              bool
	}
	// Tasks are read by whoever needs one first; answers to one task mostly
	// stand together.
	type lazyTask func() *eval.Task
	tasks := map[key]lazyTask{}
	taskOf := make([]lazyTask, len(responses))
	for i := range responses {
		r := &responses[i]
		k := key{r.Domain, r.Problem, r.Optimal, r.Query, r.Inline, r.Unsolvable}
		if tasks[k] == nil {
			tasks[k] = sync.OnceValue(func() *eval.Task { return e.responseTask(r, filepath.Dir(name)) })
		}
		taskOf[i] = tasks[k]
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
			bar.add(min(responseBatch, len(responses)-at))
			return nil
		})
	}
	err = group.Wait()
	bar.done()
	if errors.Is(err, context.Canceled) {
		return e.limited("interrupted", "interrupted")
	}
	if err != nil {
		return err
	}
	return e.reportResponses(rows, unanswered)
}

// responseTask reads the task of a response. Files are named from the folder of the
// response file.
func (e env) responseTask(r *eval.Response, dir string) *eval.Task {
	row := &promptRow{ID: r.ID}
	if r.Inline {
		row.DomainText, row.ProblemText = r.Domain, r.Problem
	} else {
		row.Domain, row.Problem = r.Domain, r.Problem
		if e.String("instances") == "" {
			row.Domain, row.Problem = beside(dir, r.Domain), beside(dir, r.Problem)
		}
	}
	t := e.evalTask(row)
	t.Unsolvable = r.Unsolvable
	if cost, ok := costNumber(r.Optimal); ok && r.Optimal != "" {
		t.Optimal, t.Cheapest = &cost, true
	}
	var err error
	if t.Problem != nil && r.TruePlan != "" {
		err = t.CheapestBy(r.TruePlan)
	} else if t.Problem != nil && r.Kind != "" {
		err = t.AskedBy(e.Context.Context, r.Kind, r.Query)
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
		var bars []eval.Bar
		for i := range cells {
			c := &cells[i]
			bar := eval.Bar{Label: c.Group, Interval: c.Wilson, Mark: -1, Note: fmt.Sprintf("%d of %d", c.Correct, c.Graded)}
			if c.Graded > 0 {
				bar.Rate = float64(c.Correct) / float64(c.Graded)
			}
			if c.Known > 0 {
				bar.Mark = float64(c.Recorded) / float64(c.Known)
			}
			bars = append(bars, bar)
		}
		title := "correct answers with 95 % Wilson intervals; the mark is the recorded rate"
		if err := e.writeFile(name, func(w io.Writer) error { return eval.WriteChart(w, title, bars) }); err != nil {
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
		err = e.printResponseCells(cells, causes)
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
