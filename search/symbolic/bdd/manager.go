package bdd

import (
	"errors"

	"github.com/planproof/planproof/internal/hugepages"
)

// Node is a diagram: the id of its root. Diagrams of one Manager are equal exactly if their
// Nodes are.
type Node uint32

// The constant diagrams.
const (
	False Node = 0
	True  Node = 1
)

// ErrFull is what an operation panics with if its nodes do not fit into the limit on bytes.
var ErrFull = errors.New("the decision diagrams do not fit into memory")

// MaxBits bounds the bits of a state: levels are numbers of 31 bits, but a path through a
// diagram is recursed over.
const MaxBits = 1 << 15

const (
	terminal  = 1<<31 - 2 // level of the constants, below all others; even
	freeLevel = 1<<31 - 1 // level of nodes that are not in use
	marked    = 1 << 31   // set in the level of a node while Collect or Size runs
	// maxNodes leaves the three upper bits of an operand in the cache for the operation.
	maxNodes = 1 << 29

	nodeBytes  = 16
	entryBytes = 16
	firstNodes = 1 << 12
	leastKept  = 1 << 16 // nodes for which Collect is not worth while
)

type node struct {
	lo, hi Node
	next   Node // of the chain in the unique table, or of the free nodes
	level  uint32
}

// entry of the cache: c holds the operation in its upper bits.
type entry struct{ a, b, c, result Node }

// Manager owns the nodes of diagrams. It is used by one goroutine at a time.
type Manager struct {
	nodes   []node
	buckets []Node // 0 ends a chain: the constants are in none
	shift   uint   // a hash, shifted right by shift, is the index of a bucket
	cache   []entry
	cshift  uint
	free    Node // first free node below len(nodes), or 0
	used    int  // nodes in use, those that nobody needs included

	maxBytes int64
	keep     int // Collect pays off when more than keep nodes are in use

	work   int64 // steps of operations
	tick   int64 // work at which ticker is called
	every  int64
	ticker func()
}

// New returns a manager that holds at most maxBytes (0 for no limit).
func New(maxBytes int64) *Manager {
	m := &Manager{maxBytes: maxBytes}
	m.OnTick(1<<62, nil)
	m.nodes = make([]node, 2, firstNodes)
	m.nodes[False] = node{level: terminal}
	m.nodes[True] = node{lo: True, hi: True, level: terminal}
	m.used = 2
	m.keep = leastKept
	m.resizeTables()
	return m
}

// OnTick has f called within operations after about every so many steps. It may panic to end
// the operation.
func (m *Manager) OnTick(every int64, f func()) {
	m.ticker, m.every, m.tick = f, every, m.work+every
}

// Work returns the number of steps so far. It is a function of the operations alone.
func (m *Manager) Work() int64 { return m.work }

// Bytes returns the memory held.
func (m *Manager) Bytes() int64 {
	return int64(cap(m.nodes))*nodeBytes + int64(len(m.buckets))*4 + int64(len(m.cache))*entryBytes
}

// Limit changes the bytes that the manager holds at most (0 for no limit).
func (m *Manager) Limit(maxBytes int64) { m.maxBytes = maxBytes }

// Used returns the number of nodes in use, those that nobody needs any more included.
func (m *Manager) Used() int { return m.used }

// tableBytes is the size of buckets and cache for n nodes.
func tableBytes(n int) int64 {
	b, c := tableSizes(n)
	return int64(b)*4 + int64(c)*entryBytes
}

// tableSizes are powers of two: a bucket for one to two nodes, a cache entry for one to two.
func tableSizes(n int) (buckets, entries int) {
	buckets = firstNodes / 2
	for buckets*2 <= n {
		buckets *= 2
	}
	return buckets, buckets
}

// resizeTables fits buckets and cache to the capacity for nodes.
func (m *Manager) resizeTables() {
	buckets, entries := tableSizes(cap(m.nodes))
	if buckets != len(m.buckets) {
		m.buckets = make([]Node, buckets)
		hugepages.Advise(m.buckets)
		m.shift = 64 - log2(buckets)
		m.rehash()
	}
	if entries != len(m.cache) {
		old := m.cache
		m.cache = make([]entry, entries)
		hugepages.Advise(m.cache)
		m.cshift = 64 - log2(entries)
		for _, e := range old {
			if e != (entry{}) {
				*m.slot(e.a, e.b, e.c) = e
			}
		}
	}
}

func log2(n int) (bits uint) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}

// rehash enters all nodes in use into the empty unique table.
func (m *Manager) rehash() {
	for i := 2; i < len(m.nodes); i++ {
		if n := &m.nodes[i]; n.level < freeLevel {
			h := m.bucket(n.level, n.lo, n.hi)
			n.next, m.buckets[h] = m.buckets[h], Node(i)
		}
	}
}

// Multipliers of the hashes: odd, with bits all over (from the digits of pi).
const (
	mix1 = 0x9e3779b97f4a7c15
	mix2 = 0xc2b2ae3d27d4eb4f
)

func (m *Manager) bucket(level uint32, lo, hi Node) uint64 {
	x := (uint64(lo)<<32 | uint64(hi)) * mix1
	return (x ^ x>>32 ^ uint64(level)) * mix2 >> m.shift
}

func (m *Manager) slot(a, b, c Node) *entry {
	x := (uint64(a)<<32 | uint64(b)) * mix1
	return &m.cache[(x^x>>32^uint64(c))*mix2>>m.cshift]
}

// mk returns the node with the given level and successors.
func (m *Manager) mk(level uint32, lo, hi Node) Node {
	if lo == hi {
		return lo
	}
	h := m.bucket(level, lo, hi)
	for i := m.buckets[h]; i != 0; {
		n := &m.nodes[i]
		if n.lo == lo && n.hi == hi && n.level == level {
			return i
		}
		i = n.next
	}
	return m.add(level, lo, hi, h)
}

// add makes a new node for bucket h.
func (m *Manager) add(level uint32, lo, hi Node, h uint64) Node {
	i := m.free
	switch {
	case i != 0:
		m.free = m.nodes[i].next
	case len(m.nodes) < cap(m.nodes):
		i = Node(len(m.nodes))
		m.nodes = m.nodes[:i+1]
	default:
		m.grow()
		h = m.bucket(level, lo, hi)
		i = Node(len(m.nodes))
		m.nodes = m.nodes[:i+1]
	}
	m.nodes[i] = node{lo: lo, hi: hi, next: m.buckets[h], level: level}
	m.buckets[h] = i
	m.used++
	return i
}

// grow makes room for up to twice the nodes, as far as they fit into the limit beside the
// old ones. It panics with ErrFull if that is not worthwhile.
func (m *Manager) grow() {
	old := cap(m.nodes)
	size := min(2*old, maxNodes)
	if m.maxBytes > 0 {
		for size > old+old/8 && int64(old+size)*nodeBytes+tableBytes(size) > m.maxBytes {
			size -= old / 8
		}
	}
	if size <= old+old/8 || m.maxBytes > 0 && int64(old+size)*nodeBytes+tableBytes(size) > m.maxBytes {
		panic(ErrFull)
	}
	grown := make([]node, len(m.nodes), size)
	hugepages.Advise(grown[:size])
	copy(grown, m.nodes)
	m.nodes = grown
	m.resizeTables()
}

// Worthwhile reports whether Collect is likely to free many nodes: as many are in use as
// were after the last time, and as many again.
func (m *Manager) Worthwhile() bool { return m.used > m.keep }

// Collect frees all nodes that the roots do not reach.
func (m *Manager) Collect(roots []Node) {
	for _, r := range roots {
		m.mark(r)
	}
	clear(m.buckets)
	m.free, m.used = 0, 2
	for i := len(m.nodes) - 1; i >= 2; i-- {
		n := &m.nodes[i]
		if n.level&marked == 0 {
			n.level, n.next, m.free = freeLevel, m.free, Node(i)
			continue
		}
		n.level &^= marked
		m.used++
		h := m.bucket(n.level, n.lo, n.hi)
		n.next, m.buckets[h] = m.buckets[h], Node(i)
	}
	for i := range m.cache {
		if e := &m.cache[i]; m.stale(e.a) || m.stale(e.b) || m.stale(e.c&^opMask) || m.stale(e.result) {
			*e = entry{}
		}
	}
	m.work += int64(len(m.nodes)+len(m.cache)) / 16
	m.keep = max(2*m.used, leastKept)
}

func (m *Manager) stale(n Node) bool { return m.nodes[n].level == freeLevel }

// mark marks what n reaches. The marks must be taken away again.
func (m *Manager) mark(n Node) (count int) {
	for m.nodes[n].level&marked == 0 && n > True {
		m.nodes[n].level |= marked
		count += 1 + m.mark(m.nodes[n].lo)
		n = m.nodes[n].hi
	}
	return count
}

func (m *Manager) unmark(n Node) {
	for m.nodes[n].level&marked != 0 {
		m.nodes[n].level &^= marked
		m.unmark(m.nodes[n].lo)
		n = m.nodes[n].hi
	}
}

// Size returns the number of nodes of a diagram, without the constants.
func (m *Manager) Size(n Node) int {
	count := m.mark(n)
	m.unmark(n)
	m.work += int64(count) / 4
	return count
}
