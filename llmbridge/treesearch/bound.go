package treesearch

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/search/heuristic"
)

// frontier is the open leaves of a tree by f, with the least g of each and those before it.
type frontier []struct{ f, g int64 }

func (t *tree) frontier() frontier {
	var fr frontier
	for _, id := range t.open {
		n := &t.nodes[id]
		fr = append(fr, struct{ f, g int64 }{n.f(), n.g})
	}
	slices.SortFunc(fr, func(a, b struct{ f, g int64 }) int { return cmp.Compare(a.f, b.f) })
	for i := 1; i < len(fr); i++ {
		fr[i].g = min(fr[i].g, fr[i-1].g)
	}
	return fr
}

// lowerBound returns a bound on the cost of every plan that two trees have not met on yet.
//
// Along such a plan each tree has an open leaf that it reached at the least cost, and the
// forward one, u, comes strictly before the backward one, v. So the plan costs at least
// f(u), at least f(v), and at least g(u) + g(v) and the cheapest operator between them
// (Eckerle et al., "Sufficient conditions for node expansion in bidirectional heuristic
// search", ICAPS 2017). The bound is the least of max(f(u), f(v), g(u)+g(v)+least) over
// all pairs.
func lowerBound(fw, bw frontier, least int64) int64 {
	best := heuristic.DeadEnd
	for i, j := 0, 0; i < len(fw) && j < len(bw); {
		// All leaves up to i and j may be used at the price of the greater f.
		f := max(fw[i].f, bw[j].f)
		for i+1 < len(fw) && fw[i+1].f <= f {
			i++
		}
		for j+1 < len(bw) && bw[j+1].f <= f {
			j++
		}
		if f >= best {
			break
		}
		best = min(best, max(f, plus(plus(fw[i].g, bw[j].g), least)))
		if i+1 < len(fw) && (j+1 == len(bw) || fw[i+1].f <= bw[j+1].f) {
			i++
		} else {
			j++
		}
	}
	return best
}

// inPairs returns a test for the leaves of the first frontier that are in a pair of least
// bound with a leaf of the second. As long as there is such a pair the lower bound stays,
// so expanding any other leaf does nothing for the proof (near-optimal bidirectional search;
// Chen, Holte, Zilles and Sturtevant, "Front-to-end bidirectional heuristic search with
// near-optimal node expansions", IJCAI 2017). Neither frontier is empty.
func inPairs(own, other frontier, floor, least int64) func(*node) bool {
	bound := max(floor, lowerBound(own, other, least))
	cheapest := other[0].g
	for _, e := range other {
		if e.f <= bound {
			cheapest = e.g
		}
	}
	return func(n *node) bool {
		return n.f() <= bound && plus(plus(n.g, cheapest), least) <= bound
	}
}
