package heuristic

// queue is a monotone priority queue of propositions: keys pushed are never below the
// last key popped. With small operator costs it is an array of stacks, one per key,
// threaded through one pool of entries; with large costs, where almost all stacks would
// be empty, it is a binary heap. Equal keys pop last-in first-out in the first form and
// in a fixed order in the second.
type queue[C int32 | int64] struct {
	heap  bool
	n     int // entries in the queue
	at    int // bucket form: no entry below
	head  []int32
	pool  []stackEntry
	items []heapItem[C]
}

type stackEntry struct{ prop, next int32 }

type heapItem[C int32 | int64] struct {
	key  C
	prop int32
}

const (
	// maxBucketCost is the operator cost up to which buckets are used.
	maxBucketCost = 1 << 10
	// maxBucketKey bounds the array of stacks: a larger key turns the queue into a heap
	// for good, so that a long chain of operators cannot exhaust memory.
	maxBucketKey = 1 << 22
)

// clear empties the queue for keys from 0.
func (q *queue[C]) clear() {
	for q.n > 0 {
		q.pop()
	}
	q.pool, q.items, q.at = q.pool[:0], q.items[:0], 0
}

func (q *queue[C]) push(prop int32, key C) {
	if q.heap {
		q.pushHeap(prop, key)
		return
	}
	k := int(key)
	if k >= len(q.head) {
		if k > maxBucketKey {
			q.toHeap()
			q.pushHeap(prop, key)
			return
		}
		q.grow(k)
	}
	q.pool = append(q.pool, stackEntry{prop, q.head[k]})
	q.head[k] = int32(len(q.pool) - 1)
	if k < q.at {
		q.at = k
	}
	q.n++
}

// toHeap changes the form; entries taken out in order are a heap already.
func (q *queue[C]) toHeap() {
	var items []heapItem[C]
	for q.n > 0 {
		prop, key := q.pop()
		items = append(items, heapItem[C]{key, prop})
	}
	*q = queue[C]{heap: true, n: len(items), items: items}
}

func (q *queue[C]) grow(k int) {
	old := len(q.head)
	head := make([]int32, max(2*old, k+1, 64))
	copy(head, q.head)
	for i := old; i < len(head); i++ {
		head[i] = -1
	}
	q.head = head
}

// pop removes an entry of least key; the queue must not be empty.
func (q *queue[C]) pop() (prop int32, key C) {
	if q.heap {
		return q.popHeap()
	}
	at, head := q.at, q.head
	for head[at] < 0 {
		at++
	}
	q.at = at
	e := q.pool[head[at]]
	head[at] = e.next
	q.n--
	return e.prop, C(at)
}

func (q *queue[C]) pushHeap(prop int32, key C) {
	q.items = append(q.items, heapItem[C]{key, prop})
	i := len(q.items) - 1
	for i > 0 {
		up := (i - 1) / 2
		if q.items[up].key <= key {
			break
		}
		q.items[i] = q.items[up]
		i = up
	}
	q.items[i] = heapItem[C]{key, prop}
	q.n++
}

func (q *queue[C]) popHeap() (int32, C) {
	h := q.items
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	q.items = h
	q.n--
	for i := 0; len(h) > 0; {
		down := 2*i + 1
		if down+1 < len(h) && h[down+1].key < h[down].key {
			down++
		}
		if down >= len(h) || h[down].key >= last.key {
			h[i] = last
			break
		}
		h[i] = h[down]
		i = down
	}
	return top.prop, top.key
}

func (q *queue[C]) bytes() int64 {
	return int64(cap(q.head))*4 + int64(cap(q.pool))*8 + int64(cap(q.items))*16
}
