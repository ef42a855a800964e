package grounder

import "slices"

// removeIrrelevant keeps the variables that the goal depends on, through
// preconditions and conditions of whatever changes them, and orders variables by
// the causal graph (Helmert, The Fast Downward planning system, JAIR 26, 2006,
// section 5.2): a variable comes after those it depends on; cycles are cut where that
// affects the fewest operators.
func (g *grounder) removeIrrelevant() {
	s := &g.sas
	n := len(s.init)
	keep := g.relevant()
	cg := newCausalGraph(g, keep)
	goal := make([]bool, cg.n)
	for _, f := range s.goal {
		if v := cg.node[f.Var]; v >= 0 {
			goal[v] = true
		}
	}
	r := &renaming{base: make([]int32, n+1)}
	sizes := make([]int32, n)
	for _, f := range s.rename.facts {
		if f.Var >= 0 {
			sizes[f.Var]++
		}
	}
	for v := range n {
		r.base[v+1] = r.base[v] + sizes[v]
	}
	r.facts = make([]Fact, r.base[n])
	for i := range r.facts {
		r.facts[i].Var = alwaysTrue // irrelevant: nothing that is kept reads it
	}
	init := make([]int32, 0, cg.n)
	for _, v := range cg.order(g, goal) {
		for k := range sizes[v] {
			r.facts[r.base[v]+k] = Fact{Var: int32(len(init)), Val: k}
		}
		init = append(init, s.init[v])
	}
	s.init = init
	g.renameOperators(r)
	g.renameAxioms(r)
	s.goal, _ = r.conjunction(s.goal)
	for i, f := range s.rename.facts {
		if f.Var >= 0 {
			s.rename.facts[i] = r.of(f)
		}
	}
}

// relevant marks the variables that the goal depends on.
func (g *grounder) relevant() []bool {
	s := &g.sas
	keep := make([]bool, len(s.init))
	if g.opt.KeepIrrelevant {
		for v := range keep {
			keep[v] = true
		}
		return keep
	}
	fluents := g.newFluentRelevance()
	start, changing := g.changingLists()
	first, sharing := g.operatorsOfLists()
	ownStart, owners := g.changingOperators()
	axioms := make([][]int32, len(s.init))
	for i, a := range s.axioms {
		axioms[a.Head.Var] = append(axioms[a.Head.Var], int32(i))
	}
	var queue []int32
	mark := func(facts []Fact) {
		for _, f := range facts {
			if !keep[f.Var] {
				keep[f.Var] = true
				queue = append(queue, f.Var)
			}
		}
	}
	mark(s.goal)
	apply := func(ops ...int32) {
		for _, op := range ops {
			g.tick()
			mark(s.ops.Pre(int(op)))
			for _, c := range s.ops.CondCosts(int(op)) {
				mark(c.Cond)
			}
		}
	}
	seen := make([]bool, len(s.ops.effects))
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		fluents.mark(v, func(op int32, c *fluentEffect) {
			apply(op)
			mark(c.facts)
		})
		for _, i := range axioms[v] {
			mark(s.axioms[i].Body)
		}
		for _, c := range changing[start[v]:start[v+1]] {
			g.tick()
			mark(s.ops.effects[c.list][c.effect].Cond)
			if !seen[c.list] {
				seen[c.list] = true
				apply(sharing[first[c.list]:first[c.list+1]]...)
			}
		}
		apply(owners[ownStart[v]:ownStart[v+1]]...)
	}
	return keep
}

// listed is an effect in a list.
type listed struct{ list, effect int32 }

// changingLists lists the effects on each variable: those on v are
// list[start[v]:start[v+1]].
func (g *grounder) changingLists() (start []int32, list []listed) {
	s := &g.sas
	start = make([]int32, len(s.init)+1)
	for _, effects := range s.ops.effects {
		g.tick()
		for _, e := range effects {
			start[e.Var+1]++
		}
	}
	for v := range s.init {
		start[v+1] += start[v]
	}
	list = make([]listed, start[len(s.init)])
	fill := slices.Clone(start)
	for i, effects := range s.ops.effects {
		g.tick()
		for k, e := range effects {
			list[fill[e.Var]] = listed{int32(i), int32(k)}
			fill[e.Var]++
		}
	}
	return start, list
}

// operatorsOfLists lists the operators that share each list of effects: those of list l are
// ops[first[l]:first[l+1]].
func (g *grounder) operatorsOfLists() (first, ops []int32) {
	t := &g.sas.ops
	first = make([]int32, len(t.effects)+1)
	for i := range t.rows {
		g.tick()
		if l := t.rows[i].list; l >= 0 {
			first[l+1]++
		}
	}
	for l := range t.effects {
		first[l+1] += first[l]
	}
	ops = make([]int32, first[len(t.effects)])
	fill := slices.Clone(first)
	for i := range t.rows {
		g.tick()
		if l := t.rows[i].list; l >= 0 {
			ops[fill[l]] = int32(i)
			fill[l]++
		}
	}
	return first, ops
}

// changingOperators lists the operators that change each variable by effects of their own: those of variable v
// are ops[start[v]:start[v+1]].
func (g *grounder) changingOperators() (start, ops []int32) {
	s := &g.sas
	start = make([]int32, len(s.init)+1)
	for i := range s.ops.Len() {
		g.tick()
		for _, f := range s.ops.own(i) {
			start[f.Var+1]++
		}
	}
	for v := range s.init {
		start[v+1] += start[v]
	}
	ops = make([]int32, start[len(s.init)])
	fill := slices.Clone(start)
	for i := range s.ops.Len() {
		g.tick()
		for _, f := range s.ops.own(i) {
			ops[fill[f.Var]] = int32(i)
			fill[f.Var]++
		}
	}
	return start, ops
}
