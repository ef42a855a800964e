package heuristic

import (
	"math"
	"slices"
	"testing"
)

// TestRuns: runs of any length stay as they are while others are added, whatever was there before.
func TestRuns(t *testing.T) {
	r := runs[uint16]{shift: 3}
	for round := range 3 {
		var places []int32
		lengths := []int{3, 5, 0, 1, 8, 0, 20, 1, 0, 8, 7, 2, 9, 9, 1 + round}
		for i, n := range lengths {
			place, run := r.add(n)
			if len(run) != n || cap(run) != n {
				t.Fatalf("run %d has %d elements, room for %d, want %d", i, len(run), cap(run), n)
			}
			for j := range run {
				run[j] = uint16(100*i + j)
			}
			places = append(places, place)
		}
		held := 0
		for _, c := range r.chunks {
			held += len(c)
		}
		if held != r.held {
			t.Errorf("%d elements are held, %d counted", held, r.held)
		}
		for i, n := range lengths {
			for j := range n {
				if got := r.at(places[i])[j]; got != uint16(100*i+j) {
					t.Fatalf("element %d of run %d is %d", j, i, got)
				}
			}
		}
		r.clear()
		if slices.ContainsFunc(r.chunks, func(c []uint16) bool { return len(c) > 8 }) {
			t.Error("a chunk of another size is kept")
		}
	}
}

// TestStoredCuts: cuts come back as they were stored, with operators of 16 and of 32 bits, and costs of 32 and of 64.
func TestStoredCuts(t *testing.T) {
	storedCuts(t, false, []int32{0, 1, 1<<16 - 1}, int32(math.MaxInt32))
	storedCuts(t, true, []int32{0, 1 << 16, math.MaxInt32}, int32(math.MaxInt32))
	storedCuts(t, false, []int32{0, 1, 1<<16 - 1}, int64(math.MaxInt64))
	storedCuts(t, true, []int32{0, 1 << 16, math.MaxInt32}, int64(math.MaxInt64))
}

func storedCuts[C int32 | int64](t *testing.T, wide bool, ops []int32, most C) {
	k := keptCuts[C]{wide: wide, now: newGeneration[C](), old: newGeneration[C]()}
	long := slices.Repeat(ops, 20_000) // more than a chunk
	cuts := []foundCut[C]{{int32(len(ops)), most}, {1, 1}, {int32(len(long)), most - 1<<16}, {2, 0}}
	var list []int32
	for _, cut := range cuts {
		list = append(list, k.store(long[:cut.end], cut.cost))
	}
	k.now.add(7, true, list)
	k.now.add(8, false, nil)
	check := func(what string) {
		t.Helper()
		at := k.find(7)
		if at < 0 || !k.now.state(at).inherits() || len(k.of(&k.now, at)) != len(cuts) {
			t.Fatalf("%s, wide %v: state 7 is at %d", what, wide, at)
		}
		for i, cut := range k.of(&k.now, at) {
			if got := k.operators(cut); !slices.Equal(got, long[:cuts[i].end]) || k.cost(cut) != cuts[i].cost {
				t.Errorf("%s, wide %v: cut %d has %d operators and cost %d", what, wide, i, len(got), k.cost(cut))
			}
		}
		if empty := k.find(8); empty < 0 || k.now.state(empty).inherits() || len(k.of(&k.now, empty)) != 0 {
			t.Errorf("%s, wide %v: state 8 is at %d", what, wide, empty)
		}
	}
	check("stored")
	weight := k.now.weight
	k.turn()
	for i := range 1000 { // what is in front of them now
		k.now.add(uint32(100+i), false, []int32{k.store(ops, 1)})
	}
	before := k.now.weight
	check("moved")
	if now := k.now.weight - before; now != weight {
		t.Errorf("wide %v: states that weigh %d weigh %d once they have moved", wide, weight, now)
	}
	for i := range k.old.n {
		for _, cut := range k.of(&k.old, int32(i)) {
			if to := k.move(cut); k.cost(to) < 0 || k.move(cut) != to {
				t.Errorf("wide %v: a cut moves twice", wide)
			}
		}
	}
}

// TestSharedCuts: cuts with the same operators and cost have their words once, whether they were found or moved, and
// weigh as much as others do.
func TestSharedCuts(t *testing.T) {
	k := keptCuts[int32]{now: newGeneration[int32](), old: newGeneration[int32]()}
	words := func() int { return (k.now.words.used-1)<<k.now.words.shift + k.now.words.n }
	var cuts []int32
	k.store([]int32{9, 9, 9}, 9)
	for range 3 {
		cuts = append(cuts, k.store([]int32{1, 2, 3}, 5))
	}
	if got, want := words(), 2*k.length(3); got != want {
		t.Errorf("%d words, want %d", got, want)
	}
	if want := int64(4 * (4 + 4*3)); k.now.weight != want {
		t.Errorf("weight %d, want %d", k.now.weight, want)
	}
	others := [][]int32{{1, 2, 4}, {1, 3, 2}, {1, 2}, {1, 2, 3, 4}, {2, 3}}
	for i, ops := range append(others, []int32{1, 2, 3}) {
		cut := k.store(ops, int32(6+i))
		if !slices.Equal(k.operators(cut), ops) || k.cost(cut) != int32(6+i) {
			t.Errorf("cut %v comes back as %v", ops, k.operators(cut))
		}
	}
	k.turn()
	found := k.store([]int32{1, 2, 3}, 5)
	for _, cut := range cuts {
		if to := k.move(cut); to == found || k.cost(to) != 5 || !slices.Equal(k.operators(to), []int32{1, 2, 3}) {
			t.Errorf("cut %d moves to %d", cut, to)
		}
	}
	if got, want := words(), k.length(3); got != want {
		t.Errorf("%d words after moving, want %d", got, want)
	}
	// More cuts than are found again, so that cuts take each other's place.
	cuts = cuts[:0]
	for i := range int32(3 * recentCuts) {
		cuts = append(cuts, k.store([]int32{i, i >> 4}, i))
	}
	for i, cut := range cuts {
		if got := k.operators(cut); got[0] != int32(i) || got[1] != int32(i)>>4 || k.cost(cut) != int32(i) {
			t.Fatalf("cut %d comes back as %v", i, got)
		}
	}
}
