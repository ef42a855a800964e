package grounder

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// compiler turns a query into a program: it chooses the order of the scans.
type compiler struct {
	g     *grounder
	q     *query
	need  []bool
	cutAt bool // opCut is yet to be emitted
}

func compile(g *grounder, q *query) []instr {
	c := &compiler{g: g, q: q, need: make([]bool, len(q.types)), cutAt: q.cut}
	need := q.need
	if need == nil && !q.cut {
		need = q.vars
	}
	for _, s := range need {
		c.need[s] = true
	}
	st := &state{bound: make([]bool, len(q.types)), tested: make([]bool, len(q.checks))}
	for _, s := range q.bound {
		st.bound[s] = true
	}
	atoms := make([]int, len(q.atoms))
	for i := range atoms {
		atoms[i] = i
	}
	return c.build(st, atoms, q.vars, true)
}

// state is what is known at a point of the program.
type state struct {
	bound  []bool
	tested []bool
}

func (s *state) clone() *state {
	return &state{append([]bool(nil), s.bound...), append([]bool(nil), s.tested...)}
}

func (s *state) knows(t pddl.Term) bool { return !t.IsVar() || s.bound[t.Slot()] }

// build emits code that binds vars and satisfies atoms. wanted is false inside
// opExists.
func (c *compiler) build(st *state, atoms []int, vars []int32, wanted bool) []instr {
	var prog []instr
	for {
		prog = c.settle(st, prog, &atoms, vars)
		vars = unbound(st, vars)
		if len(vars) == 0 && len(atoms) == 0 {
			return prog
		}
		comps := c.components(st, atoms, vars)
		if wanted && c.cutAt && c.allNeededBound(st) {
			prog = append(prog, instr{op: opCut})
			c.cutAt = false
		}
		if len(comps) == 1 && (!wanted || c.anyNeeded(vars)) {
			prog = append(prog, c.step(st, &atoms, vars))
			continue
		}
		var enumerate []component
		for _, p := range comps {
			if wanted && c.anyNeeded(p.vars) {
				enumerate = append(enumerate, p)
			} else {
				prog = append(prog, instr{op: opExists, sub: c.build(st.clone(), p.atoms, p.vars, false)})
			}
		}
		for _, p := range enumerate[min(1, len(enumerate)):] {
			prog = append(prog, instr{op: opExists, sub: c.build(st.clone(), p.atoms, p.vars, false)})
		}
		for _, p := range enumerate {
			prog = append(prog, c.build(st, p.atoms, p.vars, true)...)
		}
		return c.settle(st, prog, new([]int), nil)
	}
}

func (c *compiler) anyNeeded(vars []int32) bool {
	for _, s := range vars {
		if c.need[s] {
			return true
		}
	}
	return false
}

func (c *compiler) allNeededBound(st *state) bool {
	for s, need := range c.need {
		if need && !st.bound[s] {
			return false
		}
	}
	return true
}

func unbound(st *state, vars []int32) []int32 {
	var out []int32
	for _, s := range vars {
		if !st.bound[s] {
			out = append(out, s)
		}
	}
	return out
}

// settle emits everything with at most one solution: checks and atoms whose variables
// are bound, and equalities with one side bound.
func (c *compiler) settle(st *state, prog []instr, atoms *[]int, vars []int32) []instr {
	inScope := make([]bool, len(st.bound))
	for _, s := range vars {
		inScope[s] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range c.q.checks {
			l := &c.q.checks[i]
			if st.tested[i] {
				continue
			}
			if l.kind == litEqual && !l.neg {
				for side := range 2 {
					from, to := l.args[side], l.args[1-side]
					if !st.tested[i] && st.knows(from) && to.IsVar() && !st.bound[to.Slot()] && inScope[to.Slot()] {
						slot := int32(to.Slot())
						prog = append(prog, instr{op: opCopy, slot: slot, terms: []pddl.Term{from}, set: c.g.typeSet(c.q.types[slot])})
						st.bound[slot], st.tested[i], changed = true, true, true
					}
				}
				if st.tested[i] {
					continue
				}
			}
			ready := true
			eachSlot(*l, func(s int32) { ready = ready && st.bound[s] })
			if ready {
				prog = append(prog, instr{op: opTest, lit: l})
				st.tested[i] = true
			}
		}
		kept := (*atoms)[:0:0]
		for _, a := range *atoms {
			if q := &c.q.atoms[a]; allKnown(st, q.args) {
				prog = append(prog, instr{op: opMember, rel: c.g.preds[q.pred].rel, terms: q.args,
					key: make([]pddl.ObjectID, len(q.args)), limited: q.limited, extra: q.extra})
			} else {
				kept = append(kept, a)
			}
		}
		*atoms = kept
	}
	return prog
}

func allKnown(st *state, args []pddl.Term) bool {
	for _, t := range args {
		if !st.knows(t) {
			return false
		}
	}
	return true
}

func anyKnown(st *state, args []pddl.Term) bool {
	for _, t := range args {
		if st.knows(t) {
			return true
		}
	}
	return false
}

type component struct {
	atoms []int
	vars  []int32
	cost  float64
}

// components separates the parts that share no unbound variable, cheapest first.
func (c *compiler) components(st *state, atoms []int, vars []int32) []component {
	parent := make([]int32, len(st.bound))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(s int32) int32 {
		for parent[s] != s {
			parent[s] = parent[parent[s]]
			s = parent[s]
		}
		return s
	}
	link := func(args []pddl.Term) int32 {
		root := int32(-1)
		for _, t := range args {
			if st.knows(t) {
				continue
			}
			if s := find(int32(t.Slot())); root < 0 {
				root = s
			} else {
				parent[s] = root
			}
		}
		return root
	}
	for _, a := range atoms {
		link(c.q.atoms[a].args)
	}
	for i := range c.q.checks {
		if l := &c.q.checks[i]; l.kind == litEqual && !l.neg && !st.tested[i] {
			link(l.args)
		}
	}
	var comps []component
	at := make(map[int32]int)
	for _, s := range vars {
		r := find(s)
		k, ok := at[r]
		if !ok {
			k = len(comps)
			at[r] = k
			comps = append(comps, component{cost: -1})
		}
		comps[k].vars = append(comps[k].vars, s)
	}
	for _, a := range atoms {
		if k, ok := at[find(link(c.q.atoms[a].args))]; ok {
			comps[k].atoms = append(comps[k].atoms, a)
		}
	}
	for i := range comps {
		comps[i].cost = c.cheapest(st, comps[i].atoms, comps[i].vars)
	}
	slices.SortStableFunc(comps, func(a, b component) int { return cmp.Compare(a.cost, b.cost) })
	return comps
}

func (c *compiler) cheapest(st *state, atoms []int, vars []int32) float64 {
	best := -1.0
	for _, a := range atoms {
		if e := c.estimate(st, &c.q.atoms[a]); best < 0 || e < best {
			best = e
		}
	}
	for _, s := range vars {
		if e := float64(len(c.g.prob.ObjectsOfType(c.q.types[s]))); best < 0 || e < best {
			best = e
		}
	}
	return best
}

// estimate guesses how many tuples a scan of an atom yields. It assumes that relations
// that still grow will reach all objects of their columns' types.
func (c *compiler) estimate(st *state, a *queryAtom) float64 {
	c.g.tick()
	p := c.g.preds[a.pred]
	if a.limited {
		e := 1.0
		for i, t := range a.args {
			if !st.knows(t) {
				e *= max(1, float64(c.g.columnSize(a.pred, i)))
			}
		}
		return e
	}
	e := float64(p.rel.n)
	for i, t := range a.args {
		if st.knows(t) {
			e /= max(1, float64(c.g.distinct(a.pred, i)))
		}
	}
	return e
}

// unconnected is the factor by which the estimate of a scan that shares no bound variable
// with what is known is raised: scanning a connecting atom first would narrow it.
const unconnected = 8

// step emits the cheapest scan of a connected part and takes its atom off the list.
func (c *compiler) step(st *state, atoms *[]int, vars []int32) instr {
	best, bestCost := -1, 0.0
	for _, a := range *atoms {
		e := c.estimate(st, &c.q.atoms[a])
		if !anyKnown(st, c.q.atoms[a].args) {
			e *= unconnected
		}
		if best < 0 || e < bestCost {
			best, bestCost = a, e
		}
	}
	*atoms = slices.DeleteFunc(slices.Clone(*atoms), func(a int) bool { return a == best })
	if best < 0 {
		slot := vars[0]
		st.bound[slot] = true
		return instr{op: opType, slot: slot, objs: c.g.prob.ObjectsOfType(c.q.types[slot])}
	}
	q := &c.q.atoms[best]
	in := instr{op: opScan, rel: c.g.preds[q.pred].rel, limited: q.limited, extra: q.extra}
	var cols []int32
	var bindNow []int32
	for col, t := range q.args {
		switch {
		case st.knows(t):
			cols = append(cols, int32(col))
			in.terms = append(in.terms, t)
		case containsSlot(bindNow, int32(t.Slot())):
			in.same = append(in.same, binding{col: int32(col), slot: int32(t.Slot())})
		default:
			s := int32(t.Slot())
			bindNow = append(bindNow, s)
			in.bind = append(in.bind, binding{int32(col), s, c.g.typeSet(c.q.types[s])})
		}
	}
	for _, s := range bindNow {
		st.bound[s] = true
	}
	if len(cols) > 0 {
		in.ix = in.rel.on(cols, len(c.g.prob.Objects))
		in.key = make([]pddl.ObjectID, len(cols))
	}
	return in
}

func containsSlot(slots []int32, s int32) bool {
	for _, x := range slots {
		if x == s {
			return true
		}
	}
	return false
}
