package symbolic

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/search/symbolic/bdd"
)

// Steps that merging relations, and merging constraints, may take.
const (
	maxMergeWork = 1 << 24
	maxUnionWork = 1 << 19
	// maxConstraintNodes bounds a constraint that is made by uniting two.
	maxConstraintNodes = 1 << 13
	// A constraint is applied if that takes so many steps, and gives so many nodes, at most.
	minFilterWork  = 1 << 16
	filterGrowth   = 8
	minFilterNodes = 1 << 12
)

// build makes the relations, the constraints of the backward side, and both sides.
func (s *Search) build() {
	t := s.sys.Task
	order := orderVariables(t, weighings[s.weighing], func(work int64) {
		s.extra += work // a neighbour takes about as long as a unit of other searches
		s.pause()
	})
	s.e = newEncoding(s.m, t, order)
	if s.e.total > bdd.MaxBits {
		s.refuse("states of more than %d bits", bdd.MaxBits)
		return
	}
	if !s.e.deriveAll(s.collectIfWorthwhile) {
		s.refuse("axioms that negate a variable of their own layer")
		return
	}
	s.collect()
	if !s.buildRelations() {
		return
	}
	s.buildConstraints()
	goal := s.e.all(t.Goal)
	row := make([]bool, s.e.total)
	s.e.encode(row, t.Init)
	s.e.derived = nil
	s.forward.open = []bucket{{0, s.m.State(row)}}
	s.backward.open = []bucket{{0, goal}}
	s.best = s.meet(s.forward, s.forward.open[0].states, 0)
	s.forward.blocked, s.backward.blocked = s.onlyBackward, !s.opt.Backward
}

// buildRelations makes one relation per operator and cost, and merges those of one cost.
func (s *Search) buildRelations() bool {
	for i := range s.sys.Task.Operators.Len() {
		op := s.sys.Task.Operators.At(i)
		cases, overflow, ok := s.e.costCases(op)
		if !ok {
			s.refuse("costs of more than %d cases", maxCostCases)
			return false
		}
		s.overflow = s.overflow || overflow
		r := s.e.operator(op)
		for _, c := range cases {
			guarded := r
			guarded.node = s.m.And(r.node, c.guard)
			if guarded.node != bdd.False {
				s.add(uint64(c.cost), guarded)
			}
		}
		s.collectIfWorthwhile()
	}
	slices.SortFunc(s.classes, func(a, b costClass) int { return cmp.Compare(a.cost, b.cost) })
	if len(s.classes) > 0 {
		s.cheapest = s.classes[0].cost
	}
	until := s.m.Work() + maxMergeWork
	for i := range s.classes {
		s.merge(&s.classes[i], until)
	}
	return true
}

func (s *Search) add(cost uint64, r relation) {
	for i := range s.classes {
		if s.classes[i].cost == cost {
			s.classes[i].relations = append(s.classes[i].relations, r)
			return
		}
	}
	s.classes = append(s.classes, costClass{cost, []relation{r}})
}

// merge unites neighbours in rounds, as long as the unions are small. Relations that change the same bits come first to
// each other: their union says nothing about bits that stay. The list is changed in place, so that nodes may be
// collected between any two unions.
func (s *Search) merge(c *costClass, until int64) {
	slices.SortStableFunc(c.relations, func(a, b relation) int { return slices.Compare(a.bits, b.bits) })
	for again := true; again; {
		again = false
		first := -1 // of a pair: a relation that has not been united in this round
		kept := 0
		for i := range c.relations {
			r := c.relations[i]
			c.relations[kept] = r
			kept++
			switch {
			case r.large || s.m.Work() >= until:
			case first < 0:
				first = kept - 1
			default:
				u, ok := s.unite(c.relations[first], r)
				if c.relations[first] = u; ok {
					kept--
					again = true
				} else {
					c.relations[kept-1].large = true
				}
				first = -1
			}
			s.collectIfWorthwhile()
		}
		c.relations = c.relations[:kept]
	}
}

// unite returns the union of two relations, or the first, marked as large, if it is too large.
func (s *Search) unite(a, b relation) (u relation, ok bool) {
	err := s.attempt(maxUnionWork, func() { u = s.e.union(a, b) })
	if err == nil && s.m.Size(u.node) <= s.relationNodes {
		return u, true
	}
	a.large = true
	return a, false
}

// buildConstraints makes the sets of states that respect the mutexes, and in which every
// variable has a value. Some are united; a search may leave any of them out.
func (s *Search) buildConstraints() {
	t := s.sys.Task
	var list []bdd.Node
	for v := range t.Variables {
		if s.e.width[v] > 0 && t.Variables[v].Size()&(t.Variables[v].Size()-1) != 0 {
			list = append(list, s.e.valid(int32(v)))
		}
	}
	for _, g := range t.Mutexes {
		var n bdd.Node
		if s.attempt(maxUnionWork, func() { n = s.e.atMostOne(g) }) == nil && n != bdd.True {
			list = append(list, n)
		}
	}
	s.constraints = list
	until := s.m.Work() + maxMergeWork
	for again := true; again && s.m.Work() < until; {
		again = false
		var next []bdd.Node
		for i := 0; i < len(list); i += 2 {
			if i+1 == len(list) {
				next = append(next, list[i])
				continue
			}
			var u bdd.Node
			err := s.attempt(maxUnionWork, func() { u = s.m.And(list[i], list[i+1]) })
			if err == nil && s.m.Size(u) <= maxConstraintNodes {
				next, again = append(next, u), true
			} else {
				next = append(next, list[i], list[i+1])
			}
		}
		list = next
		s.constraints = list
		s.collectIfWorthwhile()
	}
}

// filter removes from a set of the backward side what the constraints exclude. A constraint
// that would make the diagram much larger is left out.
func (s *Search) filter(d *side, set bdd.Node) bdd.Node {
	if d != s.backward || set == bdd.False {
		return set
	}
	size := s.m.Size(set)
	for _, c := range s.constraints {
		var n bdd.Node
		if s.attempt(int64(minFilterWork+filterGrowth*size), func() { n = s.m.And(set, c) }) != nil {
			continue
		}
		if after := s.m.Size(n); after <= minFilterNodes+size+size/2 {
			set, size = n, after
		}
	}
	return set
}
