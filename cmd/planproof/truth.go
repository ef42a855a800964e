package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/search"
)

var truthCommand = command{
	name: "truth", usage: "keep ground truth (optimal costs and plans) in a store, and look it up", args: "fill|split|get|list|export|import|check|stats ...",
	subs: []command{
		truthFillCommand, truthSplitCommand, truthGetCommand, truthListCommand, truthExportCommand, truthImportCommand, truthCheckCommand, truthStatsCommand,
	},
}

func (e env) rowFilter() (f store.Filter, err error) {
	f.Name = e.String("id")
	if f.Status, err = store.ParseStatuses(e.StringSlice("status")); err != nil {
		err = fmt.Errorf("--status %w", err)
	}
	return f, err
}

// readStore opens the store for reading and hands it to do.
func (e env) readStore(do func(*store.Store) error) error {
	s, err := store.OpenReadOnly(e.String("store"))
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

var truthGetCommand = command{
	name: "get", usage: "look a task up", args: "DOMAIN PROBLEM",
	spec: `key plan:bool texts:bool +store +schedule`,
	action: func(e env) error {
		key, err := e.truthKey()
		if err != nil {
			return err
		}
		return e.readStore(func(s *store.Store) error {
			r, found, err := s.Lookup(key)
			if err != nil {
				return err
			}
			if !found {
				return e.unknownKey(key)
			}
			if r.Names, err = s.Names(key); err != nil {
				return err
			}
			return e.printTruth(s, r)
		})
	},
}

// truthKey is the key that the arguments of truth get name.
func (e env) truthKey() (store.Key, error) {
	if e.IsSet("key") {
		if e.NArg() > 0 || e.IsSet("schedule") {
			return store.Key{}, errors.New("--key stands for task and schedule: give one or the other")
		}
		return store.ParseKey(e.String("key"))
	}
	schedule, err := e.Schedule()
	if err != nil {
		return store.Key{}, err
	}
	dom, prob, rest, err := e.TaskSources(e.Args().Slice())
	if err != nil {
		return store.Key{}, err
	}
	if len(rest) > 0 {
		return store.Key{}, fmt.Errorf("unexpected argument %q", rest[0])
	}
	key, err := store.KeyOf(dom, prob, schedule)
	return key, e.Faults(err)
}

func (e env) unknownKey(key store.Key) error {
	err := e.PrintLine(map[string]any{"key": key.String(), "status": "unknown"}, "not known: %s has no row %s", e.String("store"), key)
	return cmp.Or(err, exit(exitNo))
}

func (e env) printTruth(s *store.Store, r *store.Record) error {
	if e.Bool("json") {
		row := store.NewRow(r, true)
		if e.Bool("texts") {
			domain, problem, err := s.Texts(r)
			if err != nil {
				return err
			}
			row.Domain, row.Problem = &domain, &problem
		}
		return rowjson.WriteLine(e.Stdout, row)
	}
	if e.Bool("plan") {
		if r.Status != search.SolvedOptimally {
			return fmt.Errorf("the row has no plan: its status is %s", r.Status)
		}
		r.WritePlan(e.Stdout)
		return nil
	}
	s.WriteRecord(e.Stdout, r)
	return nil
}

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
				return e.OrInterrupted(s.Export(e.Context.Context, e.Stdout, store.ExportOptions{Filter: filter}), cmdline.RowsComplete)
			}
			return e.OrInterrupted(s.Each(e.Context.Context, filter, func(r *store.Record) error {
				_, err := fmt.Fprintln(e.Stdout, r.Line())
				return err
			}), cmdline.RowsComplete)
		})
	},
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
			return e.OrInterrupted(e.WriteFile(e.String("output"), func(w io.Writer) error {
				return s.Export(e.Context.Context, w, opt)
			}), cmdline.RowsComplete)
		})
	},
}

var truthCheckCommand = command{
	name: "check", usage: "verify a store", args: "",
	spec: `jobs,j:int tables +store`,
	action: func(e env) error {
		return e.readStore(func(s *store.Store) error {
			bar := e.CountProgress(0, "rows")
			report, err := s.Check(e.Context.Context, store.CheckOptions{Jobs: e.Int("jobs"), Tables: e.String("tables"), Progress: bar.Set})
			bar.Done()
			if err != nil {
				return e.OrInterrupted(err, "interrupted before the check was done")
			}
			err = e.Print(report.JSON(), report.WriteText)
			if err == nil && !report.Sound() {
				err = exit(exitNo)
			}
			return err
		})
	},
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
			return e.Print(st, st.WriteText)
		})
	},
}
