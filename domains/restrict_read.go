package domains

import (
	"math"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// restrictions are the predicates of a problem that restrict its actions.
type restrictions struct {
	preds map[pddl.PredicateID]forbidder
}

// forbidder is such a predicate, with the action it forbids and the parameters of the
// action that are its arguments.
type forbidder struct {
	schema *pddl.Schema
	places []int
}

// restrictionsOf finds the predicates that Restrict adds, by their role as well as by their
// names: a predicate forbidden-A..., which nothing changes, whose absence is a conjunct of
// the precondition of A, over some of A's parameters in order, and which is used nowhere
// else. Any such predicate is a restriction, whoever wrote it.
func restrictionsOf(prob *pddl.Problem) restrictions {
	var rs restrictions
	dom := prob.Domain
	named := false
	for i := range dom.Predicates {
		named = named || hasRestrictionName(dom.Predicates[i].Name)
	}
	if !named {
		return rs
	}
	uses := countUses(prob)
	see := func(s *pddl.Schema, f *pddl.Formula, timed bool) {
		for _, c := range conjuncts(f) {
			pred, places, ok := forbids(s.NumParams, c, timed)
			if !ok || uses[pred] != 1 || !strings.HasPrefix(strings.ToLower(dom.Predicates[pred].Name), restrictionPrefix+strings.ToLower(s.Name)) {
				continue
			}
			if rs.preds == nil {
				rs.preds = map[pddl.PredicateID]forbidder{}
			}
			rs.preds[pred] = forbidder{s, places}
		}
	}
	for _, a := range dom.Actions {
		see(&a.Schema, a.Precondition, false)
	}
	for _, a := range dom.Durative {
		see(&a.Schema, a.Condition, true)
	}
	return rs
}

func hasRestrictionName(predicate string) bool {
	return len(predicate) > len(restrictionPrefix) && strings.EqualFold(predicate[:len(restrictionPrefix)], restrictionPrefix)
}

// conjuncts returns the operands of a conjunction, or the formula itself.
func conjuncts(f *pddl.Formula) []*pddl.Formula {
	if f.Kind == pddl.FormulaAnd {
		return f.Children
	}
	return []*pddl.Formula{f}
}

// forbids reads (not (P ?x ?y)) over parameters in increasing order, under (at start
// ...) in durative actions.
func forbids(params int, f *pddl.Formula, timed bool) (pddl.PredicateID, []int, bool) {
	if timed {
		if f.Kind != pddl.FormulaAtStart {
			return 0, nil, false
		}
		f = f.Children[0]
	}
	if f.Kind != pddl.FormulaNot || f.Children[0].Kind != pddl.FormulaAtom {
		return 0, nil, false
	}
	atom := f.Children[0]
	var places []int
	for _, t := range atom.Args {
		if !t.IsVar() || t.Slot() >= params || len(places) > 0 && t.Slot() <= places[len(places)-1] {
			return 0, nil, false
		}
		places = append(places, t.Slot())
	}
	return atom.Pred, places, true
}

// countUses counts how often each predicate is mentioned outside the initial facts.
func countUses(prob *pddl.Problem) []int {
	dom := prob.Domain
	uses := make([]int, len(dom.Predicates))
	atom := func(f *pddl.Formula) {
		if f.Kind == pddl.FormulaAtom {
			uses[f.Pred]++
		}
	}
	eachPart(dom, atom, func(e *pddl.Effect) {
		if e.Kind == pddl.EffectAdd || e.Kind == pddl.EffectDelete {
			uses[e.Pred]++
		}
	})
	for _, a := range dom.Axioms {
		uses[a.Pred]++
	}
	for _, c := range []*pddl.GoalSchema{dom.Constraints, prob.Constraints, &prob.Goal} {
		if c != nil {
			eachNode(c.Formula, atom)
		}
	}
	for i := range prob.Init.Timed {
		if t := &prob.Init.Timed[i]; t.Func < 0 {
			uses[t.Pred]++
		}
	}
	return uses
}

// Restrictions lists the forbidden actions of a problem, in the order of its initial
// facts, or nil if there are none.
func Restrictions(prob *pddl.Problem) []Forbidden {
	rs := restrictionsOf(prob)
	if len(rs.preds) == 0 {
		return nil
	}
	var out []Forbidden
	for i := range prob.Init.Atoms.Len() {
		pred, args := prob.Init.Atoms.Atom(i)
		w, ok := rs.preds[pred]
		if !ok {
			continue
		}
		f := Forbidden{Action: strings.ToLower(w.schema.Name), Args: make([]string, w.schema.NumParams)}
		for k := range f.Args {
			f.Args[k] = AnyObject
		}
		for k, place := range w.places {
			f.Args[place] = strings.ToLower(prob.Objects[args[k]].Name)
		}
		out = append(out, f)
	}
	return out
}

// RestrictionPredicates returns the predicates that express a problem's restrictions,
// each with the action that it restricts, in lower case. It returns nil if there are none.
func RestrictionPredicates(prob *pddl.Problem) map[string]string {
	rs := restrictionsOf(prob)
	if len(rs.preds) == 0 {
		return nil
	}
	out := map[string]string{}
	for p, w := range rs.preds {
		out[strings.ToLower(prob.Domain.Predicates[p].Name)] = strings.ToLower(w.schema.Name)
	}
	return out
}

// ForbidsStep reports whether an unmet literal, such as "(not (forbidden-stack a b))", means
// that a step is forbidden. restrictions is the result of RestrictionPredicates.
func ForbidsStep(restrictions map[string]string, literal string) bool {
	atom, negated := strings.CutPrefix(strings.ToLower(literal), "(not (")
	if !negated || len(restrictions) == 0 {
		return false
	}
	return restrictions[strings.Fields(strings.Trim(atom, "()"))[0]] != ""
}

// Unrestricted returns the problem without its restrictions, with a domain of its own. For
// a result of Restrict, both print as the original problem and domain do. A problem
// without restrictions is returned as it is.
func Unrestricted(prob *pddl.Problem) (*pddl.Problem, error) {
	rs := restrictionsOf(prob)
	if len(rs.preds) == 0 {
		return prob, nil
	}
	dom := *prob.Domain
	dom.Actions, dom.Durative = slices.Clone(dom.Actions), slices.Clone(dom.Durative)
	for i, a := range dom.Actions {
		c := *a
		c.Precondition = rs.without(a.Precondition, false)
		dom.Actions[i] = &c
	}
	for i, a := range dom.Durative {
		c := *a
		c.Condition = rs.without(a.Condition, true)
		dom.Durative[i] = &c
	}
	p := *prob
	p.Domain = &dom
	p.Init.Atoms = pddl.AtomTable{Start: []uint32{0}}
	t := &p.Init.Atoms
	for i := range prob.Init.Atoms.Len() {
		pred, args := prob.Init.Atoms.Atom(i)
		if _, ok := rs.preds[pred]; !ok {
			t.Pred, t.Args, t.Pos = append(t.Pred, pred), append(t.Args, args...), append(t.Pos, prob.Init.Atoms.Pos[i])
			t.Start = append(t.Start, uint32(len(t.Args)))
		}
	}
	if q := dom.Requirements; len(q) > 0 && q[0] == negation && !negates(&dom, prob) {
		dom.Requirements = q[1:]
	}
	return readAgain(rs.undeclare(&dom), &p)
}

// without returns a condition without its restrictions.
func (rs restrictions) without(f *pddl.Formula, timed bool) *pddl.Formula {
	var kept []*pddl.Formula
	all := conjuncts(f)
	for _, c := range all {
		pred, _, ok := forbids(math.MaxInt, c, timed)
		if _, is := rs.preds[pred]; !ok || !is {
			kept = append(kept, c)
		}
	}
	switch {
	case len(kept) == len(all):
		return f
	case len(kept) == 0:
		return &pddl.Formula{Kind: pddl.FormulaTrue}
	case len(kept) == 1:
		return kept[0]
	}
	return &pddl.Formula{Kind: pddl.FormulaAnd, Children: kept}
}

// negates reports whether some condition of the domain or the goal is negated.
func negates(dom *pddl.Domain, prob *pddl.Problem) bool {
	found := false
	formula := func(f *pddl.Formula) { found = found || f.Kind == pddl.FormulaNot }
	eachPart(dom, formula, func(*pddl.Effect) {})
	eachNode(prob.Goal.Formula, formula)
	return found
}

// eachPart visits all formulas and effects of a domain's actions and axioms, including
// nested ones.
func eachPart(dom *pddl.Domain, formula func(*pddl.Formula), effect func(*pddl.Effect)) {
	var walk func(*pddl.Effect)
	walk = func(e *pddl.Effect) {
		if e == nil {
			return
		}
		effect(e)
		eachNode(e.Condition, formula)
		for _, c := range e.Children {
			walk(c)
		}
	}
	for _, a := range dom.Actions {
		eachNode(a.Precondition, formula)
		walk(a.Effect)
	}
	for _, a := range dom.Durative {
		eachNode(a.Condition, formula)
		walk(a.Effect)
	}
	for _, a := range dom.Axioms {
		eachNode(a.Body, formula)
	}
}

// eachNode visits a formula and all formulas in it.
func eachNode(f *pddl.Formula, visit func(*pddl.Formula)) {
	if f == nil {
		return
	}
	visit(f)
	for _, c := range f.Children {
		eachNode(c, visit)
	}
}

// undeclare prints a domain without the declarations of restrictions. It changes the text,
// in which every declaration is a line, since removing predicates from the model would
// change the ids of others in formulas.
func (rs restrictions) undeclare(dom *pddl.Domain) string {
	names := map[string]bool{}
	for p := range rs.preds {
		names[dom.Predicates[p].Name] = true
	}
	text := dom.String()
	const open, shut = "  (:predicates\n", "  )\n"
	before, rest, ok := strings.Cut(text, open)
	if !ok {
		return text
	}
	list, after, _ := strings.Cut(rest, shut)
	var kept strings.Builder
	for _, line := range strings.SplitAfter(list, "\n") {
		if w := strings.Fields(strings.Trim(line, " ()\n")); len(w) == 0 || !names[w[0]] {
			kept.WriteString(line)
		}
	}
	if kept.Len() == 0 {
		return before + after
	}
	return before + open + kept.String() + shut + after
}
