package grounder

// arena hands out slices of T that lie one after another in large chunks. A task
// with a million operators has tens of millions of facts; a heap object for each
// slice would triple the memory and make every garbage collection walk them.
type arena[T any] struct {
	free  []T
	whole []T // the chunk that free is the rest of
	size  int
}

const (
	arenaFirstChunk = 256
	arenaChunk      = 1 << 16
)

// alloc returns n zeroed elements. The capacity is n, so that an append by a
// caller copies instead of running into the neighbour.
func (a *arena[T]) alloc(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(a.free) {
		a.size = min(max(2*a.size, arenaFirstChunk), arenaChunk)
		a.free = make([]T, max(n, a.size))
		a.whole = a.free
	}
	s := a.free[:n:n]
	a.free = a.free[n:]
	return s
}

// reset makes room of the last chunk again: nothing in it is needed any more.
func (a *arena[T]) reset() {
	clear(a.whole[:len(a.whole)-len(a.free)])
	a.free = a.whole
}

// copy returns a copy of s in the arena.
func (a *arena[T]) copy(s []T) []T {
	d := a.alloc(len(s))
	copy(d, s)
	return d
}

// arenaReset is scratch space whose slices live until reset.
type arenaReset[T any] struct{ buf []T }

func (a *arenaReset[T]) copy(s []T) []T {
	from := len(a.buf)
	a.buf = append(a.buf, s...)
	return a.buf[from:len(a.buf):len(a.buf)]
}
