package treebench

import (
	"slices"
	"testing"
)

// Every beginning of the order is spread evenly, so a longer run goes on from a shorter one.
func TestSpreadOrder(t *testing.T) {
	if got := spreadOrder(12); !slices.Equal(got, []int{0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11}) {
		t.Errorf("%v", got)
	}
	for n := range 70 {
		got := spreadOrder(n)
		slices.Sort(got)
		for i, v := range got {
			if i != v {
				t.Fatalf("%d: %v", n, got)
			}
		}
	}
	order := spreadOrder(1008)
	for _, count := range []int{48, 96} {
		got := slices.Sorted(slices.Values(order[:count]))
		for i, v := range got {
			if v != i*1008/count {
				t.Errorf("%d of 1008: %v", count, got)
				break
			}
		}
	}
}
