package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Options say what to make of which tasks.
type Options struct {
	Settings
	Sources []Source
	// Exclude has tasks of other data sets: what has the structure of one of them, constraints
	// aside, is left out.
	Exclude []Source
	// Schedule, unless empty, replaces the costs of all actions.
	Schedule costmodel.Schedule
	// Limits bound the search for the plan of one task. Those on time make the rows depend
	// on the machine.
	Limits search.Limits
	// Threads work at the same time; 0 is one per processor. The rows do not depend on it.
	Threads int
	// Version goes into the manifest.
	Version string
	// Trainers are the options of the formats for trainers, nil for the usual ones.
	Trainers *TrainerOptions
	// Progress, if set, hears how far a stage is. Calls come one at a time, as tasks are done.
	Progress func(stage string, done, total int)

	structureWork int64 // on one task; 0 is the usual bound, less is for tests
}

// Set is a data set of which everything is decided and whose rows are made as they are
// written.
type Set struct {
	o          Options
	items      []item
	bins       *bins
	splits     []uint8 // by item
	structures []Structure
	numbers    map[[32]byte]int32 // of structures, by hash
	hashes     domainHashes
	rows       [4][]row
	namer      namer
	examples   exampleCache
	manifest   Manifest
}

// item is a task of the set.
type item struct {
	source, index int32
	structure     int32 // of Set.structures
	base          int32 // the structure without constraints, which decides on the split
	again         int32 // tells items apart whose ids would be alike
	variant       int32 // from 1; 0 for a task without constraints of ours
	gold          *Gold // nil: the source knows it
	difficulty    float64
	constrained   bool                // the task forbids actions, as the source has it or by ours
	forbidden     []domains.Forbidden // ours, by the names of the source
}

// row is an item in a split, under the names of copy.
type row struct {
	item int32
	copy uint8
}

// Prepare decides which tasks become which rows: it reads every task, finds structures and
// gold plans, and splits. Tasks that cannot be used are told in the manifest. An error is
// one in the options, an internal one, or the end of ctx.
func Prepare(ctx context.Context, o Options) (*Set, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.PlanTags = o.PlanTags || o.Answer == extract.Strict
	s := &Set{o: o, namer: namer{o.Names, o.Seed, o.Dedup == DedupIsomorphic && o.Constraints.Variants <= 1}, numbers: map[[32]byte]int32{}, manifest: Manifest{
		Schema: ManifestSchema, Version: o.Version, Options: o.Settings, Trainers: o.Trainers, Dropped: map[string]int{}, Faults: []Fault{},
	}}
	for _, stage := range []func(context.Context) error{s.read, s.solve, s.constrain, s.divide, s.tellApart} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Each constraint takes searches, and the forms of a task are drawn one by one.
const (
	maxConstraints = 1000
	maxVariants    = 1000
)

func (o *Options) check() error {
	switch {
	case !slices.Contains([]string{DedupIsomorphic, DedupExact, DedupNone}, o.Dedup):
		return fmt.Errorf("tasks can be told apart as %s, %s or %s, not %q", DedupIsomorphic, DedupExact, DedupNone, o.Dedup)
	case o.Constraints.Min < 0 || o.Constraints.Min > o.Constraints.Max || o.Constraints.Variants < 0:
		return errors.New("the numbers of constraints must be a range, and that of variants not negative")
	case o.Constraints.Max > maxConstraints || o.Constraints.Variants > maxVariants:
		return fmt.Errorf("a task gets at most %d constraints and %d forms", maxConstraints, maxVariants)
	case o.SplitBy != "" && o.SplitBy != SplitByDomain:
		return fmt.Errorf("the splits are by structure or by %s, not by %q", SplitByDomain, o.SplitBy)
	case o.SplitBy == SplitByDomain && o.Shots > 0:
		return errors.New("worked examples come from the training split, which has no task of a domain that is held out")
	case o.BinCount < 0:
		return errors.New("the number of bins must not be negative")
	case o.Goals < 0:
		return errors.New("the number of goals must not be negative")
	}
	if o.Names == NamesOwn || o.Names == NamesColourSets {
		return nil
	}
	_, err := namePool(o.Names)
	return err
}

// prepared is a task of a source as the set prices it and with the goals that it keeps, under
// the names of the source.
func (s *Set) prepared(src Source, i int) (*Instance, error) { return s.prepare(src, i, s.o.Goals) }

func (s *Set) prepare(src Source, i, goals int) (*Instance, error) {
	inst, err := src.Task(i)
	if err != nil {
		return nil, err
	}
	p := inst.Problem
	if !s.o.Schedule.Empty() {
		if p, err = s.o.Schedule.Apply(p); err != nil {
			return nil, err
		}
	}
	if goals > 0 {
		p = loosened(p, goals, seeded.Rand(s.o.Seed, "goals "+src.ID(i)))
	}
	if p == inst.Problem {
		return inst, nil
	}
	return inst.with(p)
}

// loosened returns the problem with n conjuncts of its goal, drawn; the problem itself if
// it has no more.
func loosened(p *pddl.Problem, n int, rng *rand.Rand) *pddl.Problem {
	f := p.Goal.Formula
	if f.Kind != pddl.FormulaAnd || len(f.Children) <= n {
		return p
	}
	kept := rng.Perm(len(f.Children))[:n]
	slices.Sort(kept)
	q, and := *p, *f
	and.Children = nil
	for _, i := range kept {
		and.Children = append(and.Children, f.Children[i])
	}
	q.Goal.Formula = &and
	return &q
}

// with returns the instance with another problem, whose texts are printed.
func (inst *Instance) with(p *pddl.Problem) (*Instance, error) {
	c := *inst
	c.Gold, c.Bundled = nil, ""
	c.DomainText, c.ProblemText = p.Domain.String(), p.String()
	var err error
	c.Problem, err = reread(c.DomainText, c.ProblemText)
	return &c, err
}

// instance is the task of an item, under the names of its source.
func (s *Set) instance(it *item) (*Instance, error) {
	inst, err := s.prepared(s.o.Sources[it.source], int(it.index))
	if err != nil || len(it.forbidden) == 0 {
		return inst, err
	}
	p, err := domains.Restrict(inst.Problem, it.forbidden)
	if err != nil {
		return nil, err
	}
	return inst.with(p)
}

// reread reads texts that planproof has printed.
func reread(dom, prob string) (*pddl.Problem, error) {
	d, diags := pddl.ParseDomain(pddl.NewSource("domain", dom), pddl.Options{})
	if d == nil || diags.HasErrors() {
		return nil, fmt.Errorf("internal error: a printed domain cannot be read: %w", diags.Err())
	}
	p, diags := pddl.ParseProblem(pddl.NewSource("problem", prob), d, pddl.Options{})
	if p == nil || diags.HasErrors() {
		return nil, fmt.Errorf("internal error: a printed problem cannot be read: %w", diags.Err())
	}
	return p, nil
}

func (s *Set) fault(id, reason string, err error) {
	s.manifest.Dropped[reason]++
	s.manifest.Faults = append(s.manifest.Faults, Fault{ID: id, Reason: reason, Message: faultText(err), Err: err})
}

// solve finds the gold plans, and leaves out tasks that have none worth learning.
func (s *Set) solve(ctx context.Context) error {
	solver := solver{s.o.Schedule, s.o.Limits}
	type solved struct {
		gold *Gold
		cost string
		drop *dropped
	}
	kept := s.items[:0]
	err := inOrder(ctx, len(s.items), s.o.Threads, func(ctx context.Context, i int) (solved, error) {
		it := &s.items[i]
		inst, err := s.prepared(s.o.Sources[it.source], int(it.index))
		if err != nil {
			return solved{}, err
		}
		if inst.Gold != nil {
			return solved{cost: inst.Gold.Cost}, nil
		}
		g, drop, err := solver.solve(ctx, inst.Problem)
		if err != nil || drop != nil {
			return solved{drop: drop}, err
		}
		return solved{gold: g, cost: g.Cost}, nil
	}, func(i int, r solved) error {
		s.progress("solving", i+1, len(s.items))
		it := s.items[i]
		if r.drop != nil {
			s.fault(s.o.Sources[it.source].ID(int(it.index)), r.drop.reason, r.drop.err)
			return nil
		}
		it.gold, it.difficulty = r.gold, difficulty(r.cost)
		kept = append(kept, it) // never ahead of the items that are still to be read
		return nil
	})
	s.items = kept
	return err
}

// divide makes bins and splits, and lists the rows.
func (s *Set) divide(context.Context) error {
	values := make([]float64, len(s.items))
	for i := range s.items {
		values[i] = s.items[i].difficulty
	}
	slices.Sort(values)
	if s.o.Edges != nil {
		s.bins = newBins(s.o.Edges)
	} else {
		s.bins = quantileBins(values, s.o.BinCount)
	}
	coarse := map[[32]byte]bool{} // those with a structure that may have other forms
	for i := range s.structures {
		if !s.structures[i].Exact {
			coarse[s.structures[i].Coarse] = true
		}
	}
	var groups []group
	number := map[[32]byte]int{}
	groupOf := make([]int, len(s.items))
	for i := range s.items {
		st := &s.structures[s.items[i].base]
		key, stratum := st.Hash, s.o.Sources[s.items[i].source].Name()
		switch {
		case s.o.SplitBy == SplitByDomain:
			key, stratum = st.Domain, "" // a source may have one domain
		case coarse[st.Coarse]:
			key = st.Coarse
		}
		g, ok := number[key]
		if !ok {
			g = len(groups)
			number[key] = g
			groups = append(groups, group{key, stratum})
		}
		groupOf[i] = g
	}
	split := assign(groups, s.o.Split, s.o.Seed)
	s.splits = make([]uint8, len(s.items))
	for i := range s.items {
		s.splits[i] = split[groupOf[i]]
		r := row{item: int32(i)}
		if s.splits[i] == contaminated {
			s.rows[0] = append(s.rows[0], r)
			r.copy = 1
		}
		s.rows[s.splits[i]] = append(s.rows[s.splits[i]], r)
	}
	return nil
}

// contaminated is the number of TestContaminated in Splits.
const contaminated = 3

// count fills in the manifest what is known before the rows are made.
func (s *Set) count() {
	m := &s.manifest
	for i, name := range s.bins.names {
		b := BinRange{Name: name}
		if i > 0 {
			b.Above = &s.bins.edges[i-1]
		}
		if i < len(s.bins.edges) {
			b.UpTo = &s.bins.edges[i]
		}
		m.Bins = append(m.Bins, b)
	}
	all := map[int32]bool{}
	for k, split := range Splits() {
		c := SplitCount{Name: split, Rows: len(s.rows[k]), Bins: map[string]int{}, Families: map[string]int{}}
		structures := map[int32]bool{}
		for _, r := range s.rows[k] {
			it := &s.items[r.item]
			structures[it.structure], all[it.structure] = true, true
			if it.constrained {
				m.Constrained++
			}
			b := s.bins.of(it.difficulty)
			c.Bins[s.bins.names[b]]++
			m.Bins[b].Rows++
		}
		c.Structures = len(structures)
		m.Rows += c.Rows
		m.Splits = append(m.Splits, c)
	}
	m.Structures = len(all)
	for st := range all {
		if !s.structures[st].Exact {
			m.Inexact++
		}
	}
}

func (s *Set) progress(stage string, done, total int) {
	if s.o.Progress != nil {
		s.o.Progress(stage, done, total)
	}
}

// reader reads the answers to the prompts.
func (s *Settings) reader() extract.Kind { return cmp.Or(s.Answer, extract.Natural) }

// promptOptions are those of the settings.
func (s *Settings) promptOptions() prompt.Options {
	return prompt.Options{
		Style: prompt.Style(s.Style), Templates: s.Templates, Shots: s.Shots,
		Reasoning: prompt.Reasoning(s.Reasoning), Incantation: s.Incantation, System: s.System, PlanTags: s.PlanTags, Answer: s.Answer,
	}
}
