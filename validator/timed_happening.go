package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// happen checks and applies the snaps lo..hi-1, which have the same time: all read the state
// before, and none may interfere with another, nor with one that is at most Epsilon away.
// It returns the position of the failing one, or -1.
func (s *Scratch) happen(plan *pddl.Plan, lo, hi int, r *Result) int {
	t := s.timed
	var groups [2]*group // what steps do, and what timed literals do
	if s.crowded(lo, hi) || t.world != nil && t.world.arrived != nil {
		for i := range groups {
			groups[i] = s.newGroup()
		}
		for len(s.window) > 0 && s.now.Sub(s.window[0].time).Cmp(t.epsilon) > 0 {
			s.window = s.window[1:]
		}
		s.window = append(s.window, groups[0], groups[1])
	}
	for i := lo; i < hi; i++ {
		if !s.snap(plan, i, groups, r) || s.stop != goOn {
			s.clearPending()
			return i
		}
	}
	for i := lo; i < hi; i++ {
		s.changeRunning(&t.snaps[i])
	}
	s.combine(0)
	s.commit()
	return -1
}

// crowded reports whether something else happens at the time of the snaps lo..hi-1, or so
// close that it may interfere.
func (s *Scratch) crowded(lo, hi int) bool {
	t := s.timed
	if hi > lo+1 {
		return true
	}
	near := func(a, b int) bool { return t.snaps[b].time.Sub(t.snaps[a].time).Cmp(t.epsilon) <= 0 }
	return t.epsilon.Sign() > 0 && (lo > 0 && near(lo-1, lo) || hi < len(t.snaps) && near(lo, hi))
}

// changeRunning notes what begins and what ends.
func (s *Scratch) changeRunning(x *snap) {
	t := s.timed
	switch x.kind {
	case snapStart:
		t.steps[x.of].place = -1 // not tested yet
		t.running = append(t.running, x.of)
	case snapEnd:
		if i := slices.Index(t.running, x.of); i >= 0 {
			t.running = slices.Delete(t.running, i, i+1)
		}
		for i := range t.softs {
			if y := &t.softs[i]; y.step == x.of && y.broken {
				d := &s.j.timed.durative[^t.steps[x.of].action]
				t.counts[d.softs[y.soft].name]++
			}
		}
		t.softs = slices.DeleteFunc(t.softs, func(y softRun) bool { return y.step == x.of })
		t.memos = slices.DeleteFunc(t.memos, func(y memo) bool { return y.step == x.of })
	}
}

// snap checks one snap and queues its effects.
func (s *Scratch) snap(plan *pddl.Plan, i int, groups [2]*group, r *Result) bool {
	t := s.timed
	x := &t.snaps[i]
	s.work--
	adds, dels, nums := len(s.adds), len(s.dels), len(s.nums)
	var a *action
	var env []int32
	eff, writes, mine := int32(-1), []int32(nil), 0
	if x.kind == snapLiteral {
		l := &s.j.timed.literals[x.of]
		eff, writes, mine = l.effect, l.writes, 1
	} else {
		st := &t.steps[x.of]
		if st.fault != "" {
			r.Kind, r.arg = st.fault, st.arg
			return false
		}
		t.duration, t.current = plan.Steps[x.of].Duration, x.of
		env = s.stepFrame(x.of)
		if a, writes = s.snapAction(x); !s.allowed(plan, x, a, env, r) {
			return false
		}
		eff = a.eff
	}
	t.touch(writes)
	reads := (*readSet)(nil)
	if groups[0] != nil {
		if reads = newReadSet(s.j); a != nil {
			reads.action(a, env)
		}
	}
	s.reads = reads
	ok := eff < 0 || s.gather(&s.j.effects[eff], env, r)
	ok = ok && (x.kind != snapEnd || s.recall(x, r)) && s.consistent(nums, r)
	s.reads = nil
	if !ok || groups[0] == nil {
		return ok
	}
	f := s.footprint(int32(i), reads.patterns, s.adds[adds:], s.dels[dels:], s.nums[nums:])
	for k, w := range s.window {
		if mine == 1 && k%2 == 1 {
			continue // timed literals do not interfere with each other
		}
		if other := w.clash(f); other >= 0 {
			r.Kind, t.other = FailMutex, t.snaps[other]
			return false
		}
	}
	if w := t.world; w != nil && w.arrived != nil && mine == 0 {
		if other := w.arrived.clash(f); other >= 0 {
			r.Kind, r.fault, w.rival = FailMutex, faultRivals, s.occurrenceName(s.j.timed.nature.events, &s.j.timed.nature.possible[other])
			return false
		}
	}
	groups[mine].admit(f)
	return true
}

// snapAction returns the instantaneous action that a snap executes, and what it may change.
func (s *Scratch) snapAction(x *snap) (*action, []int32) {
	st := &s.timed.steps[x.of]
	if st.action >= 0 {
		return &s.j.actions[st.action], s.j.timed.writes[st.action]
	}
	d := &s.j.timed.durative[^st.action]
	if x.kind == snapStart {
		return &d.start, d.writes[0]
	}
	return &d.end, d.writes[1]
}

// allowed tests the bounds of the duration, the condition and the preferences of a snap.
func (s *Scratch) allowed(plan *pddl.Plan, x *snap, a *action, env []int32, r *Result) bool {
	st := &s.timed.steps[x.of]
	if st.action < 0 {
		d := &s.j.timed.durative[^st.action]
		part := 0
		if x.kind == snapEnd {
			part = 1
		}
		for k := range d.bounds[part] {
			if !s.within(&plan.Steps[x.of], &d.bounds[part][k], env, r) {
				return false
			}
		}
	}
	if a.pre >= 0 {
		switch s.eval(a.pre, env) {
		case isFalse:
			r.Kind = FailPrecondition
			return false
		case unknown:
			r.Kind = FailNumeric
			return false
		}
	}
	if st.action >= 0 {
		s.prefer(s.j.timed.softs[st.action], env)
	} else {
		s.preferTimed(x, &s.j.timed.durative[^st.action], env)
	}
	return true
}

// prefer counts the violations of preferences in the current state.
func (s *Scratch) prefer(softs []soft, env []int32) {
	for i := range softs {
		x := &softs[i]
		s.eachBinding(x.bound, x.vars, env, func() {
			if s.eval(x.cond, env) != isTrue {
				s.timed.counts[x.name]++
			}
		})
	}
}

// eachBinding runs f for each binding of variables.
func (s *Scratch) eachBinding(bound []int32, vars []pddl.Variable, env []int32, f func()) {
	if len(bound) == 0 {
		f()
		return
	}
	for _, o := range s.j.prob.ObjectsOfType(vars[bound[0]].Type) {
		if s.stop != goOn {
			return
		}
		env[bound[0]] = int32(o)
		s.eachBinding(bound[1:], vars, env, f)
	}
}

// preferTimed begins the preferences of a durative step at its start, and tests their last
// parts at its end.
func (s *Scratch) preferTimed(x *snap, d *durative, env []int32) {
	t := s.timed
	if x.kind == snapEnd {
		for i := range t.softs {
			y := &t.softs[i]
			if n := d.softs; y.step == x.of && n[y.soft].parts[atEnd] >= 0 && s.eval(n[y.soft].parts[atEnd], y.env) != isTrue {
				y.broken = true
			}
		}
		return
	}
	for i := range d.softs {
		p := &d.softs[i]
		s.eachBinding(p.bound, d.schema.Vars, env, func() {
			y := softRun{step: x.of, soft: int32(i), env: slices.Clone(env)}
			y.broken = p.parts[atStart] >= 0 && s.eval(p.parts[atStart], env) != isTrue
			t.softs = append(t.softs, y)
		})
	}
}

// within tests a bound of a duration. A duration is v if it is v rounded to the number of
// decimals it is written with; Tolerance widens every bound.
func (s *Scratch) within(st *pddl.Step, b *bound, env []int32, r *Result) bool {
	v, _, ok := s.number(b.value, env)
	if !ok {
		r.Kind, r.fault = FailNumeric, faultValue
		return false
	}
	diff := st.Duration.Sub(v)
	switch b.cmp {
	case pddl.CompareEqual:
		if diff.Sign() < 0 {
			diff = diff.Neg()
		}
		ok = diff.Cmp(s.Tolerance) <= 0 || diff.Cmp(halfUnit(st.Decimals)) <= 0
	case pddl.CompareLess:
		ok = diff.Cmp(s.Tolerance) < 0
	case pddl.CompareLessEqual:
		ok = diff.Cmp(s.Tolerance) <= 0
	case pddl.CompareGreater:
		ok = diff.Neg().Cmp(s.Tolerance) < 0
	case pddl.CompareGreaterEqual:
		ok = diff.Neg().Cmp(s.Tolerance) <= 0
	}
	if !ok {
		r.Kind, r.fault = FailPrecondition, faultDuration
		s.timed.value, s.timed.bound = v, b
	}
	return ok
}

// halfUnit is half of the last of so many decimals.
func halfUnit(decimals int) pddl.Number {
	half := pddl.Fraction(1, 2)
	for range min(decimals, 400) {
		half = half.Mul(pddl.Fraction(1, 10))
	}
	return half
}

// recall queues the remembered effects of a step that ends.
func (s *Scratch) recall(x *snap, r *Result) bool {
	t := s.timed
	d := &s.j.timed.durative[^t.steps[x.of].action]
	for i := range t.memos {
		y := &t.memos[i]
		if y.step != x.of || y.gone {
			continue
		}
		m := &d.memory[y.memory]
		for _, k := range s.j.kids[m.effects.from:m.effects.to] {
			if !s.gather(&s.j.effects[k], y.env, r) {
				return false
			}
		}
	}
	return true
}

// remember keeps a binding of a conditional effect until the step ends.
func (s *Scratch) remember(memory int32, env []int32) {
	s.timed.memos = append(s.timed.memos, memo{step: s.timed.current, memory: memory, env: slices.Clone(env)})
}
