package validator

import "github.com/planproof/planproof/pddl"

// recheckBits is the estimated size from which on a value's real size is measured.
const recheckBits = 8192

// exactBits returns the number of bits of v's numerator and denominator together; an
// integer that fits in a machine word counts as 64.
func exactBits(v pddl.Number) int32 {
	if _, ok := v.Int64(); ok {
		return 64
	}
	num, den := v.Bits()
	return int32(num + den)
}

// charge takes the work of an operation with the result v: to reduce a fraction takes as many operations on words
// as the lengths of numerator and denominator multiplied. Fractions that grow from event to event would otherwise
// keep the judge for hours within its limit of work.
func (s *Scratch) charge(v pddl.Number) {
	const word, least, inOneUnit = 64, 32, 2
	if num, den := v.Bits(); num >= word || den >= word {
		s.work -= least + int64(num/word)*int64(den/word)/inOneUnit
	}
}

// measure returns an upper bound of the bits of v, given a looser one, and stops judging
// if v is larger than the limit. While the estimate is small, it does not copy the value
// to measure it.
func (s *Scratch) measure(v pddl.Number, estimate int32) int32 {
	if _, ok := v.Int64(); ok {
		return 64
	}
	s.charge(v)
	if estimate > recheckBits {
		estimate = exactBits(v)
		if int(estimate) > s.j.opt.MaxNumberBits {
			s.stop = stopNumber
		}
	}
	return estimate
}

// number evaluates an expression: its value, an upper bound of its bits, and
// whether it is defined.
func (s *Scratch) number(i int32, env []int32) (pddl.Number, int32, bool) {
	x := &s.j.exprs[i]
	s.work--
	if s.stop != goOn || s.work < 0 && !s.more() {
		return pddl.Number{}, 0, false
	}
	switch x.op {
	case pddl.NumConst:
		return x.value, x.bits, true
	case pddl.NumFluent:
		v, bits, ok := s.fluentValue(x, env)
		if !ok {
			s.noteUndefined(i, env)
		}
		return v, bits, ok
	case pddl.NumTotalTime:
		return s.now, s.measure(s.now, recheckBits+1), true
	}
	if v, ok := s.timedValue(x); ok {
		return v, s.measure(v, recheckBits+1), true
	}
	if !s.enter() {
		return pddl.Number{}, 0, false
	}
	v, bits, ok := s.arithmetic(i, x, env)
	s.depth--
	return v, bits, ok
}

// arithmetic applies an operator to its operands from left to right.
func (s *Scratch) arithmetic(i int32, x *expr, env []int32) (pddl.Number, int32, bool) {
	kids := s.j.kids[x.kids.from:x.kids.to]
	v, bits, ok := s.number(kids[0], env)
	if !ok {
		return v, 0, false
	}
	if x.op == pddl.NumNeg {
		return v.Neg(), bits, true
	}
	for _, k := range kids[1:] {
		w, b, ok := s.number(k, env)
		if !ok {
			return v, 0, false
		}
		switch x.op {
		case pddl.NumAdd:
			v = v.Add(w)
		case pddl.NumSub:
			v = v.Sub(w)
		case pddl.NumMul:
			v = v.Mul(w)
		case pddl.NumDiv:
			if v, ok = v.Div(w); !ok {
				s.noteUndefined(i, env)
				return v, 0, false
			}
		}
		bits = s.measure(v, bits+b+1)
	}
	return v, bits, true
}

func (s *Scratch) noteUndefined(i int32, env []int32) {
	s.undefined = i
	s.undefinedEnv = append(s.undefinedEnv[:0], env...)
}

// fluentValue reads a fluent or a static function.
func (s *Scratch) fluentValue(x *expr, env []int32) (pddl.Number, int32, bool) {
	var id int32
	if x.dense {
		id = s.address(x.base, x.coef, env)
	} else {
		id = s.findSparse(int32(len(s.j.preds))+x.fn, s.ground(x.args, env))
		if id < 0 {
			return pddl.Number{}, 0, false
		}
	}
	if x.fluent {
		return s.values[id], s.size[id], s.defined[id]
	}
	v := s.j.constants[id]
	if !s.j.constDef[id] {
		return v, 0, false
	}
	if _, ok := v.Int64(); ok {
		return v, 64, true
	}
	return v, recheckBits / 2, true // an estimate above the longest literals that files have
}

// compare evaluates a comparison in three-valued logic.
func (s *Scratch) compare(n *node, env []int32) truthValue {
	if s.timed != nil && s.timed.moving {
		return s.compareMoving(n, env)
	}
	a, _, ok := s.number(n.left, env)
	if !ok {
		return unknown
	}
	b, _, ok := s.number(n.right, env)
	if !ok {
		return unknown
	}
	return truthOf(n.cmp.Holds(a.Cmp(b)) != n.neg)
}

// assign queues a numeric effect. It reports false if the effect has no value.
func (s *Scratch) assign(e *effect, env []int32) bool {
	var a assignment
	a.op, a.fn = e.assign, e.sym
	if e.op == effObject {
		o := e.term
		if pddl.Term(o) == pddl.UndefinedTerm {
			a.undef = true
		} else {
			if o < 0 {
				o = env[^o]
			}
			a.value, a.bits = pddl.Int(int64(o)), 64
		}
	} else {
		var ok bool
		if a.value, a.bits, ok = s.number(e.value, env); !ok {
			return false
		}
	}
	if e.dense {
		a.id = s.address(e.base, e.coef, env)
	} else {
		a.id = s.internValue(e.sym, s.ground(e.args, env))
	}
	if a.op == pddl.OpDecrease {
		a.value = a.value.Neg()
	}
	s.nums = append(s.nums, a)
	return true
}

// additive reports whether several assignments of this kind may meet in one step.
func additive(op pddl.AssignOp) bool { return op == pddl.OpIncrease || op == pddl.OpDecrease }

// combine merges the pending assignments from the given one on. Increases and
// decreases of one value add up (Fox and Long 2003: additive assignments commute);
// an assignment or scaling with anything else is a conflict, even two assignments
// of the same value: the rule is syntactic, as for interference.
func (s *Scratch) combine(from int) bool {
	nums := s.nums[from:]
	if len(nums) < 2 {
		return true
	}
	for len(s.mark) < len(s.values) {
		s.mark = append(s.mark, 0)
	}
	ok := true
	for i := range nums {
		a := &nums[i]
		if a.merged {
			continue
		}
		m := s.mark[a.id]
		if m == 0 {
			s.mark[a.id] = int32(i) + 1
			continue
		}
		b := &nums[m-1]
		a.merged = true
		if !additive(a.op) || !additive(b.op) {
			s.conflict, ok = a.id, false
			continue
		}
		b.value = b.value.Add(a.value)
		b.bits = s.measure(b.value, a.bits+b.bits+1)
	}
	for i := range nums {
		s.mark[nums[i].id] = 0
	}
	return ok
}

// feasible reports whether the pending assignments from the given one on have
// values: an undefined fluent cannot be increased or scaled, nothing is divided by 0.
func (s *Scratch) feasible(from int) bool {
	for i := from; i < len(s.nums); i++ {
		a := &s.nums[i]
		if a.op != pddl.OpAssign && !s.defined[a.id] || a.op == pddl.OpScaleDown && a.value.Sign() == 0 {
			s.conflict = a.id
			return false
		}
	}
	return true
}

// settle computes the new values of the pending assignments from the old ones.
func (s *Scratch) settle() {
	for i := range s.nums {
		a := &s.nums[i]
		if a.merged || a.op == pddl.OpAssign {
			continue
		}
		old := s.values[a.id]
		switch {
		case additive(a.op):
			a.value = old.Add(a.value)
		case a.op == pddl.OpScaleUp:
			a.value = old.Mul(a.value)
		default:
			a.value, _ = old.Div(a.value)
		}
		a.bits = s.measure(a.value, a.bits+s.size[a.id]+1)
	}
}

// touch notes that a value may differ from its initial one.
func (s *Scratch) touch(id int32) {
	if !s.dirty[id] {
		s.dirty[id] = true
		s.touched = append(s.touched, id)
	}
}

// store writes the settled values.
func (s *Scratch) store() {
	for i := range s.nums {
		a := &s.nums[i]
		if a.merged {
			continue
		}
		s.touch(a.id)
		s.values[a.id], s.defined[a.id], s.size[a.id] = a.value, !a.undef, a.bits
		s.changed(s.j.fns[a.fn].affects, &s.forgot[a.fn])
	}
}
