package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Between happenings, continuous effects change fluents at constant rates (the rates may
// not depend on such fluents; unsupported.go refuses that), so that every comparison that a
// condition makes is linear in time and has one root. A condition is tested over an open
// interval by walking along the roots:
//
//	position   (p) ──────── (q) ──────── (end)
//	test        p+      q, then q+
//
// p+ is the right neighbourhood of p. While a condition is evaluated there, the comparisons
// it looks at note their next root; until the first of these, the condition keeps its
// truth, because none of what it was decided by changes.

// flow is what changes a fluent between two happenings.
type flow struct {
	id, fn int32
	rate   pddl.Number
}

// rate is a continuous effect: an effNumeric instruction whose value is the change per time
// unit.
type rate struct {
	bound  []int32
	effect int32
	negate bool
}

// rateOf returns the factor of #t in the value of a continuous effect, nil for 1.
func rateOf(e *pddl.NumExpr) *pddl.NumExpr {
	if e.Kind == pddl.NumTime {
		return &pddl.NumExpr{Kind: pddl.NumConst, Pos: e.Pos, Value: pddl.Int(1)}
	}
	if e.Children[0].Kind == pddl.NumTime {
		return e.Children[1]
	}
	return e.Children[0]
}

// rates compiles the continuous effects of a durative action.
func (c *compiler) rates(specs []rateSpec) (out []rate) {
	for _, x := range specs {
		e := *x.e
		e.Value = rateOf(e.Value)
		out = append(out, rate{x.bound, c.primitive(&e), e.Op == pddl.OpDecrease})
	}
	return out
}

// moves reports whether a condition depends on a fluent that changes continuously.
func (c *compiler) moves(f *pddl.Formula) bool {
	n := int32(len(c.j.preds))
	return slices.ContainsFunc(c.symbolsOf(f), func(sym int32) bool { return sym >= n && c.j.fns[sym-n].moving })
}

// currents computes what changes between this happening and the next. It reports false if a
// rate or a fluent has no value; t.bad is then the step.
func (s *Scratch) currents(r *Result) int {
	t := s.timed
	t.flows = t.flows[:0]
	for _, step := range t.running {
		d := &s.j.timed.durative[^t.steps[step].action]
		env := s.stepFrame(step)
		for i := range d.rates {
			x := &d.rates[i]
			s.eachBinding(x.bound, d.schema.Vars, env, func() {
				if !s.addFlow(&s.j.effects[x.effect], env, x.negate) {
					r.Kind = FailNumeric
				}
			})
			if r.Kind != "" {
				if r.fault = faultValue; s.conflict >= 0 {
					r.fault = faultUndefinedRead
				}
				return s.snapOf(step)
			}
		}
	}
	return -1
}

func (s *Scratch) addFlow(e *effect, env []int32, negate bool) bool {
	v, _, ok := s.number(e.value, env)
	if !ok {
		return false
	}
	if negate {
		v = v.Neg()
	}
	id := int32(0)
	if e.dense {
		id = s.address(e.base, e.coef, env)
	} else {
		id = s.internValue(e.sym, s.ground(e.args, env))
	}
	if !s.defined[id] {
		s.conflict = id
		return false
	}
	for i := range s.timed.flows {
		if f := &s.timed.flows[i]; f.id == id {
			f.rate = f.rate.Add(v)
			return true
		}
	}
	s.timed.flows = append(s.timed.flows, flow{id, e.sym, v})
	return true
}

// flowTo lets time pass until the given moment and tests the conditions that read moving
// fluents on the way. It returns the snap of a step that fails, or -1.
func (s *Scratch) flowTo(to pddl.Number, r *Result) int {
	t := s.timed
	if len(t.flows) == 0 {
		s.now = to
		return -1
	}
	s.touchFlows()
	for first := true; s.stop == goOn; first = false {
		if !first && t.world != nil {
			if bad := s.turn(r, false); bad != -1 || s.stop != goOn {
				return bad
			}
		}
		if !first {
			s.renew()
			if bad := s.sustained(r); bad >= 0 {
				return bad
			}
		}
		s.renew()
		t.moving, t.next = true, to
		bad := s.sustained(r)
		s.foresee()
		t.moving = false
		if bad >= 0 {
			return bad
		}
		s.renew()
		next := t.next
		s.advance(next)
		if next.Equal(to) {
			break
		}
	}
	return -1
}

// renew forgets the derived atoms that depend on moving fluents.
func (s *Scratch) renew() {
	for i := range s.timed.flows {
		f := s.timed.flows[i].fn
		s.changed(s.j.fns[f].affects, &s.forgot[f])
	}
}

// advance gives the moving fluents their values at a moment.
func (s *Scratch) advance(to pddl.Number) {
	t := s.timed
	dt := to.Sub(s.now)
	s.now = to
	s.measure(dt, recheckBits+1)
	for i := range t.flows {
		f := &t.flows[i]
		if f.rate.Sign() == 0 {
			continue
		}
		s.touch(f.id)
		v := s.values[f.id].Add(f.rate.Mul(dt))
		s.values[f.id], s.size[f.id] = v, s.measure(v, recheckBits+1)
		s.changed(s.j.fns[f.fn].affects, &s.forgot[f.fn])
	}
}

// sustained tests the conditions over all that read moving fluents.
func (s *Scratch) sustained(r *Result) int {
	t := s.timed
	for _, step := range t.running {
		d := &s.j.timed.durative[^t.steps[step].action]
		if d.over < 0 || !d.moving {
			continue
		}
		if v := s.eval(d.over, s.stepFrame(step)); v != isTrue && s.stop == goOn {
			if r.Kind = FailInvariant; v == unknown {
				r.Kind, r.fault = FailNumeric, faultOver
			}
			return s.snapOf(step)
		}
	}
	s.sustainOthers()
	return -1
}

// compareMoving evaluates a comparison in the right neighbourhood of this moment and notes
// its next root.
func (s *Scratch) compareMoving(n *node, env []int32) truthValue {
	a, ka, ok := s.linear(n.left, env)
	if !ok {
		return unknown
	}
	b, kb, ok := s.linear(n.right, env)
	if !ok {
		return unknown
	}
	d, k := a.Sub(b), ka.Sub(kb)
	s.charge(d)
	sign := d.Sign()
	switch {
	case sign == 0:
		sign = k.Sign()
	case k.Sign() == -sign:
		dt, _ := d.Neg().Div(k)
		at := s.now.Add(dt)
		if s.measure(at, recheckBits+1); at.Cmp(s.timed.next) < 0 {
			s.timed.next = at
		}
	}
	return truthOf(n.cmp.Holds(sign) != n.neg)
}

// linear evaluates an expression as a value and its change per time unit.
func (s *Scratch) linear(i int32, env []int32) (v, k pddl.Number, ok bool) {
	x := &s.j.exprs[i]
	if x.op == pddl.NumConst || x.op == pddl.NumFluent || x.kids.from == x.kids.to {
		v, _, ok = s.number(i, env)
		if ok && x.op == pddl.NumFluent && x.fluent {
			k = s.rateAt(x, env)
		}
		return v, k, ok
	}
	if !s.enter() {
		return v, k, false
	}
	defer func() { s.depth-- }()
	kids := s.j.kids[x.kids.from:x.kids.to]
	if v, k, ok = s.linear(kids[0], env); !ok {
		return v, k, false
	}
	if x.op == pddl.NumNeg {
		return v.Neg(), k.Neg(), true
	}
	for _, c := range kids[1:] {
		w, m, ok := s.linear(c, env)
		if !ok {
			return v, k, false
		}
		switch x.op {
		case pddl.NumAdd:
			v, k = v.Add(w), k.Add(m)
		case pddl.NumSub:
			v, k = v.Sub(w), k.Sub(m)
		case pddl.NumMul: // one of the two is constant: unsupported.go sees to that
			v, k = v.Mul(w), v.Mul(m).Add(w.Mul(k))
		case pddl.NumDiv:
			if v, ok = v.Div(w); !ok {
				s.noteUndefined(i, env)
				return v, k, false
			}
			k, _ = k.Div(w)
		}
		s.measure(v, recheckBits+1)
	}
	return v, k, true
}

// rateAt is the change per time unit of a fluent.
func (s *Scratch) rateAt(x *expr, env []int32) pddl.Number {
	id := int32(0)
	if x.dense {
		id = s.address(x.base, x.coef, env)
	} else {
		id = s.findSparse(int32(len(s.j.preds))+x.fn, s.ground(x.args, env))
	}
	for i := range s.timed.flows {
		if s.timed.flows[i].id == id {
			return s.timed.flows[i].rate
		}
	}
	return pddl.Number{}
}
