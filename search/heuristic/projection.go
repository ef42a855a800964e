package heuristic

import (
	"encoding/binary"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// projection is the abstraction of a task to a few state variables, its pattern: states that
// agree on them are one abstract state, numbered by their values with the last variable
// fastest. What the pattern leaves out is taken to be as helpful as possible: preconditions
// and goals on other variables hold, and an effect whose condition mentions them may happen
// or not.
type projection struct {
	vars []int32
	size []int32
	mult []int32
	abstractGraph
}

// abstractOp is an operator as the projection sees it.
type abstractOp struct {
	pre     []grounder.Fact // Var is the position in the pattern
	effects []abstractEffect
}

type abstractEffect struct {
	cond    []grounder.Fact
	pos     int32
	val     int32
	perhaps bool // a condition outside the pattern decides
}

// newProjection returns the projection of t to vars, which are sorted state variables. It
// returns nil if there are more than maxEdges transitions, or when the budget ends.
func newProjection(t *grounder.Task, vars []int32, maxEdges int, b *Budget) *projection {
	p := &projection{vars: vars, size: make([]int32, len(vars)), mult: make([]int32, len(vars)), abstractGraph: abstractGraph{n: 1}}
	pos := make([]int32, len(t.Variables))
	for i := range pos {
		pos[i] = -1
	}
	for i := len(vars) - 1; i >= 0; i-- {
		pos[vars[i]] = int32(i)
		p.size[i] = int32(t.Variables[vars[i]].Size())
		p.mult[i] = p.n
		p.n *= p.size[i]
	}
	classes, ok := p.classify(t, pos, b)
	if !ok {
		return nil
	}
	w := newWalker(p)
	w.budget = b
	if !p.connect(w, classes, maxEdges) {
		return nil
	}
	var goal []grounder.Fact
	for _, f := range t.Goal {
		if i := pos[f.Var]; i >= 0 {
			goal = append(goal, grounder.Fact{Var: i, Val: f.Val})
		}
	}
	w.each(goal, func(s int32) { p.goals = append(p.goals, s) })
	return p
}

// classify sorts the operators by what they do to the variables of the pattern, pos by
// variable of the task, and lists those of each class in p.ops. It reports false when the
// budget ends.
func (p *projection) classify(t *grounder.Task, pos []int32, b *Budget) ([]abstractOp, bool) {
	var classes []abstractOp
	var members [][]int32
	index := map[string]int{}
	var key []byte
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		if !b.spend(len(op.Pre) + len(op.Effects)) {
			return nil, false
		}
		a, ok := project(op, pos)
		if !ok {
			continue
		}
		key = a.key(key[:0])
		k, seen := index[string(key)]
		if !seen {
			k = len(classes)
			index[string(key)] = k
			classes = append(classes, a)
			members = append(members, nil)
		}
		members[k] = append(members[k], int32(o))
	}
	for _, m := range members {
		p.ops.add(m)
	}
	if len(members) == 0 {
		p.ops.start = []int32{0}
	}
	return classes, true
}

// connect lists the transitions into each state. It reports false if there are more than
// maxEdges, or when the budget ends.
func (p *projection) connect(w *walker, classes []abstractOp, maxEdges int) bool {
	b := w.budget
	total := 0
	for k := range classes {
		if total += w.bound(&classes[k]); total > maxEdges {
			return false
		}
	}
	// Besides the transitions, two lists by state, a copy of one, the goals, and a queue.
	if !b.hold(32 * int64(p.n)) {
		return false
	}
	p.start = make([]int32, p.n+1)
	for k := range classes {
		w.transitions(&classes[k], func(_, to int32) { p.start[to+1]++ })
	}
	if b.err != nil {
		return false
	}
	for s := range p.n {
		p.start[s+1] += p.start[s]
	}
	if !b.hold(8 * int64(p.start[p.n])) {
		return false
	}
	p.edges = make([]abstractEdge, p.start[p.n])
	next := slices.Clone(p.start)
	p.loops = make([]bool, len(classes))
	for k := range classes {
		w.looped = false
		w.transitions(&classes[k], func(from, to int32) {
			p.edges[next[to]] = abstractEdge{from, int32(k)}
			next[to]++
		})
		p.loops[k] = w.looped
	}
	return true
}

// project returns what op does to the variables in the pattern, and false if nothing.
func project(op grounder.Operator, pos []int32) (a abstractOp, ok bool) {
	for _, f := range op.Pre {
		if i := pos[f.Var]; i >= 0 {
			a.pre = append(a.pre, grounder.Fact{Var: i, Val: f.Val})
		}
	}
	for i := range op.Effects {
		e := &op.Effects[i]
		if pos[e.Var] < 0 || !compatible(op.Pre, e.Cond) {
			continue
		}
		x := abstractEffect{pos: pos[e.Var], val: e.Val}
		for _, f := range e.Cond {
			switch {
			case slices.Contains(op.Pre, f):
			case pos[f.Var] >= 0:
				x.cond = append(x.cond, grounder.Fact{Var: pos[f.Var], Val: f.Val})
			default:
				x.perhaps = true
			}
		}
		a.effects = append(a.effects, x)
	}
	return a, len(a.effects) > 0
}

// key encodes a so that operators which do the same get the same bytes.
func (a *abstractOp) key(b []byte) []byte {
	facts := func(fs []grounder.Fact) {
		b = binary.AppendUvarint(b, uint64(len(fs)))
		for _, f := range fs {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(f.Var)), uint64(f.Val))
		}
	}
	facts(a.pre)
	for i := range a.effects {
		e := &a.effects[i]
		perhaps := uint64(0)
		if e.perhaps {
			perhaps = 1
		}
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(e.pos)), uint64(e.val)), perhaps)
		facts(e.cond)
	}
	return b
}

// walker enumerates abstract states and transitions.
type walker struct {
	p       *projection
	digits  []int32
	fixed   []bool
	options [][]int32
	looped  bool    // a transition has been met that changes nothing
	budget  *Budget // a walk ends early where it does; nil for no limit
}

func newWalker(p *projection) *walker {
	return &walker{p: p, digits: make([]int32, len(p.vars)), fixed: make([]bool, len(p.vars)), options: make([][]int32, len(p.vars))}
}

// each visits the abstract states in which facts hold; digits are their values.
func (w *walker) each(facts []grounder.Fact, visit func(s int32)) {
	clear(w.digits)
	clear(w.fixed)
	for _, f := range facts {
		w.digits[f.Var], w.fixed[f.Var] = f.Val, true
	}
	s := int32(0)
	for i, d := range w.digits {
		s += d * w.p.mult[i]
	}
	for {
		if visit(s); w.budget != nil && !w.budget.spend(1) {
			return
		}
		i := len(w.digits) - 1
		for ; i >= 0; i-- {
			if w.fixed[i] {
				continue
			}
			if w.digits[i]+1 < w.p.size[i] {
				w.digits[i]++
				s += w.p.mult[i]
				break
			}
			s -= w.digits[i] * w.p.mult[i]
			w.digits[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// bound bounds the number of transitions of a, at most 2^31.
func (w *walker) bound(a *abstractOp) int {
	n := int(w.p.n)
	for _, f := range a.pre {
		n /= int(w.p.size[f.Var])
	}
	for i := range a.effects {
		if a.effects[i].perhaps {
			n = min(2*n, 1<<31)
		}
	}
	return n
}

// transitions visits the transitions of a that change the abstract state.
func (w *walker) transitions(a *abstractOp, visit func(from, to int32)) {
	w.each(a.pre, func(s int32) {
		to, several := s, false
		for i := range w.options {
			w.options[i] = append(w.options[i][:0], w.digits[i])
		}
		for k := range a.effects {
			e := &a.effects[k]
			if !holdsIn(e.cond, w.digits) {
				continue
			}
			if !e.perhaps {
				w.options[e.pos] = append(w.options[e.pos][:0], e.val)
			} else if !slices.Contains(w.options[e.pos], e.val) {
				w.options[e.pos] = append(w.options[e.pos], e.val)
				several = true
			}
		}
		if several {
			w.choose(0, 0, s, visit)
			return
		}
		for i := range w.options {
			to += (w.options[i][0] - w.digits[i]) * w.p.mult[i]
		}
		if to != s {
			visit(s, to)
		} else {
			w.looped = true
		}
	})
}

// choose visits the transitions for all choices of options from position i on.
func (w *walker) choose(i int, to, from int32, visit func(from, to int32)) {
	if i == len(w.options) {
		if to != from {
			visit(from, to)
		} else {
			w.looped = true
		}
		if w.budget != nil {
			w.budget.spend(1)
		}
		return
	}
	for _, val := range w.options[i] {
		w.choose(i+1, to+val*w.p.mult[i], from, visit)
	}
}

func holdsIn(facts []grounder.Fact, values []int32) bool {
	for _, f := range facts {
		if values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// index returns the abstract state of the state values.
func (p *projection) index(values []int32) int32 {
	s := int32(0)
	for i, v := range p.vars {
		s += values[v] * p.mult[i]
	}
	return s
}
