package validator

import "planproof/pddl"

// Steps with one time stamp happen together: all read the state before, and none
// may interfere with another (Fox and Long 2003, definition 12, "no moving
// targets"): what one reads, no other may write; an atom may not be added by one
// and deleted by another; a value may be written twice only by increases and
// decreases. Reading is meant syntactically: every atom that occurs in a
// precondition or in the condition of an effect counts, whether or not its value
// matters, with every object for a quantified variable; a derived atom counts as
// all the atoms its rules may look at. Written is what the effects that fire write.

// place is an argument of a pattern: an object, or a wildcard (a quantified
// variable) of a type. Equal wildcards stand for equal objects.
type place struct {
	object int32 // -1 for a wildcard
	wild   int32
	typ    pddl.TypeID
}

// pattern is an atom or value that a step reads. sym is the predicate, or the
// number of predicates plus the function.
type pattern struct {
	sym  int32
	args []place
}

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

// cell remembers, per ground atom or value, one step (plus one) of each kind of use.
type cell struct {
	reader  int32
	writers [writeKinds]int32
}

// group is a happening as far as its steps have been checked.
type group struct {
	s        *Scratch
	cells    map[string]*cell
	patterns map[int32][]reading // reads with wildcards
	writes   map[int32][]writing
	key      []byte
}

type reading struct {
	step int32
	args []place
}

// together checks and applies the steps k..end-1 of one time. If one fails it
// returns its number, counted from k.
func (s *Scratch) together(plan *pddl.Plan, k, end int, r *Result) int {
	g := &group{s: s, cells: map[string]*cell{}, patterns: map[int32][]reading{}, writes: map[int32][]writing{}}
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
		if other := g.admit(int32(i-k), reads.patterns, s.adds[adds:], s.dels[dels:], s.nums[nums:]); other >= 0 {
			s.clearPending()
			r.Kind, r.other = FailMutex, int32(k)+other
			return i - k
		}
		if s.stop != goOn {
			return i - k
		}
	}
	s.combine(0)
	s.commit()
	return 0
}

// admit adds a step to the happening, unless it interferes with an earlier one,
// whose number it then returns; else -1.
func (g *group) admit(step int32, reads []pattern, adds, dels []change, nums []assignment) int32 {
	s := g.s
	writes := map[int32][]writing{}
	put := func(sym int32, w writing) { w.step = step; writes[sym] = append(writes[sym], w) }
	order := []int32{}
	note := func(sym int32) {
		if len(writes[sym]) == 0 {
			order = append(order, sym)
		}
	}
	for i, list := range [2][]change{dels, adds} {
		for _, c := range list {
			args := make([]int32, s.j.preds[c.pred].arity)
			s.atomArgs(c, args)
			note(c.pred)
			put(c.pred, writing{kind: [2]writeKind{writeDelete, writeAdd}[i], args: args})
		}
	}
	for i := range nums {
		f := nums[i].fn
		sym, kind := int32(len(s.j.preds))+f, writeAssign
		if additive(nums[i].op) {
			kind = writeChange
		}
		note(sym)
		put(sym, writing{kind: kind, args: s.valueArgs(f, nums[i].id)})
	}
	for _, sym := range order {
		for i := range writes[sym] {
			if other := g.writeClash(sym, &writes[sym][i]); other >= 0 {
				s.clash = s.symText(sym, writes[sym][i].args)
				return other
			}
		}
	}
	for i := range reads {
		if other := g.readClash(&reads[i]); other >= 0 {
			return other
		}
	}
	for _, sym := range order {
		for _, w := range writes[sym] {
			g.cell(sym, w.args).writers[w.kind] = step + 1
		}
		g.writes[sym] = append(g.writes[sym], writes[sym]...)
	}
	for i := range reads {
		p := &reads[i]
		if args := p.ground(); args != nil {
			g.cell(p.sym, args).reader = step + 1
		} else {
			g.patterns[p.sym] = append(g.patterns[p.sym], reading{step, p.args})
		}
	}
	return -1
}

// cell returns the entry of a ground atom or value.
func (g *group) cell(sym int32, args []int32) *cell {
	g.key = g.key[:0]
	for _, x := range append([]int32{sym}, args...) {
		g.key = append(g.key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	c := g.cells[string(g.key)]
	if c == nil {
		c = &cell{}
		g.cells[string(g.key)] = c
	}
	return c
}

// clashes lists, per kind of write, the kinds that may not meet it.
var clashes = [writeKinds][]writeKind{
	writeAdd:    {writeDelete},
	writeDelete: {writeAdd},
	writeChange: {writeAssign},
	writeAssign: {writeAssign, writeChange},
}

// writeClash returns an earlier step that interferes with a write, or -1.
func (g *group) writeClash(sym int32, w *writing) int32 {
	c := g.cell(sym, w.args)
	if c.reader > 0 {
		return c.reader - 1
	}
	for _, k := range clashes[w.kind] {
		if c.writers[k] > 0 {
			return c.writers[k] - 1
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
		for _, w := range g.cell(p.sym, args).writers {
			if w > 0 {
				g.s.clash = g.s.symText(p.sym, args)
				return w - 1
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
		g.s.outOfWork()
	}
	for i := range p {
		if p[i].object >= 0 {
			if p[i].object != args[i] {
				return false
			}
			continue
		}
		if !g.s.j.types.is(args[i], p[i].typ) {
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

// ground returns the objects of a pattern without wildcards, or nil.
func (p *pattern) ground() []int32 {
	args := make([]int32, len(p.args))
	for i := range p.args {
		if p.args[i].object < 0 {
			return nil
		}
		args[i] = p.args[i].object
	}
	return args
}

// readSet collects what a step reads.
type readSet struct {
	j        *Judge
	patterns []pattern
	seen     map[string]bool
	vars     []place // of the schema at hand, by slot
}

func newReadSet(j *Judge) *readSet { return &readSet{j: j, seen: map[string]bool{}} }

// action collects the precondition and the conditions of the effects.
func (r *readSet) action(a *action, env []int32) {
	r.vars = r.vars[:0]
	for i, v := range a.schema.Vars {
		p := place{object: -1, wild: int32(i), typ: v.Type}
		if i < a.schema.NumParams {
			p.object = env[i]
		}
		r.vars = append(r.vars, p)
	}
	r.formula(a.schema.Precondition)
	walkEffect(a.schema.Effect, func(e *pddl.Effect) { r.formula(e.Condition) })
	r.expand()
}

// formula collects the atoms and values in f.
func (r *readSet) formula(f *pddl.Formula) {
	walkFormula(f, func(f *pddl.Formula) {
		switch f.Kind {
		case pddl.FormulaAtom:
			r.add(int32(f.Pred), f.Args)
		case pddl.FormulaObjectEqual:
			r.add(int32(len(r.j.preds))+int32(f.Func), f.Args)
		case pddl.FormulaCompare:
			r.terms(f.Left)
			r.terms(f.Right)
		}
	})
}

func (r *readSet) terms(e *pddl.NumExpr) {
	walkExpr(e, func(e *pddl.NumExpr) {
		if e.Kind == pddl.NumFluent {
			r.add(int32(len(r.j.preds))+int32(e.Func), e.Args)
		}
	})
}

// expr collects the values in the right-hand side of an effect that fires.
func (r *readSet) expr(e *pddl.NumExpr, env []int32) {
	saved := r.vars
	r.vars = make([]place, len(env))
	for i, o := range env {
		r.vars[i].object = o
	}
	r.terms(e)
	r.vars = saved
}

// add collects one atom or value, once; what nothing ever writes is left out.
func (r *readSet) add(sym int32, args []pddl.Term) {
	if n := int32(len(r.j.preds)); sym < n && !r.j.preds[sym].fluent && !r.j.preds[sym].derived || sym >= n && !r.j.fns[sym-n].fluent {
		return
	}
	p := pattern{sym: sym, args: make([]place, len(args))}
	for i, t := range args {
		if t.IsVar() {
			p.args[i] = r.vars[t.Slot()]
		} else {
			p.args[i] = place{object: int32(t)}
		}
	}
	key := p.canonical()
	if !r.seen[key] {
		r.seen[key] = true
		r.patterns = append(r.patterns, p)
	}
}

// canonical renumbers the wildcards of p by first occurrence and returns a key.
func (p *pattern) canonical() string {
	old := make([]int32, 0, len(p.args))
	key := []byte{byte(p.sym), byte(p.sym >> 8), byte(p.sym >> 16), byte(p.sym >> 24)}
	for i := range p.args {
		a := &p.args[i]
		x := a.object
		if x < 0 {
			n := -1
			for k, w := range old {
				if w == a.wild {
					n = k
				}
			}
			if n < 0 {
				n, old = len(old), append(old, a.wild)
			}
			a.wild = int32(n)
			x = -1 - a.wild
			key = append(key, byte(a.typ), byte(a.typ>>8), byte(a.typ>>16))
		}
		key = append(key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return string(key)
}

// expand replaces derived atoms by what their rules look at, down to base atoms.
func (r *readSet) expand() {
	for i := 0; i < len(r.patterns); i++ {
		p := r.patterns[i]
		if p.sym >= int32(len(r.j.preds)) || !r.j.preds[p.sym].derived {
			continue
		}
		for _, a := range r.j.dom.Axioms {
			if int32(a.Pred) == p.sym && r.unify(a, p.args) {
				r.formula(a.Body)
			}
		}
	}
}

// unify gives the parameters of an axiom the places of a pattern, and reports
// whether their types allow that. Wildcards take the narrower type.
func (r *readSet) unify(a *pddl.Axiom, args []place) bool {
	r.vars = make([]place, len(a.Vars))
	for i, v := range a.Vars {
		p := place{object: -1, wild: int32(len(args) + i), typ: v.Type}
		if i < a.NumParams {
			p = args[i]
			switch {
			case p.object >= 0:
				if !r.j.types.is(p.object, v.Type) {
					return false
				}
			case r.j.types.subtype(v.Type, p.typ):
				p.typ = v.Type
			}
		}
		r.vars[i] = p
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
