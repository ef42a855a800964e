package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// backward finds the instances of actions that the goal depends on, before they become operators: from the atoms
// that it needs it goes to the instances that change them, and on to what these need. Where a goal depends on few
// of millions of instances, the others would take most of the time and the memory. What it keeps is more than what
// removeIrrelevant keeps, for it does not yet know which instances are impossible.
type backward struct {
	g      *grounder
	needed []bool // by variable
	queue  []int32
	by     [][]achiever   // by predicate
	kept   []keptInstance // by action
	left   int            // instances that may still be kept
}

// keptInstance are the instances of an action that are needed.
type keptInstance struct {
	tuples relation
	pre    []queryAtom // those that change
}

// achiever finds the instances of an action one of whose effects is on an atom.
type achiever struct {
	action int
	args   []pddl.Term
	join   *join
}

// dropIrrelevant drops instances that the goal does not depend on. It leaves small tasks to removeIrrelevant, and
// those with more than plain conditions and effects, and gives up when too many are needed.
func (g *grounder) dropIrrelevant() {
	total := 0
	for _, a := range g.actions {
		total += a.count
	}
	if g.opt.KeepIrrelevant || total < g.limits.backward || !g.plain() {
		return
	}
	b := &backward{g: g, needed: make([]bool, len(g.vars.members)), by: make([][]achiever, len(g.preds)),
		kept: make([]keptInstance, len(g.actions)), left: total / g.limits.backwardOf}
	for i, a := range g.actions {
		b.install(i, a)
	}
	for _, l := range g.goalLits {
		b.need(l.atom())
	}
	for len(b.queue) > 0 {
		v := b.queue[len(b.queue)-1]
		b.queue = b.queue[:len(b.queue)-1]
		for _, atom := range g.vars.members[v] {
			if !b.change(atom) {
				return
			}
		}
	}
	for i, a := range g.actions {
		b.filter(a, &b.kept[i].tuples)
	}
}

// plain reports whether instances say all that operators would: nothing is derived, conditional, numeric or a
// cost, and no atom that changes is required to be false, so that instances add no axioms and are never refused.
func (g *grounder) plain() bool {
	if len(g.rules) > 0 || len(g.num.comparisons) > 0 {
		return false
	}
	for _, a := range g.actions {
		if a.hasUniv || len(a.costs) > 0 || slices.ContainsFunc(a.effects, func(e effect) bool { return len(e.vars) > 0 || len(e.cond.lits) > 0 }) {
			return false
		}
		for _, l := range a.pre.lits {
			if l.dynamic || l.kind == litAtom && l.neg && g.preds[l.pred].changes() {
				return false
			}
		}
	}
	return true
}

// install makes the joins from the effects of an action to its instances.
func (b *backward) install(i int, a *action) {
	atoms, checks, ok := b.g.relax(a.pre.lits)
	if !ok || a.count == 0 {
		return
	}
	k := &b.kept[i]
	k.tuples.arity = len(a.params)
	for _, q := range atoms {
		if b.g.preds[q.pred].changes() {
			k.pre = append(k.pre, q)
		}
	}
	for _, e := range a.effects {
		q := query{types: a.types, atoms: atoms, checks: checks}
		for _, t := range e.args {
			if t.IsVar() && !slices.Contains(q.bound, int32(t.Slot())) {
				q.bound = append(q.bound, int32(t.Slot()))
			}
		}
		for _, s := range a.params {
			if !slices.Contains(q.bound, s) {
				q.vars = append(q.vars, s)
			}
		}
		b.by[e.pred] = append(b.by[e.pred], achiever{i, e.args, b.g.newJoin(q)})
	}
}

// need marks the variable of an atom.
func (b *backward) need(atom int32) {
	if v := b.g.vars.fact[atom].Var; !b.needed[v] {
		b.needed[v] = true
		b.queue = append(b.queue, v)
	}
}

// change keeps the instances that change an atom. It reports false if they are too many.
func (b *backward) change(atom int32) bool {
	row := b.g.atomArgs(atom)
	for i := range b.by[b.g.atomPred[atom]] {
		c := &b.by[b.g.atomPred[atom]][i]
		b.g.tick()
		if c.bind(row) {
			c.join.each(func() bool { return !b.keep(c) })
		}
		if b.left < 0 {
			return false
		}
	}
	return true
}

// bind binds the variables of the effect to an atom. It reports false if they do not agree.
func (c *achiever) bind(row []pddl.ObjectID) bool {
	j := c.join
	for i, t := range c.args {
		if t.IsVar() {
			j.env[t.Slot()] = row[i]
		}
	}
	for i, t := range c.args {
		if j.value(t) != row[i] || t.IsVar() && !contains(j.g.typeSet(j.q.types[t.Slot()]), row[i]) {
			return false
		}
	}
	return true
}

// keep keeps the instance that the join of an achiever has bound. It reports false if that is one too many.
func (b *backward) keep(c *achiever) bool {
	var key [16]pddl.ObjectID
	k, env := &b.kept[c.action], c.join.env
	tuple := key[:0]
	for _, s := range b.g.actions[c.action].params {
		tuple = append(tuple, env[s])
	}
	if _, added := k.tuples.add(tuple); !added {
		return true
	}
	b.left--
	for _, q := range k.pre {
		b.need(b.g.lookup(q.pred, q.args, env))
	}
	return b.left >= 0
}

// filter leaves an action the instances that were kept, in their order.
func (b *backward) filter(a *action, kept *relation) {
	k := len(a.params)
	if k == 0 {
		return
	}
	few := tuples{k: k}
	for t := range a.count {
		b.g.tick()
		if tuple := a.tuples.at(t); kept.find(tuple) >= 0 {
			few.append(tuple)
		}
	}
	a.tuples, a.count = few, few.n
}
