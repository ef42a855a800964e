package secondjudge

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// judge holds a problem and what the current step needs.
type judge struct {
	d    *pddl.Domain
	p    *pddl.Problem
	vars []pddl.Variable // of the current schema
	dur  *big.Rat        // of the current step
	end  *big.Rat        // of the last action
	// violated counts the violations of preferences, by lower-case name.
	violated map[string]int
	// The state that was closed last, and what it became.
	open, closed *state
}

// truth is a value of Kleene's three-valued logic.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (r *judge) key(name string, args []pddl.Term, env []int) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(name))
	for _, t := range args {
		b.WriteString(" " + strconv.Itoa(r.object(t, env)))
	}
	return b.String()
}

func (r *judge) object(t pddl.Term, env []int) int {
	if t.IsVar() {
		return env[t.Slot()]
	}
	return int(t)
}

func (r *judge) isType(o int, t pddl.TypeID) bool {
	return r.d.IsSubtype(r.p.Objects[o].Type, t)
}

func (r *judge) initial() *state {
	s := &state{map[string]bool{}, map[string]*big.Rat{}}
	for i := 0; i < r.p.Init.Atoms.Len(); i++ {
		p, args := r.p.Init.Atoms.Atom(i)
		s.atoms[r.key(r.d.Predicates[p].Name, terms(args), nil)] = true
	}
	for i := range r.d.Functions {
		if r.d.Functions[i].Numeric && strings.EqualFold(r.d.Functions[i].Name, "total-cost") && len(r.d.Functions[i].Params) == 0 {
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
func (r *judge) strata() []int {
	level := make([]int, len(r.d.Predicates))
	for changed := true; changed; {
		changed = false
		for _, a := range r.d.Axioms {
			signed(a.Body, false, func(f *pddl.Formula, neg bool) {
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
func (r *judge) close(s *state) *state {
	if s != r.open {
		r.open, r.closed = s, r.closure(s)
	}
	return r.closed
}

func (r *judge) closure(s *state) *state {
	t := &state{map[string]bool{}, s.values}
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
					if !t.atoms[k] && r.eval(t, a.Body, env) == yes {
						t.atoms[k], changed = true, true
					}
				})
			}
		}
	}
	return t
}

// bindings calls f for each typed binding of the first n variables.
func (r *judge) bindings(vars []pddl.Variable, n int, f func([]int)) {
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
func (r *judge) over(vars []pddl.Variable, slots []int32, env []int, f func()) {
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

func (r *judge) eval(s *state, f *pddl.Formula, env []int) truth {
	switch f.Kind {
	case pddl.FormulaTrue:
		return yes
	case pddl.FormulaAtom:
		return truthOf(s.atoms[r.key(r.d.Predicates[f.Pred].Name, f.Args, env)])
	case pddl.FormulaEqual:
		return truthOf(r.object(f.Args[0], env) == r.object(f.Args[1], env))
	case pddl.FormulaAnd:
		v := yes
		for _, k := range f.Children {
			if v = min(v, r.eval(s, k, env)); v == no {
				break
			}
		}
		return v
	case pddl.FormulaOr:
		v := no
		for _, k := range f.Children {
			if v = max(v, r.eval(s, k, env)); v == yes {
				break
			}
		}
		return v
	case pddl.FormulaNot:
		return yes - r.eval(s, f.Children[0], env)
	case pddl.FormulaImply:
		if v := r.eval(s, f.Children[0], env); v != no {
			return max(yes-v, r.eval(s, f.Children[1], env))
		}
		return yes
	case pddl.FormulaExists, pddl.FormulaForall:
		return r.quantified(s, f, env)
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
	panic("secondjudge: unexpected formula")
}

// quantified is the value of an exists or a forall.
func (r *judge) quantified(s *state, f *pddl.Formula, env []int) truth {
	v := no
	if f.Kind == pddl.FormulaForall {
		v = yes
	}
	decided := yes - v
	r.over(r.vars, f.Bound, env, func() {
		if v == decided {
			return
		}
		x := r.eval(s, f.Children[0], env)
		if f.Kind == pddl.FormulaForall {
			v = min(v, x)
		} else {
			v = max(v, x)
		}
	})
	return v
}

// number returns nil for an undefined value.
func (r *judge) number(s *state, e *pddl.NumExpr, env []int) *big.Rat {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value.Rat()
	case pddl.NumFluent:
		return s.values[r.key(r.d.Functions[e.Func].Name, e.Args, env)]
	case pddl.NumDuration:
		return r.dur
	case pddl.NumTotalTime:
		return r.end
	case pddl.NumIsViolated:
		return big.NewRat(int64(r.violated[strings.ToLower(e.Name)]), 1)
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

// signed visits f and what is below it, and says what stands below a negation.
func signed(f *pddl.Formula, neg bool, visit func(*pddl.Formula, bool)) {
	visit(f, neg)
	for i, k := range f.Children {
		below := neg
		if f.Kind == pddl.FormulaNot || f.Kind == pddl.FormulaImply && i == 0 {
			below = !neg
		}
		signed(k, below, visit)
	}
}
