package symmetry

import (
	"cmp"
	"slices"
)

// partition is an ordered partition of the vertices of a graph into cells. A cell is named by the position of its first
// vertex. Cells are split, and put together again in reverse.
type partition struct {
	vertices []int32 // by cell
	position []int32 // of a vertex in vertices
	cell     []int32 // of a vertex
	size     []int32 // of a cell
	splits   []split
}

// split says that a cell was split off another.
type split struct{ cell, from int32 }

// newPartition makes a cell of each colour, in order.
func newPartition(g *graph) *partition {
	n := len(g.colour)
	p := &partition{vertices: make([]int32, n), position: make([]int32, n), cell: make([]int32, n), size: make([]int32, n)}
	for v := range n {
		p.vertices[v] = int32(v)
	}
	slices.SortStableFunc(p.vertices, func(v, w int32) int { return int(g.colour[v]) - int(g.colour[w]) })
	first := int32(0)
	for i, v := range p.vertices {
		if g.colour[v] != g.colour[p.vertices[first]] {
			first = int32(i)
		}
		p.position[v], p.cell[v] = int32(i), first
		p.size[first]++
	}
	return p
}

func (p *partition) clone() *partition {
	return &partition{
		vertices: slices.Clone(p.vertices), position: slices.Clone(p.position),
		cell: slices.Clone(p.cell), size: slices.Clone(p.size), splits: slices.Clone(p.splits),
	}
}

// of returns the vertices of a cell.
func (p *partition) of(cell int32) []int32 { return p.vertices[cell : cell+p.size[cell]] }

// move puts a vertex at a position of its cell.
func (p *partition) move(v, position int32) {
	w, from := p.vertices[position], p.position[v]
	p.vertices[from], p.vertices[position] = w, v
	p.position[w], p.position[v] = from, position
}

// split makes a cell of the vertices from a position on to the end of the cell from.
func (p *partition) split(cell, from int32) {
	n := from + p.size[from] - cell
	p.size[cell] = n
	p.size[from] -= n
	for _, v := range p.of(cell) {
		p.cell[v] = cell
	}
	p.splits = append(p.splits, split{cell, from})
}

// single splits a vertex off its cell.
func (p *partition) single(v int32) (cell int32) {
	from := p.cell[v]
	cell = from + p.size[from] - 1
	p.move(v, cell)
	p.split(cell, from)
	return cell
}

// undo puts cells together again until n splits are left.
func (p *partition) undo(n int) (work int64) {
	for len(p.splits) > n {
		s := p.splits[len(p.splits)-1]
		p.splits = p.splits[:len(p.splits)-1]
		for _, v := range p.of(s.cell) {
			p.cell[v] = s.from
		}
		p.size[s.from] += p.size[s.cell]
		work += int64(p.size[s.cell])
		p.size[s.cell] = 0
	}
	return work
}

// refiner splits cells until all vertices of a cell have as many edges of every label to every cell.
type refiner struct {
	g       *graph
	queue   []int32 // cells by which others are to be split
	queued  []bool
	key     []int64 // of a vertex: a sum over its edges to the cell
	moved   []int32 // of a cell: its vertices that have such edges
	touched []int32 // cells
	parts   []int32 // cells split off one
	buffer  []int32
	work    int64
}

func newRefiner(g *graph) *refiner {
	n := len(g.colour)
	return &refiner{g: g, queued: make([]bool, n), key: make([]int64, n), moved: make([]int32, n)}
}

// weights are summed over edges: different sums mean different edges, and equal ones nearly always mean equal edges.
// No sum of 2^23 weights overflows.
var weights = func() (w [edgeLabels]int64) {
	x := uint64(1)
	for i := range w {
		x = x*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
		w[i] = int64(x>>24 | 1)
	}
	return w
}()

// trace is what a refinement did, apart from the names of vertices: the same for isomorphic partitions.
type trace []traceStep

type traceStep struct {
	cell, vertices int32
	key            int64
}

// push has others be split by a cell.
func (r *refiner) push(cell int32) {
	if !r.queued[cell] {
		r.queued[cell] = true
		r.queue = append(r.queue, cell)
	}
}

// refine refines p, beginning with the cells pushed, and appends what it does to done. Where expected is not
// nil it ends, and reports false, at the first difference.
func (r *refiner) refine(p *partition, done *trace, expected trace) bool {
	same, compared := true, len(*done)
	for i := 0; i < len(r.queue); i++ {
		cell := r.queue[i]
		r.queued[cell] = false
		if !same {
			continue // the queue is to be empty afterwards
		}
		r.splitBy(p, cell, done)
		if expected != nil {
			n := len(*done)
			same = n <= len(expected) && slices.Equal((*done)[compared:], expected[compared:n])
			compared = n
		}
	}
	r.queue = r.queue[:0]
	return same && (expected == nil || compared == len(expected))
}

// splitBy splits all cells by their edges to one.
func (r *refiner) splitBy(p *partition, cell int32, done *trace) {
	r.buffer = append(r.buffer[:0], p.of(cell)...)
	r.touched = r.touched[:0]
	for _, v := range r.buffer {
		first, end := r.g.start[v], r.g.start[v+1]
		r.work += int64(end-first) + 1
		for i := first; i < end; i++ {
			w := r.g.to[i]
			if r.key[w] == 0 {
				c := p.cell[w]
				if r.moved[c] == 0 {
					r.touched = append(r.touched, c)
				}
				r.moved[c]++
				p.move(w, c+p.size[c]-r.moved[c])
			}
			r.key[w] += weights[r.g.label[i]]
		}
	}
	slices.Sort(r.touched)
	for _, c := range r.touched {
		r.splitCell(p, c, done)
	}
}

// splitCell splits one cell by the keys of its vertices.
func (r *refiner) splitCell(p *partition, c int32, done *trace) {
	n, end := r.moved[c], c+p.size[c]
	r.moved[c] = 0
	r.work += 4 + 2*int64(n)
	list := p.vertices[end-n : end]
	if n > 1 {
		slices.SortFunc(list, func(v, w int32) int { return cmp.Compare(r.key[v], r.key[w]) })
	}
	for i, v := range list {
		p.position[v] = end - n + int32(i)
	}
	r.parts = r.parts[:0]
	for last := n; last > 0; {
		first := last - 1
		key := r.key[list[first]]
		for first > 0 && r.key[list[first-1]] == key {
			first--
		}
		*done = append(*done, traceStep{c, last - first, key})
		if start := end - n + first; start > c {
			p.split(start, c)
			r.parts = append(r.parts, start)
		}
		last = first
	}
	for _, v := range list {
		r.key[v] = 0
	}
	r.pushParts(p, c)
}

// pushParts queues the parts that were split off a cell and what is left of it: all but the largest, or that, too, if
// the whole cell is still to split others.
func (r *refiner) pushParts(p *partition, c int32) {
	if len(r.parts) == 0 {
		return
	}
	largest := c
	for _, x := range r.parts {
		if p.size[x] > p.size[largest] {
			largest = x
		}
	}
	if r.queued[c] {
		largest = -1
	}
	for _, x := range append(r.parts, c) {
		if x != largest {
			r.push(x)
		}
	}
}
