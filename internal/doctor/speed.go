package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Speed is a figure of this machine beside the one of docs/BENCHMARKS.md. More is faster.
type Speed struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	Here float64 `json:"here"`
	Docs float64 `json:"docs"`
	// Ratio is Here / Docs.
	Ratio float64 `json:"ratio"`
}

// each is how long a figure is measured.
const each = 300 * time.Millisecond

// The figures in docs/BENCHMARKS.md, "How fast is this machine?", which names this command.
var documented = map[string]Speed{
	"parse": {Name: "reading PDDL", Unit: "MB/s", Docs: 83},
	"judge": {Name: "judging a plan of 10 steps", Unit: "plans/s", Docs: 98e3},
	"blind": {Name: "blind A*", Unit: "expansions/s", Docs: 2.4e6},
	"lmcut": {Name: "LM-cut", Unit: "evaluations/s", Docs: 37e3},
}

func speeds(ctx context.Context) ([]Speed, error) {
	judge, err := judging(ctx)
	if err != nil {
		return nil, err
	}
	out := []Speed{measured(ctx, "parse", parsing()), measured(ctx, "judge", judge)}
	for _, s := range []struct {
		key, task, search string
		units             func(*search.Result) int64
	}{
		{"blind", "gripper:8", "astar(blind())", func(r *search.Result) int64 { return r.Expanded }},
		{"lmcut", "logistics:2-3-4-1", "astar(lmcut())", func(r *search.Result) int64 { return r.Evaluated }},
	} {
		work, err := searching(ctx, s.task, s.search, s.units)
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", s.search, s.task, err)
		}
		out = append(out, measured(ctx, s.key, work))
	}
	return out, nil
}

// measured runs work, which returns how many units it did, until the time is over.
func measured(ctx context.Context, key string, work func() float64) Speed {
	work() // warms caches
	began, units := cmdline.CPUSeconds(), 0.0
	for end := time.Now().Add(each); ctx.Err() == nil && time.Now().Before(end); {
		units += work()
	}
	s := documented[key]
	s.Here = units / max(cmdline.CPUSeconds()-began, 1e-6)
	s.Ratio = s.Here / s.Docs
	return s
}

// parsing reads a problem of a megabyte; the unit is a megabyte.
func parsing() func() float64 {
	const domain = "(define (domain d) (:requirements :strips :typing) (:types t) (:predicates (on ?a ?b - t)))"
	var b strings.Builder
	b.WriteString("(define (problem p) (:domain d) (:objects")
	const objects = 1000
	for i := range objects {
		fmt.Fprintf(&b, " o%d", i)
	}
	b.WriteString(" - t) (:init")
	for i := range 60_000 {
		fmt.Fprintf(&b, " (on o%d o%d)", i%objects, i*7/objects)
	}
	b.WriteString(") (:goal (on o1 o2)))")
	text := b.String()
	return func() float64 {
		d, _ := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
		pddl.ParseProblem(pddl.NewSource("problem", text), d, pddl.Options{})
		return float64(len(text)) / 1e6
	}
}

// judging judges the optimal plan of the bundled task from its text; the unit is a plan.
func judging(ctx context.Context) (func() float64, error) {
	t, err := planproof.ReadTask(Task)
	if err != nil {
		return nil, err
	}
	found, err := planproof.Solve(ctx, t, planproof.SolveOptions{})
	if err != nil {
		return nil, err
	}
	j, err := validator.NewJudge(t.Problem, validator.Options{})
	if err != nil {
		return nil, err
	}
	s, src := j.NewScratch(), pddl.NewSource("plan", strings.Join(found.Plan, "\n"))
	return func() float64 {
		const plans = 1000
		for range plans {
			j.ValidateText(src, s)
		}
		return plans
	}, nil
}

// searching searches a task to its end.
func searching(ctx context.Context, task, how string, units func(*search.Result) int64) (func() float64, error) {
	t, err := planproof.ReadTask(task)
	if err != nil {
		return nil, err
	}
	g, err := grounder.Ground(ctx, t.Problem, grounder.Options{})
	if err != nil {
		return nil, err
	}
	run := func() (*pipeline.Answer, error) {
		return pipeline.Search(ctx, t.Problem, g, pipeline.Options{Search: search.Config{Search: how}})
	}
	if res, err := run(); err != nil || res.Status != search.SolvedOptimally {
		return nil, cmp.Or(err, errors.New("it was not solved"))
	}
	return func() float64 {
		res, err := run()
		if err != nil { // the context has ended, and with it the measurement
			return 0
		}
		return float64(units(res.Result))
	}, nil
}
