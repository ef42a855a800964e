package state

import (
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// TestOpenListOrder compares with a sorted list: by f, h, then last in first out.
func TestOpenListOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type item struct {
			f, h int64
			id   StateID
			time int
		}
		var model []item
		o := NewOpenList()
		top := rapid.SampledFrom([]int64{2, 10, 1 << 60}).Draw(t, "range")
		for i, n := 0, rapid.IntRange(1, 300).Draw(t, "operations"); i < n; i++ {
			if len(model) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				sort.Slice(model, func(a, b int) bool {
					x, y := model[a], model[b]
					if x.f != y.f {
						return x.f < y.f
					}
					if x.h != y.h {
						return x.h < y.h
					}
					return x.time > y.time
				})
				id, f, h := o.Pop()
				if want := model[0]; id != want.id || f != want.f || h != want.h {
					t.Fatalf("pop gives %d (%d, %d), want %+v", id, f, h, want)
				}
				model = model[1:]
			} else {
				x := item{rapid.Int64Range(0, top).Draw(t, "f"), rapid.Int64Range(0, top).Draw(t, "h"), StateID(i), i}
				o.Push(x.id, x.f, x.h)
				model = append(model, x)
			}
			if o.Len() != len(model) {
				t.Fatalf("Len %d, want %d", o.Len(), len(model))
			}
		}
	})
}
