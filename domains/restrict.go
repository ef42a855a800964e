package domains

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// A restriction forbids some ground actions of a task, for instance every stacking on
// block b. It is compiled into the task itself, so that the ordinary judge, the ordinary
// search and every other PDDL tool obey it:
//
//	(stack a b)   static fact (forbidden-stack a b) in the initial state, and in stack's
//	              precondition (not (forbidden-stack ?x ?y))
//	(stack ? b)   (forbidden-stack-at-2 b), and (not (forbidden-stack-at-2 ?y)): only
//	              fixed places are arguments
//	(stack ? ?)   (forbidden-stack-always), and (not (forbidden-stack-always))
//
// The compilation is exact: the plans of the restricted task are the plans of the
// original task without forbidden actions, at the same cost. Restrictions reads it back,
// and Unrestricted undoes it.

// AnyObject in the arguments of a Forbidden stands for any object.
const AnyObject = "?"

// restrictionPrefix begins the names of the predicates that restrictions add, before the
// name of the action.
const restrictionPrefix = "forbidden-"

// Forbidden is a restriction: an action that is not allowed with certain objects. Names
// are in lower case.
type Forbidden struct {
	Action string
	Args   []string // one for each parameter; AnyObject for any object
}

// String returns the action in PDDL: "(stack a b)", "(stack ? b)".
func (f Forbidden) String() string {
	return "(" + strings.Join(append([]string{f.Action}, f.Args...), " ") + ")"
}

// Matches reports whether f forbids a ground action.
func (f Forbidden) Matches(action string, args []string) bool {
	if len(args) != len(f.Args) || !strings.EqualFold(action, f.Action) {
		return false
	}
	for i, a := range f.Args {
		if a != AnyObject && !strings.EqualFold(a, args[i]) {
			return false
		}
	}
	return true
}

// places lists the fixed places, counted from 0.
func (f Forbidden) places() []int {
	var out []int
	for i, a := range f.Args {
		if a != AnyObject {
			out = append(out, i)
		}
	}
	return out
}

// predicate returns the name of the predicate that expresses f.
func (f Forbidden) predicate() string {
	places := f.places()
	switch {
	case len(places) == len(f.Args):
		return restrictionPrefix + f.Action
	case len(places) == 0:
		return restrictionPrefix + f.Action + "-always"
	}
	name := restrictionPrefix + f.Action + "-at"
	for _, i := range places {
		name += "-" + strconv.Itoa(i+1)
	}
	return name
}

// Restrict returns the problem, with a domain of its own, in which the given actions are
// also forbidden; without any it returns prob itself. Existing restrictions stay. The
// forbidden actions must be actions and objects of the problem, as ParseForbidden checks.
// The new texts are printed from the model, without comments.
func Restrict(prob *pddl.Problem, forbidden []Forbidden) (*pddl.Problem, error) {
	if len(forbidden) == 0 {
		return prob, nil
	}
	all := append(Restrictions(prob), forbidden...)
	base, err := Unrestricted(prob)
	if err != nil {
		return nil, err
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	all = slices.CompactFunc(all, func(a, b Forbidden) bool { return a.String() == b.String() })
	dom := *base.Domain
	dom.Predicates = slices.Clone(dom.Predicates)
	dom.Actions, dom.Durative = slices.Clone(dom.Actions), slices.Clone(dom.Durative)
	if addsNegation(base) {
		dom.Requirements = append([]string{negation}, dom.Requirements...)
	}
	p := *base
	p.Domain = &dom
	p.Init.Atoms = cloneAtoms(&p.Init.Atoms)
	preds := map[string]pddl.PredicateID{} // by action and name
	absent := map[string][]*pddl.Formula{} // by action: its additional preconditions
	for _, f := range all {
		s := schemaNamed(&dom, f.Action)
		if s == nil || len(f.Args) != s.NumParams {
			return nil, fmt.Errorf("%s forbids no action of the domain %s", f, dom.Name)
		}
		name := f.predicate()
		// The action is part of the key: (put ? b) and an action put-at-2 share a name.
		key := f.Action + " " + name
		pred, ok := preds[key]
		if !ok {
			var atom *pddl.Formula
			pred, atom = declare(&dom, s, f.places(), name)
			preds[key] = pred
			absent[f.Action] = append(absent[f.Action], &pddl.Formula{Kind: pddl.FormulaNot, Children: []*pddl.Formula{atom}})
		}
		t := &p.Init.Atoms
		for _, i := range f.places() {
			o, ok := base.ObjectByName(f.Args[i])
			if !ok {
				return nil, fmt.Errorf("%s names the object %q, which the problem does not have", f, f.Args[i])
			}
			t.Args = append(t.Args, o)
		}
		t.Pred, t.Start, t.Pos = append(t.Pred, pred), append(t.Start, uint32(len(t.Args))), append(t.Pos, 1)
	}
	require(&dom, absent)
	return readAgain(dom.String(), &p)
}

// require adds formulas, given by the action's name, to the conditions of actions.
func require(dom *pddl.Domain, added map[string][]*pddl.Formula) {
	for i, a := range dom.Actions {
		if more := added[strings.ToLower(a.Name)]; more != nil {
			c := *a
			c.Precondition = conjoined(a.Precondition, more)
			dom.Actions[i] = &c
		}
	}
	for i, a := range dom.Durative {
		if more := added[strings.ToLower(a.Name)]; more != nil {
			for k := range more {
				more[k] = &pddl.Formula{Kind: pddl.FormulaAtStart, Children: []*pddl.Formula{more[k]}}
			}
			c := *a
			c.Condition = conjoined(a.Condition, more)
			dom.Durative[i] = &c
		}
	}
}

// negation is the requirement that restrictions need.
const negation = ":negative-preconditions"

// addsNegation reports whether Restrict puts negation first in the requirements of a
// problem without restrictions: if no condition is negated, and the domain does not declare
// it or declares it first. Unrestricted then knows that the first one is Restrict's.
func addsNegation(base *pddl.Problem) bool {
	if negates(base.Domain, base) {
		return false
	}
	q := base.Domain.Requirements
	return !slices.Contains(q, negation) && !slices.Contains(q, ":adl") && !slices.Contains(q, ":ucpop") || q[0] == negation
}

func cloneAtoms(t *pddl.AtomTable) pddl.AtomTable {
	return pddl.AtomTable{Pred: slices.Clone(t.Pred), Start: slices.Clone(t.Start), Args: slices.Clone(t.Args), Pos: slices.Clone(t.Pos)}
}

// schemaNamed returns the schema of an action of either kind, or nil.
func schemaNamed(dom *pddl.Domain, action string) *pddl.Schema {
	if i, ok := dom.ActionByName(action); ok {
		return &dom.Actions[i].Schema
	}
	if i, ok := dom.DurativeByName(action); ok {
		return &dom.Durative[i].Schema
	}
	return nil
}

// declare adds a predicate over some parameters of an action and returns its atom with
// these parameters.
func declare(dom *pddl.Domain, s *pddl.Schema, places []int, name string) (pddl.PredicateID, *pddl.Formula) {
	for slices.ContainsFunc(dom.Predicates, func(p pddl.Predicate) bool { return strings.EqualFold(p.Name, name) }) {
		name += "-x"
	}
	pred := pddl.PredicateID(len(dom.Predicates))
	params := make([]pddl.Variable, len(places))
	args := make([]pddl.Term, len(places))
	for k, i := range places {
		params[k], args[k] = s.Vars[i], pddl.VarTerm(i)
	}
	dom.Predicates = append(dom.Predicates, pddl.Predicate{Name: name, Params: params})
	return pred, &pddl.Formula{Kind: pddl.FormulaAtom, Pred: pred, Args: args}
}

// conjoined adds conjuncts to a condition such that removing them gives the same text
// again: a condition other than a conjunction of several becomes a single operand.
func conjoined(f *pddl.Formula, more []*pddl.Formula) *pddl.Formula {
	out := &pddl.Formula{Kind: pddl.FormulaAnd}
	switch {
	case f.Kind == pddl.FormulaTrue:
	case f.Kind == pddl.FormulaAnd && len(f.Children) > 1:
		out.Children = append(out.Children, f.Children...)
	default:
		out.Children = append(out.Children, f)
	}
	out.Children = append(out.Children, more...)
	return out
}

// readAgain prints a changed domain and problem and reads the texts.
func readAgain(domain string, p *pddl.Problem) (*pddl.Problem, error) {
	dom, ds := pddl.ParseDomain(pddl.NewSource(p.Domain.Name, domain), pddl.Options{})
	if dom == nil {
		return nil, fmt.Errorf("a restricted domain cannot be read: %w", ds.Err())
	}
	out, ds := pddl.ParseProblem(pddl.NewSource(p.Name, p.String()), dom, pddl.Options{})
	if out == nil {
		return nil, fmt.Errorf("a restricted problem cannot be read: %w", ds.Err())
	}
	return out, nil
}
