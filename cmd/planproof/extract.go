package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/readings"

	"github.com/urfave/cli/v2"
)

var extractCommand = command{
	name: "extract", usage: "find the plan, state or verdict that a language model's answer commits to", args: "DOMAIN PROBLEM RESPONSE...",
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
		task, code := readings.NewTask(func() (*pddl.Problem, error) { return p, nil }), exitYes
		for _, name := range files {
			src, err := e.readSource(name)
			if err != nil {
				return err
			}
			x, found, err := task.Read(e.String("as"), src.Text)
			if err == nil {
				err = e.printReading(name, x)
			}
			if err != nil {
				return err
			}
			if !found {
				code = exitNo
			}
		}
		return exit(code)
	},
}

// printFileRow prints a row of JSON: the name of a file, and the members of v.
func (e env) printFileRow(name string, v any) error {
	row := append(rowjson.AppendText([]byte(`{"file":`), name), ',')
	_, err := e.out.Write(append(append(row, rowjson.Append(nil, v)[1:]...), '\n'))
	return err
}

// printReading prints what an answer says.
func (e env) printReading(name string, reading any) error {
	if e.Bool("json") {
		return e.printFileRow(name, reading)
	}
	switch x := reading.(type) {
	case *extract.StateReading:
		e.printState(name, x)
	case *extract.VerdictReading:
		e.printVerdictReading(name, x)
	case *extract.Extraction:
		e.printExtraction(name, x)
	}
	return nil
}

func (e env) printExtraction(name string, x *extract.Extraction) {
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
}

func (e env) printState(name string, x *extract.StateReading) {
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
}

func (e env) printVerdictReading(name string, x *extract.VerdictReading) {
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
}
