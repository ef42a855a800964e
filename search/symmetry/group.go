package symmetry

import (
	"slices"

	"github.com/planproof/planproof/grounder"
)

// Group is a set of symmetries, given by generators. It is immutable.
type Group struct {
	verifier   *verifier
	base       []int32
	generators []generator
	bytes      int64
}

// generator is a symmetry: what it does to facts, and to states.
type generator struct {
	pairs []pair
	moves []move // by the variable set
}

// move says that a symmetry sets a state variable to the image of the value of another, or of itself.
type move struct {
	to, from int32
	value    []int32 // by value of from
}

// maxGraph bounds vertices and edges of the graph: its sums of weights are exact.
const maxGraph = 1 << 21

// Find looks for symmetries with an amount of work, in edges looked at and the like: some hundred million are a second.
// With fixed, they keep the initial state, so what they map reachable states to is reachable. There are none for tasks
// with numeric fluents or very large ones. It ends early when
// stop, which may be nil, reports that time is up. The work done is returned; the group is nil if it would be trivial.
func Find(t *grounder.Task, fixed bool, work int64, stop func() bool) (*Group, int64) {
	n := size(t)
	if t.Numeric != nil || 2*n > maxGraph || 8*n > work {
		return nil, 0
	}
	f := newFinder(newGraph(t, fixed), work)
	f.work += 8 * n
	f.stop = stop
	g := &Group{base: factBase(t)}
	f.accept = func(pairs []pair) int64 {
		if g.verifier == nil {
			g.verifier = newVerifier(t, fixed)
			f.spent += 8 * n
		}
		done := g.verifier.check(pairs)
		if done > 0 {
			g.add(pairs)
			f.join(pairs)
		}
		return done
	}
	f.run()
	if len(g.generators) == 0 {
		return nil, f.work + f.spent
	}
	slices.Reverse(g.generators) // those that fix little of the base come first
	g.bytes += 8*n + 64*int64(t.Operators.Len()+len(t.Axioms))
	return g, f.work + f.spent
}

// Bytes estimates the memory that Find takes for a task.
func Bytes(t *grounder.Task) int64 { return 64 * size(t) }

// Bytes is the memory held.
func (g *Group) Bytes() int64 { return g.bytes }

// Generators is the number of generators.
func (g *Group) Generators() int { return len(g.generators) }

func (g *Group) add(pairs []pair) {
	s := generator{pairs: slices.Clone(pairs)}
	image := g.verifier.image // identity outside of a check
	for _, p := range pairs {
		image[p.from] = p.to
	}
	done := map[int32]bool{}
	for _, p := range pairs {
		from := g.verifier.owner[p.from]
		if g.verifier.t.Variables[from].Layer >= 0 || done[from] {
			continue
		}
		done[from] = true
		m := move{from: from, to: g.verifier.owner[p.to], value: make([]int32, g.base[from+1]-g.base[from])}
		for x := range m.value {
			m.value[x] = image[g.base[from]+int32(x)] - g.base[m.to]
		}
		s.moves = append(s.moves, m)
		g.bytes += 40 + 4*int64(len(m.value))
	}
	for _, p := range pairs {
		image[p.from] = p.from
	}
	slices.SortFunc(s.moves, func(a, b move) int { return int(a.to) - int(b.to) })
	g.bytes += 48 + 8*int64(len(pairs))
	g.generators = append(g.generators, s)
}

// Keeps reports whether all symmetries map a state to itself.
func (g *Group) Keeps(values []int32) bool {
	for i := range g.generators {
		for _, m := range g.generators[i].moves {
			if m.value[values[m.from]] != values[m.to] {
				return false
			}
		}
	}
	return true
}

// Canonizer maps states to states of the same orbit that stand for it. It keeps scratch memory and is used by one
// goroutine at a time.
type Canonizer struct {
	group *Group
	next  []int32
	// Trail are the generators that were applied last, in order.
	Trail []int
}

// Canonizer returns one for the group.
func (g *Group) Canonizer() *Canonizer { return &Canonizer{group: g} }

// Canonize replaces the values of state variables by those of a symmetric state, as long as a generator makes them
// lexicographically smaller, and reports whether it did. It takes generators up and down in turn, so that a value that
// one step has changed travels to its place in one pass. States of one orbit may end in different ones; the same state
// always ends in the same.
func (c *Canonizer) Canonize(values []int32) bool {
	c.Trail = c.Trail[:0]
	list := c.group.generators
	for up, changed := true, true; changed; up = !up {
		changed = false
		for k := range list {
			if !up {
				k = len(list) - 1 - k
			}
			if list[k].smaller(values) {
				c.apply(&list[k], values)
				c.Trail = append(c.Trail, k)
				changed = true
			}
		}
	}
	return len(c.Trail) > 0
}

// smaller reports whether a symmetry maps a state to a lexicographically smaller one.
func (s *generator) smaller(values []int32) bool {
	for i := range s.moves {
		m := &s.moves[i]
		if next, old := m.value[values[m.from]], values[m.to]; next != old {
			return next < old
		}
	}
	return false
}

func (c *Canonizer) apply(s *generator, values []int32) {
	c.next = c.next[:0]
	for i := range s.moves {
		c.next = append(c.next, s.moves[i].value[values[s.moves[i].from]])
	}
	for i := range s.moves {
		values[s.moves[i].to] = c.next[i]
	}
}

// Trace follows a path in which each state was replaced by one of its orbit, and says which operators the path takes
// without that.
type Trace struct {
	group    *Group
	verifier verifier // with scratch memory of its own
	image    []int32  // by fact of the path: the fact of the real path
}

// Trace returns one that begins at a state that was not replaced.
func (g *Group) Trace() *Trace {
	t := &Trace{group: g, verifier: *g.verifier, image: make([]int32, len(g.verifier.owner))}
	t.verifier.text, t.verifier.facts = nil, nil
	for f := range t.image {
		t.image[f] = int32(f)
	}
	return t
}

// Operator returns the operator of the real path for one of the path. It reports false if there is none, which
// would be an error of this package.
func (t *Trace) Operator(o grounder.OperatorID) (grounder.OperatorID, bool) {
	original, ok := t.verifier.operators[string(t.verifier.operatorText(t.image, int(o)))]
	return original, ok
}

// Replaced says that the generators of a trail were applied to the state reached.
func (t *Trace) Replaced(trail []int) {
	for _, k := range trail {
		pairs := t.group.generators[k].pairs
		old := make([]int32, len(pairs))
		for i, p := range pairs {
			old[i] = t.image[p.from]
		}
		for i, p := range pairs {
			t.image[p.to] = old[i]
		}
	}
}
