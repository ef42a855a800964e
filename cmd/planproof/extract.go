package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/readings"
)

var extractCommand = command{
	name: "extract", usage: "find the plan, state or verdict that a language model's answer commits to", args: "DOMAIN PROBLEM RESPONSE...",
	spec: `as=plan record batch workers:int +reader +strict`,
	action: func(e env) error {
		switch e.String("as") {
		case "plan", "state", "verdict":
		default:
			return fmt.Errorf("--as is plan, state or verdict, not %q", e.String("as"))
		}
		reader, err := e.reader()
		switch {
		case err != nil:
			return err
		case e.IsSet("reader") && e.String("as") != "plan":
			return fmt.Errorf("--reader is about plans, not about --as %s", e.String("as"))
		}
		if e.IsSet("batch") {
			if e.IsSet("record") {
				return errors.New("--record and --batch exclude each other")
			}
			return e.extractRows(reader)
		}
		if name := e.String("record"); name != "" {
			return e.gradeAnswers(name, reader)
		}
		p, files, err := e.Task()
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return errors.New("extract needs a response: a file, or - for standard input")
		}
		task, code := readings.NewTask(func() (*pddl.Problem, error) { return p, nil }), exitYes
		for _, name := range files {
			src, err := e.ReadSource(name)
			if err != nil {
				return err
			}
			x, found, err := task.Read(e.String("as"), reader, src.Text)
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
	_, err := e.Stdout.Write(append(append(row, rowjson.Append(nil, v)[1:]...), '\n'))
	return err
}

// printReading prints what an answer says.
func (e env) printReading(name string, reading any) error {
	if e.Bool("json") {
		return e.printFileRow(name, reading)
	}
	readings.WriteText(e.Stdout, e.Stderr, name, reading)
	return nil
}

// gradeAnswers grades answers to the prompt of a record; reader reads them if the record names none.
func (e env) gradeAnswers(record string, reader extract.Kind) error {
	if e.NArg() == 0 {
		return errors.New("extract --record needs a response: a file, or - for standard input")
	}
	src, err := e.ReadSource(record)
	if err != nil {
		return err
	}
	rec, err := prompt.ReadRecord([]byte(src.Text))
	if err != nil {
		return fmt.Errorf("%s: %w", record, err)
	}
	rec.Reader = cmp.Or(rec.Reader, reader)
	g, err := grade.NewGrader(rec)
	if err != nil {
		return fmt.Errorf("%s: %w", record, err)
	}
	code := exitYes
	for _, name := range e.Args().Slice() {
		answer, err := e.ReadSource(name)
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
			_, err = fmt.Fprintf(e.Stdout, "%s: %s\n", name, x.Text())
		}
		if err != nil {
			return err
		}
	}
	return exit(code)
}

// extractRows is extract --batch: one line for each row, in order.
func (e env) extractRows(reader extract.Kind) error {
	tasks := readings.NewTasks(e.Tasks)
	if e.NArg() > 0 {
		p, rest, err := e.Task()
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return fmt.Errorf("unexpected argument %q: the answers are in the rows of --batch", rest[0])
		}
		tasks.Own = readings.NewTask(func() (*pddl.Problem, error) { return p, nil })
	}
	defer cmdline.CollectAt(rowGarbage)()
	var stats readings.Stats
	err := e.Stream(e.String("batch"), e.Stdout, func(in io.Reader, out io.Writer) (err error) {
		stats, err = readings.Run(e.Context.Context, in, out, readings.Options{
			As: e.String("as"), Reader: reader, JSON: e.Bool("json"), Workers: e.Int("workers"), Task: tasks.Task,
		})
		return err
	})
	if err != nil {
		return err
	}
	if !e.Bool("json") {
		fmt.Fprintln(e.Stderr, stats.Text(e.String("as")))
	}
	return cmdline.RowsExit(nil, stats.Missing, 0, stats.Errors)
}
