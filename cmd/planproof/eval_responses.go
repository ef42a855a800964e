package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"planproof/llmbridge/eval"
)

// gradeResponses is eval --responses.
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
	responses, unanswered, err := eval.ReadResponses(in, eval.ResponseOptions{Domain: e.String("domain"), Instances: e.String("instances")})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(responses) == 0 {
		return fmt.Errorf("%s has no answers", name)
	}
	type key struct {
		domain, problem, optimal string
		inline, unsolvable       bool
	}
	tasks := map[key]*eval.Task{}
	bar := e.rowProgress()
	rows := make([]eval.GradedResponse, 0, len(responses))
	for i := range responses {
		r := &responses[i]
		k := key{r.Domain, r.Problem, r.Optimal, r.Inline, r.Unsolvable}
		t := tasks[k]
		if t == nil {
			t = e.responseTask(r, filepath.Dir(name))
			tasks[k] = t
		}
		rows = append(rows, eval.GradeResponse(r, t))
		bar.add(1)
		if errors.Is(e.Context.Context.Err(), context.Canceled) {
			return e.limited("interrupted", "interrupted")
		}
	}
	bar.done()
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
	return t
}

func beside(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

func (e env) reportResponses(rows []eval.GradedResponse, unanswered int) error {
	if name := e.String("rows"); name != "" {
		err := e.writeFile(name, func(w io.Writer) error {
			for i := range rows {
				if err := printJSON(w, &rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
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
