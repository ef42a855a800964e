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
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"
)

var exportCommand = command{
	name: "export", usage: "make data sets for training", args: "[SOURCE...]",
	spec: fmt.Sprintf(`format:strings=jsonl names=%v output,o force:bool count:int=100 first:uint64=1 exhaustive:strings sample:int exclude:strings
		dedup up-to-isomorphism:bool constraints goals:int variants:int=1 patterns:bool dearer:bool
		split=70,10,10,10 split-by=structure bins:int=4 bin-edges seed:uint64=1 style=%v templates shots:int reasoning=%v
		incantation system answer=strict plan-tags:bool nodes:int64 time,timeout task-time memory=2GB threads,j:int +schedule +export-format`, dataset.NamesOwn, prompt.StyleNL, prompt.ReasonNone),
	wholeTime: true,
	action:    export,
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
	bar := progress.NewStages(e.CountProgress)
	o.Progress = bar.Show
	set, err := e.makeSet(&o)
	bar.Done()
	switch {
	case err != nil && errors.Is(e.Context.Err(), context.DeadlineExceeded):
		return e.Limited("timeout", fmt.Sprintf("--time %s is over%s: nothing was written", e.String("time"), bar.Where()))
	case err != nil && e.Context.Err() != nil:
		return e.Limited(cmdline.Interrupted, "interrupted: nothing was written")
	case errors.Is(err, search.ErrLimit):
		return e.Limited("timeout", err.Error())
	case err != nil:
		return err
	}
	return e.exported(set.Manifest())
}

// exported reports a data set and sets the exit code.
func (e env) exported(m *dataset.Manifest) error {
	dir := e.String("output")
	if m.Rows == 0 {
		m.Warn("", e.Tell)
	} else {
		m.Warn(dir, e.Tell)
	}
	if err := e.Print(m, func(w io.Writer) error { return m.WriteText(w, dir) }); err != nil {
		return err
	}
	switch {
	case m.Dropped[dataset.DropBroken] > 0 || m.Dropped[dataset.DropTrace] > 0 || m.Dropped[dataset.DropDistances] > 0:
		return exit(exitBad)
	case m.Dropped[dataset.DropLimit] > 0:
		return exit(exitLimit)
	case m.Rows == 0:
		e.Tell(errors.New("no task is left, so nothing was written"))
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
	if e.NArg()+len(e.StringSlice("exhaustive")) == 0 {
		return errors.New("export needs tasks: a bundled kind, bundled names, a folder, DOMAIN PROBLEM..., a file of JSON Lines, or --exhaustive; see planproof export --help")
	}
	args := &dataset.Arguments{
		Exhaustive: e.StringSlice("exhaustive"), Exclude: e.StringSlice("exclude"),
		Count: e.Int("count"), First: e.Uint64("first"), Read: e.ReadSource, Inputs: e.inputEntries,
	}
	return args.Fill(e.Context.Context, o, e.Args().Slice())
}

// inputEntries lists the tasks of a folder or of a file of JSON Lines.
func (e env) inputEntries(name string) (entries []dataset.Entry, err error) {
	in, err := store.Opener{Open: e.Open}.Inputs(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for t := range in.Tasks {
		entries = append(entries, dataset.Entry{ID: t.Name, Load: func() (domain, problem *pddl.Source, err error) {
			if domain, problem, err = t.Sources(e.ReadSource); err != nil && t.Err == nil {
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
		Incantation: e.String("incantation"), System: e.String("system"), PlanTags: e.Bool("plan-tags"), Answer: extract.Kind(e.String("answer")), Sample: e.Int("sample"), Nodes: e.Int64("nodes"),
	}
	o.Threads, o.Version = e.Int("threads"), version
	if by := e.String("split-by"); by != "structure" {
		o.SplitBy = by
	}
	if o.Split, err = dataset.ParseRatio(e.String("split")); err != nil {
		return o, fmt.Errorf("--split %w", err)
	}
	if edges := e.String("bin-edges"); edges == "" {
		o.BinCount = e.Int("bins")
	} else if e.IsSet("bins") {
		return o, errors.New("--bins and --bin-edges exclude each other")
	} else if o.Edges, err = dataset.ParseEdges(edges); err != nil {
		return o, fmt.Errorf("--bin-edges %w", err)
	}
	if o.Constraints, err = e.exportConstraints(); err != nil {
		return o, err
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
	if o.Schedule, err = e.Schedule(); err != nil {
		return o, err
	}
	if !o.Schedule.Empty() {
		o.Settings.Schedule = o.Schedule.String()
	}
	return o, nil
}

func (e env) exportConstraints() (c dataset.Constraints, err error) {
	text := e.String("constraints")
	if text == "" {
		if e.IsSet("variants") || e.Bool("patterns") || e.Bool("dearer") {
			err = errors.New("--variants, --patterns and --dearer need --constraints")
		}
		return c, err
	}
	c = dataset.Constraints{Variants: e.Int("variants"), Patterns: e.Bool("patterns"), Dearer: e.Bool("dearer")}
	var ok bool
	if c.Min, c.Max, ok = dataset.ParseRange(text); !ok || c.Min < 0 || c.Max < 1 || c.Variants < 1 {
		err = errors.New("--constraints takes a number or a range, as 1 or 0..2, and --variants at least 1")
	}
	return c, err
}

// trainerOptions reads the flags of exportFormatFlags for the formats that were asked for.
func (e env) trainerOptions(o *dataset.Options, formats []dataset.Format) (*dataset.TrainerOptions, error) {
	for _, name := range flagNames("export-format") {
		if uses := dataset.FormatsWith(name, formats); e.IsSet(name) && uses != nil {
			return nil, fmt.Errorf("--%s means nothing to the formats asked for; it is for %s", name, strings.Join(uses, ", "))
		}
	}
	t := &dataset.TrainerOptions{
		Text: e.Bool("text"), Inline: e.Bool("inline-tasks"), AgentName: e.String("agent-name"), Mutants: e.Int("mutants"),
		Pairs:  dataset.PairOptions{Count: e.Int("pairs"), PerPrompt: e.Int("pairs-per-prompt"), DropLowest: e.Float64("drop-lowest"), KeepValid: e.Bool("keep-valid")},
		Limits: o.Limits,
	}
	var err error
	if t.Trace, err = dataset.ParseTrace(e.String("thoughts")); err != nil {
		return nil, fmt.Errorf("--thoughts: %w", err)
	}
	if t.PRM, err = dataset.ParseStepLabels(e.String("prm")); err != nil {
		return nil, fmt.Errorf("--prm: %w", err)
	}
	name := e.String("responses")
	switch {
	case t.Mutants < 1:
		return nil, errors.New("--mutants must be at least 1")
	case !(t.Pairs.DropLowest >= 0 && t.Pairs.DropLowest <= 1):
		return nil, errors.New("--drop-lowest is a part, from 0 to 1")
	case name != "" && e.IsSet("mutants"):
		return nil, errors.New("--responses and --mutants exclude each other")
	case name != "":
		in, err := e.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if t.Responses, err = dataset.ReadResponses(in, name); err != nil {
			return nil, err
		}
		t.Mutants = 0
	case t.Mutants == dataset.DefaultMutants:
		t.Mutants = 0
	}
	return t, nil
}
