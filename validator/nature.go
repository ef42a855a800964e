package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// nature is what the world does by itself: the processes and events of PDDL+ (Fox and Long,
// JAIR 27, 2006), with the objects that they may be about.
type nature struct {
	processes, events []natural
	running           []occurrence // of processes
	possible          []occurrence // of events
}

// natural is a compiled process or event; pre is its condition.
type natural struct {
	action
	rates  []rate  // of a process
	writes []int32 // symbols that an event may change
	static int32   // node of the part of the condition that nothing changes, or -1
}

// occurrence is a process or an event with objects for its parameters.
type occurrence struct {
	of  int32
	env []int32
}

// maxOccurrences bounds the processes and events with objects.
const maxOccurrences = 1 << 20

// nature compiles the processes and events.
func (c *compiler) nature() {
	d := c.j.dom
	if len(d.Nature()) == 0 {
		return
	}
	n := &nature{}
	c.j.timed.nature = n
	for _, a := range d.Processes {
		x := c.natural(a)
		x.rates = c.rates(splitEffect(a.Effect).rates)
		n.processes = append(n.processes, x)
	}
	for _, a := range d.Events {
		x := c.natural(a)
		c.finish(&x.action, c.effect(a.Effect))
		x.writes = c.written(a.Effect)
		n.events = append(n.events, x)
	}
}

func (c *compiler) natural(a *pddl.Action) natural {
	c.vars = a.Vars
	x := natural{action: action{schema: a, vars: len(a.Vars), pre: c.node(a.Precondition), eff: -1}, static: -1}
	for k := range a.NumParams {
		x.types = append(x.types, a.Vars[k].Type)
	}
	var static *pddl.Formula
	for _, f := range conjuncts(a.Precondition) {
		if g := f; g.Kind == pddl.FormulaEqual || g.Kind == pddl.FormulaNot && c.unchanging(g.Children[0]) || c.unchanging(g) {
			static = conjunction(static, f)
		}
	}
	x.static = c.node(static)
	return x
}

// unchanging reports whether a formula is an atom that nothing changes.
func (c *compiler) unchanging(f *pddl.Formula) bool {
	return f.Kind == pddl.FormulaEqual || f.Kind == pddl.FormulaAtom && !c.j.preds[f.Pred].fluent && !c.j.preds[f.Pred].derived
}

// conjuncts lists the parts of a conjunction.
func conjuncts(f *pddl.Formula) []*pddl.Formula {
	if f.Kind != pddl.FormulaAnd {
		return []*pddl.Formula{f}
	}
	var out []*pddl.Formula
	for _, k := range f.Children {
		out = append(out, conjuncts(k)...)
	}
	return out
}

// occur lists the objects that each process and event may be about. It reports false if
// there are too many.
func (j *Judge) occur() bool {
	if j.timed == nil || j.timed.nature == nil {
		return true
	}
	n := j.timed.nature
	s := j.NewScratch()
	tried := 0
	list := func(xs []natural) (out []occurrence) {
		for i := range xs {
			x := &xs[i]
			params := make([]int32, len(x.types))
			for k := range params {
				params[k] = int32(k)
			}
			env := make([]int32, x.vars)
			s.eachBinding(params, x.schema.Vars, env, func() {
				if tried++; tried > maxOccurrences {
					return
				}
				s.allow(j.opt.MaxWork)
				if x.static < 0 || s.eval(x.static, env) == isTrue {
					out = append(out, occurrence{int32(i), slices.Clone(env)})
				}
			})
		}
		return out
	}
	n.running, n.possible = list(n.processes), list(n.events)
	return tried <= maxOccurrences
}

// name is a process or event with its objects, as in PDDL.
func (s *Scratch) occurrenceName(xs []natural, o *occurrence) string {
	x := &xs[o.of]
	return s.j.tuple(x.schema.Name, o.env[:len(x.types)])
}
