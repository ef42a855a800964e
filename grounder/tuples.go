package grounder

import (
	"github.com/planproof/planproof/internal/inorder"
	"github.com/planproof/planproof/pddl"
)

// tuples are instances of k objects each, in chunks that stay where they are when more come.
type tuples struct {
	k, n   int
	chunks [][]pddl.ObjectID
}

// In a chunk are so many tuples, as a power of two.
const tupleChunk = 12

func (x *tuples) at(i int) []pddl.ObjectID {
	if x.k == 0 {
		return nil
	}
	from := i & (1<<tupleChunk - 1) * x.k
	return x.chunks[i>>tupleChunk][from : from+x.k : from+x.k]
}

// next makes room for one more tuple.
func (x *tuples) next() []pddl.ObjectID {
	c, from := x.n>>tupleChunk, x.n&(1<<tupleChunk-1)*x.k
	switch {
	case len(x.chunks) == 0:
		x.chunks = append(x.chunks, make([]pddl.ObjectID, 4*x.k))
	case c == len(x.chunks):
		x.fit()
	case from == len(x.chunks[c]): // the first chunk grows
		x.chunks[c] = append(x.chunks[c], make([]pddl.ObjectID, from)...)
	}
	x.n++
	return x.chunks[c][from : from+x.k]
}

// fit makes chunks of full size for x.n tuples and one more, without a change of those that are there but for the first.
func (x *tuples) fit() {
	for full := x.k << tupleChunk; ; x.chunks = append(x.chunks, make([]pddl.ObjectID, full)) {
		if len(x.chunks) > 0 && len(x.chunks[0]) < full {
			x.chunks[0] = append(x.chunks[0], make([]pddl.ObjectID, full-len(x.chunks[0]))...)
		}
		if x.n>>tupleChunk < len(x.chunks) {
			return
		}
	}
}

func (x *tuples) append(tuple []pddl.ObjectID) { copy(x.next(), tuple) }

// probe: a join is tried on one in so many of what its first loop runs over, before threads share it.
const probe = 64

// solutions lists the bindings of q.vars.
func (g *grounder) solutions(q query) tuples {
	out := tuples{k: len(q.vars)}
	j := g.newJoin(q)
	each := func() bool {
		for i, o := 0, out.next(); i < len(o); i++ {
			o[i] = j.env[q.vars[i]]
		}
		if out.n > maxCount {
			g.tooMany()
		}
		g.tick()
		return false
	}
	n := j.loop(false)
	if g.threads(n-1, 1) < 2 {
		j.each(each)
		return out
	}
	head, before := max(1, n/probe), g.ticks
	j.within(0, head)
	j.each(each)
	if int(g.ticks-before)*(n/head-1) < g.limits.worth {
		j.within(head, n)
		j.each(each)
		return out
	}
	g.share(q, head, n, &out)
	return out
}

// share finds the solutions from one round of the first loop to another on several threads.
func (g *grounder) share(q query, from, to int, out *tuples) {
	size := max(1, (to-from)/(4*probe))
	known := out.n > 0
	out.fit() // the first chunk stays where it is from now on
	g.together(g.threads(to-from, size), (to-from+size-1)/size, func(own *grounder) inorder.Worker {
		j := own.newJoin(q)
		j.loop(known)
		found := tuples{k: out.k}
		var first int // where they go
		var chunks [][]pddl.ObjectID
		return inorder.Worker{
			Do: func(k int) {
				found.n = 0
				j.within(from+k*size, min(from+(k+1)*size, to))
				j.each(func() bool {
					for i, o := 0, found.next(); i < len(o); i++ {
						o[i] = j.env[q.vars[i]]
					}
					own.tick()
					return false
				})
			},
			Place: func(int, func()) {
				first = out.n
				if out.n += found.n; out.n > maxCount {
					g.tooMany()
				}
				out.fit()
				chunks = out.chunks // others are added, these stay
			},
			Fill: func(int) {
				place := tuples{k: out.k, chunks: chunks}
				for t := range found.n {
					copy(place.at(first+t), found.at(t))
				}
			},
		}
	})
}
