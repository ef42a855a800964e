package grounder

import (
	"slices"
	"strconv"

	"planproof/pddl"
)

// Invariant synthesis (Helmert 2009, section 5). An invariant is a set of atom
// patterns over common parameters, each with at most one counted position:
//
//	{ at(p, *), in(p, *) }:  for every p, the number of true atoms that match
//
// never rises. If it is one initially, the matching atoms are mutually exclusive.
// Candidates start with one pattern; an action that raises the number disproves
// one, and each of its deletes that could make up for it suggests a larger one.
//
// Whatever a proof would need to know about a condition beyond its literals
// (universal formulas, comparisons) counts as unknown, so that a candidate is
// rejected when in doubt.

const counted = -1

// part is one pattern: args[i] is a parameter or counted.
type part struct {
	pred    int32
	args    []int32
	omitted int // position of counted, -1 if there is none
}

func (p *part) arity() int {
	if p.omitted >= 0 {
		return len(p.args) - 1
	}
	return len(p.args)
}

type invariant struct {
	parts []part // sorted by predicate, one each
}

func (v *invariant) part(pred int32) *part {
	for i := range v.parts {
		if v.parts[i].pred == pred {
			return &v.parts[i]
		}
	}
	return nil
}

func (v *invariant) key() string {
	var b []byte
	for _, p := range v.parts {
		b = strconv.AppendInt(b, int64(p.pred), 10)
		for _, a := range p.args {
			b = strconv.AppendInt(append(b, ' '), int64(a), 10)
		}
		b = append(b, ';')
	}
	return string(b)
}

// Limits of the search for invariants: candidates as in Fast Downward, and a
// budget of elementary steps in place of its five minutes, so that the result
// does not depend on the machine.
const (
	maxCandidates = 100_000
	maxUnions     = 100_000_000
)

// balLit is a literal whose terms are slots (>= 0) or constants (^index).
type balLit struct {
	pred int32 // -1: equality
	neg  bool
	args []int32
}

// balEffect is an effect on the way to a proof. known is false if its condition
// has parts that are no literals.
type balEffect struct {
	balLit
	vars  []int32
	cond  []balLit
	known bool
}

type balAction struct {
	slots  int
	params []int32
	pre    []balLit
	adds   []balEffect
	dels   []balEffect
}

type balancer struct {
	g         *grounder
	actions   []balAction
	threats   [][]int32 // by predicate: actions that add to it
	constants map[pddl.ObjectID]int32
	sys       system
	work      int
	lits      []known // scratch of one check
	before    []known
	pairs     []pair
	slots     []int32
	checked   []int // by action: the round of its last check
	round     int
	roots     []int32
	free      []bool

	queue []*invariant
	seen  map[string]bool
}

func (g *grounder) findInvariants() {
	b := &balancer{g: g, threats: make([][]int32, len(g.preds)), constants: make(map[pddl.ObjectID]int32), seen: make(map[string]bool)}
	b.sys.work = &b.work
	for _, a := range g.actions {
		if a.count > 0 {
			b.addAction(a)
		}
	}
	for p, pred := range g.preds {
		if !pred.fluent || pred.derived {
			continue
		}
		for omitted := -1; omitted < pred.arity; omitted++ {
			b.enqueue(&invariant{parts: []part{firstPart(int32(p), pred.arity, omitted)}})
		}
	}
	for len(b.queue) > 0 && b.work < maxUnions {
		c := b.queue[0]
		b.queue = b.queue[1:]
		if b.balanced(c) {
			g.invariants = append(g.invariants, c)
		}
		g.tick()
	}
}

func firstPart(pred int32, arity, omitted int) part {
	p := part{pred: pred, args: make([]int32, arity), omitted: omitted}
	next := int32(0)
	for i := range p.args {
		if i == omitted {
			p.args[i] = counted
		} else {
			p.args[i] = next
			next++
		}
	}
	return p
}

func (b *balancer) enqueue(v *invariant) {
	if len(b.seen) >= maxCandidates {
		return
	}
	if k := v.key(); !b.seen[k] {
		b.seen[k] = true
		b.queue = append(b.queue, v)
	}
}

func (b *balancer) term(t pddl.Term) int32 {
	if t.IsVar() {
		return int32(t.Slot())
	}
	c, ok := b.constants[t.Object()]
	if !ok {
		c = int32(len(b.constants))
		b.constants[t.Object()] = c
	}
	return ^c
}

func (b *balancer) terms(ts []pddl.Term) []int32 {
	out := make([]int32, len(ts))
	for i, t := range ts {
		out[i] = b.term(t)
	}
	return out
}

func (b *balancer) literals(c *conj) (out []balLit, known bool) {
	known = len(c.univ) == 0
	for _, l := range c.lits {
		switch l.kind {
		case litAtom:
			out = append(out, balLit{l.pred, l.neg, b.terms(l.args)})
		case litEqual:
			out = append(out, balLit{-1, l.neg, b.terms(l.args)})
		default:
			known = false
		}
	}
	return out, known
}

func (b *balancer) addAction(a *action) {
	ba := balAction{slots: len(a.types), params: a.params}
	ba.pre, _ = b.literals(&a.pre)
	for _, p := range neverEqual(a) {
		ba.pre = append(ba.pre, balLit{-1, true, []int32{p.a, p.b}})
	}
	id := int32(len(b.actions))
	for i := range a.effects {
		e := &a.effects[i]
		be := balEffect{balLit: balLit{e.pred, e.neg, b.terms(e.args)}, vars: e.vars}
		be.cond, be.known = b.literals(&e.cond)
		if e.neg {
			ba.dels = append(ba.dels, be)
			continue
		}
		ba.adds = append(ba.adds, be)
		if t := b.threats[e.pred]; len(t) == 0 || t[len(t)-1] != id {
			b.threats[e.pred] = append(t, id)
		}
	}
	b.actions = append(b.actions, ba)
	b.checked = append(b.checked, 0)
}

// neverEqual returns the pairs of parameters that differ in every instance.
func neverEqual(a *action) []pair {
	k := len(a.params)
	var open []pair // positions
	for i := range k {
		for j := range i {
			open = append(open, pair{int32(j), int32(i)})
		}
	}
	for t := 0; t < a.count && len(open) > 0; t++ {
		row := a.tuples[t*k : t*k+k]
		open = slices.DeleteFunc(open, func(p pair) bool { return row[p.a] == row[p.b] })
	}
	for i, p := range open {
		open[i] = pair{a.params[p.a], a.params[p.b]}
	}
	return open
}

// balanced reports whether no action raises the number of matching atoms; if one
// does, it enqueues the refinements that this action suggests.
func (b *balancer) balanced(v *invariant) bool {
	b.round++
	for i := range v.parts {
		threats := b.threats[v.parts[i].pred]
		for k, id := range threats {
			if b.checked[id] == b.round {
				continue
			}
			b.checked[id] = b.round
			if b.keeps(v, &b.actions[id]) {
				continue
			}
			// What disproves one candidate tends to disprove the next: try it first.
			copy(threats[1:k+1], threats[:k])
			threats[0] = id
			return false
		}
		b.g.tick()
	}
	return true
}

// keeps reports whether one action does not raise the number of matching atoms.
func (b *balancer) keeps(v *invariant, a *balAction) bool {
	if b.tooHeavy(v, a) {
		return false
	}
	for i := range a.adds {
		if v.part(a.adds[i].pred) != nil && b.unbalanced(v, a, &a.adds[i]) {
			b.refine(v, a, &a.adds[i])
			return false
		}
	}
	return true
}

// frame maps the terms of one check to integers: the invariant's parameters,
// then the action's slots three times (the copies are for the quantified variables
// of effects that are compared with another), then the constants.
type frame struct {
	params, slots int32
	copy          int32   // 1 or 2: the copy that is meant ...
	renamed       []int32 // ... for these slots
}

const slotCopies = 3

func (b *balancer) begin(v *invariant, a *balAction) frame {
	f := frame{params: int32(v.parts[0].arity()), slots: int32(a.slots)}
	n := int(f.params + slotCopies*f.slots)
	b.sys.reset(n+len(b.constants), n)
	return f
}

func (f *frame) term(t int32) int32 {
	switch {
	case t < 0:
		return f.params + slotCopies*f.slots + ^t
	case containsSlot(f.renamed, t):
		return f.params + f.copy*f.slots + t
	}
	return f.params + t
}

// rename gives the variables of e a copy of their own.
func (f *frame) rename(e *balEffect, copy int32) frame {
	return frame{f.params, f.slots, copy, e.vars}
}

// cover demands that the invariant's parameters match the atom of an effect.
func (b *balancer) cover(v *invariant, e *balEffect, f frame) {
	p := v.part(e.pred)
	b.sys.beginChoice()
	b.sys.option()
	for i, arg := range p.args {
		if arg != counted {
			b.sys.extendOption(pair{arg, f.term(e.args[i])})
		}
	}
}

// extendOption adds a pair to the option added last.
func (s *system) extendOption(p pair) {
	s.pairs = append(s.pairs, p)
	s.options[len(s.options)-1].to++
}

// zip pairs the arguments of two atoms.
func zip(dst []pair, x []int32, f frame, y []int32, h frame) []pair {
	for i := range x {
		dst = append(dst, pair{f.term(x[i]), h.term(y[i])})
	}
	return dst
}

// known is a literal that holds before the action, with the frame of its terms.
type known struct {
	lit   balLit
	frame frame
}

// satisfiable demands that a conjunction of literals is possible: equalities
// hold, inequalities hold, and no atom occurs with both signs.
func (b *balancer) satisfiable(lits []known) {
	for i := range lits {
		l := &lits[i]
		if l.lit.pred < 0 {
			p := pair{l.frame.term(l.lit.args[0]), l.frame.term(l.lit.args[1])}
			if l.lit.neg {
				b.sys.differ(p)
			} else {
				b.sys.require(p)
			}
			continue
		}
		if !l.lit.neg {
			continue
		}
		for k := range lits {
			if m := &lits[k]; m.lit.pred == l.lit.pred && !m.lit.neg {
				b.pairs = zip(b.pairs[:0], l.lit.args, l.frame, m.lit.args, m.frame)
				b.sys.differ(b.pairs...)
			}
		}
	}
}

func appendKnown(dst []known, lits []balLit, f frame) []known {
	for _, l := range lits {
		dst = append(dst, known{l, f})
	}
	return dst
}

// tooHeavy reports whether one application may add two matching atoms.
func (b *balancer) tooHeavy(v *invariant, a *balAction) bool {
	for i := range a.adds {
		e := &a.adds[i]
		if v.part(e.pred) == nil {
			continue
		}
		from := i + 1
		if len(e.vars) > 0 {
			from = i // two instances of the same effect
		}
		for k := from; k < len(a.adds); k++ {
			if o := &a.adds[k]; v.part(o.pred) != nil && b.addTogether(v, a, e, o) {
				return true
			}
		}
	}
	return false
}

func (b *balancer) addTogether(v *invariant, a *balAction, e, o *balEffect) bool {
	f := b.begin(v, a)
	h := f.rename(o, 1)
	if e.pred == o.pred {
		b.pairs = zip(b.pairs[:0], e.args, f, o.args, h)
		b.sys.differ(b.pairs...)
	}
	b.cover(v, e, f)
	b.cover(v, o, h)
	b.lits = appendKnown(b.lits[:0], a.pre, f)
	b.lits = appendKnown(b.lits, e.cond, f)
	b.lits = appendKnown(b.lits, o.cond, h)
	b.lits = append(b.lits, known{negated(e.balLit), f}, known{negated(o.balLit), h})
	b.satisfiable(b.lits)
	return b.sys.solvable()
}

func negated(l balLit) balLit {
	l.neg = !l.neg
	return l
}

// unbalanced reports whether no delete effect makes up for an add effect.
func (b *balancer) unbalanced(v *invariant, a *balAction, add *balEffect) bool {
	for i := range a.dels {
		if d := &a.dels[i]; v.part(d.pred) != nil && b.balances(v, a, add, d) {
			return false
		}
	}
	return true
}

// balances reports whether, whenever add makes an atom true that was false, del
// makes another matching atom false that was true.
func (b *balancer) balances(v *invariant, a *balAction, add, del *balEffect) bool {
	if !del.known || !b.maybeImplied(a, add, del) {
		return false
	}
	f := b.begin(v, a)
	h := f.rename(del, 1)
	s := &b.sys
	b.before = appendKnown(b.before[:0], a.pre, f)
	b.before = appendKnown(b.before, add.cond, f)
	b.before = append(b.before, known{negated(add.balLit), f})
	// The parameters may only coincide where the add effect could not be a threat
	// otherwise: find the equalities that covering it implies.
	b.cover(v, add, f)
	if !s.solvable() {
		return true // no threat: the pattern cannot match the atom
	}
	params := append(append(b.slots[:0], a.params...), add.vars...)
	b.slots = params
	roots, free := resize(&b.roots, len(params)), resize(&b.free, len(params))
	for i, p := range params {
		roots[i] = s.find(f.term(p))
		free[i] = s.constant[roots[i]] < 0
	}
	s.undo(0)
	for i, p := range params {
		if free[i] {
			s.notConst = append(s.notConst, f.term(p))
		}
		for k := range i {
			if roots[i] != roots[k] {
				s.differ(pair{f.term(params[k]), f.term(p)})
			}
		}
	}
	b.cover(v, del, h)
	if add.pred == del.pred {
		b.pairs = zip(b.pairs[:0], add.args, f, del.args, h)
		s.differ(b.pairs...)
	}
	for i := range len(del.cond) + 1 {
		l := negated(del.balLit)
		if i < len(del.cond) {
			l = del.cond[i]
		}
		s.beginChoice()
		for k := range b.before {
			if m := &b.before[k]; m.lit.pred == l.pred && m.lit.neg == l.neg {
				b.pairs = zip(b.pairs[:0], l.args, h, m.lit.args, m.frame)
				s.option(b.pairs...)
			}
		}
	}
	return s.solvable() && !b.addedBack(v, a, add, del)
}

// resize returns a scratch slice of n elements.
func resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// maybeImplied is a quick test of balances: every literal that the delete needs
// has a counterpart of its predicate and sign among those known.
func (b *balancer) maybeImplied(a *balAction, add, del *balEffect) bool {
	has := func(pred int32, neg bool) bool {
		if add.pred == pred && add.neg != neg {
			return true
		}
		for i := range a.pre {
			if a.pre[i].pred == pred && a.pre[i].neg == neg {
				return true
			}
		}
		for i := range add.cond {
			if add.cond[i].pred == pred && add.cond[i].neg == neg {
				return true
			}
		}
		return false
	}
	if !has(del.pred, false) {
		return false
	}
	for i := range del.cond {
		if !has(del.cond[i].pred, del.cond[i].neg) {
			return false
		}
	}
	return true
}

// addedBack reports whether another effect may add the atom that del deletes in
// the same step: adds win, so that it would not become false.
//
// The system holds a solution in which del balances add. Quantified variables of
// del that the solution leaves open may take any value, so only a re-adding that
// is possible for the solution's own instance counts; the classes of the solution
// are carried over as equalities.
func (b *balancer) addedBack(v *invariant, a *balAction, add, del *balEffect) bool {
	var same []*balEffect
	for i := range a.adds {
		if a.adds[i].pred == del.pred {
			same = append(same, &a.adds[i])
		}
	}
	if len(same) == 0 {
		return false
	}
	f := frame{params: int32(v.parts[0].arity()), slots: int32(a.slots)}
	h := f.rename(del, 1)
	var classes []pair
	n := f.params + slotCopies*f.slots + int32(len(b.constants))
	for t := range n {
		if r := b.sys.find(t); r != t {
			classes = append(classes, pair{t, r})
		}
	}
	for _, e := range same {
		f = b.begin(v, a)
		third := f.rename(e, 2)
		b.sys.require(classes...)
		b.pairs = zip(b.pairs[:0], e.args, third, del.args, h)
		b.sys.require(b.pairs...)
		b.lits = appendKnown(b.lits[:0], a.pre, f)
		b.lits = appendKnown(b.lits, add.cond, f)
		b.lits = append(b.lits, known{negated(add.balLit), f})
		b.lits = appendKnown(b.lits, e.cond, third)
		b.lits = appendKnown(b.lits, del.cond, h)
		b.lits = append(b.lits, known{negated(del.balLit), h})
		b.satisfiable(b.lits)
		b.weightAtMostOne(v, b.lits)
		if b.sys.solvable() {
			return true
		}
	}
	return false
}

// weightAtMostOne adds the induction hypothesis: before the action, no two atoms
// match the instance of the invariant at hand. Two patterns of one predicate are
// left out; they would need an equality in a disjunction of inequalities.
func (b *balancer) weightAtMostOne(v *invariant, lits []known) {
	match := func(l *known, p *part) {
		for i, arg := range p.args {
			if arg != counted {
				b.pairs = append(b.pairs, pair{arg, l.frame.term(l.lit.args[i])})
			}
		}
	}
	for i := range lits {
		p := v.part(lits[i].lit.pred)
		if p == nil || lits[i].lit.neg {
			continue
		}
		for k := range i {
			if q := v.part(lits[k].lit.pred); q != nil && q != p && !lits[k].lit.neg {
				b.pairs = b.pairs[:0]
				match(&lits[i], p)
				match(&lits[k], q)
				b.sys.differ(b.pairs...)
			}
		}
	}
}

// refine enqueues the invariant with one more pattern for each delete effect of
// the action that could balance add.
func (b *balancer) refine(v *invariant, a *balAction, add *balEffect) {
	own := v.part(add.pred)
	for i := range a.dels {
		d := &a.dels[i]
		if v.part(d.pred) != nil {
			continue
		}
		for _, p := range matches(own, add, d) {
			parts := append(slices.Clone(v.parts), p)
			slices.SortFunc(parts, func(x, y part) int { return int(x.pred) - int(y.pred) })
			b.enqueue(&invariant{parts: parts})
		}
	}
}

// maxMatches bounds the patterns for one delete effect: an atom of n equal
// arguments has n! of them.
const maxMatches = 1000

// matches returns the patterns for the atom of del that use every parameter of
// own exactly once, where own's pattern matches the atom of add.
func matches(own *part, add, del *balEffect) []part {
	omissions := len(del.args) - own.arity()
	if omissions != 0 && omissions != 1 {
		return nil
	}
	var out []part
	args := make([]int32, len(del.args))
	used := make([]bool, own.arity())
	var place func(pos, omitted int)
	place = func(pos, omitted int) {
		if len(out) == maxMatches {
			return
		}
		if pos == len(args) {
			if omissions == 0 || omitted >= 0 {
				out = append(out, part{pred: del.pred, args: slices.Clone(args), omitted: omitted})
			}
			return
		}
		t := del.args[pos]
		if !containsSlot(del.vars, t) { // a quantified variable of del equals nothing
			for i, p := range own.args {
				if p != counted && !used[p] && add.args[i] == t {
					used[p] = true
					args[pos] = p
					place(pos+1, omitted)
					used[p] = false
				}
			}
		}
		if omissions == 1 && omitted < 0 {
			args[pos] = counted
			place(pos+1, pos)
		}
	}
	place(0, -1)
	return out
}
