package grounder

import (
	"fmt"
	"sort"
	"strings"

	"planproof/pddl"
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
	return s
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

func (n *naive) holds(f *pddl.Formula, schema *pddl.Schema, env []pddl.ObjectID, s atomSet) bool {
	switch f.Kind {
	case pddl.FormulaTrue:
		return true
	case pddl.FormulaAtom:
		return s[n.atomName(f.Pred, f.Args, env)]
	case pddl.FormulaEqual:
		return value(f.Args[0], env) == value(f.Args[1], env)
	case pddl.FormulaAnd:
		for _, c := range f.Children {
			if !n.holds(c, schema, env, s) {
				return false
			}
		}
		return true
	case pddl.FormulaOr:
		for _, c := range f.Children {
			if n.holds(c, schema, env, s) {
				return true
			}
		}
		return false
	case pddl.FormulaNot:
		return !n.holds(f.Children[0], schema, env, s)
	case pddl.FormulaImply:
		return !n.holds(f.Children[0], schema, env, s) || n.holds(f.Children[1], schema, env, s)
	case pddl.FormulaForall:
		return n.each(schema, f.Bound, env, func() bool { return n.holds(f.Children[0], schema, env, s) })
	case pddl.FormulaExists:
		return !n.each(schema, f.Bound, env, func() bool { return !n.holds(f.Children[0], schema, env, s) })
	}
	panic(fmt.Sprint("kind ", f.Kind))
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
			e.apply(a.Effect, append([]pddl.ObjectID(nil), env...))
			if !e.defined {
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
}

func (e *effects) apply(f *pddl.Effect, env []pddl.ObjectID) {
	switch f.Kind {
	case pddl.EffectAnd:
		for _, c := range f.Children {
			e.apply(c, env)
		}
	case pddl.EffectAdd:
		e.add[e.n.atomName(f.Pred, f.Args, env)] = true
	case pddl.EffectDelete:
		e.del[e.n.atomName(f.Pred, f.Args, env)] = true
	case pddl.EffectForall:
		e.n.each(e.schema, f.Bound, env, func() bool { e.apply(f.Children[0], env); return true })
	case pddl.EffectWhen:
		if e.n.holds(f.Condition, e.schema, append([]pddl.ObjectID(nil), env...), e.s) {
			e.apply(f.Children[0], env)
		}
	case pddl.EffectNumeric:
		v := f.Value
		if v.Kind == pddl.NumConst {
			e.cost = e.cost.Add(v.Value)
			return
		}
		init := &e.n.p.Init.Values
		for i := range init.Len() {
			fn, args, val := init.Fluent(i)
			if fn == v.Func && args[0] == value(v.Args[0], env) {
				e.cost = e.cost.Add(val)
				return
			}
		}
		e.defined = false
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
