package domains

import (
	"fmt"
	"math/big"
)

// maxPairBlocks is the largest number of blocks whose pairs BlocksworldPairs numbers: the
// pairs of ten blocks need 52 bits.
const maxPairBlocks = 10

// BlocksworldPairs numbers the pairs of distinct hand-empty states of n blocks as
// [BlocksworldPair] does, by the numbers of the states ([BlocksworldState]), without
// making the states, for loops over many of them.
type BlocksworldPairs struct {
	// States is the number of states, Len the number of pairs.
	States, Len int

	mask, constant uint64
	shift          uint
}

// NewBlocksworldPairs returns the pairs of n blocks. It panics beyond ten blocks.
func NewBlocksworldPairs(n int) *BlocksworldPairs {
	if n < 1 || n > maxPairBlocks {
		panic(fmt.Sprintf("domains: the pairs of %d blocks are not numbered", n))
	}
	m := newPairPermutation(BlocksworldStates(n))
	low := new(big.Int).And(pairConstant, m.mask)
	return &BlocksworldPairs{
		States: int(m.others.Int64()) + 1, Len: int(m.pairs.Int64()),
		mask: m.mask.Uint64(), constant: low.Uint64(), shift: m.shift,
	}
}

// At returns the numbers of the initial state and of the goal of task k, 1 <= k <= Len.
func (b *BlocksworldPairs) At(k int) (init, goal int) {
	if k < 1 || k > b.Len {
		panic(fmt.Sprintf("domains: pair %d of %d does not exist", k, b.Len))
	}
	x := uint64(k - 1)
	for {
		for range 3 {
			x = (x + b.constant) & b.mask
			x ^= x >> b.shift
			x = x * b.constant & b.mask
		}
		x ^= x >> b.shift
		if x < uint64(b.Len) {
			break
		}
	}
	init, goal = int(x)/(b.States-1), int(x)%(b.States-1)
	if goal >= init {
		goal++
	}
	return init, goal
}
