package grounder

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Object fluents become predicates with the value as last argument: (in ?b) = ?p is the atom
// =in(?b, ?p), a name that no predicate has. At most one value holds, which is a mutex group
// by construction; an assignment deletes all values and adds one. Two assignments to one
// fluent in one step conflict, so the precondition excludes them.

// addObjectFluents gives each object fluent its predicate.
func (g *grounder) addObjectFluents() {
	g.valuePred = make([]int32, len(g.dom.Functions))
	for f := range g.dom.Functions {
		g.valuePred[f] = -1
		if fn := &g.dom.Functions[f]; g.opt.ObjectFluents && !fn.Numeric {
			n := len(fn.Params) + 1
			g.valuePred[f] = int32(len(g.preds))
			g.preds = append(g.preds, &predicate{name: "=" + fn.Name, arity: n, rel: &relation{arity: n}})
		}
	}
	g.ownPreds = len(g.preds)
}

// loadObjectFluents fills their relations with the initial values.
func (g *grounder) loadObjectFluents() {
	for i := range g.prob.Init.Objects {
		v := &g.prob.Init.Objects[i]
		g.preds[g.valuePred[v.Func]].rel.add(append(slices.Clone(v.Args), v.Value))
		g.checkSize(&g.atomCount)
	}
}

// functional adds the invariants that hold by construction: a fluent has one value at most.
func (g *grounder) functionalInvariants() {
	for _, p := range g.valuePred {
		if p >= 0 && g.preds[p].fluent {
			g.invariants = append(g.invariants, &invariant{parts: []part{firstPart(p, g.preds[p].arity, g.preds[p].arity-1)}, functional: true})
		}
	}
}

// spareSlots makes a variable of any type for each place of the schema that needs one
// besides its own: comparisons with undefined, and assignments.
func (n *normaliser) spareSlots(fs []*pddl.Formula, e *pddl.Effect) {
	n.spare = map[any]int32{}
	add := func(key any) {
		n.spare[key] = int32(len(n.types))
		n.types = append(n.types, pddl.RootType)
	}
	var formula func(f *pddl.Formula)
	formula = func(f *pddl.Formula) {
		if f.Kind == pddl.FormulaObjectEqual && f.Value == pddl.UndefinedTerm {
			add(f)
		}
		for _, c := range f.Children {
			formula(c)
		}
	}
	var effect func(e *pddl.Effect)
	effect = func(e *pddl.Effect) {
		if e.Kind == pddl.EffectAssignObject {
			add(e)
		}
		if e.Condition != nil {
			formula(e.Condition)
		}
		for _, c := range e.Children {
			effect(c)
		}
	}
	for _, f := range fs {
		formula(f)
	}
	if e != nil {
		effect(e)
	}
}

// objectEqual translates a comparison of an object fluent.
func (n *normaliser) objectEqual(f *pddl.Formula, neg bool) *node {
	l := lit{kind: litAtom, neg: neg, pred: n.g.valuePred[f.Func]}
	if f.Value != pddl.UndefinedTerm {
		l.args = append(slices.Clone(f.Args), f.Value)
		return &node{lit: l}
	}
	slot := n.spare[f]
	l.args = append(slices.Clone(f.Args), pddl.VarTerm(int(slot)))
	l.neg = !neg
	kind := nodeForall // no value
	if neg {
		kind = nodeExists
	}
	return n.quantified(kind, []int32{slot}, &node{lit: l})
}

// objectAssignment is an effect that assigns an object fluent, with the quantified slots and
// the conditions around it.
type objectAssignment struct {
	e     *pddl.Effect
	vars  []int32
	conds []*pddl.Formula
}

// assignObject translates an assignment to an object fluent.
func (n *normaliser) assignObject(a *action, e *pddl.Effect, vars []int32, conds []*pddl.Formula) {
	n.demandKnown(vars, conds)
	n.assigned = append(n.assigned, objectAssignment{e, vars, conds})
	pred, slot := n.g.valuePred[e.Func], n.spare[e]
	old := append(slices.Clone(e.Args), pddl.VarTerm(int(slot)))
	for _, c := range n.split(n.condition(conds)) {
		a.effects = append(a.effects, effect{vars: slices.Concat(vars, c.vars, []int32{slot}), cond: c, neg: true, pred: pred, args: old})
		if e.Object != pddl.UndefinedTerm {
			a.effects = append(a.effects, effect{vars: slices.Concat(vars, c.vars), cond: c, pred: pred, args: append(slices.Clone(e.Args), e.Object)})
		}
	}
}

// demandOneValue requires that no two assignments of the action to one fluent fire. What it
// cannot express it refuses.
func (n *normaliser) demandOneValue() {
	refuse := func(e *pddl.Effect, what string) {
		n.g.refuse(n.g.dom.Source, e.Pos, UnsupportedObjectFluents,
			fmt.Sprintf("grounding does not support %s (%s ...) in one step", what, n.g.dom.Functions[e.Func].Name))
	}
	for i, x := range n.assigned {
		if !oneValue(x) {
			refuse(x.e, "effects that may assign several values to")
		}
		for _, y := range n.assigned[:i] {
			if x.e.Func != y.e.Func {
				continue
			}
			if slices.ContainsFunc(x.vars, func(s int32) bool { return slices.Contains(y.vars, s) }) {
				refuse(x.e, "several quantified assignments to")
				continue
			}
			n.demandApart(x, y)
		}
	}
}

// oneValue reports whether the instances of a quantified assignment that fire together
// change different fluents: each quantified variable is an argument of the fluent, or has
// the value of an object fluent that the others determine.
func oneValue(x objectAssignment) bool {
	known := func(vars []int32, t pddl.Term) bool {
		return !t.IsVar() || !slices.Contains(vars, int32(t.Slot()))
	}
	open := slices.DeleteFunc(slices.Clone(x.vars), func(s int32) bool { return slices.Contains(x.e.Args, pddl.VarTerm(int(s))) })
	var guards []*pddl.Formula
	var collect func(f *pddl.Formula)
	collect = func(f *pddl.Formula) {
		switch f.Kind {
		case pddl.FormulaAnd:
			for _, c := range f.Children {
				collect(c)
			}
		case pddl.FormulaObjectEqual:
			guards = append(guards, f)
		}
	}
	for _, c := range x.conds {
		collect(c)
	}
	for changed := true; changed && len(open) > 0; {
		changed = false
		for _, f := range guards {
			if f.Value == pddl.UndefinedTerm || known(open, f.Value) || slices.ContainsFunc(f.Args, func(t pddl.Term) bool { return !known(open, t) }) {
				continue
			}
			open = slices.DeleteFunc(open, func(s int32) bool { return pddl.VarTerm(int(s)) == f.Value })
			changed = true
		}
	}
	return len(open) == 0
}

// demandApart requires that the fluents of two assignments differ, or one does not fire.
func (n *normaliser) demandApart(x, y objectAssignment) {
	apart := &node{kind: nodeOr}
	for k := range x.e.Args {
		apart.kids = append(apart.kids, &node{lit: lit{kind: litEqual, neg: true, args: []pddl.Term{x.e.Args[k], y.e.Args[k]}}})
	}
	for _, f := range slices.Concat(x.conds, y.conds) {
		apart.kids = append(apart.kids, n.nnf(f, true))
	}
	vars := slices.Concat(x.vars, y.vars)
	if len(vars) == 0 && len(apart.kids) == 1 && apart.kids[0].kind == nodeLit {
		n.demands = append(n.demands, apart.kids[0])
		return
	}
	n.demands = append(n.demands, n.whole(nodeForall, vars, apart))
}
