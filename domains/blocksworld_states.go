package domains

import (
	"fmt"
	"math/big"
)

// MaxBlocks is the largest number of blocks of a bundled blocksworld task.
const MaxBlocks = 100

// Table marks a block that stands on no other block.
const Table = -1

// Blocks is a hand-empty blocksworld state: Blocks[i] is the block under block i,
// or Table.
type Blocks []int

// A state is a sequence of choices: what is under block 0, under block 1, and so on.
// States are ordered lexicographically by these choices, Table before block 0 before
// block 1. Ranking and unranking in that order needs the number of ways to complete a
// state in which only some blocks have been placed. The blocks form chains; a chain
// whose lowest block is not placed yet floats, the others stand. The number of ways only
// depends on two counts:
//
//	ways(s, f) = ways(s+1, f-1) + (s+f-1) * ways(s, f-1)     ways(s, 0) = 1
//
// for s standing and f floating chains: the next floating chain goes on the table and
// then stands, or on top of any other chain and becomes part of it. An unplaced block is
// the bottom of exactly one floating chain, so f is the number of blocks yet to be placed,
// and ways(0, n) is the number of all states.
type blocksCounter struct {
	n    int
	ways [][]*big.Int // ways[s][f] for s+f <= n
}

func newBlocksCounter(n int) *blocksCounter {
	c := &blocksCounter{n: n, ways: make([][]*big.Int, n+1)}
	for s := range c.ways {
		c.ways[s] = make([]*big.Int, n+1-s)
		c.ways[s][0] = big.NewInt(1)
	}
	for f := 1; f <= n; f++ {
		for s := 0; s+f <= n; s++ {
			w := big.NewInt(int64(s + f - 1))
			w.Mul(w, c.ways[s][f-1])
			c.ways[s][f] = w.Add(w, c.ways[s+1][f-1])
		}
	}
	return c
}

// partial is a state under construction.
type partial struct {
	below    []int  // of the blocks placed so far
	covered  []bool // whether a block stands on this one
	top      []int  // for the lowest block of a chain: the chain's highest block
	standing int
}

func newPartial(n int) *partial {
	p := &partial{below: make([]int, 0, n), covered: make([]bool, n), top: make([]int, n)}
	for i := range p.top {
		p.top[i] = i
	}
	return p
}

// allowed reports whether the next block may stand on block u: u must be clear and must
// not be above the block itself.
func (p *partial) allowed(u int) bool {
	return !p.covered[u] && p.top[len(p.below)] != u
}

// place puts the next block on u (or Table).
func (p *partial) place(u int) {
	b := len(p.below)
	p.below = append(p.below, u)
	if u == Table {
		p.standing++
		return
	}
	p.covered[u] = true
	low := u // the lowest block of the chain that u is the top of
	for low < len(p.below) && p.below[low] != Table {
		low = p.below[low]
	}
	p.top[low] = p.top[b]
}

// after returns the number of completions once the next block has been put on
// the table, and once it has been put on some other block.
func (c *blocksCounter) after(p *partial) (table, block *big.Int) {
	f := c.n - len(p.below) - 1
	return c.ways[p.standing+1][f], c.ways[p.standing][f]
}

// BlocksworldStates returns the number of hand-empty states of n blocks.
func BlocksworldStates(n int) *big.Int {
	return new(big.Int).Set(newBlocksCounter(n).ways[0][n])
}

// BlocksworldState returns state number index, counted from 0, of n blocks. State
// 0 has every block on the table. It panics when index is out of range.
func BlocksworldState(n int, index *big.Int) Blocks {
	return newBlocksCounter(n).state(index)
}

func (c *blocksCounter) state(index *big.Int) Blocks {
	if index.Sign() < 0 || index.Cmp(c.ways[0][c.n]) >= 0 {
		panic(fmt.Sprintf("domains: state %s of %d blocks does not exist", index, c.n))
	}
	rest := new(big.Int).Set(index)
	p := newPartial(c.n)
	for len(p.below) < c.n {
		table, block := c.after(p)
		if rest.Cmp(table) < 0 {
			p.place(Table)
			continue
		}
		rest.Sub(rest, table)
		for u := 0; ; u++ {
			if !p.allowed(u) {
				continue
			}
			if rest.Cmp(block) < 0 {
				p.place(u)
				break
			}
			rest.Sub(rest, block)
		}
	}
	return p.below
}

// index returns the number of s, the inverse of state. It returns an error if s is not a
// state: two blocks on one, or blocks that stand on each other in a circle.
func (c *blocksCounter) index(s Blocks) (*big.Int, error) {
	index := new(big.Int)
	p := newPartial(c.n)
	for b, under := range s {
		table, block := c.after(p)
		if under != Table {
			if under < 0 || under >= c.n || !p.allowed(under) {
				return nil, fmt.Errorf("block %d cannot stand on block %d", b, under)
			}
			index.Add(index, table)
			for u := 0; u < under; u++ {
				if p.allowed(u) {
					index.Add(index, block)
				}
			}
		}
		p.place(under)
	}
	return index, nil
}

// BlocksworldTasks returns the number of ordered pairs of distinct hand-empty
// states of n blocks: the largest K of `blocksworld:n-K`.
func BlocksworldTasks(n int) *big.Int {
	s := BlocksworldStates(n)
	return s.Mul(s, new(big.Int).Sub(s, big.NewInt(1)))
}

// BlocksworldPair returns the initial state and the goal of task k of n blocks,
// for 1 <= k <= BlocksworldTasks(n); it panics outside that range.
//
// With S states, pair number p (0 <= p < S(S-1)) goes from state i = p div (S-1)
// to state j, where j = p mod (S-1), plus one if that is at least i. Neighbouring
// pairs differ by little, so k is first sent through a fixed permutation: let w be
// the number of bits of S(S-1)-1, h = max(1, w div 2), C the constant below, and
// repeat, from p = k-1, at least once and until p < S(S-1):
//
//	three times:  p = (p + C) mod 2^w;  p = p xor (p >> h);  p = p * C mod 2^w
//	then once:    p = p xor (p >> h)
//
// Each step is a bijection of w-bit numbers, and repeating while the result is too large
// makes it a bijection of the pairs. Small K are therefore as varied as a random sample,
// no pair occurs twice, and none is missing.
func BlocksworldPair(n int, k *big.Int) (init, goal Blocks) {
	c := newBlocksCounter(n)
	states := c.ways[0][n]
	perm := newPairPermutation(states)
	if k.Sign() <= 0 || k.Cmp(perm.pairs) > 0 {
		panic(fmt.Sprintf("domains: task %s of %d blocks does not exist", k, n))
	}
	p := perm.forward(new(big.Int).Sub(k, big.NewInt(1)))
	i, j := new(big.Int).QuoRem(p, perm.others, new(big.Int))
	if j.Cmp(i) >= 0 {
		j.Add(j, big.NewInt(1))
	}
	return c.state(i), c.state(j)
}

// BlocksworldNumber is the inverse of [BlocksworldPair]: the K of a pair of
// distinct states with the same number of blocks.
func BlocksworldNumber(init, goal Blocks) (*big.Int, error) {
	if len(init) != len(goal) {
		return nil, fmt.Errorf("%d and %d blocks", len(init), len(goal))
	}
	c := newBlocksCounter(len(init))
	i, err := c.index(init)
	if err != nil {
		return nil, err
	}
	j, err := c.index(goal)
	if err != nil {
		return nil, err
	}
	switch i.Cmp(j) {
	case 0:
		return nil, fmt.Errorf("initial state and goal are the same")
	case -1:
		j.Sub(j, big.NewInt(1))
	}
	perm := newPairPermutation(c.ways[0][c.n])
	p := perm.backward(i.Mul(i, perm.others).Add(i, j))
	return p.Add(p, big.NewInt(1)), nil
}

// pairConstant is C of [BlocksworldPair]: 2^128 divided by the golden ratio, made
// odd so that multiplication by it can be undone.
var pairConstant, _ = new(big.Int).SetString("9e3779b97f4a7c15f39cc0605cedc835", 16)

// pairPermutation is the permutation that [BlocksworldPair] describes.
type pairPermutation struct {
	pairs, others *big.Int // S(S-1) and S-1
	mask          *big.Int // 2^w - 1
	shift         uint     // h
	inverse       *big.Int // of C modulo 2^w
}

func newPairPermutation(states *big.Int) *pairPermutation {
	one := big.NewInt(1)
	others := new(big.Int).Sub(states, one)
	pairs := new(big.Int).Mul(states, others)
	bits := uint(new(big.Int).Sub(pairs, one).BitLen())
	power := new(big.Int).Lsh(one, bits)
	return &pairPermutation{
		pairs: pairs, others: others, mask: new(big.Int).Sub(power, one),
		shift: max(1, bits/2), inverse: new(big.Int).ModInverse(pairConstant, power),
	}
}

func (m *pairPermutation) forward(p *big.Int) *big.Int {
	x := new(big.Int).Set(p)
	for {
		for range 3 {
			x.Add(x, pairConstant).And(x, m.mask)
			x.Xor(x, new(big.Int).Rsh(x, m.shift))
			x.Mul(x, pairConstant).And(x, m.mask)
		}
		x.Xor(x, new(big.Int).Rsh(x, m.shift))
		if x.Cmp(m.pairs) < 0 {
			return x
		}
	}
}

func (m *pairPermutation) backward(p *big.Int) *big.Int {
	x := new(big.Int).Set(p)
	for {
		m.unshift(x)
		for range 3 {
			x.Mul(x, m.inverse).And(x, m.mask)
			m.unshift(x)
			x.Sub(x, pairConstant).And(x, m.mask)
		}
		if x.Cmp(m.pairs) < 0 {
			return x
		}
	}
}

// unshift undoes x = x xor (x >> shift).
func (m *pairPermutation) unshift(x *big.Int) {
	y := new(big.Int).Rsh(x, m.shift)
	for y.Sign() != 0 {
		x.Xor(x, y)
		y.Rsh(y, m.shift)
	}
}
