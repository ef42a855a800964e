package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Undefined values. A comparison that reads an undefined value is unknown, in Kleene's
// three-valued logic, and so are formulas whose value depends on it. A precondition, a
// goal or the body of an axiom does not hold if it is unknown: comparisons in negation
// normal form are simply false under both signs. An effect condition is different: if
// it is unknown, the step has no meaning and is inapplicable. So the precondition
// requires that each effect condition is known, for all instances of the quantified
// variables around it:
//
//	known(a and b)   =  known(a) and known(b), or a false, or b false
//	known(forall a)  =  forall known(a), or some a false
//
// and dually for "or" and "exists". Formulas that cannot be unknown drop out, so a task
// whose values are all defined gets no such requirements at all.

// demandKnown requires that the conjunction of conds is known for all vars. It is called
// for each primitive effect, so that the condition of an empty effect is not read.
func (n *normaliser) demandKnown(vars []int32, conds []*pddl.Formula) {
	if len(conds) == 0 || slices.Equal(n.demanded.conds, conds) && slices.Equal(n.demanded.vars, vars) {
		return
	}
	n.demanded.conds, n.demanded.vars = conds, vars
	nd := n.known(&pddl.Formula{Kind: pddl.FormulaAnd, Children: conds})
	switch {
	case nd == nil:
	case nd.kind == nodeLit && len(vars) == 0:
		n.demands = append(n.demands, nd) // a static test
	default:
		// Left whole: if the values are defined it is true, and must not have split the
		// action into alternatives.
		n.demands = append(n.demands, n.whole(nodeForall, vars, nd))
	}
}

// known returns the condition that f is not unknown, or nil if it never is.
func (n *normaliser) known(f *pddl.Formula) *node {
	switch f.Kind {
	case pddl.FormulaCompare:
		if n.g.mayLackValue(f.Left) || n.g.mayLackValue(f.Right) {
			return &node{lit: lit{kind: litDefined, cmp: f, dynamic: n.g.readsChanged(f.Left) || n.g.readsChanged(f.Right), src: n.src}}
		}
	case pddl.FormulaNot:
		return n.known(f.Children[0])
	case pddl.FormulaAnd:
		return n.knownJunction(f.Children, true)
	case pddl.FormulaOr:
		return n.knownJunction(f.Children, false)
	case pddl.FormulaImply:
		return n.knownJunction(f.Children, true, false)
	case pddl.FormulaForall, pddl.FormulaExists:
		kid := n.known(f.Children[0])
		if kid == nil {
			return nil
		}
		all := n.quantified(nodeForall, f.Bound, kid)
		decided := n.quantified(nodeExists, f.Bound, n.nnf(f.Children[0], f.Kind == pddl.FormulaForall))
		return &node{kind: nodeOr, kids: []*node{all, decided}}
	}
	return nil
}

// knownJunction is known for a conjunction or disjunction: all children are known, or
// one decides it. deciding is the sign (true = negated) under which a child decides; the
// last sign stands for all further children.
func (n *normaliser) knownJunction(fs []*pddl.Formula, deciding ...bool) *node {
	all := &node{kind: nodeAnd}
	last := 0
	for i, k := range fs {
		if nd := n.known(k); nd != nil {
			all.kids = append(all.kids, nd)
			last = i
		}
	}
	if len(all.kids) == 0 {
		return nil
	}
	out := &node{kind: nodeOr, kids: []*node{all}}
	for i, k := range fs {
		if len(all.kids) == 1 && i == last {
			continue // deciding implies being known, which is required already
		}
		n.g.tick()
		out.kids = append(out.kids, n.nnf(k, deciding[min(i, len(deciding)-1)]))
	}
	if len(out.kids) == 1 && len(all.kids) == 1 {
		return all.kids[0]
	}
	return out
}

// mayLackValue reports whether an expression could be undefined for some objects.
func (g *grounder) mayLackValue(e *pddl.NumExpr) bool {
	switch e.Kind {
	case pddl.NumFluent:
		return !g.allDefined(e.Func)
	case pddl.NumDiv:
		for _, c := range e.Children[1:] {
			if v, ok := constantValue(c); !ok || v.Sign() == 0 {
				return true
			}
		}
	}
	return slices.ContainsFunc(e.Children, g.mayLackValue)
}
