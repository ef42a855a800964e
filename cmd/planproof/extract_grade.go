package main

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/prompt"
)

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
			err = e.printFileRow(name, &x)
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
