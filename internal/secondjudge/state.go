package secondjudge

import (
	"math/big"
	"strings"

	"github.com/planproof/planproof/pddl"
)

type state struct {
	atoms  map[string]bool
	values map[string]*big.Rat // numeric fluents; object fluents hold object numbers
}

// change is what a step does to the state.
type change struct {
	adds, dels map[string]bool
	nums       []assign
	reads      map[string]bool // values in right-hand sides that count
}

type assign struct {
	key   string
	op    pddl.AssignOp
	value *big.Rat // nil: undefined (object fluents)
}

// collect adds what the effect e does in state s under conditions of value v. It
// reports false if something in it is undefined.
func (r *judge) collect(s *state, e *pddl.Effect, env []int, v truth, c *change) bool {
	ok := true
	if e.Kind != pddl.EffectAnd && e.Kind != pddl.EffectForall && e.Kind != pddl.EffectWhen && v != yes {
		return v == no
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
		eachExpr(e.Value, func(x *pddl.NumExpr) {
			if x.Kind == pddl.NumFluent {
				c.reads[r.key(r.d.Functions[x.Func].Name, x.Args, env)] = true
			}
		})
		if v == nil {
			return false
		}
		c.nums = append(c.nums, assign{r.key(r.d.Functions[e.Func].Name, e.Args, env), e.Op, v})
	case pddl.EffectAssignObject:
		a := assign{key: r.key(r.d.Functions[e.Func].Name, e.Args, env)}
		if e.Object != pddl.UndefinedTerm {
			a.value = big.NewRat(int64(r.object(e.Object, env)), 1)
		}
		c.nums = append(c.nums, a)
	}
	return ok
}

func isAdditive(op pddl.AssignOp) bool { return op == pddl.OpIncrease || op == pddl.OpDecrease }

// merge checks the assignments of one step against each other.
func merge(nums []assign) string {
	for i, a := range nums {
		for _, b := range nums[:i] {
			if a.key != b.key || isAdditive(a.op) && isAdditive(b.op) {
				continue
			}
			return "effect-conflict"
		}
	}
	return ""
}

// undefinedChange reports a change of an undefined fluent or a division by 0.
func undefinedChange(s *state, nums []assign) bool {
	for _, a := range nums {
		if a.op != pddl.OpAssign && s.values[a.key] == nil || a.op == pddl.OpScaleDown && a.value.Sign() == 0 {
			return true
		}
	}
	return false
}

// carryOut applies changes: deletes, adds, values.
func carryOut(s *state, c *change) *state {
	t := &state{map[string]bool{}, map[string]*big.Rat{}}
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
func (r *judge) readsOf(f *pddl.Formula, vars []pddl.Variable, env []int, out map[string]bool) {
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
			eachExpr(e, func(e *pddl.NumExpr) {
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

func (r *judge) conditionReads(e *pddl.Effect, vars []pddl.Variable, env []int, out map[string]bool) {
	r.readsOf(e.Condition, vars, env, out)
	over := e.Bound
	r.over(vars, over, env, func() {
		for _, k := range e.Children {
			r.conditionReads(k, vars, env, out)
		}
	})
}

// interferes reports whether two acts interfere.
func interferes(a, b *act) bool {
	writes := func(x *act) map[string]string {
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

// act is what happens at one moment, for interference.
type act struct {
	time    *big.Rat
	change  *change
	reads   map[string]bool
	literal bool
}

// eachExpr visits e and everything below it.
func eachExpr(e *pddl.NumExpr, visit func(*pddl.NumExpr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, k := range e.Children {
		eachExpr(k, visit)
	}
}
