package grounder

import (
	"github.com/planproof/planproof/pddl"
)

// A ground comparison becomes an atom that is true where both sides have a value and the
// comparison holds. So the opposite of a comparison is not the negation of its atom, but
// another atom: both are false where a value is missing. Atoms are numbered by what is
// compared with 0, in lowest terms, so that x > y and 2y < 2x share one.

// compared is a ground comparison: sum kind 0.
type compared struct {
	kind Comparing
	sum  sum
	atom int32
	at   place
}

// place is a place in the domain or the problem.
type place struct {
	src *pddl.Source
	pos pddl.Pos
}

// comparison grounds a literal that compares changing fluents.
func (g *grounder) comparison(l *lit, env []pddl.ObjectID) (glit, truth) {
	left, ok := g.linearSum(l.cmp.Left, env)
	right, ok2 := sum{}, false
	if ok {
		right, ok2 = g.linearSum(l.cmp.Right, env)
	}
	if l.kind == litDefined {
		if !ok || !ok2 {
			return 0, when(l.neg)
		}
		lit, t := g.hasValues(g.undefinable(left, right))
		if l.neg {
			return lit.negated(), always + never - t
		}
		return lit, t
	}
	if !ok || !ok2 {
		return 0, never
	}
	s := g.added(left, g.scaled(right, pddl.Int(-1)))
	kind, flip := comparing(l.cmp.Cmp, l.neg)
	if flip || (kind == Zero || kind == NonZero) && len(s.terms) > 0 && s.terms[0].factor.Sign() < 0 {
		s = g.scaled(s, pddl.Int(-1))
	}
	if len(s.terms) == 0 {
		return 0, when(kind.Holds(s.constant.Sign()))
	}
	return newLit(g.comparisonAtom(kind, s, place{l.src, l.cmp.Pos}), false), open
}

func when(holds bool) truth {
	if holds {
		return always
	}
	return never
}

// comparing returns how the difference of two sides is compared with 0, and whether it is
// the right side less the left one.
func comparing(c pddl.CompareOp, neg bool) (kind Comparing, flip bool) {
	if neg {
		c = [...]pddl.CompareOp{
			pddl.CompareEqual: pddl.CompareEqual, pddl.CompareLess: pddl.CompareGreaterEqual, pddl.CompareLessEqual: pddl.CompareGreater,
			pddl.CompareGreater: pddl.CompareLessEqual, pddl.CompareGreaterEqual: pddl.CompareLess,
		}[c]
	}
	switch c {
	case pddl.CompareLess:
		return Positive, true
	case pddl.CompareLessEqual:
		return NonNegative, true
	case pddl.CompareGreater:
		return Positive, false
	case pddl.CompareGreaterEqual:
		return NonNegative, false
	}
	if neg {
		return NonZero, false
	}
	return Zero, false
}

// hasValues is the condition that fluents have values.
func (g *grounder) hasValues(fluents []int32) (glit, truth) {
	if len(fluents) == 0 {
		return 0, always
	}
	var s sum
	for _, f := range fluents {
		s.terms = append(s.terms, sumTerm{fluent: f})
	}
	return newLit(g.comparisonAtom(HasValue, s, place{}), false), open
}

// comparisonAtom returns the atom of a comparison, a new one if need be.
func (g *grounder) comparisonAtom(kind Comparing, s sum, at place) int32 {
	s = coprime(s)
	key := kind.String() + " " + g.sumKey(s)
	if a, ok := g.num.atoms[key]; ok {
		return a
	}
	a := g.newAtom()
	p := g.preds[g.atomPred[a]]
	p.numeric, p.name = true, g.comparisonText(kind, s)
	if g.num.atoms == nil {
		g.num.atoms = make(map[string]int32)
	}
	g.num.atoms[key] = a
	g.num.comparisons = append(g.num.comparisons, compared{kind: kind, sum: s, atom: a, at: at})
	return a
}
