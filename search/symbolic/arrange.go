package symbolic

import (
	"cmp"
	"math"
	"slices"

	"github.com/planproof/planproof/search/symbolic/bdd"
)

// arrangement is the task and the search under one order of the variables.
type arrangement struct {
	weighing int // of the order
	m        *bdd.Manager
	e        *encoding

	classes     []costClass // ascending by cost
	constraints []bdd.Node
	cheapest    uint64 // the cost of the cheapest operator

	forward, backward *side
	best              meeting
	overflow          bool
	full              bool // its part of memory has not been enough
}

// Bounds of the contest between arrangements, in steps: the first round of search, and what building the first may
// take so that there are others. Each of them takes some tens of megabytes at most.
const (
	firstRound    = 1 << 19
	maxBuilding   = 1 << 23
	contestMemory = 512 << 20
)

// newArrangement returns one that is not built, and puts it among the rivals.
func (s *Search) newArrangement(weighing int, memory int64) *arrangement {
	a := &arrangement{weighing: weighing, m: bdd.New(memory), forward: &side{}, backward: &side{}, best: meeting{cost: infinite}}
	a.m.OnTick(s.tick, s.pause)
	s.rivals = append(s.rivals, a)
	return a
}

// enter goes on with an arrangement.
func (s *Search) enter(a *arrangement) { s.arrangement = a }

// drop gives an arrangement up.
func (s *Search) drop(a *arrangement) {
	s.extra += a.m.Work() * unitsPerStep
	s.rivals = slices.DeleteFunc(s.rivals, func(r *arrangement) bool { return r == a })
}

// arrange builds an arrangement for each weighing, searches in all of them for a while, and goes on with that which
// has come furthest: the order decides how large the diagrams are, and no measure of orders says so beforehand.
func (s *Search) arrange() {
	memory := int64(0)
	if s.opt.Memory > 0 {
		memory = s.opt.Memory / int64(len(weighings))
	}
	contest := s.opt.Memory == 0 || s.opt.Memory >= contestMemory
	if s.attempt(math.MaxInt64, s.build) != nil {
		s.outcome = Full
	}
	if took := s.m.Work(); s.outcome == Running && contest && took <= maxBuilding {
		first := s.arrangement
		for w := 1; w < len(weighings); w++ {
			s.enter(s.newArrangement(w, memory))
			if s.attempt(2*took+firstRound, s.build) != nil {
				s.drop(s.arrangement)
			}
		}
		s.enter(first)
		s.m.Limit(memory)
		s.compete()
	}
	for _, r := range slices.Clone(s.rivals) {
		if r != s.arrangement {
			s.drop(r)
		}
	}
	s.m.Limit(s.opt.Memory)
	if s.full { // there is more memory now
		s.forward.failed, s.backward.failed = false, false
		s.forward.blocked, s.backward.blocked = s.onlyBackward, !s.opt.Backward
	}
}

// compete searches in each arrangement in turn, and keeps the better half for a longer round, until one is left or
// the search has ended.
func (s *Search) compete() {
	for work := s.firstRound; len(s.rivals) > 1 && s.outcome == Running && !s.settled; work *= 4 {
		list := slices.Clone(s.rivals)
		for _, a := range list {
			s.enter(a)
			s.play(work)
			if s.outcome == Full {
				a.full, s.outcome = true, Running
			}
			if s.outcome != Running || s.settled {
				return
			}
		}
		slices.SortStableFunc(list, further)
		s.enter(list[0])
		for _, a := range list[(len(list)+1)/2:] {
			s.drop(a)
		}
	}
}

// play searches in the present arrangement for a number of steps.
func (s *Search) play(steps int64) {
	until := s.m.Work() + steps
	for s.m.Work() < until && s.outcome == Running && !s.ended() {
		_ = s.attempt(until-s.m.Work(), s.step)
		_ = s.attempt(math.MaxInt64, s.pause)
	}
}

// further compares arrangements by how far they have come: by the bound on the cost of plans, by the sets of states
// that they have gone on from, and by the sizes of their relations.
func further(a, b *arrangement) int {
	switch {
	case a.full != b.full && a.full:
		return 1
	case a.full != b.full:
		return -1
	}
	return cmp.Or(
		cmp.Compare(plus(b.forward.least(), b.backward.least()), plus(a.forward.least(), a.backward.least())),
		cmp.Compare(b.forward.steps()+b.backward.steps(), a.forward.steps()+a.backward.steps()),
		cmp.Compare(a.relationSize(), b.relationSize()),
	)
}

// steps counts the sets that a side has gone on from.
func (d *side) steps() (n int) {
	for i := range d.layers {
		n += len(d.layers[i].steps)
	}
	return n
}

// relationSize returns the nodes of all relations.
func (a *arrangement) relationSize() (nodes int) {
	for _, c := range a.classes {
		for _, r := range c.relations {
			nodes += a.m.Size(r.node)
		}
	}
	return nodes
}
