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
	room     int64 // bytes of a generation
	now, old generation[C]
}

// generation has the cuts of states that were kept one after the other.
type generation[C int32 | int64] struct {
	ops    []int32 // of each cut: their number, and they; -1-i at first once the cut has moved to i
	cuts   []cutRef[C]
	states []keptState
	table  []int32 // states by a hash of their number, -1 for none; its length is a power of two
}

// cutRef is a cut of a state, and what it has paid.
type cutRef[C int32 | int64] struct {
	at   int32
	cost C
}

// keptState is a state. Its cuts end where those of the next state begin.
type keptState struct {
	id       uint32
	first    int32
	inherits bool
}

func (g *generation[C]) bytes() int64 {
	return g.size(cap(g.ops), cap(g.cuts), cap(g.states))
}

func (g *generation[C]) size(ops, cuts, states int) int64 {
	return int64(ops)*4 + int64(cuts)*int64(sizeOf[C]())*2 + int64(states)*12 + int64(len(g.table))*4
}

// full reports whether the generation takes up its room.
func (k *keptCuts[C]) full() bool {
	return k.now.size(len(k.now.ops), len(k.now.cuts), len(k.now.states)) > k.room
}

// clear drops all states.
func (g *generation[C]) clear() {
	g.ops, g.cuts, g.states = g.ops[:0], g.cuts[:0], g.states[:0]
	for i := range g.table {
		g.table[i] = -1
	}
}

// slot is where the state with a number is in the table, or would be.
func (g *generation[C]) slot(id uint32) *int32 {
	mask := uint32(len(g.table) - 1)
	for i := id * 2654435769 >> 7 & mask; ; i = (i + 1) & mask {
		if s := g.table[i]; s < 0 || g.states[s].id == id {
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

// add adds a state without cuts, which takes the place of one with the same number.
func (g *generation[C]) add(id uint32, inherits bool) {
	if 4*(len(g.states)+1) > 3*len(g.table) {
		g.table = make([]int32, max(2*len(g.table), 64))
		for i := range g.table {
			g.table[i] = -1
		}
		for i := range g.states {
			*g.slot(g.states[i].id) = int32(i)
		}
	}
	*g.slot(id) = int32(len(g.states))
	g.states = append(g.states, keptState{id: id, first: int32(len(g.cuts)), inherits: inherits})
}

// of returns the cuts of the state at a place.
func (g *generation[C]) of(i int32) []cutRef[C] {
	if int(i)+1 < len(g.states) {
		return g.cuts[g.states[i].first:g.states[i+1].first]
	}
	return g.cuts[g.states[i].first:]
}

// operators are those of a cut.
func (g *generation[C]) operators(cut cutRef[C]) []int32 {
	return g.ops[cut.at+1 : cut.at+1+g.ops[cut.at]]
}

// store stores a cut.
func (g *generation[C]) store(ops []int32, cost C) cutRef[C] {
	at := int32(len(g.ops))
	g.ops = append(append(g.ops, int32(len(ops))), ops...)
	return cutRef[C]{at, cost}
}

// move moves a cut of the older generation to the younger.
func (k *keptCuts[C]) move(cut cutRef[C]) cutRef[C] {
	if to := k.old.ops[cut.at]; to < 0 {
		return cutRef[C]{-1 - to, cut.cost}
	}
	moved := k.now.store(k.old.operators(cut), cut.cost)
	k.old.ops[cut.at] = -1 - moved.at
	return moved
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
	k.now.add(id, k.old.states[i].inherits)
	for _, cut := range k.old.of(i) {
		k.now.cuts = append(k.now.cuts, k.move(cut))
	}
	return int32(len(k.now.states)) - 1
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
	for _, cut := range l.kept.now.of(state) {
		ops := l.kept.now.operators(cut)
		l.work += int64(len(ops))
		if without >= 0 && slices.Contains(ops, without) {
			continue
		}
		l.inherited = append(l.inherited, cut)
		l.total += cut.cost
		l.charge(ops, cut.cost)
	}
}

// Keep implements Incremental.
func (l *lmcut[C]) Keep(id uint32) {
	k := &l.kept
	if i := k.find(id); i >= 0 && l.total < sumCosts(k.now.of(i)) {
		k.now.states[i].inherits = false
		return
	}
	full := k.full()
	if full {
		k.now, k.old = k.old, k.now
		k.now.clear()
	}
	k.now.add(id, len(l.inherited) > 0)
	for i, cut := range l.inherited {
		if full {
			cut = k.move(cut)
			l.inherited[i] = cut
		}
		k.now.cuts = append(k.now.cuts, cut)
	}
	from := int32(0)
	for _, cut := range l.found {
		k.now.cuts = append(k.now.cuts, k.now.store(l.foundOps[from:cut.at], cut.cost))
		from = cut.at
	}
	l.work += int64(len(l.inherited) + len(l.foundOps))
}

func sumCosts[C int32 | int64](cuts []cutRef[C]) (sum C) {
	for _, cut := range cuts {
		sum += cut.cost
	}
	return sum
}

// Inherits implements Incremental.
func (l *lmcut[C]) Inherits(id uint32) bool {
	i := l.kept.find(id)
	return i >= 0 && l.kept.now.states[i].inherits
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
