package heuristic

import (
	"testing"

	"pgregory.net/rapid"
)

// TestQueuePopsInOrder pushes keys that never fall below the last one popped, in all
// forms: buckets, heap, and buckets that turn into a heap.
func TestQueuePopsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := queue[int32]{heap: rapid.Bool().Draw(t, "heap")}
		for round := 0; round < 3; round++ {
			q.clear()
			step := rapid.SampledFrom([]int32{3, 1000, maxBucketKey}).Draw(t, "step")
			held := map[int32]int{}
			n, last := 0, int32(0)
			for i := 0; i < 60; i++ {
				if n > 0 && rapid.IntRange(0, 1).Draw(t, "pop") == 0 {
					_, key := q.pop()
					for k := range held {
						if k < key {
							t.Fatalf("popped %d before %d", key, k)
						}
					}
					if held[key] == 0 {
						t.Fatalf("popped %d, which is not there", key)
					}
					if held[key]--; held[key] == 0 {
						delete(held, key)
					}
					n--
					last = key
				} else {
					key := last + rapid.Int32Range(0, step).Draw(t, "key")
					if key > 1<<29 {
						continue
					}
					q.push(int32(i), key)
					held[key]++
					n++
				}
				if q.n != n {
					t.Fatalf("%d entries, want %d", q.n, n)
				}
			}
		}
	})
}

// TestQueueTurnsIntoAHeap has a key far beyond the array of buckets.
func TestQueueTurnsIntoAHeap(t *testing.T) {
	var q queue[int32]
	q.push(1, 5)
	q.push(2, 1<<29)
	q.push(3, 7)
	for _, want := range []int32{1, 3, 2} {
		if p, _ := q.pop(); p != want {
			t.Errorf("popped %d, want %d", p, want)
		}
	}
	if !q.heap || q.bytes() > 1<<10 {
		t.Errorf("heap %v, %d bytes", q.heap, q.bytes())
	}
}
