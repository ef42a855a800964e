package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/grounder"
)

// Bounds of unfolding: the alternatives of one condition, and of all conditions together.
const (
	maxAlternatives = 1 << 10
	maxUnfolded     = 1 << 20
)

// unfolded is a task without axioms that has the same states, steps and costs. Derived
// variables stay in their places but have one value and are not read.
type unfolded struct {
	task   *grounder.Task
	origin []grounder.OperatorID // by operator: the one of the given task; nil if they are the same
	goals  []PartialState        // a state is a goal if it is in one of them
}

// unfold replaces facts of derived variables by what the axioms say about the state. Where
// that is a disjunction, an operator becomes several, an effect several with one outcome, a
// conditional cost several that exclude each other, and the goal several goals. Tasks whose
// PDDL has no axioms have only such derived variables as grounding introduces for
// disjunctions, which do not depend on themselves. The error is a *Unregressable.
func unfold(t *grounder.Task) (*unfolded, error) {
	u := &unfolder{t: t, byHead: make([][]int32, len(t.Variables)), memo: make([][2]*memo, len(t.Variables))}
	for i := range t.Axioms {
		v := t.Axioms[i].Head.Var
		u.byHead[v] = append(u.byHead[v], int32(i))
	}
	flat := *t
	flat.Axioms, flat.Goal, flat.Operators, flat.Mutexes = nil, nil, grounder.Operators{}, nil
	flat.Variables, flat.Init = slices.Clone(t.Variables), slices.Clone(t.Init)
	for v := range flat.Variables {
		if t.Variables[v].Layer >= 0 {
			flat.Variables[v] = grounder.Variable{Layer: -1, Values: []string{"<derived>"}}
			flat.Init[v] = 0
		}
	}
	for _, g := range t.Mutexes {
		if !slices.ContainsFunc(g, func(f grounder.Fact) bool { return t.Variables[f.Var].Layer >= 0 }) {
			flat.Mutexes = append(flat.Mutexes, g)
		}
	}
	out := &unfolded{task: &flat}
	goals, err := u.alternatives(t.Goal)
	if err != nil {
		return nil, err.at(-1, true)
	}
	for _, g := range goals {
		out.goals = append(out.goals, partial(len(t.Variables), g))
	}
	for o := range t.Operators.Len() {
		if err := u.operator(out, grounder.OperatorID(o)); err != nil {
			return nil, err.at(t.Operators.Schema(o), false)
		}
	}
	return out, nil
}

func partial(variables int, facts []grounder.Fact) PartialState {
	p := make(PartialState, variables)
	for v := range p {
		p[v] = Unconstrained
	}
	for _, f := range facts {
		p[f.Var] = f.Val
	}
	return p
}

// Unregressable is why a task cannot be searched backwards.
type Unregressable struct {
	Reason string
	// What it is about: the goal, an operator schema (else -1) or a derived atom, as the
	// task names it (else "").
	Goal   bool
	Schema int32
	Atom   string
}

// Error names the reason.
func (u *Unregressable) Error() string { return "regression does not support " + u.Reason }

func (u *Unregressable) at(schema int32, goal bool) *Unregressable {
	u.Schema, u.Goal = schema, goal
	return u
}

// cube is a conjunction of facts of state variables, sorted by variable.
type cube = []grounder.Fact

type unfolder struct {
	t      *grounder.Task
	byHead [][]int32
	memo   [][2]*memo // by derived variable: the alternatives of false and true
	total  int
}

type memo struct {
	cubes []cube
	done  bool
}

// operator appends the alternatives of an operator.
func (u *unfolder) operator(out *unfolded, o grounder.OperatorID) *Unregressable {
	op := u.t.Operators.At(int(o))
	pres, err := u.alternatives(op.Pre)
	if err != nil {
		return err
	}
	var effects []grounder.Effect
	for _, e := range op.Effects {
		conds, err := u.alternatives(e.Cond)
		if err != nil {
			return err
		}
		for _, c := range conds {
			effects = append(effects, grounder.Effect{Cond: c, Var: e.Var, Val: e.Val})
		}
	}
	var costs []grounder.CondCost
	for _, x := range op.CondCosts {
		conds, err := u.alternatives(x.Cond)
		if err == nil {
			conds, err = u.disjoint(conds)
		}
		if err != nil {
			return err
		}
		for _, c := range conds {
			costs = append(costs, grounder.CondCost{Cond: c, Cost: x.Cost})
		}
	}
	if u.total += len(pres) * (1 + len(effects) + len(costs)); u.total > maxUnfolded {
		return &Unregressable{Reason: fmt.Sprintf("conditions with more than %d alternatives together", maxUnfolded)}
	}
	for _, pre := range pres {
		op.Pre, op.Effects, op.CondCosts = pre, effects, costs
		out.task.Operators.Append(op)
		out.origin = append(out.origin, o)
	}
	return nil
}

// alternatives returns the disjunction of cubes that a conjunction of facts stands for.
func (u *unfolder) alternatives(cond []grounder.Fact) ([]cube, *Unregressable) {
	state := make(cube, 0, len(cond))
	out := []cube{nil}
	var err *Unregressable
	for _, f := range cond {
		if u.t.Variables[f.Var].Layer < 0 {
			state = append(state, f)
		} else if alts, e := u.derived(f); e != nil {
			return nil, e
		} else if out, err = u.product(out, alts); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(state, func(a, b grounder.Fact) int { return int(a.Var - b.Var) })
	return u.product(out, []cube{state})
}

// derived returns the alternatives under which a derived variable has a value.
func (u *unfolder) derived(f grounder.Fact) ([]cube, *Unregressable) {
	holds := f.Val != u.t.Variables[f.Var].Default
	slot := &u.memo[f.Var][0]
	if holds {
		slot = &u.memo[f.Var][1]
	}
	if m := *slot; m != nil {
		if !m.done {
			name := u.t.Variables[f.Var].Values[1-u.t.Variables[f.Var].Default]
			return nil, &Unregressable{Reason: "derived predicates that depend on themselves: " + strings.TrimPrefix(name, "Atom "), Atom: name}
		}
		return m.cubes, nil
	}
	m := &memo{}
	*slot = m
	cubes, err := []cube(nil), (*Unregressable)(nil)
	if !holds {
		cubes = []cube{nil}
	}
	for _, a := range u.byHead[f.Var] {
		body := u.t.Axioms[a].Body
		var alts []cube
		if holds {
			if alts, err = u.alternatives(body); err == nil {
				cubes, err = u.union(cubes, alts)
			}
		} else if alts, err = u.negation(body); err == nil {
			cubes, err = u.product(cubes, alts)
		}
		if err != nil {
			return nil, err
		}
	}
	m.cubes, m.done = cubes, true
	return cubes, nil
}

// negation returns the alternatives under which a conjunction fails.
func (u *unfolder) negation(body []grounder.Fact) (out []cube, err *Unregressable) {
	for _, f := range body {
		var alts []cube
		if v := &u.t.Variables[f.Var]; v.Layer >= 0 {
			if alts, err = u.derived(grounder.Fact{Var: f.Var, Val: 1 - f.Val}); err != nil {
				return nil, err
			}
		} else {
			for x := range int32(v.Size()) {
				if x != f.Val {
					alts = append(alts, cube{{Var: f.Var, Val: x}})
				}
			}
		}
		if out, err = u.union(out, alts); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// product is the conjunction of two disjunctions.
func (u *unfolder) product(as, bs []cube) ([]cube, *Unregressable) {
	if len(as) == 1 && len(as[0]) == 0 {
		return bs, nil
	}
	if len(bs) == 1 && len(bs[0]) == 0 {
		return as, nil
	}
	var out []cube
	var err *Unregressable
	for _, a := range as {
		var row []cube
		for _, b := range bs {
			if c, ok := merge(a, b); ok {
				row = append(row, c)
			}
		}
		if out, err = u.union(out, row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merge is the conjunction of two cubes, false if they contradict each other.
func merge(a, b cube) (cube, bool) {
	out := make(cube, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Var < b[0].Var:
			out, a = append(out, a[0]), a[1:]
		case a[0].Var > b[0].Var:
			out, b = append(out, b[0]), b[1:]
		case a[0].Val != b[0].Val:
			return nil, false
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...), true
}

// union is the disjunction of two disjunctions, without cubes that others contain.
func (u *unfolder) union(as, bs []cube) ([]cube, *Unregressable) {
	out := slices.Clone(as)
next:
	for _, b := range bs {
		for _, a := range out {
			if implies(b, a) {
				continue next
			}
		}
		out = slices.DeleteFunc(out, func(a cube) bool { return implies(a, b) })
		if out = append(out, b); len(out) > maxAlternatives {
			return nil, &Unregressable{Reason: fmt.Sprintf("conditions with more than %d alternatives", maxAlternatives)}
		}
	}
	return out, nil
}

// implies reports whether every fact of b is one of a.
func implies(a, b cube) bool {
	for _, f := range a {
		if len(b) > 0 && b[0] == f {
			b = b[1:]
		}
	}
	return len(b) == 0
}

// disjoint returns cubes that together stand for the same states, each state in one of them.
func (u *unfolder) disjoint(cubes []cube) ([]cube, *Unregressable) {
	var out []cube
	for i, c := range cubes {
		pieces := []cube{c}
		for _, d := range cubes[:i] {
			var left []cube
			for _, p := range pieces {
				left = append(left, u.without(p, d)...)
			}
			pieces = left
		}
		if out = append(out, pieces...); len(out) > maxAlternatives {
			return nil, &Unregressable{Reason: fmt.Sprintf("conditions with more than %d alternatives", maxAlternatives)}
		}
	}
	return out, nil
}

// without returns disjoint cubes for the states of c that are not in d.
func (u *unfolder) without(c, d cube) (out []cube) {
	if _, ok := merge(c, d); !ok {
		return []cube{c}
	}
	for _, f := range d {
		if slices.Contains(c, f) {
			continue
		}
		for x := range int32(u.t.Variables[f.Var].Size()) {
			if x != f.Val {
				piece, _ := merge(c, cube{{Var: f.Var, Val: x}})
				out = append(out, piece)
			}
		}
		c, _ = merge(c, cube{f})
	}
	return out
}
