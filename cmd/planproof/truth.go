package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/search"
)

var truthCommand = command{
	name: "truth", usage: "keep ground truth (optimal costs and plans) in a store, and look it up", args: "fill|get|list|export|import|check|stats ...",
	subs: []command{
		truthFillCommand, truthGetCommand, truthListCommand, truthExportCommand, truthImportCommand, truthCheckCommand, truthStatsCommand,
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
	schedule, err := e.schedule()
	if err != nil {
		return store.Key{}, err
	}
	dom, prob, rest, err := e.taskSources(e.Args().Slice())
	if err != nil {
		return store.Key{}, err
	}
	if len(rest) > 0 {
		return store.Key{}, fmt.Errorf("unexpected argument %q", rest[0])
	}
	key, err := store.KeyOf(dom, prob, schedule)
	return key, e.faults(err)
}

func (e env) unknownKey(key store.Key) error {
	err := e.print(map[string]any{"key": key.String(), "status": "unknown"}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "not known: %s has no row %s\n", e.String("store"), key)
		return err
	})
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
		return printJSON(e.out, row)
	}
	if e.Bool("plan") {
		if r.Status != search.SolvedOptimally {
			return fmt.Errorf("the row has no plan: its status is %s", r.Status)
		}
		r.WritePlan(e.out)
		return nil
	}
	s.WriteRecord(e.out, r)
	return nil
}
