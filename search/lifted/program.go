package lifted

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// query asks for the instances of some slots that satisfy a conjunction.
type query struct {
	conds []*cond
	vars  []int32            // slots to bind; those that conds mention beside them are bound already
	types []typeSlot         // by slot
	shown func(s int32) bool // whether the instances of a slot have to be distinguished; nil: those of none
}

// typeSlot is what a slot may hold.
type typeSlot struct {
	objects []pddl.ObjectID
	set     []uint64 // the same as bits, nil for all objects
}

func (t *typeSlot) has(o pddl.ObjectID) bool { return t.set == nil || t.set[o>>6]>>(uint(o)&63)&1 != 0 }

// program runs a query as nested loops. From step cut on it only asks whether there is an instance.
type program struct {
	steps []step
	cut   int
}

type stepKind uint8

const (
	stepStatic stepKind = iota // each row of a static predicate that matches
	stepFluent                 // each atom of the state that matches
	stepObject                 // each object of a slot's type
	stepAssign                 // a slot is another term
	stepTest                   // cond holds
)

type step struct {
	kind  stepKind
	pred  int32
	index *index      // of a static predicate, by key; nil: all rows
	key   []pddl.Term // objects of the index' columns; of a fluent predicate the first one, of column col
	col   int         // of a fluent predicate, -1: all atoms
	match []match     // what to do with the other columns, in order
	slot  int32
	term  pddl.Term
	cond  *cond
	types *typeSlot // of slot
}

// match binds the slot of a column, or compares the column with a term.
type match struct {
	col   int
	bind  bool
	slot  int32
	types *typeSlot
	term  pddl.Term
}

// planner orders the steps of a query. size estimates how many atoms a predicate has.
type planner struct {
	t     *task
	q     *query
	size  func(pred int32) float64
	bound []bool
	todo  []*cond
	prog  *program
}

func (t *task) plan(q *query, size func(int32) float64) *program {
	p := &planner{t: t, q: q, size: size, bound: make([]bool, len(q.types)), todo: slices.Clone(q.conds), prog: &program{cut: -1}}
	for s := range p.bound {
		p.bound[s] = true
	}
	for _, s := range q.vars {
		p.bound[s] = false
	}
	for {
		p.settle()
		if next := p.cheapest(); next >= 0 {
			c := p.todo[next]
			p.todo = slices.Delete(p.todo, next, next+1)
			p.scan(c)
			continue
		}
		if s := p.open(); s >= 0 {
			p.prog.steps = append(p.prog.steps, step{kind: stepObject, slot: s, types: &q.types[s]})
			p.bound[s] = true
			continue
		}
		return p.prog
	}
}

func (p *planner) known(t pddl.Term) bool { return !t.IsVar() || p.bound[t.Slot()] }

// settle adds the tests that are possible by now, and the slots that an equality gives. It cuts the program where the rest
// tells nothing apart.
func (p *planner) settle() {
	for again := true; again; {
		again = false
		p.todo = slices.DeleteFunc(p.todo, func(c *cond) bool {
			if !slices.ContainsFunc(c.free, func(s int32) bool { return !p.bound[s] }) {
				p.prog.steps = append(p.prog.steps, step{kind: stepTest, cond: c})
				return true
			}
			if c.kind != condEqual || c.neg || !p.known(c.args[0]) && !p.known(c.args[1]) {
				return false
			}
			slot, term := c.args[0], c.args[1]
			if p.known(slot) {
				slot, term = term, slot
			}
			s := int32(slot.Slot())
			p.prog.steps = append(p.prog.steps, step{kind: stepAssign, slot: s, term: term, types: &p.q.types[s]})
			p.bound[s], again = true, true
			return true
		})
	}
	if p.prog.cut < 0 && (p.q.shown == nil || !slices.ContainsFunc(p.q.vars, func(s int32) bool { return !p.bound[s] && p.q.shown(s) })) {
		p.prog.cut = len(p.prog.steps)
	}
}

// cheapest returns the positive atom that fewest rows are estimated to match, -1 if there is none.
func (p *planner) cheapest() int {
	best, at := 0.0, -1
	for i, c := range p.todo {
		if c.kind != condAtom || c.neg {
			continue
		}
		if n := p.rows(c); at < 0 || n < best {
			best, at = n, i
		}
	}
	return at
}

// unshown is by how much an atom is put off that binds a slot whose instances are not told apart: before the cut, it
// multiplies the steps that are found.
const unshown = 4

// rows estimates how many rows match an atom.
func (p *planner) rows(c *cond) float64 {
	pred := &p.t.preds[c.pred]
	n := p.size(c.pred)
	penalty := 1.0
	for col, t := range c.args {
		switch {
		case p.known(t) || slices.Contains(c.args[:col], t):
			d := float64(pred.columns[col])
			if pred.rel != nil {
				d = float64(pred.rel.distinct[col])
			}
			n /= max(1, min(d, n))
		default:
			s := int32(t.Slot())
			n *= min(1, float64(len(p.q.types[s].objects))/float64(max(1, pred.columns[col])))
			if p.prog.cut < 0 && !p.q.shown(s) {
				penalty = unshown
			}
		}
	}
	return n * penalty
}

// open returns the next slot that has to be enumerated by its type, -1 if there is none. Slots whose instances have to be
// distinguished come first.
func (p *planner) open() int32 {
	found := int32(-1)
	for _, s := range p.q.vars {
		if p.bound[s] {
			continue
		}
		if p.q.shown != nil && p.q.shown(s) {
			return s
		}
		if found < 0 {
			found = s
		}
	}
	return found
}

// narrowest returns the column, among those whose object is known, that leaves fewest rows; -1 if there is none.
func (p *planner) narrowest(c *cond) int {
	best := -1
	for col, t := range c.args {
		if p.known(t) && (best < 0 || p.t.preds[c.pred].columns[col] > p.t.preds[c.pred].columns[best]) {
			best = col
		}
	}
	return best
}

// scan adds the step that finds the rows of an atom.
func (p *planner) scan(c *cond) {
	s := step{kind: stepFluent, pred: c.pred, col: -1}
	rel := p.t.preds[c.pred].rel
	if rel == nil {
		s.col = p.narrowest(c)
	}
	var cols []int
	for col, t := range c.args {
		switch {
		case !p.known(t) && !slices.Contains(c.args[:col], t):
			s.match = append(s.match, match{col: col, bind: true, slot: int32(t.Slot()), types: &p.q.types[t.Slot()]})
		case p.known(t) && rel != nil, col == s.col:
			cols, s.key = append(cols, col), append(s.key, t)
		default:
			s.match = append(s.match, match{col: col, term: t})
		}
	}
	if rel != nil {
		s.kind = stepStatic
		if len(cols) > 0 {
			s.index = rel.index(cols, p.t.meter)
		}
	}
	p.prog.steps = append(p.prog.steps, s)
	for _, f := range c.free {
		p.bound[f] = true
	}
}
