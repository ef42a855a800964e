package validator

// Memory estimates the bytes that a judge and its problem take; each scratch takes up to
// as much again.
func (j *Judge) Memory() int64 {
	n := 8 * int64(len(j.prob.Source.Text))
	n += 8 * int64(len(j.statics)+2*len(j.fluentInit))
	n += 48 * int64(len(j.values)+len(j.constants))
	n += 24*int64(len(j.sparse.id)) + 4*int64(len(j.sparse.args)+len(j.sparse.slots)) + 8*int64(j.derived)
	n += 120*int64(len(j.nodes)+len(j.exprs)) + 100*int64(len(j.effects)+len(j.levels)) + 8*int64(len(j.terms)+len(j.coefs)+len(j.kids))
	for i := range j.indexes {
		x := &j.indexes[i]
		n += 4*int64(len(x.objects)+len(x.start)) + 24*int64(len(x.buckets.id))
	}
	return n
}
