package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
)

var truthFillCommand = command{
	name: "fill", usage: "solve tasks and store what is found", args: "INPUT...",
	long: `
An INPUT is a folder (every problem file in it and below, with its domain.pddl,
p01-domain.pddl or domain_p01.pddl), a bundled task such as blocksworld:4-17, or a
file of JSON Lines ("-" for standard input) with rows {"id","domain","problem"} of
file names, or with text under domain_text and problem_text, or "task" with a bundled
name; a row may have a "schedule". --schedule may be repeated: each task is solved
under each; '' stands for the domain's own costs, paper for the ten schedules of
Budget-BlocksWorld.

Rows that the store has are not solved again, so a fill that was interrupted or killed
goes on where it stood; nothing that was finished is lost. The limits are those of one
task under one schedule. --retry works again on rows without an answer. Several fills
may use one store at the same time. Exit codes: 0 every row has an answer; 2 some
input could not be read, or is not supported; 3 a limit or a signal ended some.

   planproof truth fill tasks/ --time 5m --jobs 8
   planproof truth fill tasks.jsonl --schedule 'put-down=20,*=1' --schedule ''
   planproof truth fill tasks/ --tables tables/ --certificates proofs/
   planproof truth fill tasks/ --retry --time 1h --memory 32GB`,
	flags: []cli.Flag{
		storeFlag(),
		repeatedFlag("schedule", "solve under this cost `SCHEDULE`: name=cost,... (*=cost for the others), a file (@FILE or its path), unit, [1,1,20,1] for blocksworld, paper, or '' for the domain's own costs; may be repeated"),
		&cli.StringFlag{Name: "search", Usage: "search `STRING`, such as astar(lmcut())", Value: "auto()"},
		&cli.StringFlag{Name: "time", Aliases: []string{"timeout"}, Usage: "give up on a row after `DURATION` of wall time, as 40s or 5m; 0 for no limit", Value: "60s"},
		&cli.StringFlag{Name: "memory", Usage: "give up on a row when its tables need more than `SIZE`", Value: "2GB"},
		&cli.Int64Flag{Name: "nodes", Usage: "give up on a row after `N` expansions"},
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "rows worked on at the same time (0: one per processor)"},
		&cli.BoolFlag{Name: "retry", Usage: "work again on rows that ended without an answer"},
		&cli.StringFlag{Name: "tables", Usage: "also make the table of exact distances of every row, in the folder `DIR`"},
		&cli.StringFlag{Name: "certificates", Usage: "also make a certificate of every answer, in the folder `DIR`; truth check verifies them"},
	},
	action: truthFill,
}

func truthFill(e env) error {
	opt, err := e.fillOptions()
	if err != nil {
		return err
	}
	in, err := e.fillInputs(e.Args().Slice())
	if err != nil {
		return err
	}
	defer in.close()
	s, err := store.Open(e.String("store"))
	if err != nil {
		return err
	}
	bar := e.countProgress(in.count*max(1, len(opt.Schedules)), "rows")
	opt.Progress = func(st store.FillStats) { bar.set(st.Rows) }
	stats, err := store.Fill(e.Context.Context, s, in.tasks, opt)
	bar.done()
	err = errors.Join(err, s.Close())
	for _, f := range stats.Faults {
		e.printFault(&f)
	}
	interrupted := err != nil && e.Context.Err() != nil
	if err != nil && !interrupted {
		return err
	}
	return e.filled(&stats, interrupted)
}

func (e env) fillOptions() (opt store.FillOptions, err error) {
	opt = store.FillOptions{
		Search: e.String("search"), Jobs: e.Int("jobs"), Retry: e.Bool("retry"), Tables: e.String("tables"), Certificates: e.String("certificates"), Version: version,
		Limits: store.Limits{Nodes: e.Int64("nodes")},
	}
	if opt.Jobs < 0 || opt.Limits.Nodes < 0 {
		return opt, errors.New("--jobs and --nodes must not be negative")
	}
	if e.NArg() == 0 {
		return opt, errors.New("truth fill needs a folder, a file of JSON Lines or a bundled task; see planproof truth fill --help")
	}
	if t := e.String("time"); t != "0" {
		if opt.Limits.Time, err = parseDuration(t); err != nil {
			return opt, err
		}
	}
	if opt.Limits.Memory, err = parseSize(e.String("memory")); err != nil {
		return opt, err
	}
	if _, err := search.Canonical(opt.Search); err != nil {
		return opt, err
	}
	for _, text := range e.StringSlice("schedule") {
		if strings.EqualFold(strings.TrimSpace(text), "paper") {
			for _, n := range costmodel.PaperSchedules() {
				opt.Schedules = append(opt.Schedules, n.Schedule)
			}
			continue
		}
		s, err := e.readSchedule(text)
		if err != nil {
			return opt, err
		}
		opt.Schedules = append(opt.Schedules, s)
	}
	return opt, nil
}

// fillInput is what the arguments of truth fill stand for.
type fillInput struct {
	tasks iter.Seq[store.Input]
	count int // of tasks, as far as known beforehand
	close func()
}

// fillInputs opens all inputs before the first task is solved: a misspelt name is not
// found out after hours.
func (e env) fillInputs(args []string) (*fillInput, error) {
	in := &fillInput{close: func() {}}
	var parts []iter.Seq[store.Input]
	for _, arg := range args {
		part, n, closePart, err := e.fillPart(arg)
		if err != nil {
			in.close()
			return nil, err
		}
		before := in.close
		in.close = func() { before(); closePart() }
		in.count += n
		parts = append(parts, part)
	}
	in.tasks = func(yield func(store.Input) bool) {
		for _, part := range parts {
			for task := range part {
				if !yield(task) {
					return
				}
			}
		}
	}
	return in, nil
}

func (e env) fillPart(arg string) (tasks iter.Seq[store.Input], n int, closePart func(), err error) {
	closePart = func() {}
	if isBundled(arg) {
		if !domains.IsName(arg) {
			return nil, 0, closePart, fmt.Errorf("%s is neither a file nor a bundled task", arg)
		}
		load := func() (*pddl.Source, *pddl.Source, error) { return domains.Load(arg) }
		return slices.Values([]store.Input{{Name: arg, Load: load}}), 1, closePart, nil
	}
	info, err := os.Stat(arg)
	if arg != "-" && err != nil {
		return nil, 0, closePart, err
	}
	if arg != "-" && info.IsDir() {
		list, err := store.Folder(arg)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s: no problem files (*.pddl) in this folder or below", arg)
		}
		if err == nil {
			err = nameByManifest(list, filepath.Join(arg, costmodel.ManifestName))
		}
		return slices.Values(list), len(list), closePart, err
	}
	if strings.HasSuffix(strings.ToLower(arg), ".pddl") {
		return nil, 0, closePart, fmt.Errorf("%s: truth fill takes a folder of tasks or a file of JSON Lines, not a PDDL file", arg)
	}
	if arg == "-" {
		if *e.stdinRead {
			return nil, 0, closePart, errors.New("only one input can be standard input")
		}
		*e.stdinRead = true
		return store.Rows(e.in, "<stdin>", domains.Load), 0, closePart, nil
	}
	if costmodel.IsManifest(arg) {
		set, err := costmodel.LoadBudgetSet(arg)
		if err != nil {
			return nil, 0, closePart, err
		}
		list := manifestInputs(set)
		return slices.Values(list), len(list), closePart, nil
	}
	if n, err = countLines(arg, info); err != nil {
		return nil, 0, closePart, err
	}
	r, closeFile, err := e.open(arg)
	if err != nil {
		return nil, 0, closePart, err
	}
	return store.Rows(r, arg, domains.Load), n, closeFile, nil
}

// nameByManifest gives the tasks of a folder the ids of its manifest, if it has one.
func nameByManifest(list []store.Input, manifest string) error {
	if !costmodel.IsManifest(manifest) {
		return nil
	}
	set, err := costmodel.LoadBudgetSet(manifest)
	if err != nil {
		return err
	}
	ids := map[string]string{}
	for _, in := range manifestInputs(set) {
		ids[in.ProblemFile] = in.Name
	}
	for i := range list {
		if id := ids[filepath.Clean(list[i].ProblemFile)]; id != "" {
			list[i].Name = id
		}
	}
	return nil
}

// countLines counts the rows of a regular file, for the progress bar.
func countLines(name string, info os.FileInfo) (int, error) {
	if !info.Mode().IsRegular() {
		return 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, buf := 0, make([]byte, 1<<16)
	for {
		k, err := f.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// printFault reports an input that is no task: diagnostics at their places, everything
// else on a line.
func (e env) printFault(f *store.Fault) {
	var diags pddl.Diagnostics
	if errors.As(f.Err, &diags) {
		diags.Format(e.err)
		return
	}
	fmt.Fprintf(e.err, "planproof: %v\n", f.Err)
}

// filled reports a fill and sets the exit code.
func (e env) filled(st *store.FillStats, interrupted bool) error {
	unanswered, refused := 0, len(st.Faults)
	for status, n := range st.ByStatus {
		if store.Limited(status) {
			unanswered += n
		} else if !store.Proven(status) {
			refused += n
		}
	}
	if e.Bool("json") {
		row := map[string]any{"rows": st.Rows, "known": st.Known, "tables": st.Tables, "certificates": st.Proofs, "by_status": st.ByStatus, "errors": len(st.Faults), "interrupted": interrupted}
		if err := printJSON(e.out, row); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.out, "%s in %s (%d of them known before)\n", plural(st.Rows, "row"), e.String("store"), st.Known)
		e.printByStatus(st.ByStatus)
		if len(st.Faults) > 0 {
			fmt.Fprintf(e.out, "  %-18s %d\n", "unreadable inputs", len(st.Faults))
		}
	}
	switch {
	case interrupted:
		fmt.Fprintln(e.err, "planproof: interrupted: the rows counted above are stored; the same command goes on from there")
		return exit(exitLimit)
	case refused > 0:
		return exit(exitBad)
	case unanswered > 0:
		return exit(exitLimit)
	}
	return nil
}

// printByStatus prints counts in a fixed order.
func (e env) printByStatus(counts map[search.Status]int) {
	for _, s := range []search.Status{search.SolvedOptimally, search.Unsolvable, search.Timeout, search.Memout, search.Nodeout, search.Unsupported, store.Failed} {
		if n := counts[s]; n > 0 {
			fmt.Fprintf(e.out, "  %-18s %d\n", s, n)
		}
	}
}

// countBar shows on a terminal how many of a number of things are done.
type countBar struct{ bar *progressbar.ProgressBar }

// countProgress shows a bar; total 0 means that it is not known.
func (e env) countProgress(total int, what string) countBar {
	if !isTerminal(e.err) || e.Bool("json") {
		return countBar{}
	}
	if total == 0 {
		total = -1
	}
	return countBar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(e.err), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetItsString(what), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())}
}

func (b countBar) set(n int) {
	if b.bar != nil {
		_ = b.bar.Set(n)
	}
}

func (b countBar) done() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}

var truthImportCommand = command{
	name: "import", usage: "add rows that another store has exported", args: "FILE.jsonl",
	long: `
Adds the rows of truth export, of another machine for instance. Keys are computed anew
from the texts and plans judged anew; that a cost is optimal is taken from the row. A
row that contradicts itself or what the store has proven is refused. Exit codes: 0 all
rows are in; 2 some were refused.

   planproof truth export --store a.db | planproof truth import - --store all.db`,
	flags: []cli.Flag{storeFlag()},
	action: func(e env) error {
		if e.NArg() != 1 {
			return errors.New("truth import needs one file that truth export has written, or - for standard input")
		}
		name := e.Args().First()
		in, closeIn, err := e.open(name)
		if err != nil {
			return err
		}
		defer closeIn()
		s, err := store.Open(e.String("store"))
		if err != nil {
			return err
		}
		bar := e.countProgress(0, "rows")
		rows, faults, err := s.Import(e.Context.Context, in, name, bar.set)
		bar.done()
		err = errors.Join(err, s.Close())
		for _, f := range faults {
			fmt.Fprintf(e.err, "planproof: %v\n", f.Err)
		}
		if errors.Is(err, context.Canceled) {
			return e.limited(statusInterrupted, "interrupted: the rows read so far are stored")
		}
		if err != nil {
			return err
		}
		if e.Bool("json") {
			err = printJSON(e.out, map[string]int{"rows": rows, "errors": len(faults)})
		} else {
			_, err = fmt.Fprintf(e.out, "%s imported, %d refused\n", plural(rows, "row"), len(faults))
		}
		if err == nil && len(faults) > 0 {
			err = exit(exitBad)
		}
		return err
	},
}
