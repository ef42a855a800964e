package space

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// expander generates transitions; it belongs to one goroutine.
type expander struct {
	sim   *Simulator
	x     *state.Scratch
	other []uint64 // a second successor, for comparison
	seen  []int64  // by name, marks by way of round
	round int64
}

func (s *Simulator) newExpander() *expander {
	return &expander{sim: s, x: s.sys.NewScratch(), other: make([]uint64, s.sys.Packer.Words()), seen: make([]int64, s.names)}
}

// transitions returns the operators that stand for the ground actions applicable in the
// state row, which is unpacked in x. Of operators of one name that lead to the same state
// the cheapest is taken, the first among equals. (Grounding makes operators of one name of
// a disjunctive precondition, and these agree on the state they lead to. A file may hold
// operators that share no more than the name.)
func (e *expander) transitions(row []uint64) []grounder.OperatorID {
	s := e.sim
	ops := s.sys.Applicable(e.x)
	if s.names == s.sys.Task.Operators.Len() {
		return ops
	}
	e.round++
	n := 0
	for _, op := range ops {
		name := s.nameOf[op]
		if e.seen[name] != e.round {
			e.seen[name] = e.round
		} else if i := e.same(row, ops[:n], op); i >= 0 {
			a, _ := s.sys.Applier.Cost(e.x.Values, ops[i])
			b, _ := s.sys.Applier.Cost(e.x.Values, op)
			if b < a || a == b && op < ops[i] {
				ops[i] = op
			}
			continue
		}
		ops[n] = op
		n++
	}
	return ops[:n]
}

// same finds an operator of the name of op that leads to the same state, or returns -1.
func (e *expander) same(row []uint64, ops []grounder.OperatorID, op grounder.OperatorID) int {
	s := e.sim
	s.sys.Applier.Apply(e.other, row, e.x.Values, op)
next:
	for i, o := range ops {
		if s.nameOf[o] != s.nameOf[op] {
			continue
		}
		s.sys.Applier.Apply(e.x.Next, row, e.x.Values, o)
		for w, b := range e.other {
			if e.x.Next[w] != b {
				continue next
			}
		}
		return i
	}
	return -1
}

// expansion is a batch of states and their successors.
type expansion struct {
	rows  []uint64 // the states
	goal  []bool   // by state
	end   []int32  // by state: where its successors end
	succ  []uint64
	hash  []uint64 // by successor
	cost  []int64
	err   error
	words int
}

// expand fills in the successors of the batch.
func (e *expander) expand(b *expansion) {
	s := e.sim
	b.goal, b.end, b.succ, b.hash, b.cost, b.err = b.goal[:0], b.end[:0], b.succ[:0], b.hash[:0], b.cost[:0], nil
	for at := 0; at < len(b.rows); at += b.words {
		row := b.rows[at : at+b.words]
		s.sys.Unpack(row, e.x)
		b.goal = append(b.goal, s.sys.IsGoal(row, e.x))
		for _, op := range e.transitions(row) {
			c, ok := s.sys.Applier.Cost(e.x.Values, op)
			if !ok {
				b.err = s.costBeyond(op)
				return
			}
			s.sys.Applier.Apply(e.x.Next, row, e.x.Values, op)
			b.succ = append(b.succ, e.x.Next...)
			b.hash = append(b.hash, state.HashRow(e.x.Next))
			b.cost = append(b.cost, c)
		}
		b.end = append(b.end, int32(len(b.hash)))
	}
}

const (
	// batchWords bounds the successors of a batch.
	batchWords = 1 << 19
	// batchStates bounds the states of a batch. A successor's slot is prefetched when twice lookAhead are to be
	// inserted before it, its record when lookAhead are, so that the cache misses overlap.
	batchStates = 256
	lookAhead   = 12
)

// visitor has the functions that expandAll calls.
type visitor struct {
	before func(id int) error // before each state
	visit  func(id int, next state.StateID, isNew bool, cost int64)
	goal   func(id int)
}

// expandAll expands the states of the registry in order, those that it adds included.
func (e *exhauster) expandAll(v visitor) error {
	words := e.sys.Packer.Words()
	batch := min(batchStates, batchWords/(words*(e.sys.Task.Operators.Len()+1)))
	threads := e.threads
	if batch == 0 {
		threads = 0
	}
	id := 0
	for ; id < e.reg.Len() && (e.reg.Len() < e.parallel || threads == 0); id++ {
		if err := e.expandOne(id, v); err != nil {
			return err
		}
	}
	if id == e.reg.Len() {
		return nil
	}
	p := newPipeline(threads, func() func(*expansion) { return e.Simulator.newExpander().expand })
	defer p.close()
	for sent := id; id < e.reg.Len(); {
		for sent < e.reg.Len() && p.idle() && (!p.empty() || e.reg.Len()-sent >= e.batch) {
			b := p.fill()
			b.rows, b.words = b.rows[:0], words
			for k := min(batch, max(1, (e.reg.Len()-sent)/threads)); k > 0 && sent < e.reg.Len(); k-- {
				b.rows = append(b.rows, e.reg.Row(state.StateID(sent))...)
				sent++
			}
			p.send()
		}
		if p.empty() { // not worth handing over
			if err := e.expandOne(id, v); err != nil {
				return err
			}
			id++
			sent = id
			continue
		}
		if err := e.register(p.take(), &id, v); err != nil {
			return err
		}
	}
	return nil
}

// expandOne expands a state in this thread.
func (e *exhauster) expandOne(id int, v visitor) error {
	if err := v.before(id); err != nil {
		return err
	}
	err := e.successors(state.StateID(id), func(row []uint64, _ grounder.OperatorID, c int64) {
		next, isNew := e.reg.Insert(row, e.reg.Hash(row))
		v.visit(id, next, isNew, c)
	})
	if err == nil && e.sys.IsGoal(e.reg.Row(state.StateID(id)), e.x) {
		v.goal(id)
	}
	return err
}

// register adds the successors of a batch that begins with state id, and counts id up.
func (e *exhauster) register(b *expansion, id *int, v visitor) error {
	at := 0
	for i, end := range b.end {
		if err := v.before(*id); err != nil {
			return err
		}
		for ; at < int(end); at++ {
			if at+2*lookAhead < len(b.hash) {
				e.reg.Prefetch(b.hash[at+2*lookAhead])
				e.reg.Meet(b.hash[at+lookAhead])
			}
			next, isNew := e.reg.Insert(b.succ[at*b.words:], b.hash[at])
			v.visit(*id, next, isNew, b.cost[at])
		}
		if b.goal[i] {
			v.goal(*id)
		}
		*id++
	}
	return b.err
}
