package grounder

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// nameOrder ranks predicates and objects by their names: the order of atoms must not
// depend on the order of declarations.
type nameOrder struct {
	pred   []int32
	object []int32
}

func ranks(names []string) []int32 {
	order := make([]int32, len(names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	rank := make([]int32, len(names))
	for r, i := range order {
		rank[i] = int32(r)
	}
	return rank
}

func (g *grounder) rankNames() {
	var preds, objects []string
	for _, p := range g.preds {
		preds = append(preds, strings.ToLower(p.name))
	}
	for i := range g.prob.Objects {
		objects = append(objects, strings.ToLower(g.prob.Objects[i].Name))
	}
	g.names = nameOrder{ranks(preds), ranks(objects)}
}

// predRank ranks predicates that were added after the ranking last.
func (g *grounder) predRank(p int32) int32 {
	if int(p) < len(g.names.pred) {
		return g.names.pred[p]
	}
	return p
}

// compareAtoms orders atoms by the names of predicate and arguments.
func (g *grounder) compareAtoms(a, b int32) int {
	g.tick()
	if p, q := g.atomPred[a], g.atomPred[b]; p != q {
		return int(g.predRank(p)) - int(g.predRank(q))
	}
	x, y := g.atomArgs(a), g.atomArgs(b)
	for i := range x {
		if x[i] != y[i] {
			return int(g.names.object[x[i]]) - int(g.names.object[y[i]])
		}
	}
	return 0
}

// groupIndex lists the mutex groups of each atom: those of atom a are
// list[start[a]:start[a+1]].
type groupIndex struct {
	start []int32
	list  []int32
}

func (x *groupIndex) of(atom int32) []int32 {
	if int(atom)+1 >= len(x.start) {
		return nil
	}
	return x.list[x.start[atom]:x.start[atom+1]]
}

// instantiateGroups makes a mutex group of the reachable atoms that an invariant
// covers, for each choice of its parameters for which exactly one atom is true
// initially.
func (g *grounder) instantiateGroups() {
	g.rankNames()
	seen := make(map[string]bool)
	for _, v := range g.invariants {
		for _, group := range g.instancesOf(v) {
			if len(group) < 2 {
				continue
			}
			slices.SortFunc(group, g.compareAtoms)
			if k := groupKey(group); !seen[k] {
				seen[k] = true
				g.groups = append(g.groups, group)
			}
		}
		g.tick()
	}
	slices.SortFunc(g.groups, func(a, b []int32) int { return slices.CompareFunc(a, b, g.compareAtoms) })
	g.indexGroups()
}

func groupKey(group []int32) string {
	b := make([]byte, 0, 4*len(group))
	for _, a := range group {
		b = append(b, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
	}
	return string(b)
}

func (g *grounder) instancesOf(v *invariant) [][]int32 {
	keys := relation{arity: v.parts[0].arity()}
	var initially []int8 // 0, 1, 2 = several
	params := make([]pddl.ObjectID, keys.arity)
	match := func(p *part, row []pddl.ObjectID) {
		for i, arg := range p.args {
			if arg != counted {
				params[arg] = row[i]
			}
		}
	}
	for i := range v.parts {
		p := &v.parts[i]
		pred := g.preds[p.pred]
		for t := range pred.initial {
			match(p, pred.rel.row(int32(t)))
			k, added := keys.add(params)
			if added {
				initially = append(initially, 0)
			}
			initially[k] = min(initially[k]+1, 2)
		}
	}
	if v.functional { // also those without an initial value
		pred := g.preds[v.parts[0].pred]
		for t := range int32(pred.rel.n) {
			match(&v.parts[0], pred.rel.row(t))
			if _, added := keys.add(params); added {
				initially = append(initially, 0)
			}
		}
	}
	groups := make([][]int32, keys.n)
	for i := range v.parts {
		p := &v.parts[i]
		pred := g.preds[p.pred]
		for t := range int32(pred.rel.n) {
			match(p, pred.rel.row(t))
			if k := keys.find(params); k >= 0 && (initially[k] == 1 || v.functional) {
				groups[k] = append(groups[k], pred.base+t)
			}
			g.tick()
		}
	}
	return groups
}

func (g *grounder) indexGroups() {
	x := &g.atomGroups
	x.start = make([]int32, g.atoms+1)
	for _, group := range g.groups {
		for _, a := range group {
			x.start[a+1]++
		}
	}
	for a := range g.atoms {
		x.start[a+1] += x.start[a]
	}
	x.list = make([]int32, x.start[g.atoms])
	fill := slices.Clone(x.start)
	for i, group := range g.groups {
		for _, a := range group {
			x.list[fill[a]] = int32(i)
			fill[a]++
		}
	}
}

// variables maps atoms to facts before simplification. Value k < n of a variable of n
// atoms is its k-th atom, value n is "none of those".
type variables struct {
	members [][]int32 // by variable
	fact    []Fact    // by atom
}

func (v *variables) size(variable int32) int32 { return int32(len(v.members[variable])) + 1 }

// chooseVariables covers the atoms with mutex groups, greedily by size (Helmert
// 2009, section 6), and gives each remaining atom a binary variable. Derived atoms and
// those that the goal requires to be false always get variables of their own.
func (g *grounder) chooseVariables() {
	alone := make([]bool, g.atoms)
	for _, l := range g.goalLits {
		if l.neg() && int(l.atom()) < g.atoms {
			alone[l.atom()] = true
		}
	}
	cover := newGroupCover(g.groups, alone)
	covered := make([]bool, g.atoms)
	var chosen [][]int32
	for group := cover.pop(); group != nil; group = cover.pop() {
		for _, a := range group {
			covered[a] = true
		}
		slices.SortFunc(group, g.compareAtoms)
		chosen = append(chosen, group)
		g.tick()
	}
	g.vars.members = g.arrange(chosen, covered)
	g.vars.fact = make([]Fact, g.atoms)
	for v, group := range g.vars.members {
		for k, a := range group {
			g.vars.fact[a] = Fact{Var: int32(v), Val: int32(k)}
		}
	}
}

// arrange orders variables by their first atoms: groups, and the atoms that are covered by none.
func (g *grounder) arrange(groups [][]int32, covered []bool) [][]int32 {
	order := g.sortedAtoms()
	first := make(map[int32][]int32, len(groups))
	n := len(groups)
	for _, group := range groups {
		first[group[0]] = group
	}
	for _, c := range covered {
		if !c {
			n++
		}
	}
	members := make([][]int32, 0, n) // not nil: newAtom adds variables from now on
	for i, a := range order {
		if !covered[a] {
			members = append(members, order[i:i+1:i+1])
		} else if group, ok := first[a]; ok {
			members = append(members, group)
		}
	}
	return members
}

// sortedAtoms lists the atoms as compareAtoms orders them: those of one predicate after those of another, sorted by one
// argument after the other from the last on (radix sort).
func (g *grounder) sortedAtoms() []int32 {
	order, next := make([]int32, 0, g.atoms), make([]int32, 0, g.atoms)
	preds := make([]int32, 0, len(g.preds))
	for p := range g.preds {
		if g.preds[p].changes() {
			preds = append(preds, int32(p))
		}
	}
	slices.SortStableFunc(preds, func(a, b int32) int { return int(g.predRank(a)) - int(g.predRank(b)) })
	start := make([]int32, len(g.prob.Objects)+1)
	for _, p := range preds {
		pred := g.preds[p]
		from := len(order)
		for t := range int32(pred.rel.n) {
			order = append(order, pred.base+t)
		}
		part, spare := order[from:], next[:pred.rel.n]
		for col := pred.arity - 1; col >= 0; col-- {
			g.work(len(part))
			clear(start)
			for _, a := range part {
				start[g.names.object[pred.rel.row(a - pred.base)[col]]+1]++
			}
			for o := range g.prob.Objects {
				start[o+1] += start[o]
			}
			for _, a := range part {
				rank := g.names.object[pred.rel.row(a - pred.base)[col]]
				spare[start[rank]] = a
				start[rank]++
			}
			part, spare = spare, part
		}
		copy(order[from:], part)
	}
	return order
}

// groupCover pops the largest remaining group and takes its atoms out of the
// others. Ties go to the group that comes last, as in Fast Downward.
type groupCover struct {
	groups [][]int32
	left   []int32   // atoms left by group
	of     [][]int32 // groups by atom
	bySize [][]int32
	taken  []bool // by atom
}

func newGroupCover(groups [][]int32, alone []bool) *groupCover {
	c := &groupCover{groups: groups, left: make([]int32, len(groups)), taken: alone}
	if len(groups) > 0 {
		c.of = make([][]int32, len(alone))
	}
	size := 0
	for _, g := range groups {
		size = max(size, len(g))
	}
	c.bySize = make([][]int32, size+1)
	for i, g := range groups {
		for _, a := range g {
			c.of[a] = append(c.of[a], int32(i))
			if !alone[a] {
				c.left[i]++
			}
		}
		c.bySize[c.left[i]] = append(c.bySize[c.left[i]], int32(i))
	}
	return c
}

func (c *groupCover) pop() []int32 {
	for n := len(c.bySize) - 1; n > 1; n-- {
		for len(c.bySize[n]) > 0 {
			last := len(c.bySize[n]) - 1
			i := c.bySize[n][last]
			c.bySize[n] = c.bySize[n][:last]
			if int(c.left[i]) < n {
				c.bySize[c.left[i]] = append(c.bySize[c.left[i]], i)
				continue
			}
			var group []int32
			for _, a := range c.groups[i] {
				if !c.taken[a] {
					group = append(group, a)
					c.taken[a] = true
					for _, o := range c.of[a] {
						c.left[o]--
					}
				}
			}
			return group
		}
		c.bySize = c.bySize[:n]
	}
	return nil
}
