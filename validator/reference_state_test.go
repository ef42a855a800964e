package validator

import (
	"math/big"
	"strings"

	"github.com/planproof/planproof/pddl"
)

type refState struct {
	atoms  map[string]bool
	values map[string]*big.Rat // numeric fluents; object fluents hold object numbers
}

// refChange is what a step does to the state.
type refChange struct {
	adds, dels map[string]bool
	nums       []refAssign
	reads      map[string]bool // values in right-hand sides that count
}

type refAssign struct {
	key   string
	op    pddl.AssignOp
	value *big.Rat // nil: undefined (object fluents)
}

// collect adds what the effect e does in state s under conditions of value v. It
// reports false if something in it is undefined.
func (r *reference) collect(s *refState, e *pddl.Effect, env []int, v truthValue, c *refChange) bool {
	ok := true
	if e.Kind != pddl.EffectAnd && e.Kind != pddl.EffectForall && e.Kind != pddl.EffectWhen && v != isTrue {
		return v == isFalse
	}
	switch e.Kind {
	case pddl.EffectAnd:
		for _, k := range e.Children {
			ok = r.collect(s, k, env, v, c) && ok
		}
	case pddl.EffectAdd:
		c.adds[r.key(r.d.Predicates[e.Pred].Name, e.Args, env)] = true
	case pddl.EffectDelete:
		c.dels[r.key(r.d.Predicates[e.Pred].Name, e.Args, env)] = true
	case pddl.EffectForall:
		r.over(r.vars, e.Bound, env, func() { ok = r.collect(s, e.Children[0], env, v, c) && ok })
	case pddl.EffectWhen:
		ok = r.collect(s, e.Children[0], env, min(v, r.eval(s, e.Condition, env)), c)
	case pddl.EffectNumeric:
		v := r.number(s, e.Value, env)
		walkExpr(e.Value, func(x *pddl.NumExpr) {
			if x.Kind == pddl.NumFluent {
				c.reads[r.key(r.d.Functions[x.Func].Name, x.Args, env)] = true
			}
		})
		if v == nil {
			return false
		}
		c.nums = append(c.nums, refAssign{r.key(r.d.Functions[e.Func].Name, e.Args, env), e.Op, v})
	case pddl.EffectAssignObject:
		a := refAssign{key: r.key(r.d.Functions[e.Func].Name, e.Args, env)}
		if e.Object != pddl.UndefinedTerm {
			a.value = big.NewRat(int64(r.object(e.Object, env)), 1)
		}
		c.nums = append(c.nums, a)
	}
	return ok
}

func isAdditive(op pddl.AssignOp) bool { return op == pddl.OpIncrease || op == pddl.OpDecrease }

// merge checks the assignments of one step against each other.
func merge(nums []refAssign) FailureKind {
	for i, a := range nums {
		for _, b := range nums[:i] {
			if a.key != b.key || isAdditive(a.op) && isAdditive(b.op) {
				continue
			}
			return FailEffectConflict
		}
	}
	return ""
}

// undefinedChange reports a change of an undefined fluent or a division by 0.
func undefinedChange(s *refState, nums []refAssign) bool {
	for _, a := range nums {
		if a.op != pddl.OpAssign && s.values[a.key] == nil || a.op == pddl.OpScaleDown && a.value.Sign() == 0 {
			return true
		}
	}
	return false
}

// carryOut applies changes: deletes, adds, values.
func carryOut(s *refState, c *refChange) *refState {
	t := &refState{map[string]bool{}, map[string]*big.Rat{}}
	for a := range s.atoms {
		if !c.dels[a] {
			t.atoms[a] = true
		}
	}
	for a := range c.adds {
		t.atoms[a] = true
	}
	for k, v := range s.values {
		t.values[k] = v
	}
	for _, a := range c.nums {
		if a.op == pddl.OpAssign {
			if a.value == nil {
				delete(t.values, a.key)
			} else {
				t.values[a.key] = a.value
			}
			continue
		}
		v := new(big.Rat).Set(t.values[a.key])
		switch a.op {
		case pddl.OpIncrease:
			v.Add(v, a.value)
		case pddl.OpDecrease:
			v.Sub(v, a.value)
		case pddl.OpScaleUp:
			v.Mul(v, a.value)
		case pddl.OpScaleDown:
			v.Quo(v, a.value)
		}
		t.values[a.key] = v
	}
	return t
}

// readsOf collects the ground atoms and values that occur in f, instance by
// instance; derived atoms count as what their rules mention.
func (r *reference) readsOf(f *pddl.Formula, vars []pddl.Variable, env []int, out map[string]bool) {
	if f == nil {
		return
	}
	switch f.Kind {
	case pddl.FormulaAtom:
		k := r.key(r.d.Predicates[f.Pred].Name, f.Args, env)
		if out[k] {
			return
		}
		out[k] = true
		for _, a := range r.d.Axioms {
			if a.Pred != f.Pred {
				continue
			}
			inner, fits := make([]int, len(a.Vars)), true
			for i, t := range f.Args {
				inner[i] = r.object(t, env)
				fits = fits && r.isType(inner[i], a.Vars[i].Type)
			}
			if fits {
				r.readsOf(a.Body, a.Vars, inner, out)
			}
		}
	case pddl.FormulaObjectEqual:
		out[r.key(r.d.Functions[f.Func].Name, f.Args, env)] = true
	case pddl.FormulaCompare:
		for _, e := range []*pddl.NumExpr{f.Left, f.Right} {
			walkExpr(e, func(e *pddl.NumExpr) {
				if e.Kind == pddl.NumFluent {
					out[r.key(r.d.Functions[e.Func].Name, e.Args, env)] = true
				}
			})
		}
	case pddl.FormulaExists, pddl.FormulaForall:
		r.over(vars, f.Bound, env, func() { r.readsOf(f.Children[0], vars, env, out) })
	default:
		for _, k := range f.Children {
			r.readsOf(k, vars, env, out)
		}
	}
}

func (r *reference) conditionReads(e *pddl.Effect, vars []pddl.Variable, env []int, out map[string]bool) {
	r.readsOf(e.Condition, vars, env, out)
	over := e.Bound
	r.over(vars, over, env, func() {
		for _, k := range e.Children {
			r.conditionReads(k, vars, env, out)
		}
	})
}

// interferes reports whether two concurrent steps interfere.
func interferes(a, b *refStep) bool {
	writes := func(x *refStep) map[string]string {
		w := map[string]string{}
		for k := range x.change.adds {
			w[k] += "a"
		}
		for k := range x.change.dels {
			w[k] += "d"
		}
		for _, n := range x.change.nums {
			if isAdditive(n.op) {
				w[n.key] += "+"
			} else {
				w[n.key] += "="
			}
		}
		return w
	}
	wa, wb := writes(a), writes(b)
	for k := range wa {
		if b.reads[k] {
			return true
		}
	}
	for k, y := range wb {
		if a.reads[k] {
			return true
		}
		x := wa[k]
		if x == "" {
			continue
		}
		both := func(p, q string) bool {
			return strings.Contains(x, p) && strings.Contains(y, q) || strings.Contains(x, q) && strings.Contains(y, p)
		}
		if both("a", "d") || both("=", "=") || both("=", "+") {
			return true
		}
	}
	return false
}

type refStep struct {
	time   pddl.Number
	change *refChange
	reads  map[string]bool
}
