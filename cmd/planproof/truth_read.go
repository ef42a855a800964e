package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/internal/outfile"
)

var truthListCommand = command{
	name: "list", usage: "list the rows of a store", args: "",
	spec: `+store +status`,
	action: func(e env) error {
		filter, err := e.rowFilter()
		if err != nil {
			return err
		}
		return e.readStore(func(s *store.Store) error {
			if e.Bool("json") {
				return e.orInterrupted(s.Export(e.Context.Context, e.out, store.ExportOptions{Filter: filter}))
			}
			return e.orInterrupted(s.Each(e.Context.Context, filter, func(r *store.Record) error {
				_, err := fmt.Fprintln(e.out, r.Line())
				return err
			}))
		})
	},
}

// orInterrupted turns the end of the context into what a command says of a signal.
func (e env) orInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return e.limited(statusInterrupted, "interrupted: the rows printed so far are complete")
	}
	return err
}

var truthExportCommand = command{
	name: "export", usage: "write rows as JSON Lines", args: "",
	spec: `no-texts:bool times:bool output,o=- +store +status`,
	action: func(e env) error {
		filter, err := e.rowFilter()
		if err != nil {
			return err
		}
		db := e.String("store")
		if err := outfile.Spare(e.String("output"), db, db+"-wal", db+"-shm"); err != nil {
			return err
		}
		opt := store.ExportOptions{Filter: filter, Texts: !e.Bool("no-texts"), Times: e.Bool("times")}
		return e.readStore(func(s *store.Store) error {
			return e.orInterrupted(e.writeFile(e.String("output"), func(w io.Writer) error {
				return s.Export(e.Context.Context, w, opt)
			}))
		})
	},
}

var truthCheckCommand = command{
	name: "check", usage: "verify a store", args: "",
	spec: `jobs,j:int tables +store`,
	action: func(e env) error {
		return e.readStore(func(s *store.Store) error {
			bar := e.countProgress(0, "rows")
			report, err := s.Check(e.Context.Context, store.CheckOptions{Jobs: e.Int("jobs"), Tables: e.String("tables"), Progress: bar.Set})
			bar.Done()
			if errors.Is(err, context.Canceled) {
				return e.limited(statusInterrupted, "interrupted before the check was done")
			}
			if err != nil {
				return err
			}
			return e.printCheck(report)
		})
	},
}

func (e env) printCheck(r *store.CheckReport) error {
	code := exitYes
	if !r.Sound() {
		code = exitNo
	}
	row := struct {
		Sound bool `json:"sound"`
		*store.CheckReport
	}{code == exitYes, r}
	if err := e.print(row, func(w io.Writer) error { r.Write(w); return nil }); err != nil {
		return err
	}
	return exit(code)
}

var truthStatsCommand = command{
	name: "stats", usage: "count what a store holds", args: "",
	spec: `+store`,
	action: func(e env) error {
		return e.readStore(func(s *store.Store) error {
			st, err := s.Stats(e.Context.Context)
			if err != nil {
				return err
			}
			return e.print(st, func(w io.Writer) error { st.Write(w); return nil })
		})
	},
}
