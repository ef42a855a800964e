package grounder

import "github.com/planproof/planproof/pddl"

// The proofs behind invariant synthesis: no action adds two atoms of an invariant at
// once, and every atom that an action adds is balanced by one that it deletes. Each
// proof is a small constraint system over the terms of the action.

// frame maps the terms of one check to integers: the invariant's parameters,
// then the action's slots three times (the copies rename the quantified variables of
// effects that are compared with others), then the constants.
type frame struct {
	params, slots int32
	copy          int32   // 1 or 2: the copy to use ...
	renamed       []int32 // ... for these slots
}

const slotCopies = 3

func (b *balancer) begin(v *invariant, a *balAction) frame {
	f := frame{params: int32(v.parts[0].arity()), slots: int32(a.slots)}
	n := int(f.params + slotCopies*f.slots)
	b.g.work(n + len(a.pre))
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

// cover requires the invariant's parameters to match the atom of an effect.
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

// satisfiable requires a conjunction of literals to be possible: equalities hold,
// inequalities hold, and no atom occurs with both signs.
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
	b.scanned(len(a.adds))
	for i := range a.adds {
		e := &a.adds[i]
		if v.part(e.pred) == nil {
			continue
		}
		from := i + 1
		if len(e.vars) > 0 {
			from = i // two instances of the same effect
		}
		b.scanned(len(a.adds) - from)
		for k := from; k < len(a.adds); k++ {
			if o := &a.adds[k]; v.part(o.pred) != nil && b.addTogether(v, a, e, o) {
				return true
			}
		}
	}
	return false
}

// scanned counts n effects that were looked at: every candidate looks at all effects of
// an action, which may be a hundred thousand. A look costs about an eighth of a union.
func (b *balancer) scanned(n int) {
	b.work += n / 8
	b.g.work(n)
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

// balance says whether a delete effect balances an add effect.
type balance uint8

const (
	missing  balance = iota // no delete effect does; only another pattern can help
	doubtful                // one does, but the atom may be added back
	kept
)

// balanceOf tries all delete effects of the action.
func (b *balancer) balanceOf(v *invariant, a *balAction, add *balEffect) balance {
	best := missing
	for i := range a.dels {
		if d := &a.dels[i]; v.part(d.pred) != nil {
			if best = max(best, b.balances(v, a, add, d)); best == kept {
				break
			}
		}
	}
	return best
}

// balances reports whether, whenever add makes an atom true that was false, del
// makes another matching atom false that was true.
func (b *balancer) balances(v *invariant, a *balAction, add, del *balEffect) balance {
	if !del.known || !b.maybeImplied(a, add, del) {
		return missing
	}
	f := b.begin(v, a)
	h := f.rename(del, 1)
	s := &b.sys
	b.before = appendKnown(b.before[:0], a.pre, f)
	b.before = appendKnown(b.before, add.cond, f)
	b.before = append(b.before, known{negated(add.balLit), f})
	// The parameters may coincide only where the add effect needs that to be a threat:
	// find the equalities that covering it implies.
	b.cover(v, add, f)
	if !s.solvable() {
		return kept // no threat: the pattern cannot match the atom
	}
	b.keepApart(a, add, f)
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
	s.judged = len(del.vars) > 0
	b.typing = typing{a, add, del, f, h}
	switch {
	case !s.solvable():
		return missing
	case b.addedBack(v, a, add, del):
		return doubtful
	}
	return kept
}

// keepApart undoes the unions of a solution and requires the parameters of the action and
// of an add effect to be as distinct as in that solution: pairwise different unless it
// makes them equal, and different from constants unless it makes them one.
func (b *balancer) keepApart(a *balAction, add *balEffect, f frame) {
	s := &b.sys
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
}

// typing is the question that wellTyped answers.
type typing struct {
	action         *balAction
	add, del       *balEffect
	frame, renamed frame
}

// wellTyped reports whether a solution gives every quantified variable of del a value
// of its type: the variable must coincide with a term of the action known to have
// that type. Otherwise the effect has no such instance.
func (b *balancer) wellTyped() bool {
	a, add, del, f, h := b.typing.action, b.typing.add, b.typing.del, b.typing.frame, b.typing.renamed
next:
	for _, x := range del.vars {
		root, want := b.sys.find(h.term(x)), a.types[x]
		if want == pddl.RootType && len(b.g.prob.Objects) > 0 {
			continue
		}
		for _, slots := range [2][]int32{a.params, add.vars} {
			for _, p := range slots {
				if b.sys.find(f.term(p)) == root && b.g.dom.IsSubtype(a.types[p], want) {
					continue next
				}
			}
		}
		if c := b.sys.constant[root]; c >= 0 && contains(b.g.typeSet(want), b.objects[c-(f.params+slotCopies*f.slots)]) {
			continue
		}
		return false
	}
	return true
}

// resize returns a scratch slice of n elements.
func resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// maybeImplied is a quick necessary test for balances: every literal that the delete
// needs has a counterpart of its predicate and sign among the known ones.
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
// the same step: adds win, so the atom would not become false.
//
// The system holds a solution in which del balances add. Quantified variables of del
// that the solution leaves open may take any value, so adding the atom back only
// counts if it is possible for the solution's own instance; the classes of the
// solution are carried over as equalities.
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
// match the current instance of the invariant. Two patterns of one predicate are left
// out: they would need an equality in a disjunction of inequalities.
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
