package domains

import (
	"math/big"
	"strings"
)

// inventedState is a problem in the making: objects by type, and the atoms that hold.
type inventedState struct {
	v       *invention
	r       *random
	objects [][]int // by type: numbers of objects, counted through all types
	count   int
	holds   map[[3]int]bool // predicate and arguments, -1 where there is none
	static  map[[3]int]bool
	first   map[[3]int]bool // fluents at the beginning
}

func atomOf(pred int, args ...int) [3]int {
	a := [3]int{pred, -1, -1}
	copy(a[1:], args)
	return a
}

// inventedProblem draws objects, what belongs to what and an initial state, and takes a random
// walk. The goal is part of the state at its end, so every task is solvable.
func inventedProblem(name string, params []int, seed *big.Int) string {
	v := inventedOf(params)
	r := newRandom('I', uint64(params[0]), uint64(params[1]), uint64(params[2]), uint64(params[3]), seed.Uint64())
	for {
		s := &inventedState{v: v, r: r, objects: make([][]int, len(v.types)), holds: map[[3]int]bool{}, static: map[[3]int]bool{}, first: map[[3]int]bool{}}
		s.furnish(params[3])
		for a := range s.holds {
			s.first[a] = true
		}
		for range 8 * params[3] * len(v.families) {
			if !s.step() {
				break
			}
		}
		if goal := s.goal(); len(goal) > 0 {
			return s.write(name, goal)
		}
		// Nothing has changed: no action was applicable, or the walk ended where it began.
	}
}

// furnish draws objects and the initial state.
func (s *inventedState) furnish(size int) {
	v := s.v
	places := size + 2 // more than objects of any family, so that a clear place is left
	for _, f := range v.families {
		s.add(f.typ, max(1, size-s.r.intn((size+1)/2)))
		if f.place >= 0 && s.objects[f.place] == nil {
			s.add(f.place, places)
		}
	}
	linked := map[int]bool{}
	for _, l := range v.links {
		linked[l.pred] = true
		s.connect(l.pred, s.objects[l.place])
	}
	for p, pred := range v.preds {
		if !pred.static || linked[p] {
			continue
		}
		for _, x := range s.objects[pred.types[0]] { // x belongs to one or two
			other := s.objects[pred.types[1]]
			for range 1 + s.r.intn(2) {
				s.static[atomOf(p, x, other[s.r.intn(len(other))])] = true
			}
		}
	}
	for _, f := range v.families {
		s.begin(f)
	}
}

func (s *inventedState) add(typ, n int) {
	for range n {
		s.objects[typ] = append(s.objects[typ], s.count)
		s.count++
	}
}

// connect links places both ways: all of them by a random tree, and some more.
func (s *inventedState) connect(link int, places []int) {
	both := func(a, b int) {
		if a != b {
			s.static[atomOf(link, a, b)], s.static[atomOf(link, b, a)] = true, true
		}
	}
	for i := 1; i < len(places); i++ {
		both(places[i], places[s.r.intn(i)])
	}
	for range len(places) / 3 {
		both(places[s.r.intn(len(places))], places[s.r.intn(len(places))])
	}
}

// begin draws where or in which stage the objects of a family are: most in the first stage.
func (s *inventedState) begin(f inventedFamily) {
	if f.place < 0 {
		for _, x := range s.objects[f.typ] {
			stage := 0
			if s.r.intn(3) == 0 {
				stage = s.r.intn(len(f.stages))
			}
			s.holds[atomOf(f.stages[stage], x)] = true
		}
		return
	}
	places := s.objects[f.place]
	order := s.r.perm(len(places))
	for i, x := range s.objects[f.typ] {
		at := order[i]
		if f.clear < 0 {
			at = s.r.intn(len(places))
		}
		s.holds[atomOf(f.stages[0], x, places[at])] = true
	}
	if f.clear >= 0 {
		for _, at := range order[len(s.objects[f.typ]):] {
			s.holds[atomOf(f.clear, places[at])] = true
		}
	}
}

// step applies a random applicable action; false if there is none.
func (s *inventedState) step() bool {
	for _, k := range s.r.perm(len(s.v.actions)) {
		a := &s.v.actions[k]
		if bound, ok := s.bind(a, nil); ok {
			for _, l := range a.del {
				delete(s.holds, l.atom(bound))
			}
			for _, l := range a.add {
				s.holds[l.atom(bound)] = true
			}
			return true
		}
	}
	return false
}

func (l inventedLiteral) atom(bound []int) [3]int {
	a := [3]int{l.pred, -1, -1}
	for k, p := range l.args {
		a[k+1] = bound[p]
	}
	return a
}

// bind extends the objects of the first parameters to all of them so that the precondition holds.
func (s *inventedState) bind(a *inventedAction, bound []int) ([]int, bool) {
	for _, l := range a.pre {
		last := 0
		for _, p := range l.args {
			last = max(last, p)
		}
		if last == len(bound)-1 && !s.holds[l.atom(bound)] && !s.static[l.atom(bound)] {
			return nil, false
		}
	}
	if len(bound) == len(a.params) {
		return bound, true
	}
	objects := s.objects[a.params[len(bound)]]
	for _, k := range s.r.perm(len(objects)) {
		if b, ok := s.bind(a, append(bound[:len(bound):len(bound)], objects[k])); ok {
			return b, true
		}
	}
	return nil, false
}

// goal picks up to four of the atoms that hold now and did not at the beginning; clear places
// are left to follow.
func (s *inventedState) goal() [][3]int {
	var changed [][3]int
	for _, f := range s.v.families {
		for _, x := range s.objects[f.typ] {
			for _, p := range f.stages {
				args := []int{-1}
				if f.place >= 0 {
					args = s.objects[f.place]
				}
				for _, at := range args {
					if a := atomOf(p, x, at); s.holds[a] && !s.first[a] {
						changed = append(changed, a)
					}
				}
			}
		}
	}
	var goal [][3]int
	for _, k := range s.r.perm(len(changed)) {
		if len(goal) < 4 {
			goal = append(goal, changed[k])
		}
	}
	return goal
}

// write writes the problem.
func (s *inventedState) write(name string, goal [][3]int) string {
	w := newWriter(name, s.v.name)
	names := make([]string, s.count)
	w.section("objects")
	for t, objects := range s.objects {
		var of []string
		for _, x := range objects {
			names[x] = s.v.words.next()
			of = append(of, names[x])
		}
		w.objects(of, s.v.types[t])
	}
	w.end()
	text := func(a [3]int) string {
		parts := []string{s.v.preds[a[0]].name}
		for _, x := range a[1:] {
			if x >= 0 {
				parts = append(parts, names[x])
			}
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	w.section("init")
	for p, pred := range s.v.preds {
		for _, x := range s.objects[pred.types[0]] {
			second := []int{-1}
			if len(pred.types) > 1 {
				second = s.objects[pred.types[1]]
			}
			for _, y := range second {
				if a := atomOf(p, x, y); s.first[a] || s.static[a] {
					w.line("%s", text(a))
				}
			}
		}
	}
	w.end()
	w.section("goal (and")
	for _, a := range goal {
		w.line("%s", text(a))
	}
	w.b.WriteString(")")
	w.end()
	return w.finish()
}
