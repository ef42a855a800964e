package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/eval"
)

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
	in, err := e.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
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
	read, err := e.taskReader()
	if err != nil {
		return err
	}
	ctx := e.Context.Context
	tasks := eval.NewResponseTasks(responses, func(r *eval.Response) *eval.Task { return read.ResponseTask(ctx, r, filepath.Dir(name)) })
	if e.Bool("optimal") {
		if err := e.findOptima(tasks.All()); err != nil {
			return err
		}
	}
	if n := eval.RepeatedIDs(responses); n > 0 {
		fmt.Fprintf(e.err, "planproof: %s with the id of one before it in the same group; each counts\n", plural(n, "entry"))
	}
	bar := e.rowProgress()
	rows, err := eval.GradeResponses(ctx, responses, tasks, bar.Add)
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.limited(statusInterrupted, "interrupted")
	}
	if err != nil {
		return err
	}
	return e.reportResponses(rows, unanswered)
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
