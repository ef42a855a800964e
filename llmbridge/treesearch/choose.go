package treesearch

import (
	"fmt"
	"math"

	"github.com/planproof/planproof/search/state"
)

// Distance is how the distance reward compares two nodes.
type Distance string

// Distances. Jaccard is the one that grows as trees converge; Printed takes the
// formula of the paper's equation 2 by the letter, which calls the similarity a distance, and
// is there for comparison.
const (
	Jaccard Distance = "jaccard" // 1 - |A and B| / |A or B|
	Printed Distance = "printed" // |A and B| / |A or B|
)

// Norm is how confidence rewards, which are sums of logarithms, are brought to [0, 1]
// before they are mixed with distance rewards, which lie there already.
type Norm string

// Norms. Both look at the open leaves of the tree in which a leaf is to be chosen.
const (
	// Likelihood is exp(R_conf - the greatest R_conf): how likely the step is, compared
	// with the likeliest.
	Likelihood Norm = "likelihood"
	// MinMax is (R_conf - least) / (greatest - least), 1 when all are equal.
	MinMax Norm = "minmax"
)

// Rewards are the parameters of the choice of leaves (CATS, equations 1 to 3).
type Rewards struct {
	// Weight is w: that of the confidence reward, from 0 to 1. The distance reward has 1 - w.
	Weight   float64
	Distance Distance
	Norm     Norm
}

// Check returns what is wrong with the parameters.
func (r Rewards) Check() error {
	switch {
	case !(r.Weight >= 0 && r.Weight <= 1):
		return fmt.Errorf("the weight of the confidence reward must be from 0 to 1, and is %v", r.Weight)
	case r.Distance != Jaccard && r.Distance != Printed:
		return fmt.Errorf("there is no distance %q; there are %s, %s", r.Distance, Jaccard, Printed)
	case r.Norm != Likelihood && r.Norm != MinMax:
		return fmt.Errorf("there is no normalisation %q; there are %s, %s", r.Norm, Likelihood, MinMax)
	}
	return nil
}

// scale normalises confidence rewards between the least and the greatest of some leaves.
type scale struct {
	norm        Norm
	least, most float64
}

func newScale(norm Norm) scale { return scale{norm, math.Inf(1), math.Inf(-1)} }

func (s *scale) add(conf float64) { s.least, s.most = min(s.least, conf), max(s.most, conf) }

func (s scale) of(conf float64) float64 {
	switch {
	case conf == s.most:
		return 1
	case math.IsInf(conf, -1):
		return 0
	case s.norm == Likelihood:
		return math.Exp(conf - s.most)
	case math.IsInf(s.least, -1): // the impossible ones would put all others at 1
		return 1
	}
	return (conf - s.least) / (s.most - s.least)
}

// choice is a leaf with its rewards.
type choice struct {
	at                          int // in tree.open
	confidence, distance, score float64
}

// choose returns the open leaf with the greatest score among those that may reports true
// for (nil: all). U is 1 for all of them: a leaf that was expanded in vain is no longer
// open. Of leaves with equal scores the one with the greater path cost is taken, then the
// one added last. The distance reward of a leaf is computed only if it can matter.
func (r Rewards) choose(t, opposite *tree, may func(*node) bool) choice {
	s := newScale(r.Norm)
	t.candidates = t.candidates[:0]
	for i, id := range t.open {
		if n := &t.nodes[id]; may == nil || may(n) {
			t.candidates = append(t.candidates, i)
			s.add(n.conf)
		}
	}
	best := choice{at: -1}
	consider := func(i int) {
		n := &t.nodes[t.open[i]]
		c := choice{at: i, confidence: s.of(n.conf)}
		c.score = r.Weight * c.confidence
		if r.Weight < 1 && opposite != nil {
			if c.score+(1-r.Weight) < best.score && best.at >= 0 {
				return
			}
			c.distance = r.distance(t, opposite, t.open[i])
			c.score += (1 - r.Weight) * c.distance
		}
		if best.at < 0 || t.before(c, best) {
			best = c
		}
	}
	for _, confident := range []bool{true, false} { // most others are then out of the race
		for _, i := range t.candidates {
			if (t.nodes[t.open[i]].conf == s.most) == confident {
				consider(i)
			}
		}
	}
	return best
}

// before tells which of two leaves is to be expanded first.
func (t *tree) before(c, d choice) bool {
	if c.score != d.score {
		return c.score > d.score
	}
	a, b := t.open[c.at], t.open[d.at]
	if ga, gb := t.nodes[a].g, t.nodes[b].g; ga != gb {
		return ga > gb
	}
	return a > b
}

// distance is R_dist of a node: 1 - the least J between it and a leaf of the opposite tree.
// What it finds is kept, so that only nodes that became leaves since then are compared, as
// long as the nearest one stays a leaf.
func (r Rewards) distance(t, opposite *tree, id state.StateID) float64 {
	n := &t.nodes[id]
	if n.nearest >= 0 && !opposite.nodes[n.nearest].leaf {
		n.nearest, n.seen = -1, 0
	}
	own := t.set(id)
	for _, leaf := range opposite.leaves[n.seen:] {
		if !opposite.nodes[leaf].leaf {
			continue
		}
		j := similarity(own, opposite.set(leaf))
		if r.Distance == Jaccard {
			j = 1 - j
		}
		if n.nearest < 0 || j < n.near {
			n.nearest, n.near = int32(leaf), j
		}
	}
	n.seen = int32(len(opposite.leaves))
	if n.nearest < 0 {
		return 0 // no leaf is left there
	}
	return 1 - n.near
}
