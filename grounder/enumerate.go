package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// holds evaluates a literal that does not depend on the state.
func (g *grounder) holds(l *lit, env []pddl.ObjectID) bool {
	var key [16]pddl.ObjectID
	switch l.kind {
	case litAtom:
		return (g.preds[l.pred].rel.find(groundArgs(key[:0], l.args, env)) >= 0) != l.neg
	case litEqual:
		k := groundArgs(key[:0], l.args, env)
		return (k[0] == k[1]) != l.neg
	case litDefined:
		return g.definedSides(l.cmp, env) != l.neg
	}
	return g.compare(l.cmp, l.neg, env)
}

// enumerate lists the instances of actions and rules whose positive atoms are reachable
// and whose static conditions hold.
func (g *grounder) enumerate() {
	g.columns = nil
	for _, a := range g.actions {
		a.tuples, a.count = g.instances(a.types, a.params, a.pre.lits)
		a.effects = slices.DeleteFunc(a.effects, func(e effect) bool { return !g.possible(&e.cond) })
		for i := range a.effects {
			a.effects[i].join = g.effectJoin(a, a.effects[i].vars, &a.effects[i].cond)
		}
		for i := range a.costs {
			a.costs[i].join = g.effectJoin(a, a.costs[i].vars, &a.costs[i].cond)
		}
	}
	for _, r := range g.rules {
		r.tuples, r.count = g.instances(r.types, r.vars, r.body.lits)
	}
	g.numberAtoms()
}

// instances returns the bindings of vars, len(vars) objects each, and their number.
func (g *grounder) instances(types []pddl.TypeID, vars []int32, lits []lit) (tuples, int) {
	atoms, checks, ok := g.relax(lits)
	if !ok {
		return tuples{}, 0
	}
	for _, a := range atoms {
		if g.preds[a.pred].rel.n == 0 {
			return tuples{}, 0
		}
	}
	if len(vars) == 0 {
		for _, a := range atoms {
			if g.preds[a.pred].rel.find(groundArgs(nil, a.args, nil)) < 0 {
				return tuples{}, 0
			}
		}
		return tuples{n: 1}, 1
	}
	out := g.solutions(query{types: types, atoms: atoms, checks: checks, vars: vars})
	return out, out.n
}

// possible reports whether the ground static literals of a condition hold.
func (g *grounder) possible(c *conj) bool {
	_, _, ok := g.relax(c.lits)
	return ok
}

// effectJoin returns the join that enumerates the quantified variables of an effect, or
// nil if it has none.
func (g *grounder) effectJoin(a *action, vars []int32, cond *conj) *join {
	if len(vars) == 0 {
		return nil
	}
	atoms, checks, _ := g.relax(cond.lits)
	return g.newJoin(query{types: a.types, atoms: atoms, checks: checks, bound: a.params, vars: vars})
}

// numberAtoms gives ids to the atoms of predicates that change.
func (g *grounder) numberAtoms() {
	for p, pred := range g.preds {
		if !pred.changes() {
			continue
		}
		pred.base = int32(g.atoms)
		g.atoms += pred.rel.n
		g.atomPred, g.initial = slices.Grow(g.atomPred, pred.rel.n), slices.Grow(g.initial, pred.rel.n)
		for t := range pred.rel.n {
			g.atomPred = append(g.atomPred, int32(p))
			g.initial = append(g.initial, t < pred.initial)
		}
	}
}

// atomArgs returns the arguments of an atom.
func (g *grounder) atomArgs(atom int32) []pddl.ObjectID {
	p := g.preds[g.atomPred[atom]]
	return p.rel.row(atom - p.base)
}

// lookup returns the id of a ground atom of a predicate that changes, or -1 if it is
// unreachable.
func (g *grounder) lookup(pred int32, args []pddl.Term, env []pddl.ObjectID) int32 {
	var key [16]pddl.ObjectID
	p := g.preds[pred]
	t := p.rel.find(groundArgs(key[:0], args, env))
	if t < 0 {
		return -1
	}
	return p.base + t
}
