package grounder

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

func parse(t fatal, domain, problem string) *pddl.Problem {
	t.Helper()
	d, ds := pddl.ParseDomain(&pddl.Source{Name: "domain.pddl", Text: domain}, pddl.Options{})
	if d == nil {
		t.Fatalf("%v\n%s", ds, domain)
	}
	p, ps := pddl.ParseProblem(&pddl.Source{Name: "problem.pddl", Text: problem}, d, pddl.Options{})
	if p == nil {
		t.Fatalf("%v\n%s", ps, problem)
	}
	return p
}

const maxStates = 400

// strataOf orders the derived predicates of the random domains as declared.
func strataOf(d *pddl.Domain) [][]*pddl.Axiom {
	out := make([][]*pddl.Axiom, len(d.Predicates))
	for _, a := range d.Axioms {
		out[a.Pred] = append(out[a.Pred], a)
	}
	return out
}

// TestBisimulation walks the states of random tasks in parallel by the definition and in
// the ground task: the same atoms must hold, the same actions be applicable at the same
// cost, and the goal hold in the same states.
func TestBisimulation(t *testing.T) { bisimulation(t, defaultLimits) }

// TestBisimulationTightLimits uses the constructions for large conditions in place of the
// default ones.
func TestBisimulationTightLimits(t *testing.T) {
	bisimulation(t, limits{alternatives: 1, product: 1, guards: 1, guardSteps: 4, candidates: 20, unions: 2000})
}

func groundWith(p *pddl.Problem, opt Options, l limits) (*Task, error) {
	g := newGrounder(context.Background(), p, opt)
	g.limits = l
	return g.run()
}

func bisimulation(t *testing.T, l limits) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &randomTask{t: rt, head: -1}
		domain, problem := g.draw()
		p := parse(rt, domain, problem)
		task, err := groundWith(p, Options{KeepIrrelevant: true, ObjectFluents: true}, l)
		if g.objects > 0 && err != nil && strings.Contains(err.Error(), string(UnsupportedObjectFluents)) {
			rt.Skip("several assignments to one object fluent")
		}
		if err != nil {
			rt.Fatalf("%v\n%s%s", err, domain, problem)
		}
		if task.Trivial {
			rt.Fatalf("the state space is gone\n%s%s", domain, problem)
		}
		small, err := groundWith(p, Options{ObjectFluents: true}, l)
		if err != nil {
			rt.Fatalf("%v\n%s%s", err, domain, problem)
		}
		n := &naive{d: p.Domain, p: p, strata: strataOf(p.Domain)}
		c := &comparison{t: rt, n: n, m: machine{task}, text: domain + problem}
		c.run()
		c.optimum(small)
	})
}

type comparison struct {
	t     *rapid.T
	n     *naive
	m     machine
	text  string
	goals bool // a goal state was met
	whole bool // all states were met
}

func (c *comparison) failf(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("%s\n%s\n%s", fmt.Sprintf(format, args...), c.text, dumpTask(c.m.t))
}

type pairState struct {
	base atomSet
	vals []int32
}

func (c *comparison) run() {
	start := pairState{c.n.initial(), c.m.close(c.m.t.Init)}
	queue := []pairState{start}
	seen := map[string]bool{start.base.key(): true}
	for len(queue) > 0 && len(seen) < maxStates {
		x := queue[0]
		queue = queue[1:]
		full := c.n.derive(x.base)
		goal := c.n.holds(c.n.p.Goal.Formula, &c.n.p.Goal.Schema, make([]pddl.ObjectID, len(c.n.p.Goal.Vars)), full)
		c.goals = c.goals || goal
		c.sameAtoms(full, x.vals)
		if got := c.m.all(x.vals, c.m.t.Goal); got != goal {
			c.failf("goal %v, want %v in %s", got, goal, full.key())
		}
		c.m.checkMutexes(c.t, x.vals)
		queue = append(queue, c.sameSteps(x, full, seen)...)
	}
	c.whole = len(queue) == 0
}

// sameAtoms compares the facts that hold with the atoms that do.
func (c *comparison) sameAtoms(full atomSet, vals []int32) {
	for v := range c.m.t.Variables {
		if c.m.t.Variables[v].Auxiliary {
			continue
		}
		for k, name := range c.m.t.Variables[v].Values {
			holds := int(vals[v]) == k
			if atom, ok := strings.CutPrefix(name, "Atom "); ok && full[atom] != holds {
				c.failf("%s is %v, want %v in %s", atom, holds, full[atom], full.key())
			}
		}
	}
}

// sameSteps compares the actions that change the state or cost something.
func (c *comparison) sameSteps(x pairState, full atomSet, seen map[string]bool) []pairState {
	type result struct {
		vals []int32
		cost pddl.Number
	}
	got := map[string][]result{}
	for i := range c.m.t.Operators.Len() {
		op := c.m.t.Operators.At(i)
		if !c.m.all(x.vals, op.Pre) {
			continue
		}
		if !c.m.orderFree(x.vals, op) {
			c.failf("%s: the order of effects matters in %s", c.m.t.OperatorName(OperatorID(i)), full.key())
		}
		vals, cost := c.m.apply(x.vals, op)
		name := c.m.t.OperatorName(OperatorID(i))
		got[name] = append(got[name], result{vals, c.m.t.CostUnit.Mul(pddl.Int(cost))})
	}
	var next []pairState
	for _, s := range c.n.steps(x.base) {
		want := s.cost
		if !c.m.t.Metric {
			want = pddl.Int(1)
		}
		rs := got[s.name]
		if len(rs) == 0 {
			c.failf("%s is missing in %s", s.name, full.key())
		}
		for _, r := range rs {
			if !r.cost.Equal(want) {
				c.failf("%s costs %v, want %v in %s", s.name, r.cost, want, full.key())
			}
			c.sameAtoms(c.n.derive(s.next), r.vals)
		}
		delete(got, s.name)
		if k := s.next.key(); !seen[k] {
			seen[k] = true
			next = append(next, pairState{s.next, rs[0].vals})
		}
	}
	for name := range got {
		c.failf("%s is not applicable in %s", name, full.key())
	}
	return next
}

// optimum compares the cheapest plan of the definition with that of the fully
// simplified task.
func (c *comparison) optimum(small *Task) {
	if !c.whole {
		return
	}
	if small.Unsolvable && c.goals {
		c.failf("simplified to unsolvable, but a goal state is reachable")
	}
	want, reachable := c.naiveOptimum()
	got, ok := taskOptimum(machine{small})
	if ok != reachable {
		c.failf("solvable %v, want %v, after simplification:\n%s", ok, reachable, dumpTask(small))
	}
	if cost := small.CostBase.Add(small.CostUnit.Mul(pddl.Int(got))); ok && !cost.Equal(want) {
		c.failf("optimal cost %v, want %v, after simplification:\n%s", cost, want, dumpTask(small))
	}
	var sas bytes.Buffer
	if err := WriteSAS(&sas, small); err != nil {
		return // conditional costs
	}
	again, err := ReadSAS(&sas)
	if err != nil {
		c.failf("the task as sas: %v", err)
	}
	if g, ok2 := taskOptimum(machine{again}); ok2 != ok || ok && !again.CostUnit.Mul(pddl.Int(g)).Equal(small.CostUnit.Mul(pddl.Int(got))) {
		if u, isInt := small.CostUnit.Int64(); isInt && u > 0 {
			c.failf("optimal cost %d of the sas file", g)
		}
	}
}

func (c *comparison) naiveOptimum() (pddl.Number, bool) {
	type entry struct {
		s    atomSet
		cost pddl.Number
	}
	open := []entry{{c.n.initial(), pddl.Number{}}}
	closed := map[string]bool{}
	for len(open) > 0 {
		best := 0
		for i := range open {
			if open[i].cost.Cmp(open[best].cost) < 0 {
				best = i
			}
		}
		e := open[best]
		open[best] = open[len(open)-1]
		open = open[:len(open)-1]
		if closed[e.s.key()] {
			continue
		}
		closed[e.s.key()] = true
		if c.n.holds(c.n.p.Goal.Formula, &c.n.p.Goal.Schema, make([]pddl.ObjectID, len(c.n.p.Goal.Vars)), c.n.derive(e.s)) {
			return e.cost, true
		}
		for _, s := range c.n.steps(e.s) {
			step := s.cost
			if !c.m.t.Metric {
				step = pddl.Int(1)
			}
			if !closed[s.next.key()] {
				open = append(open, entry{s.next, e.cost.Add(step)})
			}
		}
	}
	return pddl.Number{}, false
}

func taskOptimum(m machine) (int64, bool) {
	type entry struct {
		s    []int32
		cost int64
	}
	open := []entry{{m.close(m.t.Init), 0}}
	closed := map[string]bool{}
	for len(open) > 0 {
		best := 0
		for i := range open {
			if open[i].cost < open[best].cost {
				best = i
			}
		}
		e := open[best]
		open[best] = open[len(open)-1]
		open = open[:len(open)-1]
		k := fmt.Sprint(e.s)
		if closed[k] {
			continue
		}
		closed[k] = true
		if m.all(e.s, m.t.Goal) {
			return e.cost, true
		}
		for i := range m.t.Operators.Len() {
			if op := m.t.Operators.At(i); m.all(e.s, op.Pre) {
				next, cost := m.apply(e.s, op)
				if !closed[fmt.Sprint(next)] {
					open = append(open, entry{next, e.cost + cost})
				}
			}
		}
	}
	return 0, false
}

// TestNaiveAgreesWithJudge lets the judge judge walks of the naive interpreter: both must
// find the same actions applicable. The two share no code, so no misreading of the
// definition can confirm itself.
func TestNaiveAgreesWithJudge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &randomTask{t: rt, head: -1}
		domain, problem := g.draw()
		p := parse(rt, domain, problem)
		judge, err := validator.NewJudge(p, validator.Options{})
		if err != nil {
			rt.Fatalf("%v\n%s%s", err, domain, problem)
		}
		n := &naive{d: p.Domain, p: p, strata: strataOf(p.Domain)}
		scratch := judge.NewScratch()
		state, walk := n.initial(), ""
		for range 4 {
			steps := n.steps(state)
			applicable := map[string]bool{}
			for _, s := range steps {
				applicable[s.name] = true
			}
			for _, name := range instanceNames(p) {
				plan, ds := pddl.ParsePlan(&pddl.Source{Name: "plan", Text: walk + name})
				if plan == nil {
					rt.Fatalf("%v", ds)
				}
				r := judge.Judge(plan, scratch)
				if got := r.Executed == len(plan.Steps); got != applicable[name] {
					rt.Fatalf("the judge applies %s after [%s]: %v (%s), naive: %v\n%s%s", name, walk, got, r.Kind, applicable[name], domain, problem)
				}
			}
			if len(steps) == 0 {
				return
			}
			s := steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")]
			state, walk = s.next, walk+s.name+"\n"
		}
	})
}

// instanceNames lists all well-typed ground actions.
func instanceNames(p *pddl.Problem) []string {
	n := &naive{d: p.Domain, p: p}
	var out []string
	for _, a := range p.Domain.Actions {
		env := make([]pddl.ObjectID, len(a.Vars))
		n.each(&a.Schema, slots(0, a.NumParams), env, func() bool {
			name := "(" + a.Name
			for i := range a.NumParams {
				name += " " + p.Objects[env[i]].Name
			}
			out = append(out, name+")")
			return true
		})
	}
	return out
}
