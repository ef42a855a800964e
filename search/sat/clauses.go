package sat

import "unsafe"

// ref is the place of a clause; 0 is none.
type ref int32

// clauses holds clauses one after the other: the number of literals, then what ranks a
// learned clause, then the literals.
type clauses struct{ data []int32 }

const headerSize = 3 // size, LBD, uses since the last reduction

func (d *clauses) add(c []lit, lbd int32) ref {
	r := ref(len(d.data))
	d.data = append(d.data, int32(len(c)), lbd, 0)
	for _, l := range c {
		d.data = append(d.data, int32(l))
	}
	return r
}

// lits are the literals of a clause, in place.
func (d *clauses) lits(r ref) []lit {
	return unsafe.Slice((*lit)(&d.data[r+headerSize]), d.data[r])
}

func (d *clauses) lbd(r ref) int32 { return d.data[r+1] }
func (d *clauses) use(r ref)       { d.data[r+2]++ }
func (d *clauses) free(r ref)      { d.data[r+1] = -1 }

// rank orders learned clauses, better ones first: by LBD, then by how often they were used.
func (d *clauses) rank(r ref) int {
	return int(d.data[r+1])<<20 - min(int(d.data[r+2]), 1<<20-1)
}

// forget sets the counts of uses back.
func (d *clauses) forget(list []ref) {
	for _, r := range list {
		d.data[r+2] = 0
	}
}

func (d *clauses) copy(from *clauses, r ref) ref {
	to := ref(len(d.data))
	d.data = append(d.data, from.data[r:int32(r)+headerSize+from.data[r]]...)
	return to
}
