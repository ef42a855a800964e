package validator

import "github.com/planproof/planproof/pddl"

// Derived predicates are evaluated goal-directed: only atoms that a condition reads,
// and those they depend on, are looked at. Results are kept until an effect touches
// something that the predicate depends on.
//
// An atom of a predicate that does not depend on itself is decided by its bodies.
// Within a recursive component the least fixpoint is found locally: an atom starts
// false and its bodies are evaluated; the atoms they read that are not (yet) true
// remember who asked, and if such an atom turns true, the askers are evaluated again. An atom turns true at most once and bodies are monotone in the component
// (stratification), so the order does not matter and the end is the least fixpoint
// restricted to the atoms that matter (a local solver in the manner of Le Charlier
// and Van Hentenryck 1992). Negated atoms belong to lower components and are
// settled before they are used.

// Values of a derived atom, in the low bits of derivation.known; the other bits are the
// epoch of its predicate in which the value was computed.
const (
	derivedFalse uint32 = 1
	derivedTrue  uint32 = 2
	derivedOpen  uint32 = 3 // part of the fixpoint being computed
)

const epochLimit = 1<<30 - 1

// maxEager bounds the depth at which open atoms are evaluated immediately; deeper ones
// wait in the queue.
const maxEager = 64

type derivation struct {
	known  []uint32 // per derived atom: epoch<<2 | value
	openAt []int32  // per derived atom: its number in nodes while it is open
	epoch  []uint32 // per predicate
	sparse table    // derived atoms without a dense id
	nodes  []derivedNode
	edges  []edge
	args   []int32 // of the nodes
	queue  []int32
	frame  frame
	// learnt counts the values computed; forgotten and forgot hold its value at the time
	// when what a predicate or function affects was last forgotten.
	learnt            uint64
	forgotten, forgot []uint64 // per predicate, per function
}

// derivedNode is an atom of the component being solved.
type derivedNode struct {
	id      int32
	pred    int32
	args    int32 // start in derivation.args
	askers  int32 // first edge, or -1
	holds   bool
	pending bool // in the queue
}

// edge records that node asker read the node in whose list the edge is.
type edge struct{ asker, next int32 }

// frame is the component being solved: its number, or -1, and the node whose
// bodies are being evaluated.
type frame struct {
	scc     int32
	base    int32 // first node
	queue   int32 // first queue entry
	current int32
	eager   int32
}

func (s *Scratch) initDerived(j *Judge) {
	d := &s.derivation
	d.known = make([]uint32, j.derived)
	d.openAt = make([]int32, j.derived)
	d.epoch = make([]uint32, len(j.preds))
	for i := range d.epoch {
		d.epoch[i] = 1
	}
	d.frame.scc = -1
	d.learnt = 1
	d.forgotten, d.forgot = make([]uint64, len(j.preds)), make([]uint64, len(j.fns))
}

// changed drops what is known about the derived predicates that a change affects. This
// is expensive, so it is done once for the many effects of a step: at records when it
// was last done for the symbol that changes.
func (s *Scratch) changed(affects []int32, at *uint64) {
	if len(affects) == 0 || *at == s.learnt {
		return
	}
	*at = s.learnt
	s.work -= int64(len(affects))
	for _, p := range affects {
		s.forget(p)
	}
}

// forget drops what is known about a derived predicate.
func (s *Scratch) forget(p int32) {
	s.epoch[p]++
	if s.epoch[p] == epochLimit {
		clear(s.known)
		for i := range s.epoch {
			s.epoch[i] = 1
		}
	}
}

// forgetAll drops what is known about every derived predicate.
func (s *Scratch) forgetAll() {
	for p := range s.j.rules {
		if s.j.rules[p] != nil {
			s.forget(int32(p))
		}
	}
	if s.derivation.sparse.len() > 0 {
		s.derivation.sparse.reset()
		s.known, s.openAt = s.known[:s.j.derived], s.openAt[:s.j.derived]
	}
}

// derivedID returns the id of a derived atom.
func (s *Scratch) derivedID(n *node, env []int32) int32 {
	if s.j.preds[n.sym].dense {
		return s.address(n.base, n.coef, env)
	}
	args := s.ground(n.args, env)
	h := hashTuple(n.sym, args)
	t := &s.derivation.sparse
	if e := t.find(n.sym, args, h); e >= 0 {
		return t.id[e]
	}
	if t.len() >= s.overlayLimit {
		s.stop = stopMemory
	}
	id := int32(len(s.known))
	s.known, s.openAt = append(s.known, 0), append(s.openAt, 0)
	t.insert(n.sym, args, h, id)
	return id
}

// derivedHolds decides a derived atom, for the reader of a condition.
func (s *Scratch) derivedHolds(n *node, env []int32) bool {
	id := s.derivedID(n, env)
	if k := s.known[id]; k>>2 == s.epoch[n.sym] && k&3 != derivedOpen {
		return k&3 == derivedTrue
	}
	if !s.enter() {
		return false
	}
	v := s.derive(n, id, env)
	s.depth--
	return v
}

func (s *Scratch) derive(n *node, id int32, env []int32) bool {
	p := n.sym
	switch {
	case !s.j.recurs[p]:
		v := s.fire(p, s.ground(n.args, env))
		if s.stop == goOn {
			s.settleAtom(id, p, v)
		}
		return v
	case s.frame.scc == s.j.scc[p]:
		return s.ask(n, id, env)
	}
	// A new component: solve for this atom and restore the frame.
	saved, edges, args := s.frame, len(s.edges), len(s.derivation.args)
	s.frame = frame{scc: s.j.scc[p], base: int32(len(s.nodes)), queue: int32(len(s.queue)), current: -1}
	root := s.open(id, p, s.ground(n.args, env))
	s.visit(root)
	for len(s.queue) > int(s.frame.queue) && !s.nodes[root].holds && s.stop == goOn {
		last := len(s.queue) - 1
		x := s.queue[last]
		s.queue = s.queue[:last]
		s.nodes[x].pending = false
		s.visit(x)
	}
	v := s.nodes[root].holds
	complete := len(s.queue) == int(s.frame.queue) && s.stop == goOn
	for i := s.frame.base; i < int32(len(s.nodes)); i++ {
		switch x := &s.nodes[i]; {
		case x.holds:
			s.settleAtom(x.id, x.pred, true)
		case complete:
			s.settleAtom(x.id, x.pred, false)
		default:
			s.known[x.id] = 0 // the search ended early: undecided
		}
	}
	s.nodes, s.queue = s.nodes[:s.frame.base], s.queue[:s.frame.queue]
	s.edges, s.derivation.args = s.edges[:edges], s.derivation.args[:args]
	s.frame = saved
	return v
}

func (s *Scratch) settleAtom(id, p int32, v bool) {
	k := derivedFalse
	if v {
		k = derivedTrue
	}
	s.known[id] = s.epoch[p]<<2 | k
	s.learnt++
}

// open adds an atom to the component being solved.
func (s *Scratch) open(id, p int32, args []int32) int32 {
	x := int32(len(s.nodes))
	s.nodes = append(s.nodes, derivedNode{id: id, pred: p, args: int32(len(s.derivation.args)), askers: -1})
	s.derivation.args = append(s.derivation.args, args...)
	s.known[id] = s.epoch[p]<<2 | derivedOpen
	s.openAt[id] = x
	return x
}

// ask looks up an atom of the component being solved, on behalf of the node whose bodies
// are being evaluated.
func (s *Scratch) ask(n *node, id int32, env []int32) bool {
	var x int32
	if k := s.known[id]; k>>2 == s.epoch[n.sym] && k&3 == derivedOpen {
		x = s.openAt[id]
	} else {
		x = s.open(id, n.sym, s.ground(n.args, env))
		if s.frame.eager < maxEager {
			s.frame.eager++
			s.visit(x)
			s.frame.eager--
		} else {
			s.nodes[x].pending = true
			s.queue = append(s.queue, x)
		}
	}
	if s.nodes[x].holds {
		return true
	}
	s.edges = append(s.edges, edge{s.frame.current, s.nodes[x].askers})
	s.nodes[x].askers = int32(len(s.edges) - 1)
	return false
}

// visit evaluates the bodies of a node unless it is known to hold. If it turns true,
// its askers are queued to be visited again.
func (s *Scratch) visit(x int32) {
	if s.nodes[x].holds {
		return
	}
	p := s.nodes[x].pred
	from := int(s.nodes[x].args)
	caller := s.frame.current
	s.frame.current = x
	v := s.fire(p, s.derivation.args[from:from+s.j.preds[p].arity])
	s.frame.current = caller
	if !v || s.stop != goOn {
		return
	}
	s.nodes[x].holds = true
	for e := s.nodes[x].askers; e >= 0; e = s.edges[e].next {
		a := s.edges[e].asker
		if n := &s.nodes[a]; !n.holds && !n.pending {
			n.pending = true
			s.queue = append(s.queue, a)
		}
	}
	s.nodes[x].askers = -1
}

// fire reports whether the body of some rule of p holds of the arguments.
func (s *Scratch) fire(p int32, args []int32) bool {
	base := len(s.stack)
	s.stack = append(s.stack, args...)
	held := false
	for i := range s.j.rules[p] {
		r := &s.j.rules[p][i]
		for len(s.stack) < base+r.vars {
			s.stack = append(s.stack, 0)
		}
		env := s.stack[base : base+r.vars]
		if s.fits(r.types, env) && s.eval(r.body, env) == isTrue {
			held = true
			break
		}
	}
	s.stack = s.stack[:base]
	return held
}

// fits reports whether the first objects of env have the given types.
func (s *Scratch) fits(types []pddl.TypeID, env []int32) bool {
	for i, t := range types {
		if !s.j.types.is(env[i], t) {
			return false
		}
	}
	return true
}
