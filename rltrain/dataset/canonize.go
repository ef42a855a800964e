package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/pddl"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// canonizer searches for the canonical numbering of a task's objects: of all numberings
// that individualisation and refinement lead to, the one with the least sequence of traces
// and then the least certificate.
type canonizer struct {
	*relations
	domain [32]byte
	budget int64 // work left

	relHash []uint64
	acc     []uint64
	order   []int32

	trace, bestTrace []uint64
	path, bestPath   []int32
	best             [32]byte
	bestLabel        []int32
	automorphisms    [][]int32
}

// maxAutomorphisms bounds those that are kept to prune by. The others are used once.
const maxAutomorphisms = 256

func (c *canonizer) run() Structure {
	c.relHash = make([]uint64, len(c.relNames))
	for i, n := range c.relNames {
		c.relHash[i] = hash64(n)
	}
	c.acc, c.order = make([]uint64, c.n), make([]int32, c.n)
	colour := make([]int32, c.n)
	root := c.byType(colour)
	budget := c.budget
	c.budget = math.MaxInt64 // the coarse form does not depend on it
	root = mix(root, c.refine(colour, coarseRounds))
	s := Structure{Coarse: c.coarse(root)}
	c.budget = budget
	c.refine(colour, c.n)
	if c.budget >= 0 && c.n > 0 {
		c.search(colour)
	}
	switch {
	case c.n == 0:
		s.Hash, s.Exact = c.certificate(c.domain, nil), true
	case c.budget >= 0:
		s.Hash, s.Exact = c.best, true
	default:
		s.Hash = c.named()
	}
	return s
}

// coarse hashes what refinement alone tells.
func (c *canonizer) coarse(root uint64) [32]byte {
	b := append([]byte("coarse"), c.domain[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.n))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(c.rel)))
	for _, n := range c.relNames {
		b = append(append(b, n...), 0)
	}
	return sha256.Sum256(binary.LittleEndian.AppendUint64(b, root))
}

// named is the hash of a task whose canonical form was not found: of its form with the
// objects numbered by their names.
func (c *canonizer) named() [32]byte {
	for i := range c.order {
		c.order[i] = int32(i)
	}
	slices.SortFunc(c.order, func(a, b int32) int { return strings.Compare(c.names[a], c.names[b]) })
	label := make([]int32, c.n)
	for l, o := range c.order {
		label[o] = int32(l)
	}
	sum := c.certificate(c.domain, label)
	return sha256.Sum256(append([]byte("by name"), sum[:]...))
}

// byType gives objects colours by type. A colour is the number of objects of lesser ones.
func (c *canonizer) byType(colour []int32) uint64 {
	for i := range c.order {
		c.order[i] = int32(i)
	}
	slices.SortFunc(c.order, func(a, b int32) int { return strings.Compare(c.types[a], c.types[b]) })
	trace := uint64(0)
	for i, o := range c.order {
		colour[o] = int32(i)
		if i > 0 && c.types[o] == c.types[c.order[i-1]] {
			colour[o] = colour[c.order[i-1]]
		}
		trace = mix(trace, hash64(c.types[o]))
	}
	return trace
}

// refine splits colours by what they see of each other until nothing changes or the rounds
// are over, and returns a hash of all that was seen, equal for all renamed forms.
func (c *canonizer) refine(colour []int32, rounds int) (trace uint64) {
	cells := countCells(colour, c.acc)
	for range rounds {
		c.see(colour)
		for i := range c.order {
			c.order[i] = int32(i)
		}
		slices.SortFunc(c.order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(colour[a], colour[b]), cmp.Compare(c.acc[a], c.acc[b]))
		})
		n, start := 0, int32(0)
		prev := int32(-1)
		for i, o := range c.order {
			was := colour[o]
			if i == 0 || was != prev || c.acc[o] != c.acc[c.order[i-1]] {
				n++
				start = int32(i)
			}
			prev = was
			trace = mix(mix(trace, uint64(was)), c.acc[o])
			colour[o] = start
		}
		if c.budget -= int64(len(c.args) + len(c.rel) + 4*c.n); n == cells || c.budget < 0 {
			break
		}
		cells = n
	}
	return trace
}

// coarseRounds is how often colours are refined for Structure.Coarse at most.
const coarseRounds = 64

func countCells(colour []int32, scratch []uint64) int {
	clear(scratch)
	n := 0
	for _, x := range colour {
		if scratch[x] == 0 {
			scratch[x] = 1
			n++
		}
	}
	return n
}

// see sums up in acc, for every object, the colours around it.
func (c *canonizer) see(colour []int32) {
	clear(c.acc)
	for t := range c.rel {
		args := c.tupleArgs(int32(t))
		h := c.relHash[c.rel[t]]
		for _, o := range args {
			h = mix(h, uint64(colour[o]))
		}
		for i, o := range args {
			c.acc[o] += mix(h, uint64(i)) // a sum does not depend on the order
		}
	}
	for i := range c.formulas {
		c.seeFormula(&c.formulas[i], colour)
	}
}

// seeFormula adds, for each object in a formula, the text of the formula with colours for
// objects and a mark for the object itself, which is all that there is to see.
func (c *canonizer) seeFormula(f *topFormula, colour []int32) {
	first := len(f.prob.Domain.Constants)
	text := func(self int32) uint64 {
		return hash64(f.text(func(o pddl.ObjectID) string {
			own := int32(int(o) - first)
			switch {
			case own < 0:
				return "c:" + strings.ToLower(f.prob.Objects[o].Name)
			case own == self:
				return "*"
			}
			return "#" + itoa(colour[own])
		}))
	}
	inside := map[int32]bool{}
	size := len(f.text(func(o pddl.ObjectID) string {
		if int(o) >= first {
			inside[int32(int(o)-first)] = true
		}
		return "x"
	}))
	c.budget -= int64(len(inside)+1) * int64(size) / 4
	for o := range inside {
		c.acc[o] += text(o)
	}
}

// search explores the node of the search tree whose refined colours are given, and returns the length of the path of
// the node to go on at: that of the caller, or less where an automorphism has shown that
// the rest is like something explored before.
func (c *canonizer) search(colour []int32) int {
	level := len(c.path)
	if c.budget < 0 {
		return -1
	}
	cell := c.targetCell(colour)
	if cell == nil {
		return c.leaf(colour)
	}
	reps := c.representatives(cell)
	for i, v := range reps {
		if i > 0 && c.explored(reps[:i], v) {
			continue
		}
		child := slices.Clone(colour)
		for _, o := range cell {
			if o != v {
				child[o]++
			}
		}
		t := c.refine(child, c.n)
		if c.budget < 0 {
			return -1
		}
		c.trace = append(c.trace[:level], t)
		if c.bestLabel != nil && slices.Compare(c.trace, c.bestTrace[:min(len(c.bestTrace), level+1)]) > 0 {
			continue
		}
		c.path = append(c.path[:level], v)
		back := c.search(child)
		c.path = c.path[:level]
		c.trace = c.trace[:level]
		if back < level {
			return back
		}
	}
	return level - 1
}

// targetCell returns the objects of the smallest colour class of several, the first of
// those; nil if all objects differ.
func (c *canonizer) targetCell(colour []int32) []int32 {
	count := make([]int32, c.n)
	for _, x := range colour {
		count[x]++
	}
	best := int32(-1)
	for x, n := range count {
		if n > 1 && (best < 0 || n < count[best]) {
			best = int32(x)
		}
	}
	if best < 0 {
		return nil
	}
	cell := make([]int32, 0, count[best])
	for o, x := range colour {
		if x == best {
			cell = append(cell, int32(o))
		}
	}
	return cell
}

// representatives keeps one of each class of objects that can be swapped.
func (c *canonizer) representatives(cell []int32) []int32 {
	var reps []int32
next:
	for _, o := range cell {
		for _, r := range reps {
			c.budget -= int64(len(c.of[o])) + 1
			if c.twins(r, o) {
				continue next
			}
		}
		reps = append(reps, o)
	}
	return reps
}

// explored reports whether an automorphism that fixes the path leads from one of the objects
// to v. It looks at the orbits of the group that the known automorphisms generate.
func (c *canonizer) explored(done []int32, v int32) bool {
	parent := make([]int32, c.n)
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(x int32) int32 {
		for parent[x] != x {
			parent[x] = parent[parent[x]]
			x = parent[x]
		}
		return x
	}
next:
	for _, a := range c.automorphisms {
		for _, o := range c.path {
			if a[o] != o {
				continue next
			}
		}
		c.budget -= int64(c.n) / 4
		for x, y := range a {
			parent[find(int32(x))] = find(y)
		}
	}
	for _, o := range done {
		if find(o) == find(v) {
			return true
		}
	}
	return false
}

// leaf compares a numbering with the best.
func (c *canonizer) leaf(label []int32) int {
	level := len(c.path)
	c.budget -= 4 * int64(len(c.args)+len(c.rel))
	cert := c.certificate(c.domain, label)
	order := -1
	if c.bestLabel != nil {
		if order = slices.Compare(c.trace, c.bestTrace); order == 0 {
			order = slices.Compare(cert[:], c.best[:])
		}
	}
	switch {
	case order < 0:
		c.best, c.bestLabel = cert, slices.Clone(label)
		c.bestTrace, c.bestPath = slices.Clone(c.trace), slices.Clone(c.path)
	case order == 0:
		object := make([]int32, c.n) // by number, of this leaf
		for o, l := range label {
			object[l] = int32(o)
		}
		a := make([]int32, c.n)
		for o, l := range c.bestLabel {
			a[o] = object[l]
		}
		if len(c.automorphisms) < maxAutomorphisms {
			c.automorphisms = append(c.automorphisms, a)
		}
		// Where the paths part, the best one went through a subtree like this one.
		for i := range c.path {
			if c.path[i] != c.bestPath[i] {
				return i
			}
		}
	}
	return level - 1
}

// mix is a step of a hash (the finaliser of splitmix64).
func mix(h, x uint64) uint64 {
	h = h*0x9e3779b97f4a7c15 + x + 0x632be59bd9b4e019
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

func hash64(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.LittleEndian.Uint64(sum[:])
}
