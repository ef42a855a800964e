package grounder

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// naive interprets a task by its definition: states are sets of atoms, every
// substitution is tried. It shares nothing with the grounder.
type naive struct {
	d *pddl.Domain
	p *pddl.Problem
	// strata of derived predicates: a predicate comes after those that it negates.
	strata [][]*pddl.Axiom
}

type atomSet map[string]bool

func (n *naive) atomName(pred pddl.PredicateID, args []pddl.Term, env []pddl.ObjectID) string {
	names := make([]string, len(args))
	for i, t := range args {
		names[i] = n.p.Objects[value(t, env)].Name
	}
	return n.d.Predicates[pred].Name + "(" + strings.Join(names, ", ") + ")"
}

func value(t pddl.Term, env []pddl.ObjectID) pddl.ObjectID {
	if t.IsVar() {
		return env[t.Slot()]
	}
	return t.Object()
}

func (n *naive) initial() atomSet {
	s := atomSet{}
	for i := range n.p.Init.Atoms.Len() {
		p, args := n.p.Init.Atoms.Atom(i)
		terms := make([]pddl.Term, len(args))
		for k, o := range args {
			terms[k] = pddl.ObjectTerm(o)
		}
		s[n.atomName(p, terms, nil)] = true
	}
	for _, v := range n.p.Init.Objects {
		terms := make([]pddl.Term, len(v.Args))
		for k, o := range v.Args {
			terms[k] = pddl.ObjectTerm(o)
		}
		s[n.valueName(v.Func, terms, pddl.ObjectTerm(v.Value), nil)] = true
	}
	return s
}

// valueName is the name of the fact that an object fluent has a value.
func (n *naive) valueName(f pddl.FunctionID, args []pddl.Term, v pddl.Term, env []pddl.ObjectID) string {
	names := make([]string, 0, len(args)+1)
	for _, t := range append(append([]pddl.Term{}, args...), v) {
		names = append(names, n.p.Objects[value(t, env)].Name)
	}
	return "=" + n.d.Functions[f].Name + "(" + strings.Join(names, ", ") + ")"
}

// values lists the facts that would give an object fluent a value.
func (n *naive) values(f pddl.FunctionID, args []pddl.Term, env []pddl.ObjectID) []string {
	var out []string
	for o := range n.p.Objects {
		out = append(out, n.valueName(f, args, pddl.ObjectTerm(pddl.ObjectID(o)), env))
	}
	return out
}

// each tries all objects for the slots.
func (n *naive) each(schema *pddl.Schema, slots []int32, env []pddl.ObjectID, f func() bool) bool {
	if len(slots) == 0 {
		return f()
	}
	for _, o := range n.p.ObjectsOfType(schema.Vars[slots[0]].Type) {
		env[slots[0]] = o
		if !n.each(schema, slots[1:], env, f) {
			return false
		}
	}
	return true
}

// Values of Kleene's logic: unknown where an undefined value decides.
const (
	no = iota
	unknown
	yes
)

func yesIf(b bool) int {
	if b {
		return yes
	}
	return no
}

// holds reports whether a condition is satisfied, which it is not when unknown.
func (n *naive) holds(f *pddl.Formula, schema *pddl.Schema, env []pddl.ObjectID, s atomSet) bool {
	return n.eval(f, schema, env, s) == yes
}

// eval evaluates a condition by the tables of Kleene's logic, without short cuts.
func (n *naive) eval(f *pddl.Formula, schema *pddl.Schema, env []pddl.ObjectID, s atomSet) int {
	kids := make([]int, 0, len(f.Children))
	switch f.Kind {
	case pddl.FormulaTrue:
		return yes
	case pddl.FormulaAtom:
		return yesIf(s[n.atomName(f.Pred, f.Args, env)])
	case pddl.FormulaEqual:
		return yesIf(value(f.Args[0], env) == value(f.Args[1], env))
	case pddl.FormulaObjectEqual:
		if f.Value == pddl.UndefinedTerm {
			return yesIf(!slices.ContainsFunc(n.values(f.Func, f.Args, env), func(x string) bool { return s[x] }))
		}
		return yesIf(s[n.valueName(f.Func, f.Args, f.Value, env)])
	case pddl.FormulaCompare:
		return n.compare(f, env)
	case pddl.FormulaForall, pddl.FormulaExists:
		n.each(schema, f.Bound, env, func() bool {
			kids = append(kids, n.eval(f.Children[0], schema, env, s))
			return true
		})
	default:
		for _, c := range f.Children {
			kids = append(kids, n.eval(c, schema, env, s))
		}
	}
	switch f.Kind {
	case pddl.FormulaAnd, pddl.FormulaForall:
		return slices.Min(append(kids, yes))
	case pddl.FormulaOr, pddl.FormulaExists:
		return slices.Max(append(kids, no))
	case pddl.FormulaNot:
		return yes - kids[0]
	case pddl.FormulaImply:
		return max(yes-kids[0], kids[1])
	}
	panic(fmt.Sprint("kind ", f.Kind))
}

func (n *naive) compare(f *pddl.Formula, env []pddl.ObjectID) int {
	a, ok1 := n.number(f.Left, env)
	b, ok2 := n.number(f.Right, env)
	if !ok1 || !ok2 {
		return unknown
	}
	c := a.Cmp(b)
	return yesIf(map[pddl.CompareOp]bool{pddl.CompareEqual: c == 0, pddl.CompareLess: c < 0, pddl.CompareLessEqual: c <= 0,
		pddl.CompareGreater: c > 0, pddl.CompareGreaterEqual: c >= 0}[f.Cmp])
}

// number evaluates an expression by the initial values; false = undefined.
func (n *naive) number(e *pddl.NumExpr, env []pddl.ObjectID) (pddl.Number, bool) {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value, true
	case pddl.NumFluent:
		init := &n.p.Init.Values
	next:
		for i := range init.Len() {
			fn, args, val := init.Fluent(i)
			for k, o := range args {
				if fn != e.Func || o != value(e.Args[k], env) {
					continue next
				}
			}
			if fn == e.Func {
				return val, true
			}
		}
		return pddl.Number{}, false
	case pddl.NumDiv, pddl.NumAdd:
		a, ok1 := n.number(e.Children[0], env)
		b, ok2 := n.number(e.Children[1], env)
		if !ok1 || !ok2 {
			return pddl.Number{}, false
		}
		if e.Kind == pddl.NumAdd {
			return a.Add(b), true
		}
		return a.Div(b)
	}
	panic(fmt.Sprint("expression ", e.Kind))
}

// derive closes a state under the axioms, stratum by stratum.
func (n *naive) derive(base atomSet) atomSet {
	s := atomSet{}
	for a := range base {
		s[a] = true
	}
	for _, axioms := range n.strata {
		for changed := true; changed; {
			changed = false
			for _, ax := range axioms {
				env := make([]pddl.ObjectID, len(ax.Vars))
				n.each(&ax.Schema, slots(0, ax.NumParams), env, func() bool {
					args := make([]pddl.Term, ax.NumParams)
					for i := range args {
						args[i] = pddl.VarTerm(i)
					}
					head := n.atomName(ax.Pred, args, env)
					if !s[head] && n.holds(ax.Body, &ax.Schema, append([]pddl.ObjectID(nil), env...), s) {
						s[head], changed = true, true
					}
					return true
				})
			}
		}
	}
	return s
}

// step is an applicable ground action.
type step struct {
	name string
	next atomSet // without derived atoms
	cost pddl.Number
}

func (n *naive) steps(base atomSet) []step {
	s := n.derive(base)
	var out []step
	for _, a := range n.d.Actions {
		env := make([]pddl.ObjectID, len(a.Vars))
		n.each(&a.Schema, slots(0, a.NumParams), env, func() bool {
			if !n.holds(a.Precondition, &a.Schema, append([]pddl.ObjectID(nil), env...), s) {
				return true
			}
			e := effects{n: n, s: s, add: atomSet{}, del: atomSet{}, schema: &a.Schema, defined: true}
			e.apply(a.Effect, append([]pddl.ObjectID(nil), env...), yes)
			if !e.defined || e.conflict {
				return true
			}
			next := atomSet{}
			for x := range base {
				if !e.del[x] {
					next[x] = true
				}
			}
			for x := range e.add {
				next[x] = true
			}
			name := "(" + a.Name
			for i := range a.NumParams {
				name += " " + n.p.Objects[env[i]].Name
			}
			out = append(out, step{name + ")", next, e.cost})
			return true
		})
	}
	return out
}

type effects struct {
	n        *naive
	s        atomSet
	add, del atomSet
	schema   *pddl.Schema
	cost     pddl.Number
	defined  bool
	assigned map[string]bool // object fluents, by one of their facts
	conflict bool
}

// apply executes an effect; cond is the value of the conditions around it.
func (e *effects) apply(f *pddl.Effect, env []pddl.ObjectID, cond int) {
	switch f.Kind {
	case pddl.EffectAnd:
		for _, c := range f.Children {
			e.apply(c, env, cond)
		}
		return
	case pddl.EffectForall:
		e.n.each(e.schema, f.Bound, env, func() bool { e.apply(f.Children[0], env, cond); return true })
		return
	case pddl.EffectWhen:
		e.apply(f.Children[0], env, min(cond, e.n.eval(f.Condition, e.schema, append([]pddl.ObjectID(nil), env...), e.s)))
		return
	}
	if cond == unknown {
		e.defined = false
	}
	if cond != yes {
		return
	}
	switch f.Kind {
	case pddl.EffectAdd:
		e.add[e.n.atomName(f.Pred, f.Args, env)] = true
	case pddl.EffectDelete:
		e.del[e.n.atomName(f.Pred, f.Args, env)] = true
	case pddl.EffectAssignObject:
		all := e.n.values(f.Func, f.Args, env)
		if e.assigned == nil {
			e.assigned = map[string]bool{}
		}
		e.conflict = e.conflict || e.assigned[all[0]]
		e.assigned[all[0]] = true
		for _, x := range all {
			e.del[x] = true
		}
		if f.Object != pddl.UndefinedTerm {
			e.add[e.n.valueName(f.Func, f.Args, f.Object, env)] = true
		}
	case pddl.EffectNumeric:
		v, ok := e.n.number(f.Value, env)
		if e.cost = e.cost.Add(v); !ok {
			e.defined = false
		}
	default:
		panic(fmt.Sprint("kind ", f.Kind))
	}
}

// key is a canonical text of a state.
func (s atomSet) key() string {
	atoms := make([]string, 0, len(s))
	for a := range s {
		atoms = append(atoms, a)
	}
	sort.Strings(atoms)
	return strings.Join(atoms, " ")
}
