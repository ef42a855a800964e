package grounder

// system is a constraint system over terms: invariant parameters, variables of an action
// and constants, as small integers. It asks whether one conjunction of equalities can be
// chosen from each disjunction such that the finest equivalence relation with these
// equalities
//
//   - puts no two constants into one class,
//   - satisfies every disjunction of inequalities (some pair lies in two classes),
//   - keeps the terms in notConst out of classes with a constant.
//
// (Helmert, Concise finite-domain representations for PDDL planning tasks,
// AIJ 173, 2009, section 5.)
type system struct {
	parent   []int32 // union-find by size, undone by the trail
	size     []int32
	constant []int32 // by root: the constant of its class, -1 = none
	trail    []int32 // child, constant of the parent before

	terms, constants int // the layout at the last reset

	pairs    []pair
	options  []span // conjunctions: ranges of pairs
	choices  []span // disjunctions of conjunctions: ranges of options
	unequal  []span // disjunctions of inequalities: ranges of pairs
	notConst []int32
	accept   func() bool // a final test of solutions, if judged is set
	judged   bool
	work     *int // counts unions, for the budget
}

type pair struct{ a, b int32 }

type span struct{ from, to int32 }

// reset empties the system and sets its terms: n in all, from index constants on
// constants.
func (s *system) reset(n, constants int) {
	s.undo(0)
	s.judged = false
	for i := len(s.parent); i < n; i++ {
		s.parent = append(s.parent, int32(i))
		s.size = append(s.size, 1)
		s.constant = append(s.constant, -1)
	}
	if s.terms != n || s.constants != constants {
		s.terms, s.constants = n, constants
		for i := range s.constant[:n] {
			s.constant[i] = -1
		}
		for i := constants; i < n; i++ {
			s.constant[i] = int32(i)
		}
	}
	s.pairs, s.options, s.choices, s.unequal, s.notConst = s.pairs[:0], s.options[:0], s.choices[:0], s.unequal[:0], s.notConst[:0]
}

func (s *system) find(a int32) int32 {
	for s.parent[a] != a {
		a = s.parent[a]
	}
	return a
}

// union merges two classes. It reports false if they have different constants.
func (s *system) union(a, b int32) bool {
	a, b = s.find(a), s.find(b)
	if a == b {
		return true
	}
	*s.work++
	ca, cb := s.constant[a], s.constant[b]
	if ca >= 0 && cb >= 0 {
		return false
	}
	if s.size[a] < s.size[b] {
		a, b, ca, cb = b, a, cb, ca
	}
	s.trail = append(s.trail, b, ca)
	s.parent[b] = a
	s.size[a] += s.size[b]
	if cb >= 0 {
		s.constant[a] = cb
	}
	return true
}

// undo takes back the unions made since the trail had the given length.
func (s *system) undo(mark int) {
	for len(s.trail) > mark {
		b, c := s.trail[len(s.trail)-2], s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-2]
		a := s.parent[b]
		s.size[a] -= s.size[b]
		s.constant[a] = c
		s.parent[b] = b
	}
}

// require adds equalities that hold in every solution.
func (s *system) require(pairs ...pair) {
	s.beginChoice()
	s.option(pairs...)
}

// beginChoice starts a disjunction; option adds a conjunction to it.
func (s *system) beginChoice() {
	s.choices = append(s.choices, span{int32(len(s.options)), int32(len(s.options))})
}

func (s *system) option(pairs ...pair) {
	from := int32(len(s.pairs))
	s.pairs = append(s.pairs, pairs...)
	s.options = append(s.options, span{from, int32(len(s.pairs))})
	s.choices[len(s.choices)-1].to++
}

// differ requires that one of the pairs differs.
func (s *system) differ(pairs ...pair) {
	from := int32(len(s.pairs))
	s.pairs = append(s.pairs, pairs...)
	s.unequal = append(s.unequal, span{from, int32(len(s.pairs))})
}

// solvable decides the system. On success the unions of a solution stay in place until
// the next reset.
func (s *system) solvable() bool {
	// Forced equalities first: they prune the choices.
	for _, c := range s.choices {
		if c.to == c.from {
			return false
		}
		if c.to == c.from+1 && !s.apply(s.options[c.from]) {
			return false
		}
	}
	return s.consistent() && s.choose(0)
}

func (s *system) apply(o span) bool {
	for _, p := range s.pairs[o.from:o.to] {
		if !s.union(p.a, p.b) {
			return false
		}
	}
	return true
}

func (s *system) choose(i int) bool {
	for i < len(s.choices) && s.choices[i].to == s.choices[i].from+1 {
		i++
	}
	if i == len(s.choices) {
		return !s.judged || s.accept()
	}
	mark := len(s.trail)
	for o := s.choices[i].from; o < s.choices[i].to; o++ {
		if s.apply(s.options[o]) && s.consistent() && s.choose(i+1) {
			return true
		}
		s.undo(mark)
	}
	return false
}

// consistent checks the conditions that further unions can only break.
func (s *system) consistent() bool {
next:
	for _, u := range s.unequal {
		for _, p := range s.pairs[u.from:u.to] {
			if s.find(p.a) != s.find(p.b) {
				continue next
			}
		}
		return false
	}
	for _, t := range s.notConst {
		if s.constant[s.find(t)] >= 0 {
			return false
		}
	}
	return true
}
