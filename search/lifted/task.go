package lifted

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// task is a problem compiled for the search.
type task struct {
	*meter
	prob    *pddl.Problem
	dom     *pddl.Domain
	preds   []predicate
	types   []typeSlot // by type
	actions []*action
	pricing
	// literals and rest are the conditions of the goal: ground literals of fluent predicates, and others that depend on the
	// state. hopeless is true if one holds in no state.
	literals, rest []*cond
	hopeless       bool
}

type predicate struct {
	name    string
	arity   int
	fluent  bool
	columns []int     // objects of each column's type
	initial int       // atoms that hold initially
	rel     *relation // of a static predicate
	whole   *index    // ... by all columns
}

type action struct {
	src     *pddl.Action
	schema  int32
	query   query
	fluents []int32 // fluent predicates of the positive atoms of the precondition
	// programs are plans by the sizes of fluents; see plan.
	programs map[uint64]*program
	effects  []effect
	costs    []costTerm
	never    bool // it has no instance
}

// effect adds or deletes an atom for all instances that each finds; nil means just one.
type effect struct {
	each *program
	neg  bool
	pred int32
	args []pddl.Term
}

// newTask compiles a problem. It returns diagnostics, each at its place, of what lifted search does not support. Where m
// ends the work, the task is not complete.
func newTask(p *pddl.Problem, m *meter) (*task, pddl.Diagnostics) {
	t := &task{meter: m, prob: p, dom: p.Domain}
	r := &refuser{task: t}
	r.check()
	if len(r.diags) > 0 {
		return nil, r.sorted()
	}
	t.types = make([]typeSlot, len(t.dom.Types))
	t.addPredicates()
	t.loadStatic()
	t.loadValues()
	for i, a := range t.dom.Actions {
		t.addAction(int32(i), a)
	}
	if !t.halted {
		r.price()
	}
	switch {
	case t.halted:
		return t, nil
	case len(r.diags) > 0:
		return nil, r.sorted()
	}
	goal := conjuncts(condition(p.Goal.Formula, false))
	for _, c := range goal {
		switch holds, always := t.constant(c); {
		case always:
			t.hopeless = t.hopeless || !holds
		case c.kind == condAtom && len(c.free) == 0:
			t.literals = append(t.literals, c)
		default:
			t.rest = append(t.rest, c)
		}
	}
	t.prepare(t.rest, t.slots(&p.Goal.Schema))
	return t, nil
}

// constant returns whether a condition holds, and whether it is one that holds in all states or in none.
func (t *task) constant(c *cond) (holds, ok bool) {
	if len(c.free) > 0 || c.kind != condEqual && (c.kind != condAtom || t.preds[c.pred].fluent) {
		return false, false
	}
	args := make([]pddl.ObjectID, len(c.args))
	for i, a := range c.args {
		args[i] = a.Object()
	}
	if c.kind == condEqual {
		return (args[0] == args[1]) != c.neg, true
	}
	return (len(t.preds[c.pred].whole.find(args)) > 0) != c.neg, true
}

func (t *task) addPredicates() {
	changed := make([]bool, len(t.dom.Predicates))
	for _, a := range t.dom.Actions {
		for p := range changed {
			changed[p] = changed[p] || a.Effect.Changes(pddl.PredicateID(p))
		}
	}
	for p := range t.dom.Predicates {
		d := &t.dom.Predicates[p]
		q := predicate{name: d.Name, arity: len(d.Params), fluent: changed[p]}
		for _, v := range d.Params {
			q.columns = append(q.columns, len(t.prob.ObjectsOfType(v.Type)))
		}
		if !q.fluent {
			q.rel = &relation{arity: q.arity}
		}
		t.preds = append(t.preds, q)
	}
}

// loadStatic fills the relations of static predicates and counts the atoms of the others.
func (t *task) loadStatic() {
	init := &t.prob.Init.Atoms
	for i := range init.Len() {
		if t.tick(1) {
			return
		}
		p, args := init.Atom(i)
		q := &t.preds[p]
		q.initial++
		if q.rel != nil {
			q.rel.rows = append(q.rel.rows, args...)
			q.rel.n++
		}
	}
	for p := range t.preds {
		if q := &t.preds[p]; q.rel != nil {
			cols := make([]int, q.arity)
			for c := range cols {
				cols[c] = c
			}
			q.rel.countDistinct(len(t.prob.Objects), t.meter)
			q.whole = q.rel.index(cols, t.meter)
		}
	}
}

// typeOf returns the objects of a type.
func (t *task) typeOf(id pddl.TypeID) typeSlot {
	s := &t.types[id]
	if s.objects == nil {
		s.objects = t.prob.ObjectsOfType(id)
		if len(s.objects) < len(t.prob.Objects) {
			s.set = make([]uint64, len(t.prob.Objects)/64+1)
			for _, o := range s.objects {
				s.set[o>>6] |= 1 << (uint(o) & 63)
			}
		}
	}
	return *s
}

// slots returns the types of a schema's variables.
func (t *task) slots(s *pddl.Schema) []typeSlot {
	out := make([]typeSlot, len(s.Vars))
	for i := range out {
		out[i] = t.typeOf(s.Vars[i].Type)
	}
	return out
}

// initialSize is the number of atoms of a predicate in the initial state.
func (t *task) initialSize(pred int32) float64 { return float64(t.preds[pred].initial) }

// prepare makes the programs of quantifiers within conditions.
func (t *task) prepare(conds []*cond, types []typeSlot) {
	for _, c := range conds {
		t.prepare(c.kids, types)
		if c.kind == condSome {
			c.some = t.plan(&query{conds: c.kids, vars: c.vars, types: types}, t.initialSize)
		}
	}
}

func (t *task) addAction(schema int32, src *pddl.Action) {
	a := &action{src: src, schema: schema, programs: map[uint64]*program{}}
	types := t.slots(&src.Schema)
	a.query = query{conds: conjuncts(condition(src.Precondition, false)), types: types}
	for s := range int32(src.NumParams) {
		a.query.vars = append(a.query.vars, s)
		a.never = a.never || len(types[s].objects) == 0
	}
	t.prepare(a.query.conds, types)
	for _, c := range a.query.conds {
		if c.kind == condAtom && !c.neg && t.preds[c.pred].fluent && !slices.Contains(a.fluents, c.pred) {
			a.fluents = append(a.fluents, c.pred)
		}
	}
	shown := make([]bool, len(types))
	show := func(slots []int32) {
		for _, s := range slots {
			shown[s] = true
		}
	}
	var walk func(e *pddl.Effect, vars []int32, conds []*cond)
	walk = func(e *pddl.Effect, vars []int32, conds []*cond) {
		switch e.Kind {
		case pddl.EffectForall:
			vars = append(slices.Clip(vars), e.Bound...)
		case pddl.EffectWhen:
			conds = append(slices.Clip(conds), conjuncts(condition(e.Condition, false))...)
		case pddl.EffectAdd, pddl.EffectDelete:
			show(slotsOf(e.Args))
			a.effects = append(a.effects, effect{each: t.each(vars, conds, types, show), neg: e.Kind == pddl.EffectDelete, pred: int32(e.Pred), args: e.Args})
		case pddl.EffectNumeric:
			show(slotsOf(e.Args))
			show(exprSlots(e.Value))
			a.costs = append(a.costs, costTerm{each: t.each(vars, conds, types, show), src: e})
		}
		for _, c := range e.Children {
			walk(c, vars, conds)
		}
	}
	walk(src.Effect, nil, nil)
	a.query.shown = func(s int32) bool { return shown[s] }
	t.actions = append(t.actions, a)
}

// each makes the program that finds the instances of an effect, nil if it has just one.
func (t *task) each(vars []int32, conds []*cond, types []typeSlot, show func([]int32)) *program {
	if len(vars) == 0 && len(conds) == 0 {
		return nil
	}
	for _, c := range conds {
		show(c.free)
	}
	t.prepare(conds, types)
	return t.plan(&query{conds: conds, vars: vars, types: types, shown: func(int32) bool { return true }}, t.initialSize)
}

// maxPrograms bounds the programs that are kept for an action.
const maxPrograms = 64

// plan returns a program for the precondition, made for sizes like those of the state that is expanded. It is nil where an
// atom of the precondition has no row.
func (a *action) plan(t *task, v *view) *program {
	key := uint64(0)
	for _, p := range a.fluents {
		n := v.preds[p].n
		if n == 0 {
			return nil
		}
		key = key*31 + uint64(magnitude(n))
	}
	prog := a.programs[key]
	if prog == nil {
		if len(a.programs) >= maxPrograms {
			clear(a.programs)
		}
		prog = t.plan(&a.query, func(p int32) float64 {
			if t.preds[p].fluent {
				return float64(v.preds[p].n)
			}
			return t.initialSize(p)
		})
		a.programs[key] = prog
	}
	return prog
}

func (t *task) bytes() (b int64) {
	for p := range t.preds {
		if r := t.preds[p].rel; r != nil {
			b += r.bytes()
		}
	}
	for i := range t.types {
		b += int64(len(t.types[i].set)) * 8
	}
	return b
}
