package secondjudge

import (
	"math/big"
	"sort"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Options are what the judge takes besides the plan.
type Options struct {
	Epsilon   pddl.Number // interfering moments must be more than this apart
	Tolerance pddl.Number // of durations
}

// Outcome is a verdict without words. Kind is "" for a valid plan, else as in package
// validator; Step is in execution order, from 1; Time is that of the failure of a timed plan.
type Outcome struct {
	Kind     string
	Step     int
	Executed int
	Time     string
	Cost     string // "undefined" if the metric has no value
	// Either lists further kinds and steps that fail at the same time: any of them may be reported.
	Either []Fault
}

// Fault is a kind of failure and its step.
type Fault struct {
	Kind string
	Step int
}

// Judge judges a plan.
func Judge(p *pddl.Problem, plan *pddl.Plan, o Options) Outcome {
	r := &judge{d: p.Domain, p: p, violated: map[string]int{}, end: new(big.Rat)}
	if !plan.Timed {
		o.Epsilon = pddl.Number{} // the times are nobody's choice
	}
	x := &run{judge: r, plan: plan, epsilon: o.Epsilon.Rat(), tolerance: o.Tolerance.Rat(), state: r.initial(), now: new(big.Rat)}
	return x.all()
}

// The moments of one time, in the order in which they are looked at.
const (
	turnLiterals = iota
	turnEnd
	turnBegin
	turnLateEnd // of a step without duration
)

// moment is a step, an end of a durative one, or timed literals.
type moment struct {
	time *big.Rat
	turn int
	step int // -1 for literals
}

// doing is a durative step between its start and its end.
type doing struct {
	step    int
	action  *pddl.DurativeAction
	env     []int
	waiting []waiting
	wishes  []wish
}

// waiting is a conditional effect that may happen at the end of a step.
type waiting struct {
	env   []int
	conds []*pddl.Formula
	body  *pddl.Effect
	gone  bool
}

// wish is a preference of a durative step.
type wish struct {
	f      *pddl.Formula
	env    []int
	broken bool
}

// moment of the trajectory.
type stage struct {
	time   *big.Rat
	closed *state
}

type run struct {
	*judge
	plan               *pddl.Plan
	epsilon, tolerance *big.Rat
	state              *state
	now                *big.Rat
	rank               map[int]int
	running            []*doing
	past               []*act
	stages             []stage
	executed           int
	// Of processes and events:
	flow     map[string]*big.Rat // change per time unit from now on
	happened map[string]bool     // events of this time
	events   int
	arrived  []*act // events of this time that came before its steps
}

func (x *run) time(step int) *big.Rat {
	if !x.plan.Timed {
		return big.NewRat(int64(step)+1, 1)
	}
	return x.plan.Steps[step].Time.Rat()
}

// moments lists what happens, in order.
func (x *run) moments() (out []moment) {
	for i := range x.plan.Steps {
		st := &x.plan.Steps[i]
		out = append(out, moment{x.time(i), turnBegin, i})
		if a := x.durative(st.Name); a != nil && st.HasDuration {
			m := moment{new(big.Rat).Add(x.time(i), st.Duration.Rat()), turnEnd, i}
			if st.Duration.Sign() == 0 {
				m.turn = turnLateEnd
			}
			out = append(out, m)
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].time.Cmp(out[b].time) < 0 })
	x.rank = map[int]int{}
	for _, m := range out {
		if m.turn == turnBegin {
			x.rank[m.step] = len(x.rank) + 1
		}
	}
	seen := map[string]bool{}
	for i := range x.p.Init.Timed {
		t := x.p.Init.Timed[i].Time.Rat()
		if !seen[t.RatString()] {
			seen[t.RatString()] = true
			out = append(out, moment{t, turnLiterals, -1})
		}
	}
	sort.SliceStable(out, func(a, b int) bool {
		if c := out[a].time.Cmp(out[b].time); c != 0 {
			return c < 0
		}
		if out[a].turn != out[b].turn {
			return out[a].turn < out[b].turn
		}
		return out[a].step < out[b].step
	})
	return out
}

func (x *run) durative(name string) *pddl.DurativeAction {
	for _, a := range x.d.Durative {
		if strings.EqualFold(a.Name, name) {
			return a
		}
	}
	return nil
}

// all executes the plan and judges its end.
func (x *run) all() Outcome {
	x.stages = []stage{{new(big.Rat), x.close(x.state)}}
	ms := x.moments()
	marker := new(big.Rat)
	if x.plan.HasEnd {
		marker = x.plan.End.Rat()
	}
	if len(ms) == 0 || ms[0].time.Sign() > 0 {
		if f := x.moment(len(ms) == 0 && marker.Sign() == 0); len(f) > 0 {
			return x.fail(f[0], x.now, f[1:])
		}
	}
	for lo := 0; lo < len(ms); {
		hi := lo + 1
		for hi < len(ms) && ms[hi].time.Cmp(ms[lo].time) == 0 {
			hi++
		}
		if f, at := x.pass(ms[lo].time); len(f) > 0 {
			return x.fail(f[0], at, f[1:])
		}
		if f := x.arrive(); len(f) > 0 {
			return x.fail(f[0], x.now, nil)
		}
		if f := x.happening(ms[lo:hi]); f.Kind != "" {
			return x.fail(f, ms[lo].time, nil)
		}
		if f := x.calm(hi == len(ms) && marker.Cmp(x.now) <= 0); len(f) > 0 {
			return x.fail(f[0], x.now, f[1:])
		}
		x.stages = append(x.stages, stage{ms[lo].time, x.close(x.state)})
		lo = hi
	}
	if marker.Cmp(x.now) > 0 {
		if f, at := x.pass(marker); len(f) > 0 {
			return x.fail(f[0], at, f[1:])
		}
		if f := x.arrive(); len(f) > 0 {
			return x.fail(f[0], x.now, nil)
		}
		x.end = marker
		x.stages = append(x.stages, stage{marker, x.close(x.state)})
	}
	return x.finish()
}

func (x *run) fail(f Fault, at *big.Rat, either []Fault) Outcome {
	return Outcome{Kind: f.Kind, Step: f.Step, Executed: x.executed, Time: pddl.FromRat(at).String(), Either: either}
}

// finish judges what shows at the end.
func (x *run) finish() Outcome {
	out := Outcome{Executed: x.executed}
	for _, g := range []*pddl.GoalSchema{x.d.Constraints, x.p.Constraints} {
		if g == nil || g.Formula == nil {
			continue
		}
		x.vars = g.Vars
		if !x.required(g.Formula, make([]int, len(g.Vars)), true) {
			out.Kind = "constraint"
		}
	}
	closed := x.stages[len(x.stages)-1].closed
	x.vars = x.p.Goal.Vars
	env := make([]int, len(x.vars))
	x.wished(x.p.Goal.Formula, env, func(f *pddl.Formula, env []int) {
		if x.eval(closed, f.Children[0], env) != yes {
			x.violated[strings.ToLower(f.Name)]++
		}
	})
	if v := x.hard(closed, x.p.Goal.Formula, env); v != yes && out.Kind == "" {
		out.Kind = map[truth]string{no: "goal", unknown: "numeric"}[v]
	}
	out.Cost = x.cost(x.state, x.executed)
	return out
}

func (r *judge) cost(s *state, steps int) string {
	if r.p.Metric == nil {
		return pddl.Int(int64(steps)).String()
	}
	v := r.number(s, r.p.Metric.Expr, nil)
	if v == nil {
		return "undefined"
	}
	return pddl.FromRat(v).String()
}

// wished visits the preferences of a condition with their bindings.
func (x *run) wished(f *pddl.Formula, env []int, visit func(*pddl.Formula, []int)) {
	switch f.Kind {
	case pddl.FormulaPreference:
		visit(f, env)
	case pddl.FormulaAnd:
		for _, k := range f.Children {
			x.wished(k, env, visit)
		}
	case pddl.FormulaForall:
		x.over(x.vars, f.Bound, env, func() { x.wished(f.Children[0], env, visit) })
	}
}

// hard evaluates a condition as if its preferences were true.
func (x *run) hard(s *state, f *pddl.Formula, env []int) truth {
	switch f.Kind {
	case pddl.FormulaPreference:
		return yes
	case pddl.FormulaAnd:
		v := yes
		for _, k := range f.Children {
			v = min(v, x.hard(s, k, env))
		}
		return v
	case pddl.FormulaForall:
		v := yes
		x.over(x.vars, f.Bound, env, func() { v = min(v, x.hard(s, f.Children[0], env)) })
		return v
	}
	return x.eval(s, f, env)
}

// part evaluates what a durative condition says about one time specifier.
func (x *run) part(s *state, f *pddl.Formula, env []int, kind pddl.FormulaKind) truth {
	switch f.Kind {
	case kind:
		return x.eval(s, f.Children[0], env)
	case pddl.FormulaAnd:
		v := yes
		for _, k := range f.Children {
			v = min(v, x.part(s, k, env, kind))
		}
		return v
	case pddl.FormulaForall:
		v := yes
		x.over(x.vars, f.Bound, env, func() { v = min(v, x.part(s, f.Children[0], env, kind)) })
		return v
	}
	return yes // another specifier, a preference, or (and)
}
