package grounder

// Var of a fact that the renumbering removed; see renaming.
const (
	alwaysTrue  = -1
	alwaysFalse = -2
)

// renaming maps facts to facts, alwaysTrue or alwaysFalse (in Var).
type renaming struct {
	base  []int32 // by old variable
	facts []Fact  // by base + old value
}

func (r *renaming) of(f Fact) Fact { return r.facts[r.base[f.Var]+f.Val] }

// conjunction renames facts in place and drops true ones. It reports false if one is
// false.
func (r *renaming) conjunction(facts []Fact) ([]Fact, bool) {
	kept := facts[:0]
	for _, f := range facts {
		switch n := r.of(f); n.Var {
		case alwaysTrue:
		case alwaysFalse:
			return nil, false
		default:
			kept = append(kept, n)
		}
	}
	return kept, true
}

// exploration is relaxed reachability over facts: operators, conditional effects
// and axioms are units that fire when all their conditions have been reached.
type exploration struct {
	g       *grounder
	base    []int32
	reached []bool
	queue   []int32 // facts that are reached; what waits for them has not been looked at
	missing []int32 // by unit: operators, then conditional effects, then axioms
	effect  []Fact  // by unit after the operators
	axioms  int32   // the first unit of an axiom
	start   []int32 // by fact: units that wait for it, CSR
	waiting []int32
	first   []int32 // by operator: its first conditional effect's unit; nil if there are none
	fired   []bool  // by list of effects: all have been reached, or at least the unconditional ones
}

// removeUnreachable keeps the values that a relaxed plan can reach, now that mutexes
// have removed operators, and drops variables with a single value.
func (g *grounder) removeUnreachable() {
	s := &g.sas
	x := &exploration{g: g, base: make([]int32, len(s.init)+1)}
	for v := range s.init {
		x.base[v+1] = x.base[v] + g.vars.size(int32(v))
	}
	x.reached = make([]bool, x.base[len(s.init)])
	x.fired = make([]bool, len(s.ops.effects))
	for _, c := range g.num.comparisons { // both may come about
		x.reach(Fact{Var: g.vars.fact[c.atom].Var, Val: 0})
	}
	for v, val := range s.init {
		x.reach(Fact{Var: int32(v), Val: val})
	}
	if !x.sweep() {
		x.build()
		x.explore()
	}
	x.settleAxioms()
	r := &renaming{base: x.base, facts: make([]Fact, x.base[len(s.init)])}
	var init []int32
	for v := range s.init {
		values := x.reached[x.base[v]:x.base[v+1]]
		n := 0
		for _, ok := range values {
			if ok {
				n++
			}
		}
		next := int32(0)
		for k, ok := range values {
			f := &r.facts[int(x.base[v])+k]
			switch {
			case !ok:
				f.Var = alwaysFalse
			case n == 1:
				f.Var = alwaysTrue
			default:
				*f = Fact{Var: int32(len(init)), Val: next}
				next++
			}
		}
		if n > 1 {
			init = append(init, r.of(Fact{Var: int32(v), Val: s.init[v]}).Val)
		}
	}
	s.init, s.rename = init, r
	g.renameOperators(r)
	g.renameAxioms(r)
	goal, ok := r.conjunction(s.goal)
	if !ok {
		g.unsolvable()
		return
	}
	s.goal = goal
	if len(goal) == 0 && !g.opt.KeepIrrelevant {
		g.solved()
	}
}

func (x *exploration) build() {
	s := &x.g.sas
	facts := x.base[len(s.init)]
	x.start = make([]int32, facts+1)
	count := func(fs []Fact) {
		for _, f := range fs {
			x.start[x.base[f.Var]+f.Val+1]++
		}
	}
	x.missing = make([]int32, s.ops.Len(), s.ops.Len()+len(s.axioms))
	for i := range x.missing {
		x.g.tick()
		pre := s.ops.Pre(i)
		x.missing[i] = int32(len(pre))
		count(pre)
	}
	if s.ops.conditional(x.g) {
		x.first = make([]int32, s.ops.Len()+1)
		for i := range s.ops.Len() {
			x.g.tick()
			x.first[i] = int32(len(x.missing))
			for _, e := range s.ops.listed(i) {
				if len(e.Cond) > 0 {
					x.missing = append(x.missing, int32(len(e.Cond))+1)
					x.effect = append(x.effect, Fact{Var: e.Var, Val: e.Val})
					count(e.Cond)
				}
			}
		}
		x.first[s.ops.Len()] = int32(len(x.missing))
	}
	x.axioms = int32(len(x.missing))
	for _, a := range s.axioms {
		x.g.tick()
		x.missing = append(x.missing, int32(len(a.Body)))
		x.effect = append(x.effect, a.Head)
		count(a.Body)
	}
	for f := range facts {
		x.start[f+1] += x.start[f]
	}
	x.wait(facts)
}

// wait lists the units that wait for each fact.
func (x *exploration) wait(facts int32) {
	s := &x.g.sas
	x.waiting = make([]int32, x.start[facts])
	fill := append([]int32(nil), x.start...)
	wait := func(fs []Fact, unit int32) {
		for _, f := range fs {
			k := x.base[f.Var] + f.Val
			x.waiting[fill[k]] = unit
			fill[k]++
		}
	}
	for i := range s.ops.Len() {
		x.g.tick()
		wait(s.ops.Pre(i), int32(i))
		if x.first == nil {
			continue
		}
		unit := x.first[i]
		for _, e := range s.ops.listed(i) {
			if len(e.Cond) > 0 {
				wait(e.Cond, unit)
				unit++
			}
		}
	}
	for i := range s.axioms {
		x.g.tick()
		wait(s.axioms[i].Body, x.axioms+int32(i))
	}
}

func (x *exploration) explore() {
	for u, m := range x.missing {
		if m == 0 {
			x.fire(int32(u))
		}
	}
	for len(x.queue) > 0 {
		f := x.queue[len(x.queue)-1]
		x.queue = x.queue[:len(x.queue)-1]
		for _, u := range x.waiting[x.start[f]:x.start[f+1]] {
			x.satisfy(u)
		}
	}
}

// settleAxioms finds derived variables that are true in every state, because the body
// of an axiom is. Their default counts as unreachable.
func (x *exploration) settleAxioms() {
	s := &x.g.sas
	certain := func(f Fact) bool {
		for k := x.base[f.Var]; k < x.base[f.Var+1]; k++ {
			if x.reached[k] != (k == x.base[f.Var]+f.Val) {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
	next:
		for _, a := range s.axioms {
			x.g.tick()
			for _, f := range a.Body {
				if !certain(f) {
					continue next
				}
			}
			if d := x.base[a.Head.Var] + s.init[a.Head.Var]; x.reached[d] {
				x.reached[d] = false
				changed = true
			}
		}
	}
}

func (x *exploration) reach(f Fact) { x.reachNumber(x.base[f.Var] + f.Val) }

func (x *exploration) reachNumber(k int32) {
	if !x.reached[k] {
		x.reached[k] = true
		x.queue = append(x.queue, k)
	}
}

func (x *exploration) satisfy(u int32) {
	if x.missing[u]--; x.missing[u] == 0 {
		x.fire(u)
	}
}

func (x *exploration) fire(u int32) {
	s := &x.g.sas
	if int(u) >= s.ops.Len() {
		x.reach(x.effect[int(u)-s.ops.Len()])
		return
	}
	x.g.tick()
	for _, f := range s.ops.own(int(u)) {
		x.reach(f)
	}
	if list := s.ops.rows[u].list; list >= 0 && !x.fired[list] {
		x.fired[list] = true
		for _, e := range s.ops.effects[list] {
			if len(e.Cond) == 0 {
				x.reach(Fact{Var: e.Var, Val: e.Val})
			}
		}
	}
	if x.first == nil {
		return
	}
	for c := x.first[u]; c < x.first[u+1]; c++ {
		x.satisfy(c)
	}
}

func (g *grounder) renameAxioms(r *renaming) {
	s := &g.sas
	axioms := s.axioms[:0]
	layer := make([]int32, len(s.init))
	for i := range layer {
		layer[i] = -1
	}
	for v, l := range s.layer {
		if f := r.of(Fact{Var: int32(v), Val: 0}); f.Var >= 0 {
			layer[f.Var] = l
		}
	}
	for _, a := range s.axioms {
		var ok bool
		if a.Body, ok = r.conjunction(a.Body); !ok {
			continue
		}
		if a.Head = r.of(a.Head); a.Head.Var >= 0 {
			axioms = append(axioms, a)
		}
		g.tick()
	}
	s.axioms, s.layer = axioms, layer
}
