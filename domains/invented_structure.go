package domains

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Labels of the edges of a domain's graph, beside argument positions, which count from 0.
const (
	ofType = 100 + iota
	ofAction
	ofPredicate
	inPrecondition
	inAdded
	inDeleted
)

// domainGraph joins literals with their predicates, actions and parameters, and these with their
// types. Names play no part, nor does the order in which anything is written.
type domainGraph struct {
	colours []uint64
	edges   [][]graphEdge
}

type graphEdge struct{ label, to int }

func (g *domainGraph) node(colour int) int {
	g.colours = append(g.colours, uint64(colour))
	g.edges = append(g.edges, nil)
	return len(g.colours) - 1
}

func (g *domainGraph) join(a, b, label int) {
	g.edges[a] = append(g.edges[a], graphEdge{label, b})
	g.edges[b] = append(g.edges[b], graphEdge{label, a})
}

func (v *invention) graph() *domainGraph {
	g := &domainGraph{}
	types, preds := make([]int, len(v.types)), make([]int, len(v.preds))
	for i := range types {
		types[i] = g.node(1)
	}
	for i, p := range v.preds {
		preds[i] = g.node(2)
		for k, t := range p.types {
			g.join(preds[i], types[t], k)
		}
	}
	for _, a := range v.actions {
		action := g.node(3)
		params := make([]int, len(a.params))
		for k, t := range a.params {
			params[k] = g.node(4)
			g.join(params[k], types[t], ofType)
			g.join(params[k], action, ofAction)
		}
		for label, literals := range map[int][]inventedLiteral{inPrecondition: a.pre, inAdded: a.add, inDeleted: a.del} {
			for _, l := range literals {
				n := g.node(5)
				g.join(n, action, label)
				g.join(n, preds[l.pred], ofPredicate)
				for k, p := range l.args {
					g.join(n, params[p], k)
				}
			}
		}
	}
	return g
}

// structure digests a domain up to names by colour refinement (Weisfeiler and Leman, 1968).
// Domains with different digests are not isomorphic.
func (v *invention) structure() uint64 {
	g := v.graph()
	var bytes []byte
	digest := func(first uint64, rest []uint64) uint64 {
		bytes = binary.LittleEndian.AppendUint64(bytes[:0], first)
		for _, x := range rest {
			bytes = binary.LittleEndian.AppendUint64(bytes, x)
		}
		return xxhash.Sum64(bytes)
	}
	classes := 0
	for {
		next := make([]uint64, len(g.colours))
		seen := map[uint64]bool{}
		for n := range next {
			var around []uint64
			for _, e := range g.edges[n] {
				around = append(around, digest(uint64(e.label), g.colours[e.to:e.to+1]))
			}
			slices.Sort(around)
			next[n] = digest(g.colours[n], around)
			seen[next[n]] = true
		}
		g.colours = next
		if len(seen) == classes {
			break
		}
		classes = len(seen)
	}
	slices.Sort(g.colours)
	return digest(0, g.colours)
}

// series are the numbers of the random generator that give domains of one number of actions, by shape. Shapes draw in
// turn, the first domain of each, then the second of each, so no two are isomorphic, of whatever shapes.
type series struct {
	of   [shapeMixed + 1]shapeSeries
	seen map[uint64]bool
}

type shapeSeries struct {
	seeds []int
	next  int
	ended bool
}

// allSeries remembers what was found, by number of actions: the hundredth domain takes all before it.
var allSeries = struct {
	sync.Mutex
	of map[int]*series
}{of: map[int]*series{}}

// patience is how many numbers in a row may bring no new structure before there are no more.
const patience = 20_000

// draw finds the next domain of each shape.
func (s *series) draw(actions int) {
	for shape := shapeChain; shape <= shapeMixed; shape++ {
		o := &s.of[shape]
		for last := o.next; !o.ended; {
			o.next++
			if d := invent(actions, shape, o.next).structure(); !s.seen[d] {
				s.seen[d] = true
				o.seeds = append(o.seeds, o.next)
				break
			}
			o.ended = o.next-last > patience
		}
	}
}

// inventedDomainOf returns the invention of the given number: no two have domains that are equal but for names, of
// whatever shapes and numbers of actions. It returns nil and how many there are if there are fewer.
func inventedDomainOf(params []int) (v *invention, have int) {
	actions, shape, number := params[0], params[1], params[2]
	allSeries.Lock()
	defer allSeries.Unlock()
	s := allSeries.of[actions]
	if s == nil {
		s = &series{seen: map[uint64]bool{}}
		allSeries.of[actions] = s
	}
	o := &s.of[shape]
	for len(o.seeds) < number {
		if o.ended {
			return nil, len(o.seeds)
		}
		s.draw(actions)
	}
	return invent(actions, shape, o.seeds[number-1]), number
}

// checkInvented refuses numbers of domains beyond those that there are.
func checkInvented(params []int) error {
	if v, have := inventedDomainOf(params); v == nil {
		return fmt.Errorf("%w: domain is %d, but there are %d invented domains of %d actions and shape %d", ErrParameter, params[2], have, params[0], params[1])
	}
	return nil
}

// inventedOf is inventedDomainOf for parameters that were checked.
func inventedOf(params []int) *invention {
	v, _ := inventedDomainOf(params)
	return v
}
