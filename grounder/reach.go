package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Relaxed reachability: the least set of atoms that contains the initial state and is
// closed under actions and axioms without their deletes and without negative literals
// on atoms that change. The evaluation is semi-naive: each new atom triggers the rules
// that mention it, at each position, joined with the atoms propagated before it.

type head struct {
	pred int32
	args []pddl.Term
}

// horn is a rule of the relaxation: heads follow from atoms and checks.
type horn struct {
	types   []pddl.TypeID
	vars    []int32
	atoms   []queryAtom
	checks  []lit
	heads   []head
	missing int // ground rules: atoms not reached yet
}

// trigger starts a rule from its atom at one position.
type trigger struct {
	rule *horn
	pos  int
	join *join
}

// triggers are those of one predicate. The rules of grounded domains mention constants:
// a trigger whose atom has a constant is filed under the first one.
type triggers struct {
	open  []*trigger
	fixed []map[pddl.ObjectID][]*trigger // by column
}

func (g *grounder) reach() {
	g.triggers = make([]triggers, len(g.preds))
	for _, h := range g.horns() {
		g.install(h)
	}
	for changed := true; changed; {
		changed = false
		for p := range g.preds {
			rel := g.preds[p].rel
			if !g.preds[p].changes() {
				continue
			}
			for rel.done < rel.n {
				changed = true
				g.propagate(int32(p), int32(rel.done))
				rel.done++
			}
		}
	}
	g.triggers = nil
}

// horns makes the rules. Unconditional effects of an action share a rule, and with it
// the join, if one of them mentions the variables of the others. Binding the variables
// of all effects at once could be far more work than each needs: rotating four cars
// yields four new places, and finding each takes one car, not four.
func (g *grounder) horns() []*horn {
	var out []*horn
	for _, a := range g.actions {
		var heads []head
		for i := range a.effects {
			e := &a.effects[i]
			switch {
			case e.neg:
			case len(e.vars) == 0 && len(e.cond.lits) == 0 && len(e.cond.univ) == 0:
				heads = append(heads, head{e.pred, e.args})
			default:
				h := &horn{types: a.types, vars: slices.Concat(a.params, e.vars), heads: []head{{e.pred, e.args}}}
				if g.body(h, slices.Concat(a.pre.lits, e.cond.lits)) {
					out = append(out, h)
				}
			}
		}
		for _, group := range groupHeads(heads) {
			if h := (&horn{types: a.types, vars: a.params, heads: group}); g.body(h, a.pre.lits) {
				out = append(out, h)
			}
		}
	}
	for _, r := range g.rules {
		h := &horn{types: r.types, vars: r.vars, heads: []head{{r.pred, r.args}}}
		if g.body(h, r.body.lits) {
			out = append(out, h)
		}
	}
	return out
}

// groupHeads partitions heads such that the first of each group mentions the
// variables of the others.
func groupHeads(heads []head) [][]head {
	count := func(h head) int {
		var seen []pddl.Term
		for _, t := range h.args {
			if t.IsVar() && !slices.Contains(seen, t) {
				seen = append(seen, t)
			}
		}
		return len(seen)
	}
	slices.SortStableFunc(heads, func(a, b head) int { return count(b) - count(a) })
	var groups [][]head
next:
	for _, h := range heads {
		for i, g := range groups {
			if !slices.ContainsFunc(h.args, func(t pddl.Term) bool { return t.IsVar() && !slices.Contains(g[0].args, t) }) {
				groups[i] = append(g, h)
				continue next
			}
		}
		groups = append(groups, []head{h})
	}
	return groups
}

// body fills the atoms and checks of h. It reports false if the body can never hold.
func (g *grounder) body(h *horn, lits []lit) bool {
	var ok bool
	h.atoms, h.checks, ok = g.relax(lits)
	return ok
}

// relax splits a conjunction into positive atoms and checks that do not depend on the
// state; negative literals on atoms that change, and comparisons that do, are dropped. It reports false if a
// ground check fails.
func (g *grounder) relax(lits []lit) (atoms []queryAtom, checks []lit, ok bool) {
	for _, l := range lits {
		if l.kind == litAtom && !l.neg {
			atoms = append(atoms, queryAtom{pred: l.pred, args: l.args})
			continue
		}
		if l.kind == litAtom && g.preds[l.pred].changes() || l.dynamic {
			continue
		}
		ground := true
		eachSlot(l, func(int32) { ground = false })
		if !ground {
			checks = append(checks, l)
		} else if !g.holds(&l, nil) {
			return nil, nil, false
		}
	}
	return atoms, checks, true
}

// install files the triggers of a rule, or fires it at once if it has none.
func (g *grounder) install(h *horn) {
	changing := 0
	for i := range h.atoms {
		p := g.preds[h.atoms[i].pred]
		if p.changes() {
			changing++
		} else if p.rel.n == 0 {
			return
		}
	}
	if changing == 0 {
		j := g.newHornJoin(h, -1)
		j.each(func() bool { g.emit(h, j.env); return false })
		return
	}
	if len(h.vars) == 0 {
		var key [16]pddl.ObjectID
		for i := range h.atoms {
			if a := &h.atoms[i]; !g.preds[a.pred].changes() && g.preds[a.pred].rel.find(groundArgs(key[:0], a.args, nil)) < 0 {
				return
			}
		}
		h.missing = changing
	}
	for i := range h.atoms {
		if !g.preds[h.atoms[i].pred].changes() {
			continue
		}
		t := &trigger{rule: h, pos: i}
		ts := &g.triggers[h.atoms[i].pred]
		col := slices.IndexFunc(h.atoms[i].args, func(t pddl.Term) bool { return !t.IsVar() })
		if col < 0 {
			ts.open = append(ts.open, t)
			continue
		}
		if ts.fixed == nil {
			ts.fixed = make([]map[pddl.ObjectID][]*trigger, len(h.atoms[i].args))
		}
		if ts.fixed[col] == nil {
			ts.fixed[col] = make(map[pddl.ObjectID][]*trigger)
		}
		o := h.atoms[i].args[col].Object()
		ts.fixed[col][o] = append(ts.fixed[col][o], t)
	}
}

// groundArgs appends the objects that terms stand for.
func groundArgs(dst []pddl.ObjectID, terms []pddl.Term, env []pddl.ObjectID) []pddl.ObjectID {
	for _, t := range terms {
		if t.IsVar() {
			dst = append(dst, env[t.Slot()])
		} else {
			dst = append(dst, t.Object())
		}
	}
	return dst
}

// newHornJoin compiles a rule whose atom at position pos (or none) is given.
func (g *grounder) newHornJoin(h *horn, pos int) *join {
	q := query{types: h.types, checks: h.checks, cut: true}
	given := make([]bool, len(h.types))
	for i := range h.atoms {
		a := h.atoms[i]
		if i == pos {
			for _, t := range a.args {
				if t.IsVar() && !given[t.Slot()] {
					given[t.Slot()] = true
					q.bound = append(q.bound, int32(t.Slot()))
				}
			}
			continue
		}
		if g.preds[a.pred].changes() {
			a.limited = true
			if i > pos && pos >= 0 && a.pred == h.atoms[pos].pred {
				a.extra = 1
			}
		}
		q.atoms = append(q.atoms, a)
	}
	for _, s := range h.vars {
		if !given[s] {
			q.vars = append(q.vars, s)
		}
	}
	for _, hd := range h.heads {
		for _, t := range hd.args {
			if t.IsVar() && !given[t.Slot()] && !containsSlot(q.need, int32(t.Slot())) {
				q.need = append(q.need, int32(t.Slot()))
			}
		}
	}
	j := g.newJoin(q)
	j.test = func() bool { return !g.allKnown(h, j.env) }
	return j
}

// allKnown reports whether every head is reached already.
func (g *grounder) allKnown(h *horn, env []pddl.ObjectID) bool {
	var key [16]pddl.ObjectID
	for i := range h.heads {
		if g.preds[h.heads[i].pred].rel.find(groundArgs(key[:0], h.heads[i].args, env)) < 0 {
			return false
		}
	}
	return true
}

func (g *grounder) emit(h *horn, env []pddl.ObjectID) {
	var key [16]pddl.ObjectID
	for i := range h.heads {
		if _, added := g.preds[h.heads[i].pred].rel.add(groundArgs(key[:0], h.heads[i].args, env)); added {
			g.checkSize(&g.atomCount)
		}
	}
}

func (g *grounder) propagate(p, t int32) {
	ts := &g.triggers[p]
	for _, tr := range ts.open {
		g.fire(tr, p, t)
	}
	for col, m := range ts.fixed {
		if m == nil {
			continue
		}
		for _, tr := range m[g.preds[p].rel.row(t)[col]] {
			g.fire(tr, p, t)
		}
	}
}

func (g *grounder) fire(tr *trigger, p, t int32) {
	h := tr.rule
	if len(h.vars) == 0 {
		for i, o := range g.preds[p].rel.row(t) {
			if h.atoms[tr.pos].args[i].Object() != o {
				return
			}
		}
		if h.missing--; h.missing == 0 {
			g.emit(h, nil)
		}
		return
	}
	g.tick()
	if !slices.ContainsFunc(h.heads, func(hd head) bool { return !g.preds[hd.pred].rel.full() }) {
		return // every atom that could follow is known
	}
	if tr.join == nil {
		tr.join = g.newHornJoin(h, tr.pos)
	}
	j := tr.join
	row := g.preds[p].rel.row(t)
	args := h.atoms[tr.pos].args
	for i, a := range args {
		if !a.IsVar() {
			if a.Object() != row[i] {
				return
			}
			continue
		}
		j.env[a.Slot()] = row[i]
	}
	for i, a := range args {
		if a.IsVar() && (j.env[a.Slot()] != row[i] || !contains(g.typeSet(h.types[a.Slot()]), row[i])) {
			return
		}
	}
	j.each(func() bool { g.emit(h, j.env); return false })
}
