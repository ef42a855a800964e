package validator

import (
	"context"

	"github.com/planproof/planproof/pddl"
)

// Scratch is the working memory for one goroutine and one Judge: the state, and what is
// needed to undo a plan's changes. After the first few plans, judging allocates nothing.
type Scratch struct {
	// Epsilon is a number of time units: interfering steps with different time stamps must
	// be further apart. The default 0 accepts any gap.
	Epsilon pddl.Number
	// Tolerance widens every bound on a duration by so many time units.
	Tolerance pddl.Number
	// Context, if set, ends judging when it ends, within a few milliseconds: the verdict is
	// then of kind timeout. Unlike Options.MaxWork a deadline makes verdicts depend on the machine.
	Context context.Context
	// MaxBytes, if positive, bounds what the changes of one plan take, about; a plan that
	// changes more is not judged (timeout). Without it the bound is some 2 GB.
	MaxBytes int64
	// Brief leaves out Verdict.Changes, which take a seventh of the time of a verdict on an invalid
	// plan, for callers that do not read them.
	Brief bool

	j *Judge

	// The state: a bit per fluent atom, a value per fluent function.
	bits    []uint64
	values  []pddl.Number
	defined []bool
	size    []int32 // upper bound of the bits of each value
	// over interns tuples in the plan for which the judge has no id.
	over      table
	atomEntry []int32   // entry of each atom interned in over, by id
	fluents   int32     // ids of fluent atoms in use
	undo      []int32   // atoms in the order in which they were changed
	marks     []mark    // of the happenings of a classical plan
	touched   []int32   // values that may differ from their initial ones
	dirty     []bool    // per value: whether it is in touched
	overlays  []overlay // of fluent indexes
	listed    []uint64  // atoms in the overlays
	listing   []int32

	derivation

	// Buffers.
	env   []int32 // variables of the current step
	args  []int32
	tuple []int32
	stack []int32 // frames of axiom bodies
	adds  []change
	dels  []change
	nums  []assignment
	mark  []int32 // per value: number of its pending assignment, plus one
	order []int32
	reads *readSet // set while concurrent steps are judged
	// window holds the happenings that are at most Epsilon ago.
	window []*group
	timed  *timedRun // nil for a classical problem

	now  pddl.Number // time of the current happening
	work int64       // left of the portion, see limits.go
	rest int64       // left besides
	// overlayLimit and pendingLimit follow from MaxBytes.
	overlayLimit, pendingLimit int
	depth                      int   // of the recursion
	words                      texts // of the last verdict
	builder                    builder
	spare                      *Verdict // given back, see Recycle
	spareFailure               *Failure
	spareReasons               []Reason
	reasons                    []Reason // room for those of a condition
	stop                       stopReason
	// The last undefined value: where, and under which binding.
	undefined    int32
	undefinedEnv []int32
	conflict     int32  // value that was assigned twice, or changed while undefined
	clash        string // atom or value in which two concurrent steps interfere
	// leaf, if set, is called for each binding that satisfies leafBlock, to collect
	// reasons.
	leaf      func(env []int32)
	leafBlock *block
	// settled ends the search of the current block: more bindings would change nothing.
	settled bool
}

// stopReason says which limit ended judging.
type stopReason uint8

const (
	goOn stopReason = iota
	stopWork
	stopNumber
	stopDepth
	stopMemory
	stopTime
)

// change of a fluent atom.
type change struct{ id, pred int32 }

// mark is the end of a happening: how many steps had been applied, and atoms changed.
type mark struct{ applied, changes int32 }

// assignment to a value, waiting for the end of the step.
type assignment struct {
	id     int32
	op     pddl.AssignOp // OpDecrease is kept as an increase by the negated value
	undef  bool          // assigns "no value" (object fluents)
	merged bool          // part of an earlier one
	fn     int32
	value  pddl.Number
	bits   int32
}

// overlay lists the atoms of an index that a plan added, chained per key.
type overlay struct {
	keys    table   // key -> head entry
	next    []int32 // entry -> next entry or -1
	objects []int32 // free objects of each entry
}

// maxDepth bounds the recursion of the evaluator, so that a hostile task reaches a limit
// and does not overflow the stack.
const maxDepth = 200000

// NewScratch returns working memory for j.
func (j *Judge) NewScratch() *Scratch {
	s := &Scratch{j: j, fluents: j.fluents}
	s.bits = append(s.bits, j.fluentInit...)
	s.values = append(s.values, j.values...)
	s.defined = append(s.defined, j.defined...)
	s.size = append(s.size, j.sizes...)
	s.dirty = make([]bool, len(j.values))
	s.overlays = make([]overlay, len(j.indexes))
	s.args = make([]int32, 0, 16)
	s.undefined = -1
	s.initDerived(j)
	if j.timed != nil {
		s.timed = j.newTimedRun()
	}
	return s
}

// reset returns to the initial state in time proportional to the changes made.
func (s *Scratch) reset() {
	for _, id := range s.undo {
		s.bits[id>>6] ^= 1 << (uint(id) & 63)
	}
	for _, id := range s.touched {
		s.dirty[id] = false
		if int(id) < len(s.j.values) {
			s.values[id], s.defined[id], s.size[id] = s.j.values[id], s.j.defined[id], s.j.sizes[id]
		}
	}
	if len(s.undo)+len(s.touched) > 0 {
		s.forgetAll()
	}
	s.undo, s.touched = s.undo[:0], s.touched[:0]
	if s.over.len() > 0 {
		s.over.reset()
		s.fluents, s.atomEntry = s.j.fluents, s.atomEntry[:0]
		n := len(s.j.values)
		s.values, s.defined, s.size, s.dirty = s.values[:n], s.defined[:n], s.size[:n], s.dirty[:n]
	}
	if len(s.listing) > 0 {
		for _, id := range s.listing {
			s.listed[id>>6] &^= 1 << (uint(id) & 63)
		}
		s.listing = s.listing[:0]
		for i := range s.overlays {
			o := &s.overlays[i]
			o.keys.reset()
			o.next, o.objects = o.next[:0], o.objects[:0]
		}
	}
	s.window = s.window[:0]
	s.stop, s.depth, s.now, s.undefined, s.conflict = goOn, 0, pddl.Number{}, -1, -1
	s.settled = false
	s.clearPending()
}

func (s *Scratch) clearPending() {
	s.adds, s.dels, s.nums = s.adds[:0], s.dels[:0], s.nums[:0]
}

// ground writes the objects of a list of terms to s.args.
func (s *Scratch) ground(sp span, env []int32) []int32 {
	out := s.args[:0]
	for _, t := range s.j.terms[sp.from:sp.to] {
		if t < 0 {
			t = env[^t]
		}
		out = append(out, t)
	}
	s.args = out
	return out
}

// address is the id of a dense atom or value.
func (s *Scratch) address(base int32, sp span, env []int32) int32 {
	for _, c := range s.j.coefs[sp.from:sp.to] {
		base += env[c.slot] * c.stride
	}
	return base
}

// findSparse returns the id of an interned tuple, or -1.
func (s *Scratch) findSparse(tag int32, args []int32) int32 {
	h := hashTuple(tag, args)
	if e := s.j.sparse.find(tag, args, h); e >= 0 {
		return s.j.sparse.id[e]
	}
	if e := s.over.find(tag, args, h); e >= 0 {
		return s.over.id[e]
	}
	return -1
}

// internAtom returns the id of a sparse fluent atom, and gives it one if needed.
func (s *Scratch) internAtom(p int32, args []int32) int32 {
	if id := s.findSparse(p, args); id >= 0 {
		return id
	}
	if s.over.len() >= s.overlayLimit {
		s.stop = stopMemory
	}
	id := s.fluents
	s.fluents++
	for int(id)>>6 >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.atomEntry = append(s.atomEntry, s.over.insert(p, args, hashTuple(p, args), id))
	return id
}

// internValue returns the id of a sparse fluent value, and gives it one if needed.
func (s *Scratch) internValue(f int32, args []int32) int32 {
	tag := int32(len(s.j.preds)) + f
	if id := s.findSparse(tag, args); id >= 0 {
		return id
	}
	if s.over.len() >= s.overlayLimit {
		s.stop = stopMemory
	}
	id := int32(len(s.values))
	s.values, s.defined = append(s.values, pddl.Number{}), append(s.defined, false)
	s.size, s.dirty = append(s.size, 0), append(s.dirty, false)
	s.over.insert(tag, args, hashTuple(tag, args), id)
	return id
}

// set gives a fluent atom a truth value.
func (s *Scratch) set(c change, v bool) {
	w, b := c.id>>6, uint64(1)<<(uint(c.id)&63)
	if s.bits[w]&b != 0 == v {
		return
	}
	s.bits[w] ^= b
	s.undo = append(s.undo, c.id)
	p := &s.j.preds[c.pred]
	s.changed(p.affects, &s.forgotten[c.pred])
	if v && len(p.indexes) > 0 {
		s.list(c, p)
	}
}

// list enters an atom into the overlays of its predicate's indexes, once per plan.
func (s *Scratch) list(c change, p *pred) {
	if int(c.id)>>6 < len(s.j.fluentInit) && getBit(s.j.fluentInit, c.id) {
		return // the index itself lists it
	}
	for int(c.id)>>6 >= len(s.listed) {
		s.listed = append(s.listed, 0)
	}
	if getBit(s.listed, c.id) {
		return
	}
	setBit(s.listed, c.id)
	s.listing = append(s.listing, c.id)
	for len(s.tuple) < p.arity {
		s.tuple = append(s.tuple, 0)
	}
	args := s.tuple[:p.arity]
	s.atomArgs(c, args)
	for _, i := range p.indexes {
		x, o := &s.j.indexes[i], &s.overlays[i]
		key := s.args[:0]
		for _, k := range x.key {
			key = append(key, args[k])
		}
		s.args = key
		entry, h := int32(len(o.next)), hashTuple(0, key)
		e := o.keys.find(0, key, h)
		if e < 0 {
			o.keys.insert(0, key, h, entry)
			o.next = append(o.next, -1)
		} else {
			o.next = append(o.next, o.keys.id[e])
			o.keys.id[e] = entry
		}
		for _, f := range x.free {
			o.objects = append(o.objects, args[f])
		}
	}
}

// atomArgs writes the objects of a fluent atom to args.
func (s *Scratch) atomArgs(c change, args []int32) {
	p := &s.j.preds[c.pred]
	if p.dense {
		p.tuple(c.id-p.base, args)
		return
	}
	copy(args, s.sparseArgs(c.id))
}

// sparseArgs returns the objects of an interned fluent atom.
func (s *Scratch) sparseArgs(id int32) []int32 {
	if id < s.j.fluents {
		return s.j.sparse.tuple(s.j.atomEntry[id-s.j.fluentsD])
	}
	return s.over.tuple(s.atomEntry[id-s.j.fluents])
}
