package lifted

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

type condKind uint8

const (
	condAtom  condKind = iota // pred, args
	condEqual                 // args[0] = args[1]
	condAnd                   // kids; empty is true
	condOr                    // kids; empty is false
	condSome                  // some instance of vars satisfies kids
)

// cond is a condition in negation normal form; only atoms, equalities and quantifiers are negated.
type cond struct {
	kind condKind
	neg  bool
	pred int32
	args []pddl.Term
	kids []*cond
	vars []int32
	some *program // of condSome
	free []int32  // slots that it mentions, without those that it binds
}

// condition rewrites a formula, negated if neg.
func condition(f *pddl.Formula, neg bool) *cond {
	switch f.Kind {
	case pddl.FormulaAtom:
		return &cond{kind: condAtom, neg: neg, pred: int32(f.Pred), args: f.Args, free: slotsOf(f.Args)}
	case pddl.FormulaEqual:
		return &cond{kind: condEqual, neg: neg, args: f.Args, free: slotsOf(f.Args)}
	case pddl.FormulaNot:
		return condition(f.Children[0], !neg)
	case pddl.FormulaImply:
		return junction(!neg, condition(f.Children[0], !neg), condition(f.Children[1], neg))
	case pddl.FormulaExists, pddl.FormulaForall:
		// A universal condition is that no instance falsifies it.
		all := f.Kind == pddl.FormulaForall
		kid := condition(f.Children[0], all)
		c := &cond{kind: condSome, neg: neg != all, kids: conjuncts(kid), vars: f.Bound}
		c.free = slices.DeleteFunc(slices.Clone(kid.free), func(s int32) bool { return slices.Contains(f.Bound, s) })
		return c
	}
	kids := make([]*cond, len(f.Children))
	for i, child := range f.Children {
		kids[i] = condition(child, neg)
	}
	return junction((f.Kind == pddl.FormulaOr) != neg, kids...)
}

// junction is the disjunction of conditions if or, else their conjunction.
func junction(or bool, kids ...*cond) *cond {
	c := &cond{kind: condAnd, kids: kids}
	if or {
		c.kind = condOr
	}
	for _, k := range kids {
		for _, s := range k.free {
			if !slices.Contains(c.free, s) {
				c.free = append(c.free, s)
			}
		}
	}
	return c
}

// conjuncts are the conditions whose conjunction is c.
func conjuncts(c *cond) []*cond {
	if c.kind != condAnd {
		return []*cond{c}
	}
	var out []*cond
	for _, k := range c.kids {
		out = append(out, conjuncts(k)...)
	}
	return out
}

// slotsOf lists the slots among terms, each once.
func slotsOf(terms []pddl.Term) (out []int32) {
	for _, t := range terms {
		if s := int32(t.Slot()); t.IsVar() && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
