package space

import (
	"math"

	"github.com/planproof/planproof/search/state"
)

// dijkstra is Dijkstra's algorithm backwards from the goal states (breadth-first search where
// each transition counts 1). States of the least open distance are settled in batches,
// whose predecessors workers look up meanwhile.
//
// The open list takes 8 bytes an entry. A list that exceeds most entries is dropped: then
// the open states are found by scanning the distances for the level at hand, until they
// are few again.
type dijkstra[D uint32 | uint64] struct {
	e       *exhauster
	dist    []D
	measure measure
	far     uint64
	level   uint64       // of the states being settled
	done    state.Bitset // settled states
	tooFar  []uint32     // states that a path beyond far leads to

	open *state.OpenList // nil while scanning
	most int
	at   int // scanning: where to go on
}

func (w *dijkstra[D]) push(s uint32, d uint64) {
	switch {
	case w.open == nil:
	case w.open.Len() == w.most:
		w.open, w.at = nil, 0
	default:
		w.open.Push(state.StateID(s), int64(d), 0)
	}
}

const settleBatch = 512

func (w *dijkstra[D]) run(work func() func(*arrivals)) error {
	threads := w.e.threads
	if len(w.dist) < w.e.parallel {
		threads = 0
	}
	find := work()
	p := newPipeline(threads, work)
	defer p.close()
	for {
		// A batch is of one level, and the next level begins when this one has ended.
		for p.idle() && w.settle(p.fill(), p.empty()) {
			if b := p.fill(); threads > 0 && len(b.ids) >= w.e.batch {
				p.send()
			} else {
				find(b)
				if err := w.relax(b); err != nil {
					return err
				}
			}
		}
		if p.empty() {
			return w.ended()
		}
		if err := w.relax(p.take()); err != nil {
			return err
		}
	}
}

func (w *dijkstra[D]) ended() error {
	for _, s := range w.tooFar {
		if w.dist[s] == ^D(0) {
			return errTooFar
		}
	}
	return nil
}

// settle takes a batch of the present level, or of the next one if advance is true. It
// returns false when no state is left.
func (w *dijkstra[D]) settle(b *arrivals, advance bool) bool {
	b.ids = b.ids[:0]
	for {
		if w.open == nil {
			w.scan(b)
		} else {
			w.pop(b)
		}
		if len(b.ids) > 0 {
			return true
		}
		if !advance || !w.next() {
			return false
		}
	}
}

func (w *dijkstra[D]) pop(b *arrivals) {
	for w.open.Len() > 0 && len(b.ids) < settleBatch && w.open.Least() == int64(w.level) {
		id, _, _ := w.open.Pop()
		w.take(b, uint32(id))
	}
}

func (w *dijkstra[D]) take(b *arrivals, s uint32) {
	if uint64(w.dist[s]) == w.level && !w.done.Has(s) {
		w.done.Set(s)
		b.ids = append(b.ids, s)
	}
}

func (w *dijkstra[D]) scan(b *arrivals) {
	for ; w.at < len(w.dist) && len(b.ids) < settleBatch; w.at++ {
		if uint64(w.dist[w.at]) == w.level {
			w.take(b, uint32(w.at))
		}
	}
}

// next goes on to the next level, and back to a list once the open states are few. While
// scanning it is the same level again if transitions of cost 0 have led to more of its states.
func (w *dijkstra[D]) next() bool {
	if w.open != nil {
		if w.open.Len() == 0 {
			return false
		}
		w.level = uint64(w.open.Least())
		return true
	}
	open, least := 0, ^D(0)
	w.eachOpen(func(s uint32) {
		open++
		least = min(least, w.dist[s])
	})
	w.level, w.at = uint64(least), 0
	if open > 0 && open < w.most/4 {
		w.open = state.NewOpenList()
		w.eachOpen(func(s uint32) { w.open.Push(state.StateID(s), int64(w.dist[s]), 0) })
	}
	return open > 0
}

// eachOpen calls f with the states that have a distance and are not settled.
func (w *dijkstra[D]) eachOpen(f func(uint32)) {
	for i, settled := range w.done {
		if settled == math.MaxUint64 {
			continue
		}
		for s := i * 64; s < min(i*64+64, len(w.dist)); s++ {
			if w.dist[s] != ^D(0) && settled>>(s&63)&1 == 0 {
				f(uint32(s))
			}
		}
	}
}

// relax lowers the distances of the states before a settled batch.
func (w *dijkstra[D]) relax(b *arrivals) error {
	if b.err != nil {
		return b.err
	}
	if err := w.e.check(0); err != nil {
		return err
	}
	at := int32(0)
	for i, end := range b.end {
		d := uint64(w.dist[b.ids[i]])
		for ; at < end; at++ {
			s := b.from[at]
			step := uint64(1)
			switch w.measure {
			case byCost:
				step = uint64(b.cost[at])
			case byTightSteps:
				if w.e.tab.costOf(state.StateID(s))-w.e.tab.costOf(state.StateID(b.ids[i])) != b.cost[at] {
					continue
				}
			}
			v := d + step
			if v >= w.far {
				if w.far < math.MaxInt64 {
					return errTooFar
				}
				w.tooFar = append(w.tooFar, s)
			} else if v < uint64(w.dist[s]) {
				w.dist[s] = D(v)
				w.push(s, v)
			}
		}
	}
	return nil
}
