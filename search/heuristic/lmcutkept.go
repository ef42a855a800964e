package heuristic

import (
	"slices"

	"github.com/planproof/planproof/grounder"
)

// Incremental is a Heuristic that keeps the landmarks of the states evaluated last, for the
// evaluation of their successors (Pommerening and Helmert, "Incremental LM-Cut", ICAPS 2013).
//
// An estimate that begins with landmarks of another state is no function of the state
// alone: it depends on which they are, and may be lower or higher than one without. It is
// admissible all the same, and a function of the calls so far.
type Incremental interface {
	Resumable
	Inheriting
	// BeginFrom is Begin for the successor under op of the state kept under the number
	// parent. If that is not kept any more, it is Begin.
	BeginFrom(values []int32, until int64, parent uint32, op grounder.OperatorID) (bound int64, done bool)
	// Keep keeps what the evaluation that ended last has found, under the number of its
	// state. If more is kept for that already, it stays.
	Keep(id uint32)
	// Inherits reports whether some of what is kept for a state is of another state, and
	// the state has not been kept again since.
	Inherits(id uint32) bool
	// Recall has Inherited speak of a kept state. It reports false if it is not kept any more.
	Recall(id uint32) bool
	// KeepWithin bounds the bytes for what is kept.
	KeepWithin(bytes int64)
}

// maxKept is how many bytes are kept unless KeepWithin says less.
const maxKept = 16 << 20

// keptCuts are the cuts of states. A state shares those that it inherits with its
// predecessor. When the younger of two generations is full, the older one is dropped and
// the younger one takes its place; what is looked up in the older one moves to the younger.
type keptCuts[C int32 | int64] struct {
	room     int64 // the weight of a generation
	wide     bool  // an operator takes two words
	now, old generation[C]
	ops      []int32  // of the cut read last
	list     []int32  // the cuts of the state read or written last
	recent   []int32  // words of cuts by their hash, plus one, 0 for none: see share
	spare    []uint16 // the words of a cut, before it is known whether they are there already
}

// generation has the cuts of states that were kept one after the other.
type generation[C int32 | int64] struct {
	words  runs[uint16]    // of cuts: see store
	found  runs[int32]     // cuts: where their words are; equal ones share them
	cuts   runs[int32]     // of each state: where its cuts are in found, see shorten
	states runs[keptState] // one after the other
	n      int             // states
	table  []int32         // states by a hash of their number, -1 for none; its length is a power of two
	// weight decides when the generation is full: the bytes in 32 bits for each operator and number of operators,
	// twice a cost for each cut of a state, and so on. It was its size before it was stored in less.
	weight int64
}

// keptState is a state: its number, where the list of its cuts begins, and the length of the list times two, plus one
// if some of them are of another state.
type keptState struct {
	id    uint32
	first int32
	cuts  uint32
}

func (s *keptState) inherits() bool { return s.cuts&1 != 0 }

func newGeneration[C int32 | int64]() generation[C] {
	return generation[C]{
		words: runs[uint16]{shift: 13}, found: runs[int32]{shift: 12},
		cuts: runs[int32]{shift: 12}, states: runs[keptState]{shift: 10},
	}
}

func (g *generation[C]) bytes() int64 {
	return int64(g.words.held)*2 + int64(g.found.held+g.cuts.held)*4 + int64(g.states.held)*12 + int64(len(g.table))*4
}

func (k *keptCuts[C]) bytes() int64 {
	return k.now.bytes() + k.old.bytes() + int64(len(k.ops)+cap(k.list)+len(k.recent))*4 + int64(cap(k.spare))*2
}

// full reports whether the generation takes up its room.
func (k *keptCuts[C]) full() bool { return k.now.weight+int64(len(k.now.table))*4 > k.room }

// clear drops all states.
func (g *generation[C]) clear() {
	g.words.clear()
	g.found.clear()
	g.cuts.clear()
	g.states.clear()
	g.n, g.weight = 0, 0
	for i := range g.table {
		g.table[i] = -1
	}
}

// state returns the i-th state.
func (g *generation[C]) state(i int32) *keptState { return &g.states.at(i)[0] }

// slot is where the state with a number is in the table, or would be.
func (g *generation[C]) slot(id uint32) *int32 {
	mask := uint32(len(g.table) - 1)
	for i := id * 2654435769 >> 7 & mask; ; i = (i + 1) & mask {
		if s := g.table[i]; s < 0 || g.state(s).id == id {
			return &g.table[i]
		}
	}
}

// find returns a state's place, -1 if there is none.
func (g *generation[C]) find(id uint32) int32 {
	if len(g.table) == 0 {
		return -1
	}
	return *g.slot(id)
}

// add adds a state with its cuts. It takes the place of one with the same number. The list of the cuts is changed.
func (g *generation[C]) add(id uint32, inherits bool, cuts []int32) {
	if 4*(g.n+1) > 3*len(g.table) {
		g.table = make([]int32, max(2*len(g.table), 64))
		for i := range g.table {
			g.table[i] = -1
		}
		for i := range int32(g.n) {
			*g.slot(g.state(i).id) = i
		}
	}
	*g.slot(id) = int32(g.n)
	g.n++
	g.weight += 12 + 2*int64(sizeOf[C]())*int64(len(cuts))
	cuts = shorten(cuts)
	s := keptState{id: id, cuts: 2 * uint32(len(cuts))}
	if inherits {
		s.cuts++
	}
	var list []int32
	s.first, list = g.cuts.add(len(cuts))
	copy(list, cuts)
	_, place := g.states.add(1)
	place[0] = s
}

// shorten writes each run of three or more consecutive numbers, none negative, as the complement of its first and its
// length. The cuts that a state does not inherit are such a run, and its successors inherit most of them.
// It returns the start of the list, which it overwrites.
func shorten(list []int32) []int32 {
	short := list[:0]
	for i := 0; i < len(list); {
		first, n := list[i], 1
		for i+n < len(list) && list[i+n] == first+int32(n) {
			n++
		}
		if i += n; n >= 3 {
			short = append(short, ^first, int32(n))
			continue
		}
		for j := range int32(n) {
			short = append(short, first+j)
		}
	}
	return short
}

// lengthen appends to a list what shorten was given.
func lengthen(to, short []int32) []int32 {
	for i := 0; i < len(short); i++ {
		first := short[i]
		if first >= 0 {
			to = append(to, first)
			continue
		}
		i++
		for j := range short[i] {
			to = append(to, ^first+j)
		}
	}
	return to
}

// of returns the cuts of the state at a place, until a list is read or written again.
func (k *keptCuts[C]) of(g *generation[C], i int32) []int32 {
	s := g.state(i)
	if s.cuts < 2 {
		return nil // an empty list may be behind the last chunk
	}
	k.list = lengthen(k.list[:0], g.cuts.at(s.first)[:s.cuts/2])
	return k.list
}

// find returns the place of a state in the younger generation, to which it moves if it must,
// or -1.
func (k *keptCuts[C]) find(id uint32) int32 {
	if i := k.now.find(id); i >= 0 {
		return i
	}
	i := k.old.find(id)
	if i < 0 {
		return -1
	}
	cuts := k.of(&k.old, i)
	for j, cut := range cuts {
		cuts[j] = k.move(cut)
	}
	k.now.add(id, k.old.state(i).inherits(), cuts)
	return int32(k.now.n) - 1
}

// KeepWithin implements Incremental.
func (l *lmcut[C]) KeepWithin(bytes int64) { l.kept.room = min(bytes, maxKept) / 2 }

// BeginFrom implements Incremental.
func (l *lmcut[C]) BeginFrom(values []int32, until int64, parent uint32, op grounder.OperatorID) (int64, bool) {
	l.reset()
	if i := l.kept.find(parent); i >= 0 {
		l.inherit(i, l.r.repr[op])
	}
	return l.start(values, until)
}

// inherit pays for the cuts of a kept state that are without an operator. The costs left
// are what they would be if these cuts had been found for the state at hand.
func (l *lmcut[C]) inherit(state, without int32) {
	for _, cut := range l.kept.of(&l.kept.now, state) {
		words := l.kept.words(cut)
		ops := l.kept.operatorsIn(words)
		l.work += int64(len(ops))
		if without >= 0 && slices.Contains(ops, without) {
			continue
		}
		cost := l.kept.costIn(words)
		l.inherited = append(l.inherited, cut)
		l.total += cost
		l.charge(ops, cost)
	}
}

// Keep implements Incremental.
func (l *lmcut[C]) Keep(id uint32) {
	k := &l.kept
	if i := k.find(id); i >= 0 && l.total < k.sum(i) {
		k.now.state(i).cuts &^= 1
		return
	}
	full := k.full()
	if full {
		k.turn()
	}
	if full {
		for i, cut := range l.inherited {
			l.inherited[i] = k.move(cut)
		}
	}
	k.list = append(k.list[:0], l.inherited...)
	from := int32(0)
	for _, cut := range l.found {
		k.list = append(k.list, k.store(l.foundOps[from:cut.end], cut.cost))
		from = cut.end
	}
	k.now.add(id, len(l.inherited) > 0, k.list)
	l.work += int64(len(l.inherited) + len(l.foundOps))
}

// sum is what the cuts of a state of the younger generation have paid.
func (k *keptCuts[C]) sum(state int32) (sum C) {
	for _, cut := range k.of(&k.now, state) {
		sum += k.cost(cut)
	}
	return sum
}

// Inherits implements Incremental.
func (l *lmcut[C]) Inherits(id uint32) bool {
	i := l.kept.find(id)
	return i >= 0 && l.kept.now.state(i).inherits()
}

// Recall implements Incremental.
func (l *lmcut[C]) Recall(id uint32) bool {
	i := l.kept.find(id)
	if i < 0 {
		return false
	}
	l.reset()
	l.inherit(i, -1)
	return true
}
