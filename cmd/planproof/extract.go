package main

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"

	"github.com/urfave/cli/v2"
)

var extractCommand = command{
	name: "extract", usage: "find the plan, state or verdict that a language model's answer commits to", args: "DOMAIN PROBLEM RESPONSE...",
	long: `
Reads each response (a file, or "-") and prints the plan it commits to, a step a
line, and which rule read it. Nothing is guessed or repaired: a line that stands
where a step should and is none is reported and makes the plan invalid. Exit code 0:
a plan was found; 1: no plan, malformed lines, an ambiguous answer, or a claim that
there is none; 2: bad input.
docs/EXTRACTION.md states the rules.

--as state reads the facts that the answer says hold, and --as verdict whether it finds
a plan valid, and if not why. --record FILE takes the task and the question from a
record of planproof prompt --json, and grades the answer by the record's gold answer
(exit code 0: correct).

--batch reads rows {"id","domain","problem","response"} of JSON Lines (files, or text under
domain_text and problem_text, or a bundled name under "task"; the response also as a list
of chat messages, or as a list of answers) and prints a line for each, in order. Rows that
name no task are about the one before --batch. Exit code: 0 every answer has a plan
without malformed lines; 1 some has not; 2 some row cannot be read and is answered by
{"id","error"}.

   planproof extract domain.pddl problem.pddl answer.txt
   planproof extract blocksworld:4-17 answer.txt --json
   planproof extract blocksworld:4-17 answer.txt --as verdict
   planproof extract --record prompt.json answer.txt --json
   planproof extract --batch responses.jsonl --json > plans.jsonl`,
	flags: []cli.Flag{
		&cli.StringFlag{Name: "as", Usage: "what to read: `plan`, state or verdict", Value: "plan"},
		&cli.StringFlag{Name: "record", Usage: "grade answers to the prompt of the record in `FILE`"},
		&cli.StringFlag{Name: "batch", Usage: "read the answers in the rows of the JSON Lines `FILE`"},
		&cli.IntFlag{Name: "workers", Usage: "rows of a batch read at the same time (0: one per processor)"},
		strictFlag,
	},
	action: func(e env) error {
		switch e.String("as") {
		case "plan", "state", "verdict":
		default:
			return fmt.Errorf("--as is plan, state or verdict, not %q", e.String("as"))
		}
		if e.IsSet("batch") {
			if e.IsSet("record") {
				return errors.New("--record and --batch exclude each other")
			}
			return e.extractRows()
		}
		if name := e.String("record"); name != "" {
			return e.gradeAnswers(name)
		}
		p, files, err := e.task()
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return errors.New("extract needs a response: a file, or - for standard input")
		}
		if e.String("as") != "plan" {
			return e.extractOther(p, files)
		}
		reader := extract.NewReader(p.Domain, p)
		code := exitYes
		for _, name := range files {
			src, err := e.readSource(name)
			if err != nil {
				return err
			}
			x := reader.Extract(src.Text)
			if x.Status != extract.StatusPlan || len(x.Malformed) > 0 {
				code = exitNo
			}
			if err := e.printExtraction(name, &x); err != nil {
				return err
			}
		}
		return exit(code)
	},
}

func (e env) printExtraction(name string, x *extract.Extraction) error {
	if e.Bool("json") {
		return printJSON(e.out, struct {
			File string `json:"file"`
			*extract.Extraction
		}{name, x})
	}
	fmt.Fprintf(e.err, "%s: %s (read as %s, confidence %s)\n", name, x.Status, x.Reading, x.Confidence)
	for _, step := range x.Plan {
		fmt.Fprintln(e.out, step)
	}
	for _, m := range x.Malformed {
		fmt.Fprintf(e.err, "%s:%d: step %d is not a step: %s\n", name, m.Line, m.Step, m.Text)
	}
	if x.Unfinished != "" {
		fmt.Fprintf(e.err, "%s: cut off where a step was to come: %s\n", name, x.Unfinished)
	}
	return nil
}
