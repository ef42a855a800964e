package domains

import (
	"math/big"
	"slices"
	"testing"
)

// Pairs have the numbers of BlocksworldPair.
func TestBlocksworldPairs(t *testing.T) {
	for _, n := range []int{2, 3, 4, 6, 10} {
		b := NewBlocksworldPairs(n)
		if want := BlocksworldTasks(n); int64(b.Len) != want.Int64() {
			t.Fatalf("%d blocks: %d pairs, want %s", n, b.Len, want)
		}
		for k := 1; k <= b.Len; k += 1 + b.Len/200 {
			i, j := b.At(k)
			init, goal := BlocksworldPair(n, big.NewInt(int64(k)))
			if !slices.Equal(init, BlocksworldState(n, big.NewInt(int64(i)))) || !slices.Equal(goal, BlocksworldState(n, big.NewInt(int64(j)))) {
				t.Errorf("%d blocks, pair %d: states %d and %d, want %v and %v", n, k, i, j, init, goal)
			}
		}
	}
}
