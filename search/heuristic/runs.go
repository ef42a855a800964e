package heuristic

// runs is a list of runs of elements, each in one piece. It grows by chunks of 2^shift elements, which never move, so
// that nothing is copied and no chunk is garbage. A run longer than that has a chunk to itself.
type runs[T any] struct {
	shift  uint8
	chunks [][]T // those in use, and others
	used   int   // chunks in use
	n      int   // elements in use of the last of them
	held   int   // elements of all chunks
}

// add adds a run of n elements, to be filled in, and returns its place.
func (r *runs[T]) add(n int) (place int32, run []T) {
	size := 1 << r.shift
	if r.used == 0 || r.n > 0 && r.n+n > size {
		if r.used == len(r.chunks) {
			r.chunks = append(r.chunks, nil)
		}
		r.used++
		r.n = 0
	}
	c := &r.chunks[r.used-1]
	if r.n+n > len(*c) {
		r.held -= len(*c)
		*c = make([]T, max(n, size))
		r.held += len(*c)
	}
	place, run = int32((r.used-1)<<r.shift+r.n), (*c)[r.n:r.n+n:r.n+n]
	r.n += n
	return place, run
}

// at returns the run at a place, and what is behind it.
func (r *runs[T]) at(place int32) []T { return r.chunks[place>>r.shift][place&(1<<r.shift-1):] }

// clear drops all runs. Chunks of the usual size are used again.
func (r *runs[T]) clear() {
	for i, c := range r.chunks {
		if len(c) > 1<<r.shift {
			r.held -= len(c)
			r.chunks[i] = nil
		}
	}
	r.used, r.n = 0, 0
}
