package state

// OpenList is a priority queue of states keyed by (f, h): least f first, then least h,
// then last in first out. States of equal key form a stack, a list of blocks of a pool; a
// binary heap orders the non-empty stacks and a hash table finds a stack by its key.
// Searches use few distinct keys, so that push and pop are constant time; with costs so
// varied that every state has its own key it degrades to a binary heap.
type OpenList struct {
	stacks []stack
	heap   []int32 // non-empty stacks, by key
	index  []int32 // open addressing: stack+1 by key
	last   int32   // stack pushed to last, tried before the index
	pool   [][]openBlock
	used   uint32 // blocks of the pool handed out so far
	free   uint32 // list of returned blocks, noBlock at its end
	n      int
}

type stack struct {
	f, h   int64
	head   uint32 // block of the last entries
	filled uint8  // entries of head
	queued bool   // is in heap
}

// openBlock is half a cache line: small, because with varied costs nearly every key has one to itself.
type openBlock struct {
	ids  [7]StateID
	next uint32
}

const (
	noBlock   = 1<<32 - 1
	poolShift = 11
)

// NewOpenList returns an empty list.
func NewOpenList() *OpenList {
	return &OpenList{index: make([]int32, 64), last: -1, free: noBlock}
}

// Len returns the number of entries, stale ones included.
func (o *OpenList) Len() int { return o.n }

// Least returns the least f. The list must not be empty.
func (o *OpenList) Least() int64 { return o.stacks[o.heap[0]].f }

// Top returns the state that Pop would return. The list must not be empty.
func (o *OpenList) Top() StateID {
	st := &o.stacks[o.heap[0]]
	return o.block(st.head).ids[st.filled-1]
}

// Bytes returns the memory held.
func (o *OpenList) Bytes() int64 {
	return int64(len(o.pool))*32<<poolShift + int64(cap(o.stacks))*24 + int64(cap(o.heap)+len(o.index))*4
}

func (o *OpenList) block(i uint32) *openBlock {
	return &o.pool[i>>poolShift][i&(1<<poolShift-1)]
}

// Push adds a state.
func (o *OpenList) Push(id StateID, f, h int64) {
	s := o.last
	if s < 0 || o.stacks[s].f != f || o.stacks[s].h != h {
		s = o.find(f, h)
		o.last = s
	}
	st := &o.stacks[s]
	if !st.queued || int(st.filled) == len(openBlock{}.ids) {
		i := o.blank()
		o.block(i).next, st.head, st.filled = st.head, i, 0
	}
	o.block(st.head).ids[st.filled] = id
	st.filled++
	if !st.queued {
		st.queued = true
		o.up(s)
	}
	o.n++
}

// blank returns a block of the pool that no stack has.
func (o *OpenList) blank() uint32 {
	i := o.free
	if i != noBlock {
		o.free = o.block(i).next
		return i
	}
	i = o.used
	o.used++
	if int(i>>poolShift) == len(o.pool) {
		o.pool = append(o.pool, make([]openBlock, 1<<poolShift))
	}
	return i
}

// Pop removes the state of least key. The list must not be empty.
func (o *OpenList) Pop() (id StateID, f, h int64) {
	st := &o.stacks[o.heap[0]]
	b := o.block(st.head)
	st.filled--
	id = b.ids[st.filled]
	o.n--
	if st.filled == 0 {
		i := st.head
		st.head, st.filled = b.next, uint8(len(b.ids))
		b.next, o.free = o.free, i
		if st.head == noBlock {
			st.queued = false
			o.down()
		}
	}
	return id, st.f, st.h
}

// find returns the stack of a key, making it if need be.
func (o *OpenList) find(f, h int64) int32 {
	mask := len(o.index) - 1
	i := int(keyHash(f, h)) & mask
	for ; o.index[i] != 0; i = (i + 1) & mask {
		if st := &o.stacks[o.index[i]-1]; st.f == f && st.h == h {
			return o.index[i] - 1
		}
	}
	o.stacks = append(o.stacks, stack{f: f, h: h, head: noBlock})
	o.index[i] = int32(len(o.stacks))
	if 2*len(o.stacks) > len(o.index) {
		o.rehash()
	}
	return int32(len(o.stacks) - 1)
}

func (o *OpenList) rehash() {
	o.index = make([]int32, 2*len(o.index))
	mask := len(o.index) - 1
	for s := range o.stacks {
		i := int(keyHash(o.stacks[s].f, o.stacks[s].h)) & mask
		for o.index[i] != 0 {
			i = (i + 1) & mask
		}
		o.index[i] = int32(s + 1)
	}
}

func keyHash(f, h int64) uint32 {
	x := uint64(f)*0x9e3779b97f4a7c15 + uint64(h)*0xc2b2ae3d27d4eb4f
	return uint32(x >> 32)
}

func (o *OpenList) less(a, b int32) bool {
	x, y := &o.stacks[a], &o.stacks[b]
	return x.f < y.f || x.f == y.f && x.h < y.h
}

// up adds a stack to the heap.
func (o *OpenList) up(s int32) {
	o.heap = append(o.heap, s)
	i := len(o.heap) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !o.less(s, o.heap[p]) {
			break
		}
		o.heap[i] = o.heap[p]
		i = p
	}
	o.heap[i] = s
}

// down removes the top of the heap.
func (o *OpenList) down() {
	last := o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	n := len(o.heap)
	if n == 0 {
		return
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && o.less(o.heap[c+1], o.heap[c]) {
			c++
		}
		if !o.less(o.heap[c], last) {
			break
		}
		o.heap[i] = o.heap[c]
		i = c
	}
	o.heap[i] = last
}
