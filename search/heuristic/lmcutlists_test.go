package heuristic

import (
	"slices"
	"testing"
)

// TestKeptListsAreShortened checks that lists of cuts are read as they were written, and that runs take two words.
func TestKeptListsAreShortened(t *testing.T) {
	for _, c := range []struct {
		list  []int32
		words int
	}{
		{nil, 0},
		{[]int32{0}, 1},
		{[]int32{0, 1}, 2},
		{[]int32{0, 1, 2}, 2},
		{[]int32{7, 0, 1, 2, 3, 9, 10}, 5},
		{[]int32{5, 4, 3}, 3},
		{[]int32{4, 4, 5, 6, 8, 9, 10, 11}, 5},
		{[]int32{1<<31 - 3, 1<<31 - 2, 1<<31 - 1}, 2},
	} {
		short := shorten(slices.Clone(c.list))
		if got := lengthen(nil, short); !slices.Equal(got, c.list) || len(short) != c.words {
			t.Errorf("%v is kept as %v, read as %v", c.list, short, got)
		}
	}
}
