package domains

import "slices"

// A domain is invented as families of objects. The objects of a family are each in one stage
// (a unary predicate for each) or at one place (a binary predicate, and a static one that links
// places). Every action changes one object of one family; its conditions are on families that
// the causal shape makes parents.

// Shapes of the causal graph over families: what the actions of a family ask for.
const (
	shapeChain = 1 + iota // of the family before
	shapeFork             // of the first family
	shapeJoin             // the last family asks for all others
	shapeCycle            // of the family before, the first of the last
	shapeMixed            // of random families, with a way back to the first
)

type inventedPredicate struct {
	name   string
	types  []int
	static bool
}

// inventedLiteral is a predicate over parameters of an action.
type inventedLiteral struct {
	pred int
	args []int
}

type inventedAction struct {
	name          string
	params        []int // types
	pre, add, del []inventedLiteral
}

// param adds a parameter.
func (a *inventedAction) param(typ int) int {
	a.params = append(a.params, typ)
	return len(a.params) - 1
}

type inventedFamily struct {
	typ     int
	place   int   // type of its places, -1: it has stages
	stages  []int // predicates; of a family with places the one that says where
	clear   int   // predicate of a place that no object of the family is at, -1: places are shared
	parents []int
	actions []int
}

// inventedLink is a predicate that links places; a type of places may have several.
type inventedLink struct{ place, pred int }

// invention is a domain before it is written down.
type invention struct {
	name     string
	types    []string
	preds    []inventedPredicate
	actions  []inventedAction
	families []inventedFamily
	links    []inventedLink
	words    *words
	r        *random
}

func (v *invention) typ() int {
	v.types = append(v.types, v.words.next())
	return len(v.types) - 1
}

func (v *invention) pred(static bool, types ...int) int {
	v.preds = append(v.preds, inventedPredicate{v.words.next(), types, static})
	return len(v.preds) - 1
}

// network adds links between places of a type.
func (v *invention) network(place int) int {
	v.links = append(v.links, inventedLink{place, v.pred(true, place, place)})
	return v.links[len(v.links)-1].pred
}

// invent draws the domain of the given number.
func invent(actions, shape, number int) *invention {
	r := newRandom('i', uint64(actions), uint64(shape), uint64(number))
	v := &invention{r: r, words: &words{r: r, used: map[string]bool{}}}
	v.name = v.words.next()
	n := max(2, (actions+1)/2)
	share := make([]int, n) // actions of each family
	for i := range share {
		share[i] = 1
	}
	for range actions - n {
		share[r.intn(n)]++
	}
	for i := range n {
		v.family(share[i])
		v.families[i].parents = v.parentsOf(shape, i, n)
	}
	for i := range n {
		v.act(i, share[i], shape)
	}
	return v
}

func (v *invention) parentsOf(shape, i, n int) []int {
	switch {
	case shape == shapeCycle:
		return []int{(i + n - 1) % n}
	case shape == shapeChain && i > 0:
		return []int{i - 1}
	case shape == shapeFork && i > 0:
		return []int{0}
	case shape == shapeJoin && i == n-1:
		all := make([]int, n-1)
		for k := range all {
			all[k] = k
		}
		return all
	case shape == shapeMixed && i == 0:
		return []int{1 + v.r.intn(n-1)}
	case shape == shapeMixed:
		parents := []int{v.r.intn(i)}
		if other := v.r.intn(n); v.r.intn(3) == 0 && other != i && other != parents[0] {
			parents = append(parents, other)
		}
		return parents
	}
	return nil
}

// family draws the objects of a family that n actions change.
func (v *invention) family(n int) {
	f := inventedFamily{typ: v.typ(), place: -1, clear: -1}
	if v.r.intn(2) == 0 { // stages: a way of n steps, or a round of n stages
		stages := n + 1
		if n > 1 && v.r.intn(2) == 0 {
			stages = n
		}
		for range stages {
			f.stages = append(f.stages, v.pred(false, f.typ))
		}
		v.families = append(v.families, f)
		return
	}
	var known []int
	for _, g := range v.families {
		if g.place >= 0 {
			known = append(known, g.place)
		}
	}
	if len(known) > 0 && v.r.intn(2) == 0 {
		f.place = known[v.r.intn(len(known))]
	} else {
		f.place = v.typ()
		v.network(f.place)
	}
	f.stages = []int{v.pred(false, f.typ, f.place)}
	if v.r.intn(3) == 0 {
		f.clear = v.pred(false, f.place)
	}
	v.families = append(v.families, f)
}

// act draws the n actions of a family. Every parent is asked for by one of them, and every
// action asks for a parent, if there are any.
func (v *invention) act(i, n, shape int) {
	f := &v.families[i]
	for k := range n {
		a := inventedAction{name: v.words.next()}
		x := a.param(f.typ)
		var places []int
		if f.place < 0 {
			from, to := f.stages[k], f.stages[(k+1)%len(f.stages)]
			a.pre = append(a.pre, inventedLiteral{from, []int{x}})
			a.del = append(a.del, inventedLiteral{from, []int{x}})
			a.add = append(a.add, inventedLiteral{to, []int{x}})
		} else {
			places = v.move(&a, f, x, k)
		}
		asked := false
		for p, j := range f.parents {
			if p%n == k {
				v.ask(&a, i, j, x, places, shape)
				asked = true
			}
		}
		if !asked && len(f.parents) > 0 {
			v.ask(&a, i, f.parents[v.r.intn(len(f.parents))], x, places, shape)
		}
		f.actions = append(f.actions, len(v.actions))
		v.actions = append(v.actions, a)
	}
}

// move makes an action one that takes x along a link, and returns the places' parameters. The
// first action of a family takes the common links, each other one has its own.
func (v *invention) move(a *inventedAction, f *inventedFamily, x, k int) []int {
	from, to := a.param(f.place), a.param(f.place)
	at, link := f.stages[0], 0
	if k > 0 {
		link = v.network(f.place)
	} else {
		link = v.links[slices.IndexFunc(v.links, func(l inventedLink) bool { return l.place == f.place })].pred
	}
	a.pre = append(a.pre, inventedLiteral{at, []int{x, from}}, inventedLiteral{link, []int{from, to}})
	a.del = append(a.del, inventedLiteral{at, []int{x, from}})
	a.add = append(a.add, inventedLiteral{at, []int{x, to}})
	if f.clear >= 0 {
		a.pre = append(a.pre, inventedLiteral{f.clear, []int{to}})
		a.del = append(a.del, inventedLiteral{f.clear, []int{to}})
		a.add = append(a.add, inventedLiteral{f.clear, []int{from}})
	}
	return []int{from, to}
}

// ask adds a condition on an object of family j to an action of family i.
func (v *invention) ask(a *inventedAction, i, j, x int, places []int, shape int) {
	g := &v.families[j]
	y := a.param(g.typ)
	switch {
	case g.place < 0: // in some stage, and perhaps the object that x belongs to
		s := v.r.intn(len(g.stages))
		a.pre = append(a.pre, inventedLiteral{g.stages[s], []int{y}})
		if v.r.intn(2) == 0 {
			a.pre = append(a.pre, inventedLiteral{v.pred(true, v.families[i].typ, g.typ), []int{x, y}})
		}
		// The condition may be used up. That makes j depend on i, so only where there is a
		// way back anyway.
		if shape >= shapeCycle && v.r.intn(3) == 0 {
			a.del = append(a.del, inventedLiteral{g.stages[s], []int{y}})
			a.add = append(a.add, inventedLiteral{g.stages[(s+1)%len(g.stages)], []int{y}})
		}
	case len(places) > 0 && g.place == v.families[i].place: // at one of x's places
		a.pre = append(a.pre, inventedLiteral{g.stages[0], []int{y, places[v.r.intn(2)]}})
	default: // at a place that x belongs to
		q := a.param(g.place)
		a.pre = append(a.pre, inventedLiteral{g.stages[0], []int{y, q}}, inventedLiteral{v.pred(true, v.families[i].typ, g.place), []int{x, q}})
	}
}
