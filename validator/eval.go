package validator

import "github.com/planproof/planproof/pddl"

// truthValue is a value of Kleene's three-valued logic, ordered.
type truthValue uint8

const (
	isFalse truthValue = iota
	unknown            // depends on an undefined value
	isTrue
)

func truthOf(b bool) truthValue {
	if b {
		return isTrue
	}
	return isFalse
}

// enter counts one level of recursion.
func (s *Scratch) enter() bool {
	s.depth++
	if s.depth <= maxDepth {
		return true
	}
	s.depth--
	if s.stop == goOn {
		s.stop = stopDepth
	}
	return false
}

// eval evaluates a condition. If a limit stopped it (s.stop), the value is meaningless.
func (s *Scratch) eval(i int32, env []int32) truthValue {
	n := &s.j.nodes[i]
	s.work--
	if s.work < 0 && !s.more() {
		return isFalse
	}
	switch n.op {
	case opFluent:
		id := s.address(n.base, n.coef, env)
		return truthOf((s.bits[id>>6]>>(uint(id)&63)&1 != 0) != n.neg)
	case opStatic:
		id := s.address(n.base, n.coef, env)
		return truthOf((s.j.statics[id>>6]>>(uint(id)&63)&1 != 0) != n.neg)
	case opAnd:
		return s.evalAnd(n, env)
	case opTrue:
		return isTrue
	case opFalse:
		return isFalse
	case opEqual:
		t := s.j.terms[n.args.from:n.args.to]
		a, b := t[0], t[1]
		if a < 0 {
			a = env[^a]
		}
		if b < 0 {
			b = env[^b]
		}
		return truthOf(a == b != n.neg)
	case opOr, opImply:
		return s.evalOr(n, env)
	case opExists:
		if !s.enter() {
			return isFalse
		}
		v := s.exists(&s.j.blocks[n.sym], env)
		s.depth--
		if n.neg {
			return isTrue - v
		}
		return v
	case opCompare:
		return s.compare(n, env)
	case opObject:
		return truthOf(s.objectValue(n, env) != n.neg)
	case opSparseFluent:
		id := s.findSparse(n.sym, s.ground(n.args, env))
		return truthOf((id >= 0 && getBit(s.bits, id)) != n.neg)
	case opSparseStatic:
		args := s.ground(n.args, env)
		found := s.j.sparse.find(n.sym, args, hashTuple(n.sym, args)) >= 0
		return truthOf(found != n.neg)
	case opDerived:
		return truthOf(s.derivedHolds(n, env) != n.neg)
	}
	panic("validator: unknown condition node")
}

func (s *Scratch) evalAnd(n *node, env []int32) truthValue {
	if !s.enter() {
		return isFalse
	}
	v := isTrue
	for _, k := range s.j.kids[n.kids.from:n.kids.to] {
		if v = min(v, s.eval(k, env)); v == isFalse {
			break
		}
	}
	s.depth--
	return v
}

func (s *Scratch) evalOr(n *node, env []int32) truthValue {
	if !s.enter() {
		return isFalse
	}
	v := isFalse
	for _, k := range s.j.kids[n.kids.from:n.kids.to] {
		if v = max(v, s.eval(k, env)); v == isTrue || s.stop != goOn {
			break
		}
	}
	s.depth--
	return v
}

// objectValue reports whether an object fluent has the given value. The value
// `undefined` means that it has none, so the answer is always known.
func (s *Scratch) objectValue(n *node, env []int32) bool {
	f := &s.j.fns[n.sym]
	last := n.args.to - 1
	want := s.j.terms[last]
	var id int32
	if f.dense {
		id = s.address(n.base, n.coef, env)
	} else {
		id = s.findSparse(int32(len(s.j.preds))+n.sym, s.ground(span{n.args.from, last}, env))
	}
	var v pddl.Number
	ok := false
	switch {
	case id < 0:
	case f.fluent:
		v, ok = s.values[id], s.defined[id]
	default:
		v, ok = s.j.constants[id], s.j.constDef[id]
	}
	if pddl.Term(want) == pddl.UndefinedTerm {
		return !ok
	}
	if want < 0 {
		want = env[^want]
	}
	o, _ := v.Int64()
	return ok && o == int64(want)
}

// exists searches for a binding of a block that makes all guards true. For the block of
// a universal effect it executes the effect for every such binding.
func (s *Scratch) exists(b *block, env []int32) truthValue {
	v := s.guards(b.pre, env, isTrue)
	if v == isFalse {
		return isFalse
	}
	v = s.search(b, b.levels.from, env, v)
	s.settled = false
	return v
}

// guards returns the least of v and the guards' values.
func (s *Scratch) guards(sp span, env []int32, v truthValue) truthValue {
	for _, g := range s.j.kids[sp.from:sp.to] {
		if v = min(v, s.eval(g, env)); v == isFalse {
			return isFalse
		}
	}
	return v
}

// search goes through the bindings of level l and those below; v is the value of
// the guards so far.
func (s *Scratch) search(b *block, l int32, env []int32, v truthValue) truthValue {
	if l == b.levels.to {
		return s.found(b, env, v)
	}
	x := &s.j.levels[l]
	if x.cut {
		r := s.level(b, l, env, v)
		if b != s.leafBlock && (r == isFalse || r == unknown && v == isTrue) {
			s.settled = true // other values before l would not change r
		}
		return r
	}
	return s.level(b, l, env, v)
}

// level goes through the values of level l.
func (s *Scratch) level(b *block, l int32, env []int32, v truthValue) truthValue {
	x := &s.j.levels[l]
	switch x.gen {
	case genEqual:
		o := x.term
		if o < 0 {
			o = env[^o]
		}
		if !s.j.types.is(o, x.typ) {
			return isFalse
		}
		env[x.slot] = o
		return s.bound(b, l, env, v)
	case genIndex:
		return s.scan(b, l, env, v)
	}
	best := isFalse
	for _, o := range x.objects {
		env[x.slot] = int32(o)
		if best = max(best, s.bound(b, l, env, v)); best == isTrue || s.settled || s.stop != goOn {
			break
		}
	}
	return best
}

// bound tests the guards of level l, whose variables have values, and goes on.
func (s *Scratch) bound(b *block, l int32, env []int32, v truthValue) truthValue {
	s.work--
	if s.work < 0 && !s.more() {
		return isFalse
	}
	if v = s.guards(s.j.levels[l].guards, env, v); v == isFalse {
		return isFalse
	}
	return s.search(b, l+1, env, v)
}

// scan goes through the atoms of an index: the initial ones, then those the plan
// added.
func (s *Scratch) scan(b *block, l int32, env []int32, v truthValue) truthValue {
	x := &s.j.levels[l]
	ix := &s.j.indexes[x.index]
	key := s.ground(x.key, env)
	h := hashTuple(0, key)
	head := int32(-1)
	if o := &s.overlays[x.index]; o.keys.len() > 0 {
		if e := o.keys.find(0, key, h); e >= 0 {
			head = o.keys.id[e]
		}
	}
	w := len(ix.free)
	best := isFalse
	if e := ix.buckets.find(0, key, h); e >= 0 {
		bucket := ix.buckets.id[e]
		for at := ix.start[bucket]; at < ix.start[bucket+1]; at++ {
			if s.bindFree(x, ix.objects[int(at)*w:int(at)*w+w], env) {
				best = max(best, s.bound(b, l, env, v))
			}
			if best == isTrue || s.settled || s.stop != goOn {
				return best
			}
		}
	}
	for head >= 0 {
		o := &s.overlays[x.index]
		if s.bindFree(x, o.objects[int(head)*w:int(head)*w+w], env) {
			best = max(best, s.bound(b, l, env, v))
		}
		if best == isTrue || s.settled || s.stop != goOn {
			return best
		}
		head = o.next[head]
	}
	return best
}

// bindFree gives the variables of an index level their values, and reports whether
// those have the variables' types and are the same wherever a variable is repeated.
func (s *Scratch) bindFree(x *level, objects, env []int32) bool {
	for i, o := range objects {
		if !s.j.types.is(o, x.types[i]) {
			s.work--
			return false
		}
		if v := x.slots[i]; v >= 0 {
			env[v] = o
		} else if env[^v] != o {
			return false
		}
	}
	return true
}

// found handles a complete binding.
func (s *Scratch) found(b *block, env []int32, v truthValue) truthValue {
	if b == s.leafBlock {
		s.leaf(env)
		return isFalse
	}
	if b.effect < 0 {
		return v
	}
	if v == unknown {
		return unknown
	}
	if !s.run(&s.j.effects[b.effect], env) {
		return unknown
	}
	return isFalse
}
