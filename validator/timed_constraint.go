package validator

import "github.com/planproof/planproof/pddl"

// watch is a ground trajectory constraint (Gerevini and Long 2005) as an automaton that is
// fed the states one after another: the initial state at time 0, then the state after each
// happening. The last state persists.
type watch struct {
	kind   pddl.FormulaKind
	a, b   int32 // nodes of the conditions; b of those with two
	from   pddl.Number
	to     pddl.Number
	env    []int32
	vars   []pddl.Variable
	source *pddl.Formula
	// instance is that of the preference the constraint belongs to, or -1 if it must hold.
	instance int32
	reads    []int32
}

// watchState is what an automaton remembers.
type watchState struct {
	failed   bool
	now, was bool // the first condition in the latest and in the state before it
	seen     bool // whether some state satisfied what has to be seen
	runs     int  // at-most-once: episodes
	waiting  bool // some trigger still waits for the second condition
	since    pddl.Number
	at       pddl.Number // when it failed
	last     int32       // what happened last before the state in which it failed, or -1
	entered  bool        // the window has been entered
}

// constraint compiles a constraint and its instances; instance is that of the preference
// around it, or -1.
func (c *compiler) constraint(f *pddl.Formula, env []int32, instance int32) {
	if env == nil {
		env = make([]int32, len(c.vars))
	}
	j := c.j
	switch f.Kind {
	case pddl.FormulaTrue:
	case pddl.FormulaAnd:
		for _, k := range f.Children {
			c.constraint(k, env, instance)
		}
	case pddl.FormulaForall:
		c.each(f.Bound, env, func() { c.constraint(f.Children[0], env, instance) })
	case pddl.FormulaPreference:
		i := int32(len(j.timed.instances))
		j.timed.instances = append(j.timed.instances, c.preference(f.Name))
		c.constraint(f.Children[0], env, i)
	default:
		c.watch(f, env, instance)
	}
}

// each runs f for every binding of the variables in env.
func (c *compiler) each(bound, env []int32, f func()) {
	if len(bound) == 0 {
		f()
		return
	}
	for _, o := range c.j.prob.ObjectsOfType(c.vars[bound[0]].Type) {
		env[bound[0]] = int32(o)
		c.each(bound[1:], env, f)
	}
}

// watch adds a ground constraint. Its conditions are compiled once for all instances.
func (c *compiler) watch(f *pddl.Formula, env []int32, instance int32) {
	t := c.j.timed
	w := watch{kind: f.Kind, a: -1, b: -1, from: f.Bounds[0], to: f.Bounds[1], source: f, vars: c.vars, instance: instance, env: append([]int32(nil), env...)}
	if c.watched == nil {
		c.watched = map[*pddl.Formula]*watch{}
	}
	known := c.watched[f]
	if known == nil {
		w.a = c.emit(c.build(f.Children[0], true, explained))
		if len(f.Children) > 1 {
			w.b = c.emit(c.build(f.Children[1], true, explained))
		}
		w.reads = c.symbolsOf(f.Children...)
		known = &w
		c.watched[f] = known
	}
	w.a, w.b, w.reads = known.a, known.b, known.reads
	t.watches = append(t.watches, w)
}

// see feeds the state at time now to a constraint.
func (w *watch) see(st *watchState, now pddl.Number, a, b bool, first bool) {
	fail := func() {
		if !st.failed {
			st.failed, st.at = true, now
		}
	}
	st.was, st.now = st.now, a
	switch w.kind {
	case pddl.FormulaAlways:
		if !a {
			fail()
		}
	case pddl.FormulaSometime, pddl.FormulaAtEnd:
		st.seen = a || st.seen && w.kind == pddl.FormulaSometime
	case pddl.FormulaWithin:
		st.seen = st.seen || a && now.Cmp(w.from) <= 0
	case pddl.FormulaAtMostOnce:
		if a && (first || !st.was) {
			if st.runs++; st.runs > 1 {
				fail()
			}
		}
	case pddl.FormulaSometimeAfter:
		if a && !b && !st.waiting {
			st.waiting, st.since = true, now
		}
		st.waiting = st.waiting && !b
	case pddl.FormulaSometimeBefore:
		if a && !st.seen {
			fail()
		}
		st.seen = st.seen || b
	case pddl.FormulaAlwaysWithin:
		if a && !st.waiting {
			st.waiting, st.since = true, now
		}
		if b && st.waiting {
			if now.Sub(st.since).Cmp(w.from) > 0 {
				fail()
			}
			st.waiting = false
		}
	default:
		w.window(st, now, fail)
	}
}

// window feeds a state to hold-during or hold-after: the condition must hold in the state
// that has come about by the beginning of the window and persists into it, and in every
// state that comes about inside.
func (w *watch) window(st *watchState, now pddl.Number, fail func()) {
	if now.Cmp(w.from) > 0 && !st.entered {
		st.entered = true
		if !st.was && !w.empty() {
			fail()
		}
	}
	if now.Cmp(w.from) >= 0 && (w.kind == pddl.FormulaHoldAfter || now.Cmp(w.to) < 0) && !st.now {
		fail()
	}
}

// empty reports whether the window of hold-during has no moment.
func (w *watch) empty() bool {
	return w.kind == pddl.FormulaHoldDuring && w.from.Cmp(w.to) >= 0
}

// broken reports whether the constraint does not hold when the last state persists.
func (w *watch) broken(st *watchState) bool {
	switch w.kind {
	case pddl.FormulaSometime, pddl.FormulaAtEnd, pddl.FormulaWithin:
		return !st.seen
	case pddl.FormulaSometimeAfter, pddl.FormulaAlwaysWithin:
		return st.failed || st.waiting
	case pddl.FormulaHoldDuring, pddl.FormulaHoldAfter:
		return st.failed || !st.entered && !st.now && !w.empty()
	}
	return st.failed
}

// holds evaluates a condition of a constraint; an undefined one does not hold.
func (s *Scratch) holds(node int32, w *watch) bool {
	if node < 0 {
		return false
	}
	env := s.frameFor(len(w.env))
	copy(env, w.env)
	return s.eval(node, env) == isTrue
}

// watchAll feeds the current state to the constraints; touched reports whether a happening may
// have changed a symbol. Conditions that read nothing of it keep their truth.
func (s *Scratch) watchAll(first bool) {
	t := s.j.timed
	run := s.timed
	for i := range t.watches {
		w, st := &t.watches[i], &run.watches[i]
		a, b := st.now, run.second[i]
		if first || run.anyTouched(w.reads) {
			a, b = s.holds(w.a, w), s.holds(w.b, w)
			run.second[i] = b
		}
		if failed := st.failed; !failed {
			w.see(st, s.now, a, b, first)
			st.last = run.last
		}
	}
}

// judgeTrajectory returns the first broken constraint that must hold, or -1, and counts the
// violated preferences.
func (s *Scratch) judgeTrajectory() int {
	t, run := s.j.timed, s.timed
	bad := -1
	for i := range t.watches {
		w := &t.watches[i]
		if !w.broken(&run.watches[i]) {
			continue
		}
		if w.instance >= 0 {
			run.violated[w.instance] = true
		} else if bad < 0 {
			bad = i
		}
	}
	return bad
}
