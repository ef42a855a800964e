package grounder

import (
	"slices"

	"planproof/pddl"
)

// A join enumerates the bindings of a conjunction of atoms. It is compiled once
// to a small program and run by backtracking over indexes; no substitution is
// ever tried that the atoms bound so far do not allow.
//
// Two devices keep it from enumerating what does not matter. Parts of the query
// that share no unbound variable are separated: a part that binds nothing wanted
// is only tested (opExists), and of several wanted parts all are tested before
// the first is enumerated. And once every wanted variable is bound the caller may
// cut the branch (opCut), because reachability is interested in new atoms only.

type opcode uint8

const (
	opScan   opcode = iota // tuples that agree with the bound columns
	opMember               // the atom is bound and must be there
	opType                 // every object of a type
	opCopy                 // slot := term
	opTest                 // a check whose variables are bound
	opExists               // sub has a solution
	opCut                  // the caller's test of the wanted variables
)

type binding struct {
	col, slot int32
	set       []uint64 // the type of the slot; nil = any object
}

type instr struct {
	op    opcode
	rel   *relation
	ix    *index      // opScan with bound columns
	terms []pddl.Term // opScan: per column of ix; opMember: per column; opCopy: one
	key   []pddl.ObjectID
	bind  []binding // columns that bind a slot
	same  []binding // columns that repeat a slot bound by this tuple
	slot  int32
	set   []uint64
	objs  []pddl.ObjectID
	lit   *lit
	sub   []instr
	// limited scans see only the tuples propagated before the trigger, and the
	// trigger itself if it comes from the same relation at an earlier position.
	limited bool
	extra   int
}

// queryAtom is a positive atom of a query.
type queryAtom struct {
	pred    int32
	args    []pddl.Term
	limited bool
	extra   int
}

// query is what a join is compiled from.
type query struct {
	types  []pddl.TypeID
	atoms  []queryAtom
	checks []lit
	bound  []int32 // slots bound by the caller
	vars   []int32 // slots to bind
	need   []int32 // those of vars that are wanted; nil = all
	cut    bool    // emit opCut when the wanted ones are bound
}

type join struct {
	g    *grounder
	q    query
	prog []instr
	done bool // compiled
	env  []pddl.ObjectID
	leaf func() bool
	test func() bool // opCut: whether to go on
}

func (g *grounder) newJoin(q query) *join {
	return &join{g: g, q: q, env: make([]pddl.ObjectID, len(q.types))}
}

// each calls leaf with j.env bound for every solution; leaf stops the join by
// returning true.
func (j *join) each(leaf func() bool) {
	if !j.done {
		j.prog = compile(j.g, &j.q)
		j.done = true
	}
	j.leaf = leaf
	j.run(j.prog, 0, true)
}

func (j *join) value(t pddl.Term) pddl.ObjectID {
	if t.IsVar() {
		return j.env[t.Slot()]
	}
	return t.Object()
}

func (j *join) fill(key []pddl.ObjectID, terms []pddl.Term) []pddl.ObjectID {
	for i, t := range terms {
		key[i] = j.value(t)
	}
	return key
}

// run executes prog from instruction i and reports whether to stop. At the end
// of the main program the caller's leaf decides, at the end of a test the first
// solution stops.
func (j *join) run(prog []instr, i int, main bool) bool {
	for ; i < len(prog); i++ {
		in := &prog[i]
		switch in.op {
		case opMember:
			t := in.rel.find(j.fill(in.key, in.terms))
			if t < 0 || in.limited && int(t) >= in.rel.done+in.extra {
				return false
			}
		case opCopy:
			o := j.value(in.terms[0])
			if !contains(in.set, o) {
				return false
			}
			j.env[in.slot] = o
		case opTest:
			if !j.g.holds(in.lit, j.env) {
				return false
			}
		case opExists:
			if !j.run(in.sub, 0, false) {
				return false
			}
		case opCut:
			if !j.test() {
				return false
			}
		case opType:
			for _, o := range in.objs {
				j.g.tick()
				j.env[in.slot] = o
				if j.run(prog, i+1, main) {
					return true
				}
			}
			return false
		case opScan:
			return j.scan(in, prog, i, main)
		}
	}
	return !main || j.leaf()
}

func (j *join) scan(in *instr, prog []instr, i int, main bool) bool {
	rel := in.rel
	limit := rel.n
	if in.limited {
		limit = rel.done + in.extra
	}
	if in.ix == nil {
		for t := 0; t < limit; t++ {
			j.g.tick()
			if j.take(in, rel.row(int32(t))) && j.run(prog, i+1, main) {
				return true
			}
		}
		return false
	}
	for t := in.ix.lookup(rel, j.fill(in.key, in.terms)); t >= 0 && int(t) < limit; t = in.ix.next[t] {
		j.g.tick()
		if j.take(in, rel.row(t)) && j.run(prog, i+1, main) {
			return true
		}
	}
	return false
}

// take binds the slots that a tuple determines.
func (j *join) take(in *instr, row []pddl.ObjectID) bool {
	for k := range in.bind {
		b := &in.bind[k]
		o := row[b.col]
		if !contains(b.set, o) {
			return false
		}
		j.env[b.slot] = o
	}
	for k := range in.same {
		if b := &in.same[k]; row[b.col] != j.env[b.slot] {
			return false
		}
	}
	return true
}

func contains(set []uint64, o pddl.ObjectID) bool {
	return set == nil || set[o>>6]>>(uint(o)&63)&1 != 0
}

// compiler turns one query into a program.
type compiler struct {
	g     *grounder
	q     *query
	need  []bool
	cutAt bool // opCut is still to be emitted
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

// state is what a point of the program knows.
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

// settle emits everything that has at most one solution: checks and atoms whose
// variables are bound, and equalities with one side bound.
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

// components separates what shares no unbound variable, cheapest first.
func (c *compiler) components(st *state, atoms []int, vars []int32) []component {
	parent := make([]int32, len(st.bound))
	for i := range parent {
		parent[i] = int32(i)
	}
	var find func(int32) int32
	find = func(s int32) int32 {
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
	for i := 1; i < len(comps); i++ { // insertion sort: stable and short
		for k := i; k > 0 && comps[k].cost < comps[k-1].cost; k-- {
			comps[k], comps[k-1] = comps[k-1], comps[k]
		}
	}
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

// estimate guesses how many tuples a scan of an atom yields. Relations that are
// still growing are taken to reach all objects of their columns' types.
func (c *compiler) estimate(st *state, a *queryAtom) float64 {
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

// detour is how much worse than its estimate a scan is taken to be that shares
// no bound variable with what is known: the atoms between would have told more.
const detour = 8

// step emits the cheapest scan of a connected part and takes its atom off the list.
func (c *compiler) step(st *state, atoms *[]int, vars []int32) instr {
	best, bestCost := -1, 0.0
	for _, a := range *atoms {
		e := c.estimate(st, &c.q.atoms[a])
		if !anyKnown(st, c.q.atoms[a].args) {
			e *= detour
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
