package grounder

import "slices"

// assignment is a partial assignment of variables with an undo trail. It translates
// ground literals to facts and detects what mutex groups exclude.
type assignment struct {
	g     *grounder
	val   []int32 // by variable; -1 = open
	group []int32 // by mutex group: the atom that is true, -1 = open
	trail []Fact  // facts set, in order
	facts arenaReset[Fact]
}

func (as *assignment) init(g *grounder) {
	as.g = g
	as.group = make([]int32, len(g.groups))
	for i := range as.group {
		as.group[i] = -1
	}
	as.grow()
}

// grow makes room for variables added in the meantime.
func (as *assignment) grow() {
	as.val = slices.Grow(as.val, max(len(as.g.vars.members)-len(as.val), 0))
	for len(as.val) < len(as.g.vars.members) {
		as.val = append(as.val, -1)
	}
}

// begin starts with nothing assigned.
func (as *assignment) begin() {
	as.grow()
	as.undo(0)
	as.facts.buf = as.facts.buf[:0]
}

func (as *assignment) get(v int32) (int32, bool) { return as.val[v], as.val[v] >= 0 }

// atomOf returns the atom of a fact, or -1 for "none of those".
func (as *assignment) atomOf(f Fact) int32 {
	if m := as.g.vars.members[f.Var]; int(f.Val) < len(m) {
		return m[f.Val]
	}
	return -1
}

// excluded reports whether the facts so far are mutex with f.
func (as *assignment) excluded(f Fact) bool {
	a := as.atomOf(f)
	if a < 0 {
		return false
	}
	for _, gr := range as.g.atomGroups.of(a) {
		if o := as.group[gr]; o >= 0 && o != a {
			return true
		}
	}
	return false
}

// set assigns a fact. It reports false if the fact contradicts the assignment or a
// mutex group.
func (as *assignment) set(f Fact) bool {
	if v := as.val[f.Var]; v >= 0 {
		return v == f.Val
	}
	if as.excluded(f) {
		return false
	}
	as.val[f.Var] = f.Val
	as.trail = append(as.trail, f)
	if a := as.atomOf(f); a >= 0 {
		for _, gr := range as.g.atomGroups.of(a) {
			as.group[gr] = a
		}
	}
	return true
}

func (as *assignment) setAll(facts []Fact) bool {
	for _, f := range facts {
		if !as.set(f) {
			return false
		}
	}
	return true
}

func (as *assignment) undo(mark int) {
	for len(as.trail) > mark {
		f := as.trail[len(as.trail)-1]
		as.trail = as.trail[:len(as.trail)-1]
		as.val[f.Var] = -1
		if a := as.atomOf(f); a >= 0 {
			for _, gr := range as.g.atomGroups.of(a) {
				as.group[gr] = -1
			}
		}
	}
}

// since returns the facts set after mark, sorted by variable, in scratch space
// that lives until begin.
func (as *assignment) since(mark int) []Fact {
	out := as.facts.copy(as.trail[mark:])
	slices.SortFunc(out, compareFacts)
	return out
}

// positives assigns the positive literals, and the negative ones on binary
// variables, which are facts too.
func (as *assignment) positives(lits []glit) bool {
	for _, l := range lits {
		if !l.neg() && !as.set(as.g.vars.fact[l.atom()]) {
			return false
		}
	}
	for _, l := range lits {
		if !l.neg() {
			continue
		}
		f := as.g.vars.fact[l.atom()]
		if as.g.vars.size(f.Var) == 2 && !as.set(Fact{Var: f.Var, Val: 1}) {
			return false
		}
	}
	return true
}

// alternatives calls f for every assignment that the remaining negative literals
// allow: a variable that must avoid some of its values takes each of the others.
func (as *assignment) alternatives(lits []glit, f func()) {
	avoid, product := as.avoided(lits)
	if len(avoid) == 0 {
		f()
		return
	}
	if product > as.g.limits.product {
		mark := len(as.trail)
		ok := true
		for _, l := range lits {
			if fact := as.g.vars.fact[l.atom()]; ok && l.neg() && as.val[fact.Var] < 0 && as.g.vars.size(fact.Var) > 2 {
				m := as.g.mirror(l.atom())
				as.grow()
				ok = as.set(Fact{Var: as.g.vars.fact[m].Var, Val: 1})
			}
		}
		if ok {
			f()
		}
		as.undo(mark)
		return
	}
	as.multiply(avoid, f)
}

// avoided lists the values that open variables must not take, sorted, and how
// many combinations of other values there are.
func (as *assignment) avoided(lits []glit) ([]Fact, int) {
	var avoid []Fact
	for _, l := range lits {
		if !l.neg() {
			continue
		}
		f := as.g.vars.fact[l.atom()]
		if as.g.vars.size(f.Var) > 2 && as.val[f.Var] < 0 && !as.excluded(f) {
			avoid = append(avoid, f)
		}
	}
	slices.SortFunc(avoid, compareFacts)
	avoid = slices.Compact(avoid)
	product := 1
	for i := 0; i < len(avoid); {
		k := i
		for k < len(avoid) && avoid[k].Var == avoid[i].Var {
			k++
		}
		product = min(product*(int(as.g.vars.size(avoid[i].Var))-(k-i)), as.g.limits.product+1)
		i = k
	}
	return avoid, product
}

func (as *assignment) multiply(avoid []Fact, f func()) {
	if len(avoid) == 0 {
		f()
		return
	}
	v := avoid[0].Var
	k := 0
	for k < len(avoid) && avoid[k].Var == v {
		k++
	}
	if as.val[v] >= 0 {
		panic("grounder: variable assigned while multiplying out")
	}
	for val := range as.g.vars.size(v) {
		if slices.Contains(avoid[:k], Fact{Var: v, Val: val}) {
			continue
		}
		mark := len(as.trail)
		if as.set(Fact{Var: v, Val: val}) {
			as.multiply(avoid[k:], f)
		}
		as.undo(mark)
	}
}

// unconditional is the empty condition; it is never changed.
var unconditional = [][]Fact{nil}

// conditions translates an effect condition to alternatives of facts, given the
// assignment so far; there are none if it cannot hold.
func (as *assignment) conditions(lits []glit) [][]Fact {
	if len(lits) == 0 {
		return unconditional
	}
	mark := len(as.trail)
	var out [][]Fact
	if as.consistent(lits) && as.positives(lits) {
		as.alternatives(lits, func() { out = append(out, as.since(mark)) })
	}
	as.undo(mark)
	for _, alt := range out {
		if len(alt) == 0 {
			return unconditional
		}
	}
	return out
}

// consistent reports whether no negative literal contradicts an assigned fact.
func (as *assignment) consistent(lits []glit) bool {
	for _, l := range lits {
		if f := as.g.vars.fact[l.atom()]; l.neg() && as.val[f.Var] == f.Val {
			return false
		}
	}
	return true
}
