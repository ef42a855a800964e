package pddl

// slab hands out values from chunks, so that a tree of a million nodes costs a
// few thousand allocations.
type slab[T any] struct {
	free []T
	size int
}

func (s *slab[T]) room(n int) {
	if len(s.free) < n {
		s.size = max(min(2*s.size, 1024), 8, n)
		s.free = make([]T, s.size)
	}
}

func (s *slab[T]) new() *T {
	s.room(1)
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// keep returns a copy of xs in the slab; nil for none.
func (s *slab[T]) keep(xs []T) []T {
	n := len(xs)
	if n == 0 {
		return nil
	}
	s.room(n)
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, xs)
	return out
}
