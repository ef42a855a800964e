package validator

import (
	"github.com/planproof/planproof/pddl"
)

// Steps with the same time stamp happen together: all read the state before, and none may
// interfere with another (Fox and Long 2003, definition 12, "no moving targets"): what
// one reads, no other may write; no atom may be added by one and deleted by another; only
// increases and decreases may write the same value. Reading is syntactic: every atom in a
// precondition or in the condition of an effect counts, whether or not its value matters,
// with every object for a quantified variable; a derived atom counts as all the atoms its
// rules may look at. Only effects that fire write.

// writeKind says how an atom or a value is written.
type writeKind uint8

const (
	writeAdd writeKind = iota
	writeDelete
	writeChange // an increase or decrease
	writeAssign
	writeKinds
)

// writing is a write of a ground atom or value.
type writing struct {
	step int32
	kind writeKind
	args []int32
}

// cell remembers, for a ground atom or value, one step (plus one) of each kind of use.
type cell struct {
	reader  int32
	writers [writeKinds]int32
}

// group is the part of a happening that has been checked. Its steps are numbered in
// execution order.
type group struct {
	s        *Scratch
	time     pddl.Number
	cells    map[string]*cell
	patterns map[int32][]reading // reads with wildcards
	writes   map[int32][]writing
	key      []byte
}

type reading struct {
	step int32
	args []place
}

// together checks and applies the steps k..end-1, which have the same time. If one fails,
// it returns its number, counted from k. Steps must not interfere with each other, nor
// with those of earlier happenings unless these are more than Epsilon away.
func (s *Scratch) together(plan *pddl.Plan, k, end int, r *Result) int {
	g := &group{s: s, time: s.now, cells: map[string]*cell{}, patterns: map[int32][]reading{}, writes: map[int32][]writing{}}
	for len(s.window) > 0 && s.now.Sub(s.window[0].time).Cmp(s.Epsilon) > 0 {
		s.window = s.window[1:]
	}
	s.window = append(s.window, g)
	for i := k; i < end; i++ {
		st := &plan.Steps[s.at(plan, i)]
		adds, dels, nums := len(s.adds), len(s.dels), len(s.nums)
		a := s.check(st, r)
		if a == nil {
			s.clearPending()
			return i - k
		}
		reads := newReadSet(s.j)
		reads.action(a, s.env)
		if a.eff >= 0 {
			s.reads = reads
			ok := s.gather(&s.j.effects[a.eff], s.env[:a.vars], r)
			s.reads = nil
			if !ok || !s.consistent(nums, r) {
				return i - k
			}
		}
		x := s.footprint(int32(i), reads.patterns, s.adds[adds:], s.dels[dels:], s.nums[nums:])
		for _, w := range s.window {
			if other := w.clash(x); other >= 0 {
				s.clearPending()
				r.Kind, r.other = FailMutex, other
				return i - k
			}
		}
		g.admit(x)
		if s.stop != goOn {
			return i - k
		}
	}
	s.combine(0)
	s.commit()
	return 0
}

// footprint is what one step reads and writes; syms and writes run in parallel.
type footprint struct {
	step   int32
	reads  []pattern
	syms   []int32
	writes []writing
}

// footprint collects what a step does from what it queued.
func (s *Scratch) footprint(step int32, reads []pattern, adds, dels []change, nums []assignment) *footprint {
	x := &footprint{step: step, reads: reads}
	for i, list := range [2][]change{dels, adds} {
		for _, c := range list {
			args := make([]int32, s.j.preds[c.pred].arity)
			s.atomArgs(c, args)
			x.syms = append(x.syms, c.pred)
			x.writes = append(x.writes, writing{step, [2]writeKind{writeDelete, writeAdd}[i], args})
		}
	}
	for i := range nums {
		f, kind := nums[i].fn, writeAssign
		if additive(nums[i].op) {
			kind = writeChange
		}
		x.syms = append(x.syms, int32(len(s.j.preds))+f)
		x.writes = append(x.writes, writing{step, kind, s.valueArgs(f, nums[i].id)})
	}
	return x
}

// clash returns a step of g that interferes with x, or -1.
func (g *group) clash(x *footprint) int32 {
	g.s.work -= int64(1 + len(x.writes) + len(x.reads))
	if g.s.work < 0 && !g.s.more() {
		return -1
	}
	for i := range x.writes {
		if other := g.writeClash(x.syms[i], &x.writes[i]); other >= 0 {
			g.s.clash = g.s.symText(x.syms[i], x.writes[i].args)
			return other
		}
	}
	for i := range x.reads {
		if other := g.readClash(&x.reads[i]); other >= 0 {
			return other
		}
	}
	return -1
}

// admit adds x to g.
func (g *group) admit(x *footprint) {
	for i, sym := range x.syms {
		w := x.writes[i]
		g.cell(sym, w.args).writers[w.kind] = x.step + 1
		g.writes[sym] = append(g.writes[sym], w)
	}
	for i := range x.reads {
		p := &x.reads[i]
		if args := p.ground(); args != nil {
			g.cell(p.sym, args).reader = x.step + 1
		} else {
			g.patterns[p.sym] = append(g.patterns[p.sym], reading{x.step, p.args})
		}
	}
}

// find returns the entry of a ground atom or value, or nil.
func (g *group) find(sym int32, args []int32) *cell {
	g.key = append(g.key[:0], byte(sym), byte(sym>>8), byte(sym>>16), byte(sym>>24))
	for _, x := range args {
		g.key = append(g.key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return g.cells[string(g.key)]
}

// cell is like find, but makes the entry if there is none.
func (g *group) cell(sym int32, args []int32) *cell {
	c := g.find(sym, args)
	if c == nil {
		c = &cell{}
		g.cells[string(g.key)] = c
	}
	return c
}

// clashes lists, for each kind of write, the kinds that interfere with it.
var clashes = [writeKinds][]writeKind{
	writeAdd:    {writeDelete},
	writeDelete: {writeAdd},
	writeChange: {writeAssign},
	writeAssign: {writeAssign, writeChange},
}

// writeClash returns an earlier step that interferes with a write, or -1.
func (g *group) writeClash(sym int32, w *writing) int32 {
	if c := g.find(sym, w.args); c != nil {
		if c.reader > 0 {
			return c.reader - 1
		}
		for _, k := range clashes[w.kind] {
			if c.writers[k] > 0 {
				return c.writers[k] - 1
			}
		}
	}
	for i := range g.patterns[sym] {
		g.s.work--
		if p := &g.patterns[sym][i]; g.matches(p.args, w.args) {
			return p.step
		}
	}
	return -1
}

// readClash returns an earlier step that writes what p reads, or -1.
func (g *group) readClash(p *pattern) int32 {
	if args := p.ground(); args != nil {
		if c := g.find(p.sym, args); c != nil {
			for _, w := range c.writers {
				if w > 0 {
					g.s.clash = g.s.symText(p.sym, args)
					return w - 1
				}
			}
		}
		return -1
	}
	for i := range g.writes[p.sym] {
		g.s.work--
		if w := &g.writes[p.sym][i]; g.matches(p.args, w.args) {
			g.s.clash = g.s.symText(p.sym, w.args)
			return w.step
		}
	}
	return -1
}

// matches reports whether a ground tuple is an instance of a pattern.
func (g *group) matches(p []place, args []int32) bool {
	if g.s.work < 0 {
		g.s.more()
	}
	for i := range p {
		if p[i].object >= 0 {
			if p[i].object != args[i] {
				return false
			}
			continue
		}
		if !g.s.j.types.isAll(args[i], p[i].types) {
			return false
		}
		for k := 0; k < i; k++ {
			if p[k].object < 0 && p[k].wild == p[i].wild && args[k] != args[i] {
				return false
			}
		}
	}
	return true
}

// valueArgs returns the objects of a fluent value.
func (s *Scratch) valueArgs(f, id int32) []int32 {
	fu := &s.j.fns[f]
	args := make([]int32, fu.arity)
	if fu.dense {
		fu.tuple(id-fu.base, args)
		return args
	}
	tag := int32(len(s.j.preds)) + f
	for _, t := range [2]*table{&s.j.sparse, &s.over} {
		for e := range t.id {
			if t.id[e] == id && t.tag[e] == tag {
				return append(args[:0], t.tuple(int32(e))...)
			}
		}
	}
	return args
}

// symText writes an atom or a value.
func (s *Scratch) symText(sym int32, args []int32) string {
	if n := int32(len(s.j.preds)); sym >= n {
		return s.j.tuple(s.j.dom.Functions[sym-n].Name, args)
	}
	return s.j.tuple(s.j.dom.Predicates[sym].Name, args)
}
