package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// extractOther reads states or verdicts out of answers.
func (e env) extractOther(p *pddl.Problem, files []string) error {
	code := exitYes
	state, verdict := extract.NewStateReader(p.Domain, p), extract.NewVerdictReader(p.Domain, p)
	for _, name := range files {
		src, err := e.readSource(name)
		if err != nil {
			return err
		}
		var found bool
		if e.String("as") == "state" {
			x := state.Read(src.Text)
			found = x.Found
			err = e.printState(name, &x)
		} else {
			x := verdict.Read(src.Text)
			found = x.Found
			err = e.printVerdictReading(name, &x)
		}
		if err != nil {
			return err
		}
		if !found {
			code = exitNo
		}
	}
	return exit(code)
}

func (e env) printState(name string, x *extract.StateReading) error {
	if e.Bool("json") {
		return printJSON(e.out, struct {
			File string `json:"file"`
			*extract.StateReading
		}{name, x})
	}
	fmt.Fprintf(e.err, "%s: %s (read as %s, confidence %s)\n", name, plural(len(x.Facts), "fact"), x.Reading, x.Confidence)
	for _, f := range x.Facts {
		fmt.Fprintln(e.out, f)
	}
	for _, f := range x.Denied {
		fmt.Fprintf(e.out, "(not %s)\n", f)
	}
	for _, u := range x.Unread {
		fmt.Fprintf(e.err, "%s: no fact of the task: %s\n", name, u)
	}
	return nil
}

func (e env) printVerdictReading(name string, x *extract.VerdictReading) error {
	if e.Bool("json") {
		return printJSON(e.out, struct {
			File string `json:"file"`
			*extract.VerdictReading
		}{name, x})
	}
	fmt.Fprintf(e.err, "%s: read as %s, confidence %s\n", name, x.Reading, x.Confidence)
	switch {
	case !x.Found:
		fmt.Fprintln(e.out, "no verdict")
	case x.Valid:
		fmt.Fprintln(e.out, "valid")
	default:
		fmt.Fprintln(e.out, strings.TrimSpace(fmt.Sprintf("invalid %s", x.Kind)))
		if x.Step > 0 || x.Action != "" {
			fmt.Fprintf(e.out, "step %d %s\n", x.Step, x.Action)
		}
		for _, u := range x.Unmet {
			fmt.Fprintln(e.out, u)
		}
	}
	return nil
}

// gradeAnswers grades answers to the prompt of a record.
func (e env) gradeAnswers(record string) error {
	if e.NArg() == 0 {
		return errors.New("extract --record needs a response: a file, or - for standard input")
	}
	src, err := e.readSource(record)
	if err != nil {
		return err
	}
	rec, err := prompt.ReadRecord([]byte(src.Text))
	if err != nil {
		return fmt.Errorf("%s: %w", record, err)
	}
	g, err := grade.NewGrader(rec)
	if err != nil {
		return fmt.Errorf("%s: %w", record, err)
	}
	code := exitYes
	for _, name := range e.Args().Slice() {
		answer, err := e.readSource(name)
		if err != nil {
			return err
		}
		x := g.Grade(answer.Text)
		if !x.Correct {
			code = exitNo
		}
		if e.Bool("json") {
			err = printJSON(e.out, struct {
				File string `json:"file"`
				grade.Grade
			}{name, x})
		} else {
			err = e.printGrade(name, &x)
		}
		if err != nil {
			return err
		}
	}
	return exit(code)
}

func (e env) printGrade(name string, x *grade.Grade) error {
	word := map[bool]string{true: "correct", false: "wrong"}[x.Correct]
	detail := ""
	switch {
	case x.StateScore != nil:
		detail = fmt.Sprintf(": precision %.3f, recall %.3f", x.StateScore.Precision, x.StateScore.Recall)
	case x.Levels != nil:
		detail = fmt.Sprintf(": verdict %v, kind %v, explanation %v", x.Levels.Binary, x.Levels.Type, x.Levels.Explanation)
	case x.Verdict != nil && x.Verdict.Failure != nil:
		detail = ": " + x.Verdict.Failure.Message
	case x.Verdict != nil:
		detail = fmt.Sprintf(": a valid plan of cost %s", x.Verdict.Cost)
	case x.Plan != nil:
		detail = ": " + string(x.Plan.Status)
	}
	_, err := fmt.Fprintf(e.out, "%s: %s%s\n", name, word, detail)
	return err
}
