package validator

import (
	"fmt"
	"math/big"
	"sort"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// reference judges plans by the definitions, slowly: states are sets of strings,
// quantifiers run over all objects, derived predicates are computed bottom up as a
// whole, interference is checked on ground sets. It shares nothing with the judge
// but the typed model, and nothing in it is clever.
type reference struct {
	d    *pddl.Domain
	p    *pddl.Problem
	vars []pddl.Variable // of the current schema
}

type refOutcome struct {
	kind     FailureKind // "" if valid
	step     int
	executed int
	cost     string
}

func (r *reference) key(name string, args []pddl.Term, env []int) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(name))
	for _, t := range args {
		fmt.Fprintf(&b, " %d", r.object(t, env))
	}
	return b.String()
}

func (r *reference) object(t pddl.Term, env []int) int {
	if t.IsVar() {
		return env[t.Slot()]
	}
	return int(t)
}

func (r *reference) isType(o int, t pddl.TypeID) bool {
	return r.d.IsSubtype(r.p.Objects[o].Type, t)
}

func (r *reference) initial() *refState {
	s := &refState{map[string]bool{}, map[string]*big.Rat{}}
	for i := 0; i < r.p.Init.Atoms.Len(); i++ {
		p, args := r.p.Init.Atoms.Atom(i)
		s.atoms[r.key(r.d.Predicates[p].Name, terms(args), nil)] = true
	}
	for i := range r.d.Functions {
		if r.d.Functions[i].Numeric && r.d.Functions[i].Name == "total-cost" {
			s.values["total-cost"] = new(big.Rat)
		}
	}
	for i := 0; i < r.p.Init.Values.Len(); i++ {
		f, args, v := r.p.Init.Values.Fluent(i)
		s.values[r.key(r.d.Functions[f].Name, terms(args), nil)] = v.Rat()
	}
	for _, o := range r.p.Init.Objects {
		s.values[r.key(r.d.Functions[o.Func].Name, terms(o.Args), nil)] = big.NewRat(int64(o.Value), 1)
	}
	return s
}

func terms(args []pddl.ObjectID) []pddl.Term {
	ts := make([]pddl.Term, len(args))
	for i, a := range args {
		ts[i] = pddl.ObjectTerm(a)
	}
	return ts
}

// strata assigns each derived predicate a stratum: at least that of the predicates
// it uses, more than that of those it negates.
func (r *reference) strata() []int {
	level := make([]int, len(r.d.Predicates))
	for changed := true; changed; {
		changed = false
		for _, a := range r.d.Axioms {
			polarity(a.Body, false, func(f *pddl.Formula, neg bool) {
				if f.Kind != pddl.FormulaAtom || !r.d.Predicates[f.Pred].Derived {
					return
				}
				least := level[f.Pred]
				if neg {
					least++
				}
				if level[a.Pred] < least {
					level[a.Pred], changed = least, true
				}
			})
		}
	}
	return level
}

// close adds all derived atoms of a state.
func (r *reference) close(s *refState) *refState {
	t := &refState{map[string]bool{}, s.values}
	for a := range s.atoms {
		t.atoms[a] = true
	}
	level := r.strata()
	defer func(vars []pddl.Variable) { r.vars = vars }(r.vars)
	for l := 0; l <= len(level); l++ {
		for changed := true; changed; {
			changed = false
			for _, a := range r.d.Axioms {
				if level[a.Pred] != l {
					continue
				}
				r.vars = a.Vars
				r.bindings(a.Vars, a.NumParams, func(env []int) {
					head := make([]pddl.Term, a.NumParams)
					for i := range head {
						head[i] = pddl.Term(env[i])
					}
					k := r.key(r.d.Predicates[a.Pred].Name, head, nil)
					if !t.atoms[k] && r.eval(t, a.Body, env) == isTrue {
						t.atoms[k], changed = true, true
					}
				})
			}
		}
	}
	return t
}

// bindings calls f for each typed binding of the first n variables.
func (r *reference) bindings(vars []pddl.Variable, n int, f func([]int)) {
	env := make([]int, len(vars))
	var bind func(i int)
	bind = func(i int) {
		if i == n {
			f(env)
			return
		}
		for o := range r.p.Objects {
			if r.isType(o, vars[i].Type) {
				env[i] = o
				bind(i + 1)
			}
		}
	}
	bind(0)
}

// over calls f for each typed binding of the given slots.
func (r *reference) over(vars []pddl.Variable, slots []int32, env []int, f func()) {
	if len(slots) == 0 {
		f()
		return
	}
	for o := range r.p.Objects {
		if r.isType(o, vars[slots[0]].Type) {
			env[slots[0]] = o
			r.over(vars, slots[1:], env, f)
		}
	}
}

func (r *reference) eval(s *refState, f *pddl.Formula, env []int) truthValue {
	switch f.Kind {
	case pddl.FormulaTrue:
		return isTrue
	case pddl.FormulaAtom:
		return truthOf(s.atoms[r.key(r.d.Predicates[f.Pred].Name, f.Args, env)])
	case pddl.FormulaEqual:
		return truthOf(r.object(f.Args[0], env) == r.object(f.Args[1], env))
	case pddl.FormulaAnd:
		v := isTrue
		for _, k := range f.Children {
			v = min(v, r.eval(s, k, env))
		}
		return v
	case pddl.FormulaOr:
		v := isFalse
		for _, k := range f.Children {
			v = max(v, r.eval(s, k, env))
		}
		return v
	case pddl.FormulaNot:
		return isTrue - r.eval(s, f.Children[0], env)
	case pddl.FormulaImply:
		return max(isTrue-r.eval(s, f.Children[0], env), r.eval(s, f.Children[1], env))
	case pddl.FormulaExists, pddl.FormulaForall:
		v := isFalse
		if f.Kind == pddl.FormulaForall {
			v = isTrue
		}
		r.over(r.vars, f.Bound, env, func() {
			x := r.eval(s, f.Children[0], env)
			if f.Kind == pddl.FormulaForall {
				v = min(v, x)
			} else {
				v = max(v, x)
			}
		})
		return v
	case pddl.FormulaCompare:
		a, b := r.number(s, f.Left, env), r.number(s, f.Right, env)
		if a == nil || b == nil {
			return unknown
		}
		c := a.Cmp(b)
		return truthOf(map[pddl.CompareOp]bool{
			pddl.CompareEqual: c == 0, pddl.CompareLess: c < 0, pddl.CompareLessEqual: c <= 0,
			pddl.CompareGreater: c > 0, pddl.CompareGreaterEqual: c >= 0,
		}[f.Cmp])
	case pddl.FormulaObjectEqual:
		v := s.values[r.key(r.d.Functions[f.Func].Name, f.Args, env)]
		if f.Value == pddl.UndefinedTerm {
			return truthOf(v == nil)
		}
		return truthOf(v != nil && v.Cmp(big.NewRat(int64(r.object(f.Value, env)), 1)) == 0)
	}
	panic("reference: formula kind")
}

// number returns nil for an undefined value.
func (r *reference) number(s *refState, e *pddl.NumExpr, env []int) *big.Rat {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value.Rat()
	case pddl.NumFluent:
		return s.values[r.key(r.d.Functions[e.Func].Name, e.Args, env)]
	}
	var v *big.Rat
	for i, k := range e.Children {
		x := r.number(s, k, env)
		if x == nil {
			return nil
		}
		if i == 0 {
			v = new(big.Rat).Set(x)
			continue
		}
		switch e.Kind {
		case pddl.NumAdd:
			v.Add(v, x)
		case pddl.NumSub:
			v.Sub(v, x)
		case pddl.NumMul:
			v.Mul(v, x)
		case pddl.NumDiv:
			if x.Sign() == 0 {
				return nil
			}
			v.Quo(v, x)
		}
	}
	if e.Kind == pddl.NumNeg {
		v.Neg(v)
	}
	return v
}

// judge executes a plan. Interfering steps of a stamped plan must be more than epsilon
// apart.
func (r *reference) judge(plan *pddl.Plan, epsilon pddl.Number) refOutcome {
	order := make([]int, len(plan.Steps))
	for i := range order {
		order[i] = i
	}
	if plan.Timed {
		sort.SliceStable(order, func(a, b int) bool {
			return plan.Steps[order[a]].Time.Cmp(plan.Steps[order[b]].Time) < 0
		})
	}
	s := r.initial()
	done := 0
	var past []*refStep
	fail := func(kind FailureKind, k int) refOutcome {
		return refOutcome{kind, k + 1, done, r.cost(s, done)}
	}
	for k := 0; k < len(order); {
		end := k + 1
		for plan.Timed && end < len(order) && plan.Steps[order[end]].Time.Equal(plan.Steps[order[k]].Time) {
			end++
		}
		closed := r.close(s)
		all := &refChange{adds: map[string]bool{}, dels: map[string]bool{}}
		for i := k; i < end; i++ {
			step, kind := r.step(closed, s, &plan.Steps[order[i]])
			if kind != "" {
				return fail(kind, i)
			}
			step.time = plan.Steps[order[i]].Time
			for _, g := range past {
				if plan.Timed && step.time.Sub(g.time).Cmp(epsilon) <= 0 && interferes(g, step) {
					return fail(FailMutex, i)
				}
			}
			past = append(past, step)
			for a := range step.change.adds {
				all.adds[a] = true
			}
			for a := range step.change.dels {
				all.dels[a] = true
			}
			all.nums = append(all.nums, step.change.nums...)
		}
		s = carryOut(s, all)
		k, done = end, end
	}
	r.vars = r.p.Goal.Vars
	switch r.eval(r.close(s), r.p.Goal.Formula, make([]int, len(r.vars))) {
	case isFalse:
		return refOutcome{FailGoal, 0, done, r.cost(s, done)}
	case unknown:
		return refOutcome{FailNumeric, 0, done, r.cost(s, done)}
	}
	return refOutcome{"", 0, done, r.cost(s, done)}
}

// step checks one step in a state; closed is the state with its derived atoms.
func (r *reference) step(closed, s *refState, st *pddl.Step) (*refStep, FailureKind) {
	var action *pddl.Action
	for _, a := range r.d.Actions {
		if strings.EqualFold(a.Name, st.Name) {
			action = a
		}
	}
	if action == nil {
		return nil, FailUnknownAction
	}
	if len(st.Args) != action.NumParams {
		return nil, FailArity
	}
	env := make([]int, len(action.Vars))
	for i, name := range st.Args {
		env[i] = -1
		for o := range r.p.Objects {
			if strings.EqualFold(r.p.Objects[o].Name, name) {
				env[i] = o
			}
		}
		if env[i] < 0 {
			return nil, FailUnknownObject
		}
	}
	for i := range st.Args {
		if !r.isType(env[i], action.Vars[i].Type) {
			return nil, FailType
		}
	}
	r.vars = action.Vars
	switch r.eval(closed, action.Precondition, env) {
	case isFalse:
		return nil, FailPrecondition
	case unknown:
		return nil, FailNumeric
	}
	x := &refStep{change: &refChange{map[string]bool{}, map[string]bool{}, nil, map[string]bool{}}, reads: map[string]bool{}}
	if !r.collect(closed, action.Effect, env, isTrue, x.change) || undefinedChange(s, x.change.nums) {
		return nil, FailNumeric
	}
	if kind := merge(x.change.nums); kind != "" {
		return nil, kind
	}
	r.readsOf(action.Precondition, action.Vars, env, x.reads)
	r.conditionReads(action.Effect, action.Vars, env, x.reads)
	for k := range x.change.reads {
		x.reads[k] = true
	}
	return x, ""
}

func (r *reference) cost(s *refState, steps int) string {
	m := r.p.Metric
	if m == nil {
		return fmt.Sprint(steps)
	}
	v := r.number(s, m.Expr, nil)
	if v == nil {
		return "undefined"
	}
	return pddl.FromRat(v).String()
}
