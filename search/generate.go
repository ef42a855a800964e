package search

import "github.com/planproof/planproof/search/state"

// successors are those of one state, packed, with their hashes. All are built before the first is looked up, and what
// the look-ups will read is prefetched, so that their cache misses overlap.
type successors struct {
	rows []uint64
	hash []uint64
}

// generate builds the successors of the state in x, whose record is rec, under the operators in x.Ops, and returns the
// work that replacing them by others of their orbits took.
func (n *nodes) generate(rec []uint64) (orbitWork int64) {
	ops, w, s := n.x.Ops, n.words, &n.next
	if len(ops)*w > len(s.rows) {
		s.rows, s.hash = make([]uint64, 2*len(ops)*w), make([]uint64, 2*len(ops))
	}
	if n.orbit != nil {
		orbitWork = -n.orbit.work
	}
	for i, op := range ops {
		row := s.rows[i*w : i*w+w : i*w+w]
		n.Applier.Apply(row, rec[:w], n.x.Values, op)
		if n.orbit != nil {
			n.orbit.replace(row)
		}
		s.hash[i] = n.reg.Hash(row)
		n.reg.Prefetch(s.hash[i])
	}
	if n.orbit != nil {
		orbitWork += n.orbit.work
	}
	for _, h := range s.hash[:len(ops)] {
		n.reg.Meet(h)
	}
	return orbitWork
}

// insert finds or adds successor i.
func (n *nodes) insert(i int) (next state.StateID, isNew bool) {
	return n.reg.Insert(n.successor(i), n.next.hash[i])
}

// successor is the packed successor i.
func (n *nodes) successor(i int) []uint64 { return n.next.rows[i*n.words : (i+1)*n.words] }
