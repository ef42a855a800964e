package symmetry

import (
	"slices"
)

// finder looks for generators. It individualises one vertex after the other until the partition says which
// fact is which; this path is the base. From its end on, it tries for each vertex that might stand in for that of the
// base whether a symmetry maps one to the other: two partitions are refined at the same time, one from each, until the
// cells that still have several vertices have the same ones in both (as saucy does; Darga et al., DAC 2008).
// A generator found fixes the base before it, so what it connects need not be tried again.
type finder struct {
	*refiner
	limit       int64 // of work
	stop        func() bool
	ask         int64 // work at which stop is asked next
	ended       bool  // stop has reported that time is up
	left, right *partition
	levels      []level
	orbits      []int32 // a forest over vertices: connected by generators found
	first       trace
	second      trace
	failures    int                      // that are left for one attempt
	accept      func(pairs []pair) int64 // verifies and takes a candidate: 0 if it is no symmetry, else its work
	spent       int64                    // by accept
}

// pair says that a symmetry maps a fact to another.
type pair struct{ from, to int32 }

// level is a step of the base.
type level struct {
	vertex, cell int32
	splits       int // before it
}

// maxFailures bounds the wrong turns of one attempt.
const maxFailures = 16

func newFinder(g *graph, limit int64) *finder {
	f := &finder{refiner: newRefiner(g), limit: limit, left: newPartition(g)}
	f.orbits = make([]int32, g.facts)
	for i := range f.orbits {
		f.orbits[i] = int32(i)
	}
	return f
}

// askEvery is the work between two questions whether to stop, about a millisecond.
const askEvery = 1 << 17

// over reports whether time or work is at its end.
func (f *finder) over() bool {
	if done := f.work + f.spent; done >= f.ask && f.stop != nil {
		f.ask = done + askEvery
		f.ended = f.ended || f.stop()
	}
	return f.ended || f.work+f.spent > f.limit
}

// run finds generators until all have been found or the work is done.
func (f *finder) run() {
	for c := 0; c < len(f.left.vertices); c += int(f.left.size[c]) {
		f.push(int32(c))
	}
	f.refine(f.left, &f.first, nil)
	f.right = f.left.clone()
	f.descend()
	for len(f.levels) > 0 && !f.over() {
		l := f.levels[len(f.levels)-1]
		f.levels = f.levels[:len(f.levels)-1]
		f.work += f.left.undo(l.splits) + f.right.undo(l.splits)
		f.attempts(l)
	}
}

// descend makes the base.
func (f *finder) descend() {
	for c := int32(0); c < f.g.facts && !f.over(); {
		n := f.left.size[c]
		if n == 1 {
			c++
			f.work++
			continue
		}
		f.work += int64(n)
		v := slices.Min(f.left.of(c))
		f.levels = append(f.levels, level{v, c, len(f.left.splits)})
		f.both(v, v)
	}
}

// both individualises a vertex of the left and one of the right partition, of the same cell, and refines both. It
// reports false if they are no longer alike.
func (f *finder) both(v, w int32) bool {
	f.first, f.second = f.first[:0], f.second[:0]
	f.push(f.left.single(v))
	f.refine(f.left, &f.first, nil)
	f.push(f.right.single(w))
	if f.first == nil {
		f.first = trace{}
	}
	return f.refine(f.right, &f.second, f.first)
}

// attempts looks for symmetries that map the vertex of a level to others of its cell.
func (f *finder) attempts(l level) {
	cell := slices.Clone(f.left.of(l.cell))
	slices.Sort(cell)
	f.work += int64(len(cell)) * 4
	failed := map[int32]bool{}
	for _, w := range cell {
		if f.over() {
			return
		}
		from, to := f.orbit(l.vertex), f.orbit(w)
		if from == to || failed[to] {
			continue
		}
		f.failures = maxFailures
		if !f.attempt(l.vertex, w) {
			failed[f.orbit(w)] = true
		}
	}
}

// attempt maps v to w and looks for a symmetry among those that do.
func (f *finder) attempt(v, w int32) bool {
	splits := len(f.left.splits)
	found := f.both(v, w) && f.extend(splits)
	f.work += f.left.undo(splits) + f.right.undo(len(f.left.splits))
	return found
}

// extend looks for a symmetry that maps the left partition to the right one, cell by cell. Before the given split they
// were the same.
func (f *finder) extend(splits int) bool {
	c, u := f.different(splits)
	if c < 0 {
		pairs := f.candidate(splits)
		work := f.accept(pairs)
		f.spent += max(work, int64(len(pairs)))
		return work > 0
	}
	for _, v := range f.images(c, u) {
		if f.failures <= 0 || f.over() {
			return false
		}
		before := len(f.left.splits)
		if f.both(u, v) && f.extend(splits) {
			return true
		}
		f.failures--
		f.work += f.left.undo(before) + f.right.undo(before)
	}
	return false
}

// changed lists the cells of facts that were split since, and their parts.
func (f *finder) changed(splits int) (cells []int32) {
	for _, s := range f.left.splits[splits:] {
		if s.cell < f.g.facts {
			cells = append(cells, s.cell, s.from)
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// different returns the first cell of several facts that differs between the partitions, and a fact that only the left
// one has there: -1 if there is none.
func (f *finder) different(splits int) (cell, fact int32) {
	for _, c := range f.changed(splits) {
		if f.left.size[c] == 1 {
			continue
		}
		f.work += int64(f.left.size[c])
		fact = -1
		for _, v := range f.left.of(c) {
			if f.right.cell[v] != c && (fact < 0 || v < fact) {
				fact = v
			}
		}
		if fact >= 0 {
			return c, fact
		}
	}
	return -1, -1
}

// images lists what a fact of a cell may be mapped to: first the fact that is mapped to it, so that the two are
// exchanged, then those that only the right partition has there.
func (f *finder) images(c, u int32) (list []int32) {
	for _, v := range f.right.of(c) {
		if f.left.cell[v] != c {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	if x := f.right.cell[u]; f.right.size[x] == 1 {
		if i := slices.Index(list, f.left.vertices[x]); i > 0 {
			list[0], list[i] = list[i], list[0]
		}
	}
	f.work += 4 * int64(len(list))
	return list
}

// candidate reads the mapping off: what has been singled out moves, and the rest stays.
func (f *finder) candidate(splits int) (pairs []pair) {
	for _, c := range f.changed(splits) {
		if v, w := f.left.vertices[c], f.right.vertices[c]; f.left.size[c] == 1 && v != w {
			pairs = append(pairs, pair{v, w})
		}
	}
	return pairs
}

// orbit returns the fact that stands for those connected with one.
func (f *finder) orbit(v int32) int32 {
	for f.orbits[v] != v {
		f.orbits[v] = f.orbits[f.orbits[v]]
		v = f.orbits[v]
	}
	return v
}

// join connects what a generator maps to each other.
func (f *finder) join(pairs []pair) {
	for _, p := range pairs {
		if a, b := f.orbit(p.from), f.orbit(p.to); a != b {
			f.orbits[max(a, b)] = min(a, b)
		}
	}
}
