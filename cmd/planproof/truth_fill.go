package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/progress"
	"github.com/planproof/planproof/search"
)

var truthFillCommand = command{
	name: "fill", usage: "solve tasks and store what is found", args: "INPUT...",
	spec:   `search=auto() time,timeout=60s memory=2GB nodes:int64 jobs,j:int retry:bool tables certificates schedule:strings +store`,
	action: truthFill,
}

func truthFill(e env) error {
	opt, err := e.fillOptions()
	if err != nil {
		return err
	}
	in, err := store.Opener{Open: e.Open}.Inputs(e.Args().Slice()...)
	if err != nil {
		return err
	}
	defer in.Close()
	var stats store.FillStats
	err = e.intoStore(in.Count*max(1, len(opt.Schedules)), func(s *store.Store, bar *progress.Line) (err error) {
		opt.Progress = func(st store.FillStats) { bar.Set(st.Rows) }
		stats, err = store.Fill(e.Context.Context, s, in.Tasks, opt)
		return err
	})
	e.tellFaults(stats.Faults)
	interrupted := err != nil && e.Context.Err() != nil
	if err != nil && !interrupted {
		return err
	}
	return e.filled(&stats, interrupted)
}

func (e env) fillOptions() (opt store.FillOptions, err error) {
	opt = store.FillOptions{
		Search: e.String("search"), Jobs: e.Int("jobs"), Retry: e.Bool("retry"), Tables: e.String("tables"), Certificates: e.String("certificates"), Version: version,
		Limits: search.Limits{Nodes: e.Int64("nodes")},
	}
	if e.NArg() == 0 {
		return opt, errors.New("truth fill needs a folder, a file of JSON Lines or a bundled task; see planproof truth fill --help")
	}
	if t := e.String("time"); t != "0" {
		if opt.Limits.Wall, err = cmdline.ParseDuration("--time", t); err != nil {
			return opt, err
		}
	}
	if opt.Limits.Memory, err = cmdline.ParseSize(e.String("memory")); err != nil {
		return opt, err
	}
	if _, err := search.Canonical(opt.Search); err != nil {
		return opt, err
	}
	opt.Schedules, err = e.schedules()
	return opt, err
}

func (e env) schedules() (out []costmodel.Schedule, err error) {
	named, err := e.NamedSchedules()
	for _, n := range named {
		out = append(out, n.Schedule)
	}
	return out, err
}

func (e env) tellFaults(faults []store.Fault) {
	for _, f := range faults {
		e.Tell(f.Err)
	}
}

var truthSplitCommand = command{
	name: "split", usage: "distribute tasks over files that separate fills can work on", args: "INPUT...",
	spec: `shards:int=8 output,o schedule:strings +store`,
	action: func(e env) error {
		schedules, err := e.schedules()
		if err != nil {
			return err
		}
		if e.NArg() == 0 || !e.IsSet("output") {
			return errors.New("truth split needs inputs as truth fill takes them, and -o DIR; see planproof truth split --help")
		}
		in, err := store.Opener{Open: e.Open}.Inputs(e.Args().Slice()...)
		if err != nil {
			return err
		}
		defer in.Close()
		bar := e.CountProgress(in.Count*max(1, len(schedules)), "rows")
		opt := store.SplitOptions{Progress: bar.Set, Schedules: schedules}
		if e.IsSet("store") {
			opt.Known = e.String("store")
		}
		stats, err := store.SplitFolder(e.Context.Context, in.Tasks, e.Int("shards"), e.String("output"), opt)
		bar.Done()
		e.tellFaults(stats.Faults)
		if err == nil {
			err = e.Print(stats.JSON(), func(w io.Writer) error { return stats.WriteText(w, e.String("output")) })
		}
		return cmdline.RowsExit(err, 0, 0, len(stats.Faults))
	},
}

// filled reports a fill and sets the exit code.
func (e env) filled(st *store.FillStats, interrupted bool) error {
	if err := e.Print(st.JSON(interrupted), func(w io.Writer) error { return st.WriteText(w, e.String("store")) }); err != nil {
		return err
	}
	limited, refused := st.ByStatus.Open()
	if interrupted {
		fmt.Fprintln(e.Stderr, "planproof: interrupted: the rows counted above are stored; the same command goes on from there")
		return exit(exitLimit)
	}
	return cmdline.RowsExit(nil, 0, limited, refused+len(st.Faults))
}

// intoStore writes rows into the store that --store names, with a progress line of so many rows.
func (e env) intoStore(rows int, write func(*store.Store, *progress.Line) error) error {
	s, err := store.Open(e.String("store"))
	if err != nil {
		return err
	}
	bar := e.CountProgress(rows, "rows")
	err = write(s, bar)
	bar.Done()
	return errors.Join(err, s.Close())
}

var truthImportCommand = command{
	name: "import", usage: "add rows that another store has exported", args: "FILE.jsonl",
	spec: `+store`,
	action: func(e env) error {
		in, name, err := e.OneFile("one file that truth export has written")
		if err != nil {
			return err
		}
		defer in.Close()
		var rows int
		var faults []store.Fault
		err = e.intoStore(0, func(s *store.Store, bar *progress.Line) (err error) {
			rows, faults, err = s.Import(e.Context.Context, in, name, bar.Set)
			return err
		})
		e.tellFaults(faults)
		if err != nil {
			return e.OrInterrupted(err, "interrupted: the rows read so far are stored")
		}
		err = e.PrintLine(map[string]int{"rows": rows, "errors": len(faults)}, "%s imported, %d refused", plural(rows, "row"), len(faults))
		return cmdline.RowsExit(err, 0, 0, len(faults))
	},
}
