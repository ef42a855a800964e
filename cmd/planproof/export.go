package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/progress"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

var exportCommand = command{
	name: "export", usage: "make data sets for training", args: "[SOURCE...]",
	flags: append([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the data set into the new folder `DIR`"},
		&cli.BoolFlag{Name: "force", Usage: "replace the data set in DIR"},
		&cli.StringSliceFlag{Name: "format", Usage: "write files in this `FORMAT` (repeatable): " + formatNames(), Value: cli.NewStringSlice("jsonl")},
		&cli.IntFlag{Name: "count", Usage: "make `N` tasks of each bundled kind", Value: 100},
		&cli.Uint64Flag{Name: "first", Usage: "begin with task number `N` of each bundled kind", Value: 1},
		&cli.StringSliceFlag{Name: "exhaustive", Usage: "take every ordered pair of distinct hand-empty states, as blocksworld=3 or blocksworld=3..5 (repeatable)"},
		&cli.IntFlag{Name: "sample", Usage: "choose `N` tasks of each source"},
		&cli.StringSliceFlag{Name: "exclude", Usage: "leave out what has the structure of a task in `FILE`, rows of another data set (repeatable)"},
		&cli.StringFlag{Name: "dedup", Usage: "leave out tasks that are the same: isomorphic (but for the names of objects), exact or none (default: isomorphic; none with --exhaustive)"},
		&cli.BoolFlag{Name: "up-to-isomorphism", Usage: "the same as --dedup isomorphic"},
		&cli.StringFlag{Name: "names", Usage: "name the objects: own (as they are), or from " + strings.Join(dataset.NamePools(), ", ") + ", or a list of names (a,b,c)", Value: dataset.NamesOwn},
		&cli.StringFlag{Name: "constraints", Usage: "forbid `N` actions in each task (or from N..M), each of which binds and leaves it solvable"},
		&cli.IntFlag{Name: "goals", Usage: "keep `N` conditions of each goal, drawn by --seed, so that there is more than one way"},
		&cli.IntFlag{Name: "variants", Usage: "make up to `N` different restricted forms of each task", Value: 1},
		&cli.BoolFlag{Name: "patterns", Usage: "forbid also all actions of a form, such as (stack ? b)"},
		&cli.BoolFlag{Name: "dearer", Usage: "forbid only what makes the cheapest plan dearer"},
		&cli.StringFlag{Name: "split", Usage: "`PERCENT` of the structures for train, val, test-clean, test-contaminated", Value: "70,10,10,10"},
		&cli.IntFlag{Name: "bins", Usage: "make `N` bins of difficulty with about as many tasks each", Value: 4},
		&cli.StringFlag{Name: "bin-edges", Usage: "make bins that end at these optimal costs, as 4,8,12"},
		&cli.Uint64Flag{Name: "seed", Usage: "choose names, splits and examples by `N`", Value: 1},
		&cli.StringFlag{Name: "style", Usage: "language of the prompts: `nl` (sentences), pddl or compact", Value: string(prompt.StyleNL)},
		&cli.StringFlag{Name: "templates", Usage: "tell tasks by the template file `NAME`, or none"},
		&cli.IntFlag{Name: "shots", Usage: "show `N` worked examples, from the training split, before each task"},
		&cli.StringFlag{Name: "reasoning", Usage: "`none`, cot (think step by step) or state (track the state)", Value: string(prompt.ReasonNone)},
		&cli.StringFlag{Name: "incantation", Usage: "end prompts with `TEXT`, or with one of the seven texts of docs/PROMPTS.md by its number"},
		&cli.StringFlag{Name: "system", Usage: "begin with the system message `TEXT`; think asks for <think> and the plan's tags"},
		&cli.BoolFlag{Name: "plan-tags", Usage: "mark plans by <plan> and </plan>"},
		&cli.Int64Flag{Name: "nodes", Usage: "give up on a plan after `N` expansions"},
		&cli.StringFlag{Name: "time", Aliases: []string{"timeout"}, Usage: "end after `DURATION` of wall time, as 40s or 5m, and write nothing"},
		&cli.StringFlag{Name: "task-time", Usage: "give up on a plan after `DURATION`; the rows then depend on the machine"},
		&cli.StringFlag{Name: "memory", Usage: "give up on a plan when the search needs more than `SIZE`", Value: "2GB"},
		&cli.IntFlag{Name: "threads", Aliases: []string{"j"}, Usage: "tasks worked on at the same time (0: one per processor)"},
		scheduleFlag,
	}, exportFormatFlags()...),
	wholeTime: true,
	action:    export,
}

func formatNames() string {
	var names []string
	for _, f := range dataset.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func export(e env) error {
	o, err := e.exportOptions()
	if err != nil {
		return err
	}
	limit, err := cmdline.ParseDuration("--time", e.String("time"))
	if err != nil {
		return err
	}
	if limit > 0 { // reading counts, too
		var cancel context.CancelFunc
		e.Context.Context, cancel = context.WithTimeout(e.Context.Context, limit)
		defer cancel()
	}
	bar := progress.NewStages(e.countProgress)
	o.Progress = bar.Show
	set, err := e.makeSet(&o)
	bar.Done()
	switch {
	case err != nil && errors.Is(e.Context.Err(), context.DeadlineExceeded):
		return e.limited("timeout", fmt.Sprintf("--time %s is over%s: nothing was written", e.String("time"), bar.Where()))
	case err != nil && e.Context.Err() != nil:
		return e.limited(statusInterrupted, "interrupted: nothing was written")
	case errors.Is(err, search.ErrLimit):
		return e.limited("timeout", err.Error())
	case err != nil:
		return err
	}
	return e.exported(set.Manifest())
}

// exported reports a data set and sets the exit code.
func (e env) exported(m *dataset.Manifest) error {
	dir := e.String("output")
	if m.Rows == 0 {
		m.Warn("", e.tell)
	} else {
		m.Warn(dir, e.tell)
	}
	if err := e.print(m, func(w io.Writer) error { return m.WriteText(w, dir) }); err != nil {
		return err
	}
	switch {
	case m.Dropped[dataset.DropBroken] > 0 || m.Dropped[dataset.DropTrace] > 0 || m.Dropped[dataset.DropDistances] > 0:
		return exit(exitBad)
	case m.Dropped[dataset.DropLimit] > 0:
		return exit(exitLimit)
	case m.Rows == 0:
		e.tell(errors.New("no task is left, so nothing was written"))
		return exit(exitNo)
	}
	return nil
}

// makeSet makes the data set that the flags ask for, and writes it if it has rows.
func (e env) makeSet(o *dataset.Options) (*dataset.Set, error) {
	var formats []dataset.Format
	for _, name := range e.StringSlice("format") {
		f, err := dataset.FindFormat(name)
		if err != nil {
			return nil, err
		}
		formats = append(formats, f)
	}
	var err error
	if o.Trainers, err = e.trainerOptions(o, formats); err != nil {
		return nil, err
	}
	dir := e.String("output")
	if dir == "" {
		return nil, errors.New("export needs -o DIR, the folder that the data set is written into")
	}
	err = dataset.CheckFolder(dir, e.Bool("force"))
	if errors.Is(err, dataset.ErrNotEmpty) {
		err = fmt.Errorf("%w; --force replaces the data set in it", err)
	}
	if err != nil {
		return nil, err
	}
	if err := e.exportSources(o); err != nil {
		return nil, err
	}
	set, err := dataset.Prepare(e.Context.Context, *o)
	if err != nil || set.Manifest().Rows == 0 {
		return set, err
	}
	return set, set.WriteFolder(e.Context.Context, dir, formats)
}

// exportSources reads the arguments, --exhaustive, --sample and --exclude.
func (e env) exportSources(o *dataset.Options) error {
	args := &dataset.Arguments{Count: e.Int("count"), First: e.Uint64("first"), Read: e.readSource, Inputs: e.inputEntries}
	if e.NArg()+len(e.StringSlice("exhaustive")) == 0 {
		return errors.New("export needs tasks: a bundled kind, bundled names, a folder, DOMAIN PROBLEM..., a file of JSON Lines, or --exhaustive; see planproof export --help")
	}
	for _, text := range e.StringSlice("exhaustive") {
		kind, numbers, _ := strings.Cut(text, "=")
		from, to, ok := dataset.ParseRange(numbers)
		if kind != "blocksworld" || !ok {
			return fmt.Errorf("--exhaustive %q: it takes blocksworld=N or blocksworld=N..M", text)
		}
		for n := from; n <= to; n++ {
			src, err := dataset.NewExhaustive(e.Context.Context, n, o.Dedup == dataset.DedupIsomorphic, o.Seed)
			if err != nil {
				return err
			}
			o.Sources = append(o.Sources, src)
		}
	}
	named, err := args.Sources(e.Args().Slice())
	if err != nil {
		return err
	}
	o.Sources = append(o.Sources, named...)
	if o.Sample > 0 {
		for i := range o.Sources {
			o.Sources[i] = dataset.Sample(o.Sources[i], o.Sample, o.Seed)
		}
	}
	for _, name := range e.StringSlice("exclude") {
		sources, err := args.Sources([]string{name})
		if err != nil {
			return err
		}
		o.Exclude = append(o.Exclude, sources...)
	}
	return nil
}

// inputEntries lists the tasks of a folder or of a file of JSON Lines.
func (e env) inputEntries(name string) (entries []dataset.Entry, err error) {
	in, err := store.Opener{Open: e.open}.Inputs(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for t := range in.Tasks {
		entries = append(entries, dataset.Entry{ID: t.Name, Load: func() (domain, problem *pddl.Source, err error) {
			if domain, problem, err = t.Sources(e.readSource); err != nil && t.Err == nil {
				err = fmt.Errorf("%s: %w", t.Name, err)
			}
			return domain, problem, err
		}})
	}
	return entries, nil
}

// exportOptions reads the flags.
func (e env) exportOptions() (o dataset.Options, err error) {
	o.Settings = dataset.Settings{
		Seed: e.Uint64("seed"), Dedup: e.String("dedup"), Names: e.String("names"), Goals: e.Int("goals"),
		Style: e.String("style"), Templates: e.String("templates"), Shots: e.Int("shots"), Reasoning: e.String("reasoning"),
		Incantation: e.String("incantation"), System: e.String("system"), PlanTags: e.Bool("plan-tags"), Sample: e.Int("sample"), Nodes: e.Int64("nodes"),
	}
	o.Threads, o.Version = e.Int("threads"), version
	if o.Split, err = dataset.ParseRatio(e.String("split")); err != nil {
		return o, fmt.Errorf("--split %w", err)
	}
	switch {
	case e.String("bin-edges") == "":
		o.BinCount = e.Int("bins")
	case e.IsSet("bins"):
		return o, errors.New("--bins and --bin-edges exclude each other")
	default:
		if o.Edges, err = dataset.ParseEdges(e.String("bin-edges")); err != nil {
			return o, fmt.Errorf("--bin-edges %w", err)
		}
	}
	if text := e.String("constraints"); text != "" {
		from, to, ok := dataset.ParseRange(text)
		if !ok || from < 0 || to < 1 || e.Int("variants") < 1 {
			return o, errors.New("--constraints takes a number or a range, as 1 or 0..2, and --variants at least 1")
		}
		o.Constraints = dataset.Constraints{Min: from, Max: to, Variants: e.Int("variants"), Patterns: e.Bool("patterns"), Dearer: e.Bool("dearer")}
	} else if e.IsSet("variants") || e.Bool("patterns") || e.Bool("dearer") {
		return o, errors.New("--variants, --patterns and --dearer need --constraints")
	}
	switch {
	case e.Bool("up-to-isomorphism") && o.Dedup != "" && o.Dedup != dataset.DedupIsomorphic:
		return o, fmt.Errorf("--up-to-isomorphism and --dedup %s exclude each other", o.Dedup)
	case o.Dedup != "":
	case e.Bool("up-to-isomorphism") || len(e.StringSlice("exhaustive")) == 0:
		o.Dedup = dataset.DedupIsomorphic
	default:
		o.Dedup = dataset.DedupNone
	}
	switch {
	case o.Sample < 0 || e.IsSet("sample") && o.Sample == 0:
		return o, errors.New("--sample must be at least 1")
	case o.Goals < 0 || e.IsSet("goals") && o.Goals == 0:
		return o, errors.New("--goals must be at least 1")
	case e.Int("count") < 1:
		return o, errors.New("--count must be at least 1")
	case o.Threads < 0 || o.Nodes < 0:
		return o, errors.New("--threads and --nodes must not be negative")
	case o.Shots < 0 || o.Shots > maxShots:
		return o, fmt.Errorf("--shots must be from 0 to %d", maxShots)
	}
	o.Limits = search.Limits{Nodes: o.Nodes}
	if o.Limits.Memory, err = cmdline.ParseSize(e.String("memory")); err != nil {
		return o, fmt.Errorf("--memory %w", err)
	}
	if o.Limits.Wall, err = cmdline.ParseDuration("--task-time", e.String("task-time")); err != nil {
		return o, err
	}
	if o.Schedule, err = e.schedule(); err != nil {
		return o, err
	}
	if !o.Schedule.Empty() {
		o.Settings.Schedule = o.Schedule.String()
	}
	return o, nil
}
