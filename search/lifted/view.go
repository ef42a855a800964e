package lifted

import (
	"encoding/binary"

	"github.com/planproof/planproof/pddl"
)

// view is the state that is being expanded, laid out for joins.
type view struct {
	atoms *atoms
	epoch uint32
	ids   []uint32 // ascending
	ends  []int    // where each atom ends in data
	data  []byte   // the packed state
	hash  uint64
	unmet int // literals of the goal that do not hold
	preds []predicateView
}

// predicateView holds the atoms of a predicate.
type predicateView struct {
	arity   int
	rows    []pddl.ObjectID
	n       int
	columns []column // made when one is first used
}

// column chains the rows that have the same object in it, in order.
type column struct {
	epoch uint32   // the state that it was built for
	head  []uint64 // by object: epoch << 32 | first row, 1 higher
	next  []uint32 // by row, 1 higher; 0 ends
}

// shortList is the number of rows up to which looking at all is faster than a column.
const shortList = 8

func newView(t *task, a *atoms) *view {
	v := &view{atoms: a, preds: make([]predicateView, len(t.preds))}
	for p := range v.preds {
		v.preds[p].arity = t.preds[p].arity
	}
	return v
}

// load unpacks a state; unmet is the number of literals of the goal that do not hold if no atom does.
func (v *view) load(data []byte, unmet int) {
	if v.epoch++; v.epoch == 0 { // after 2^32 states an old mark could look new
		clear(v.atoms.epoch)
		for p := range v.preds {
			v.preds[p].columns = nil
		}
		v.epoch = 1
	}
	for p := range v.preds {
		v.preds[p].rows, v.preds[p].n = v.preds[p].rows[:0], 0
	}
	v.data, v.ids, v.ends, v.hash, v.unmet = data, v.ids[:0], v.ends[:0], 0, unmet
	a := v.atoms
	next := uint32(0)
	for at := 0; at < len(data); {
		gap := uint64(data[at])
		k := 1
		if gap >= 0x80 {
			gap, k = binary.Uvarint(data[at:])
		}
		at += k
		id := next + uint32(gap)
		next = id + 1
		a.epoch[id], a.at[id] = v.epoch, uint32(len(v.ids))
		v.ids, v.ends = append(v.ids, id), append(v.ends, at)
		v.hash += hashID(id)
		v.unmet -= int(a.goal[id])
		p := &v.preds[a.preds[id]]
		p.rows = append(p.rows, a.argsOf(id)...)
		p.n++
	}
}

// hashID is what an atom contributes to the hash of a state.
func hashID(id uint32) uint64 { return mix(uint64(id)) }

// holds reports whether an atom is in the state.
func (v *view) holds(id uint32) bool { return id != noAtom && v.atoms.epoch[id] == v.epoch }

// first returns the first row with an object in a column, 1 higher, and the column whose chains lead to the others.
func (v *view) first(pred int32, col int, o pddl.ObjectID) (uint32, *column) {
	p := &v.preds[pred]
	if p.columns == nil {
		p.columns = make([]column, p.arity)
	}
	c := &p.columns[col]
	if c.epoch != v.epoch {
		v.build(p, c, col)
	}
	if h := c.head[o]; uint32(h>>32) == v.epoch {
		return uint32(h), c
	}
	return 0, c
}

func (v *view) build(p *predicateView, c *column, col int) {
	c.epoch = v.epoch
	if c.head == nil {
		c.head = make([]uint64, v.atoms.objects)
	}
	if len(c.next) < p.n {
		c.next = make([]uint32, 2*p.n)
	}
	for i := p.n - 1; i >= 0; i-- {
		o := p.rows[i*p.arity+col]
		c.next[i] = 0
		if h := c.head[o]; uint32(h>>32) == v.epoch {
			c.next[i] = uint32(h)
		}
		c.head[o] = uint64(v.epoch)<<32 | uint64(i+1)
	}
}

// child writes the state with some atoms, ascending, added and deleted: added ones are not in the state, deleted ones are.
func (v *view) child(buf []byte, adds, dels []uint32) []byte {
	i, next := 0, uint32(0) // the first atom that is not copied yet; 1 more than the last one written
	put := func(id uint32) {
		buf = binary.AppendUvarint(buf, uint64(id-next))
		next = id + 1
	}
	copyTo := func(j int) { // atoms i to j-1
		if i < j {
			put(v.ids[i])
			buf = append(buf, v.data[v.ends[i]:v.ends[j-1]]...)
			next = v.ids[j-1] + 1
		}
		i = j
	}
	for len(adds)+len(dels) > 0 {
		if len(dels) > 0 && (len(adds) == 0 || dels[0] < adds[0]) {
			copyTo(int(v.atoms.at[dels[0]]))
			i++
			dels = dels[1:]
			continue
		}
		copyTo(v.after(i, adds[0]))
		put(adds[0])
		adds = adds[1:]
	}
	copyTo(len(v.ids))
	return buf
}

// after returns where the first atom above id is, from position i on.
func (v *view) after(i int, id uint32) int {
	j := len(v.ids)
	for i < j {
		if m := int(uint(i+j) >> 1); v.ids[m] < id {
			i = m + 1
		} else {
			j = m
		}
	}
	return i
}

func (v *view) bytes() int64 {
	b := int64(cap(v.ids))*4 + int64(cap(v.ends))*8
	for p := range v.preds {
		b += int64(cap(v.preds[p].rows)) * 4
		for c := range v.preds[p].columns {
			b += int64(len(v.preds[p].columns[c].head))*8 + int64(len(v.preds[p].columns[c].next))*4
		}
	}
	return b
}
