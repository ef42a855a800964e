package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/search"
)

// promptRow is a row of prompt --batch: a task, and what differs from the flags.
type promptRow struct {
	ID          string  `json:"id"`
	Task        string  `json:"task"` // a bundled name
	Domain      string  `json:"domain"`
	Problem     string  `json:"problem"`
	DomainText  string  `json:"domain_text"`
	ProblemText string  `json:"problem_text"`
	Kind        string  `json:"kind"`
	Seed        *uint64 `json:"seed"`
}

// promptBatch makes a record for each row, in order. A row that cannot be made one is
// answered with "error"; the others have their records.
func (e env) promptBatch(ctx context.Context, name string, o prompt.Options) error {
	switch {
	case e.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: the rows of --batch name their tasks", e.Args().First())
	case !e.Bool("json"):
		return errors.New("--batch prints records: it needs --json")
	case len(e.StringSlice("examples")) > 0:
		return errors.New("--examples is for one task, not for --batch")
	}
	in, closeIn, err := e.open(name)
	if err != nil {
		return err
	}
	defer closeIn()
	bar := e.rowProgress()
	out := bufio.NewWriter(bar.Count(e.out))
	code := exitYes
	r := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(rowjson.BOM))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			rec, rowErr := e.promptOfRow(ctx, line, o)
			if rowErr != nil {
				code = max(code, exitBad)
				if errors.Is(rowErr, search.ErrLimit) {
					code = exitLimit
				}
				id := rec.ID
				if id == "" {
					id = fmt.Sprintf("row %d", n)
				}
				if err := printJSON(out, map[string]string{"id": id, "error": rowErr.Error()}); err != nil {
					return err
				}
			} else if err := printJSON(out, rec); err != nil {
				return err
			}
		}
		if ctx.Err() != nil && e.Context.Context.Err() != nil {
			return errors.Join(out.Flush(), e.limited(statusInterrupted, "interrupted: the rows printed so far are complete"))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(out.Flush(), err)
		}
	}
	bar.Done()
	if err := out.Flush(); err != nil {
		return err
	}
	return exit(code)
}

// promptOfRow makes the record of one row; with an error, the record has the row's id.
func (e env) promptOfRow(ctx context.Context, line []byte, o prompt.Options) (*prompt.Record, error) {
	var row promptRow
	if err := rowjson.Unmarshal(line, &row, true); err != nil {
		fault := rowjson.Fault(err)
		if strings.Contains(fault, "unknown member") {
			fault += "; a row has id, kind, seed and a task: task, or domain and problem, or domain_text and problem_text"
		}
		return &prompt.Record{}, errors.New(fault)
	}
	failed := &prompt.Record{ID: row.ID}
	p, err := e.rowProblem(&row)
	if err != nil {
		return failed, err
	}
	if row.Kind != "" {
		o.Kind = prompt.Kind(row.Kind)
	}
	if row.Seed != nil {
		o.Seed, o.Without.Seed = *row.Seed, *row.Seed
	}
	id := row.ID
	if id == "" {
		if id = row.Task; id == "" {
			id = p.Name
		}
	}
	rec, err := prompt.Make(ctx, prompt.Task{ID: id, Problem: p, Bundled: row.Task}, o)
	if err != nil {
		failed.ID = id
		return failed, err
	}
	return rec, nil
}
