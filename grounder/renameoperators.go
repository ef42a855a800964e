package grounder

import (
	"github.com/planproof/planproof/internal/inorder"
	"github.com/planproof/planproof/pddl"
)

// renameOperators rewrites the operators in place and drops those that can never be
// applied or change nothing. Threads rewrite pieces, which are then closed up in order.
func (g *grounder) renameOperators(r *renaming) {
	s := &g.sas
	t := &s.ops
	extra := g.renameLists(r)
	n, size := t.Len(), max(1, g.limits.piece)
	threads := g.threads(n, size)
	if threads == 1 || extra != nil || s.nums != nil { // what operators share would change
		threads, size = 1, max(1, n)
	}
	var end, moving mark // no operator before moving is being moved
	g.together(threads, (n+size-1)/size, func(own *grounder) inorder.Worker {
		var from, to, place mark
		return inorder.Worker{
			Do: func(k int) {
				from = t.before(k * size)
				to = own.renameRows(r, extra, from, min((k+1)*size, n))
			},
			Place: func(_ int, settle func()) {
				place = end
				if end = place.after(from, to); place.over(from, end, moving) {
					settle()
					moving = from
				}
			},
			Fill: func(int) { t.moveDown(from, to, place) },
		}
	})
	t.rows, t.args, t.facts = t.rows[:end.rows], t.args[:end.args], t.facts[:end.facts]
	if s.nums != nil {
		s.nums = s.nums[:end.rows]
	}
}

// renameRows rewrites the operators from a mark on up to another operator, and returns where they end.
func (g *grounder) renameRows(r *renaming, extra []pddl.Number, to mark, end int) mark {
	s := &g.sas
	t := &s.ops
	for i := to.rows; i < end; i++ {
		g.tick()
		row := t.rows[i]
		pre, ok := r.conjunction(t.Pre(i))
		if !ok {
			continue
		}
		nums, own := g.renameChanges(r, i), r.changes(t.own(i))
		if len(t.listed(i))+len(own)+len(nums) == 0 && !g.opt.KeepIrrelevant {
			continue
		}
		if row.list < 0 {
			row.list = ^int32(len(own))
		}
		if extra != nil && row.list >= 0 && extra[row.list].Sign() != 0 {
			row.cost = s.costs.index(s.costs.vals[row.cost].Add(extra[row.list]))
		}
		if s.nums != nil {
			s.nums[to.rows] = nums
		}
		args := t.Args(i)
		row.args, row.pre = newStretch(to.args, len(args)), newStretch(to.facts, len(pre))
		t.rows[to.rows] = row
		to.rows++
		to.args += copy(t.args[to.args:], args)
		to.facts += copy(t.facts[to.facts:], pre)
		to.facts += copy(t.facts[to.facts:], own)
	}
	return to
}

// before returns where operator i begins.
func (t *Operators) before(i int) mark {
	args, _ := t.rows[i].args.bounds()
	facts, _ := t.rows[i].pre.bounds()
	return mark{i, args, facts}
}

// moveDown moves operators to a place before them.
func (t *Operators) moveDown(from, end, to mark) {
	if to == from {
		return
	}
	copy(t.args[to.args:], t.args[from.args:end.args])
	copy(t.facts[to.facts:], t.facts[from.facts:end.facts])
	args, facts := to.args-from.args, to.facts-from.facts
	for k, row := range t.rows[from.rows:end.rows] {
		row.args, row.pre = row.args.moved(args), row.pre.moved(facts)
		t.rows[to.rows+k] = row
	}
}

// after returns where operators that lie between two marks end if they begin at m.
func (m mark) after(from, end mark) mark {
	return mark{m.rows + end.rows - from.rows, m.args + end.args - from.args, m.facts + end.facts - from.facts}
}

// over reports whether operators that are moved from a mark to the place from m to end go over any at others.
func (m mark) over(from, end, others mark) bool {
	return m.rows != from.rows && end.rows > others.rows || m.args != from.args && end.args > others.args ||
		m.facts != from.facts && end.facts > others.facts
}

// renameLists rewrites the effects and conditional costs of all lists. If there are conditional costs,
// it returns by list what has become unconditional.
func (g *grounder) renameLists(r *renaming) (extra []pddl.Number) {
	s := &g.sas
	t := &s.ops
	for l := range t.effects {
		t.effects[l] = r.effects(t.effects[l])
		g.work(1 + len(t.effects[l]))
	}
	if t.conds == nil {
		return nil
	}
	extra = make([]pddl.Number, len(t.conds))
	for l := range t.conds {
		kept := t.conds[l][:0]
		for _, c := range t.conds[l] {
			var ok bool
			if c.Cond, ok = r.conjunction(c.Cond); !ok {
				continue
			}
			if len(c.Cond) == 0 {
				extra[l] = extra[l].Add(s.costs.vals[c.Cost])
				continue
			}
			kept = append(kept, c)
		}
		t.conds[l] = kept
		g.tick()
	}
	return extra
}

// changes rewrites facts that become true in place, without those that are true already.
func (r *renaming) changes(facts []Fact) []Fact {
	kept := facts[:0]
	for _, f := range facts {
		if f = r.of(f); f.Var >= 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// effects rewrites effects in place, without those that change nothing.
func (r *renaming) effects(effects []Effect) []Effect {
	kept := effects[:0]
	for _, e := range effects {
		f := r.of(Fact{Var: e.Var, Val: e.Val})
		var ok bool
		if f.Var < 0 {
			continue // true already, or its condition is unreachable
		}
		if e.Cond, ok = r.conjunction(e.Cond); !ok {
			continue
		}
		e.Var, e.Val = f.Var, f.Val
		kept = append(kept, e)
	}
	return kept
}
