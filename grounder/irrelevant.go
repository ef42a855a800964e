package grounder

// removeIrrelevant keeps the variables that the goal depends on, through
// preconditions and conditions of whatever changes them, and orders variables by
// the causal graph (Helmert, The Fast Downward planning system, JAIR 26, 2006,
// section 5.2): a variable comes after those it depends on; cycles are cut where that
// affects the fewest operators.
func (g *grounder) removeIrrelevant() {
	s := &g.sas
	n := len(s.init)
	cg := newCausalGraph(g)
	cg.choose(g.relevant(cg))
	goal := make([]bool, len(cg.vars))
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
	init := make([]int32, 0, len(cg.vars))
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
func (g *grounder) relevant(cg *causalGraph) []bool {
	s := &g.sas
	keep := make([]bool, len(s.init))
	if g.opt.KeepIrrelevant {
		for v := range keep {
			keep[v] = true
		}
		return keep
	}
	fluents := g.newFluentRelevance()
	costs := g.costReaders()
	axioms := make([][]int32, len(s.init))
	for i, a := range s.axioms {
		axioms[a.Head.Var] = append(axioms[a.Head.Var], int32(i))
	}
	var queue []int32
	need := func(v int32) {
		if !keep[v] {
			keep[v] = true
			queue = append(queue, v)
		}
	}
	mark := func(facts []Fact) {
		for _, f := range facts {
			need(f.Var)
		}
	}
	mark(s.goal)
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		fluents.mark(v, func(op int32, c *fluentEffect) {
			mark(s.ops.Pre(int(op)))
			for _, c := range s.ops.CondCosts(int(op)) {
				mark(c.Cond)
			}
			mark(c.facts)
		})
		for _, i := range axioms[v] {
			mark(s.axioms[i].Body)
		}
		for _, list := range costs[v] {
			for _, c := range s.ops.conds[list] {
				mark(c.Cond)
			}
		}
		cg.sources(g, v, need)
	}
	return keep
}

// costReaders lists, by variable, the lists of effects on it that come with conditional costs.
func (g *grounder) costReaders() map[int32][]int32 {
	t := &g.sas.ops
	if t.conds == nil {
		return nil
	}
	out := map[int32][]int32{}
	for l, conds := range t.conds {
		g.work(1 + len(t.effects[l]))
		if len(conds) == 0 {
			continue
		}
		for _, e := range t.effects[l] {
			out[e.Var] = append(out[e.Var], int32(l))
		}
	}
	return out
}
