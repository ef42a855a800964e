package grounder

// mirror returns a derived atom that holds exactly when a does, so that "not a" is a
// single fact even if a shares its variable with others.
func (g *grounder) mirror(a int32) int32 {
	if m, ok := g.mirrors[a]; ok {
		return m
	}
	m := g.newAtom()
	g.axioms.add(m, []glit{newLit(a, false)})
	g.mirrors[a] = m
	return m
}

// translateAxioms turns the axioms into facts.
func (g *grounder) translateAxioms(as *assignment) {
	s := &g.sas
	for i := 0; i < len(g.axioms.heads); i++ { // translating may add mirrors
		as.begin()
		body := g.axioms.bodies[i]
		head := g.vars.fact[g.axioms.heads[i]]
		if !as.positives(body) || !as.consistent(body) {
			continue
		}
		as.alternatives(body, func() {
			s.axioms = append(s.axioms, Axiom{Body: s.facts.copy(as.since(0)), Head: head})
		})
		g.tick()
	}
	s.layer = g.layers()
}

// translateGoal turns the goal and the initial state into facts.
func (g *grounder) translateGoal(as *assignment) {
	s := &g.sas
	s.init = make([]int32, len(g.vars.members))
	for v, m := range g.vars.members {
		s.init[v] = int32(len(m))
		for k, a := range m {
			if g.initial[a] {
				s.init[v] = int32(k)
			}
		}
	}
	as.begin()
	var lits []glit
	for _, l := range g.goalLits {
		l, t := g.settled(l)
		if t == never {
			g.unsolvable()
			return
		}
		if t == open {
			lits = append(lits, l)
		}
	}
	if !as.positives(lits) || !as.consistent(lits) {
		g.unsolvable()
		return
	}
	s.goal = s.facts.copy(as.since(0))
}
