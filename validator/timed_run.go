package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// snapKind says what happens at one moment.
type snapKind uint8

const (
	snapLiteral snapKind = iota // a group of timed literals
	snapEnd                     // the end of a durative step
	snapStart
	snapInstant // an instantaneous step
)

// snap is a moment of a plan: a step, one of its ends, or timed literals.
type snap struct {
	time pddl.Number
	of   int32 // step, or group of literals
	kind snapKind
	late bool // the end of a step without duration, which comes after its start
}

// turn orders snaps of the same time.
func (x *snap) turn() int {
	switch {
	case x.kind == snapLiteral:
		return 0
	case x.late:
		return 3
	case x.kind == snapEnd:
		return 1
	}
	return 2
}

// stepState is what judging keeps of a step.
type stepState struct {
	action int32 // an instantaneous action, ^durative action
	env    int32 // first variable in timedRun.frames
	fault  FailureKind
	arg    int32
	place  int32 // -1 while its condition over all has not been tested
}

// softRun is a preference of a durative step that is being executed.
type softRun struct {
	step, soft int32
	env        []int32
	broken     bool
}

// memo is a remembered binding of a conditional effect.
type memo struct {
	step, memory int32
	env          []int32
	gone         bool
}

// timedRun is the part of a Scratch that judges timed plans; it is emptied for each plan.
type timedRun struct {
	steps   []stepState
	frames  []int32
	snaps   []snap
	running []int32 // durative steps between start and end
	softs   []softRun
	memos   []memo

	duration pddl.Number // of the current step
	current  int32       // step that is being started
	stamps   []int32     // per symbol: the last happening that may have changed it
	count    int32       // happenings so far
	counts   []int64     // violations, by name of the preference
	violated []bool      // by instance of a constraint preference
	watches  []watchState
	second   []bool      // truth of the second conditions of the watches
	makespan pddl.Number // end of the last action so far
	broken   int32       // the watch that failed
	last     int32       // the last snap so far
	bad      snap        // the failing one
	when     pddl.Number // the time of the failure
	other    snap        // what it interferes with
	value    pddl.Number // of a bound on the duration that fails
	bound    *bound
	epsilon  pddl.Number // Scratch.Epsilon, 0 for plans without times
	flows    []flow
	moving   bool        // conditions are evaluated in the right neighbourhood of now
	next     pddl.Number // the first root they meet
	world    *natureRun  // nil without processes and events
	// observeWorld, if set, is called after what steps do not do, with words for it.
	observeWorld func(what string)
	observeTurn  func() // after each moment between happenings
	// observeOccurrence, if set, is called for each event, and each process that starts or stops.
	observeOccurrence func(what NatureChange, name string)
}

func (j *Judge) newTimedRun() *timedRun {
	t := j.timed
	return &timedRun{
		world:  j.newNatureRun(),
		stamps: make([]int32, len(j.preds)+len(j.fns)), counts: make([]int64, len(t.names)),
		violated: make([]bool, len(t.instances)), watches: make([]watchState, len(t.watches)), second: make([]bool, len(t.watches)),
	}
}

// reset empties the run for the next plan.
func (t *timedRun) reset() {
	t.steps, t.frames, t.snaps, t.running = t.steps[:0], t.frames[:0], t.snaps[:0], t.running[:0]
	t.softs, t.memos, t.flows, t.moving = t.softs[:0], t.memos[:0], t.flows[:0], false
	clear(t.stamps)
	clear(t.counts)
	clear(t.violated)
	clear(t.watches)
	clear(t.second)
	t.world.reset()
	t.count, t.makespan, t.broken, t.bound = 0, pddl.Number{}, -1, nil
}

// touch notes that the current happening may change the symbols.
func (t *timedRun) touch(syms []int32) {
	for _, x := range syms {
		t.stamps[x] = t.count
	}
}

// anyTouched reports whether the current happening may have changed one of the symbols.
func (t *timedRun) anyTouched(syms []int32) bool {
	for _, x := range syms {
		if t.stamps[x] == t.count {
			return true
		}
	}
	return false
}

// executeTimed executes a plan, happening by happening.
func (s *Scratch) executeTimed(plan *pddl.Plan, observe func(int)) (r Result) {
	t := s.timed
	t.reset()
	if t.epsilon = s.Epsilon; !plan.Timed {
		t.epsilon = pddl.Number{} // the times are nobody's choice
	}
	s.sequence(plan)
	s.load(plan)
	t.last = -1
	s.watchAll(true)
	if bad := s.wake(plan, &r); bad != -1 || s.stop != goOn {
		s.failedAt(plan, bad, &r)
		return r
	}
	for lo := 0; lo < len(t.snaps) && s.stop == goOn; {
		hi := lo + 1
		for hi < len(t.snaps) && t.snaps[hi].time.Equal(t.snaps[lo].time) {
			hi++
		}
		t.count++
		bad := s.flowTo(t.snaps[lo].time, &r)
		if bad == -1 && s.stop == goOn {
			bad = s.arrive(&r)
		}
		if bad == -1 && s.stop == goOn {
			bad = s.happen(plan, lo, hi, &r)
		}
		if bad == -1 && s.stop == goOn {
			for _, x := range t.snaps[lo:hi] {
				if x.kind == snapEnd || x.kind == snapInstant {
					r.Executed++
					t.makespan = x.time
				}
			}
			last := hi == len(t.snaps) && (!plan.HasEnd || plan.End.Cmp(s.now) <= 0)
			if bad = s.calm(&r, last); bad == -1 {
				bad = s.lasting(&r)
			}
		}
		if bad != -1 || s.stop != goOn {
			if observe != nil && (r.Kind == FailInvariant || r.fault == faultOver) && s.now.Equal(t.snaps[lo].time) {
				observe(hi) // what happened is what broke it
			}
			s.failedAt(plan, bad, &r)
			return r
		}
		t.last = int32(hi - 1)
		s.watchAll(false)
		lo = hi
		if observe != nil {
			observe(hi)
		}
	}
	if bad := s.untilEnd(plan, &r); bad != -1 || s.stop != goOn {
		s.failedAt(plan, bad, &r)
	}
	return r
}

// untilEnd lets time pass until the end marker of a plan.
func (s *Scratch) untilEnd(plan *pddl.Plan, r *Result) int {
	t := s.timed
	if !plan.HasEnd || plan.End.Cmp(s.now) <= 0 {
		return -1
	}
	t.count++
	bad := s.flowTo(plan.End, r)
	if bad == -1 && s.stop == goOn {
		bad = s.arrive(r)
	}
	if bad == -1 && s.stop == goOn {
		t.makespan = plan.End
		s.watchAll(false)
	}
	return bad
}

// failedAt fills the place of a failure.
func (s *Scratch) failedAt(plan *pddl.Plan, bad int, r *Result) {
	t := s.timed
	t.when = s.now
	if s.stop != goOn {
		r.Kind = FailTimeout
		r.index = -1
		return
	}
	if bad == ofWorld {
		r.index = -1
		return
	}
	t.bad = t.snaps[bad]
	r.index = t.bad.of
	if t.bad.kind == snapLiteral { // it interferes with a step shortly before
		t.bad, t.other = t.other, t.bad
		r.index = t.bad.of
	}
	r.Step = s.rank(plan, t.bad.of)
}

// rank is the number of a step in execution order, from 1.
func (s *Scratch) rank(plan *pddl.Plan, step int32) int {
	for k := range plan.Steps {
		if s.at(plan, k) == int(step) {
			return k + 1
		}
	}
	return 0
}

// lasting tests what must hold from now on, until the next happening: the conditions over
// all of the steps that are being executed. Those that read moving fluents are left to
// flowTo. It returns the snap of a step that fails, or -1.
func (s *Scratch) lasting(r *Result) int {
	t := s.timed
	for _, step := range t.running {
		if s.work--; s.work < 0 && !s.more() {
			return -1
		}
		x := &t.steps[step]
		d := &s.j.timed.durative[^x.action]
		skip := d.over < 0 || d.moving && len(t.flows) > 0 || !(t.anyTouched(d.reads) || x.place < 0)
		if x.place = 0; skip {
			continue
		}
		switch s.eval(d.over, s.stepFrame(step)) {
		case isTrue:
			continue
		case unknown:
			r.Kind, r.fault = FailNumeric, faultOver
		default:
			r.Kind = FailInvariant
		}
		return s.snapOf(step)
	}
	if len(t.flows) == 0 {
		s.sustainOthers()
	}
	return -1
}

// sustainOthers tests the parts over all of preferences and of remembered conditions.
func (s *Scratch) sustainOthers() {
	t := s.timed
	for i := range t.softs {
		x := &t.softs[i]
		d := &s.j.timed.durative[^t.steps[x.step].action]
		if n := d.softs[x.soft].parts[overAll]; n >= 0 && !x.broken && s.eval(n, x.env) != isTrue {
			x.broken = true
		}
	}
	for i := range t.memos {
		x := &t.memos[i]
		d := &s.j.timed.durative[^t.steps[x.step].action]
		if n := d.memory[x.memory].over; n >= 0 && !x.gone && s.eval(n, x.env) != isTrue {
			x.gone = true
		}
	}
}

// snapOf returns the position of the start of a step.
func (s *Scratch) snapOf(step int32) int {
	return slices.IndexFunc(s.timed.snaps, func(x snap) bool { return x.of == step && x.kind == snapStart })
}

// timedValue is the value of an expression that only timed plans have.
func (s *Scratch) timedValue(x *expr) (pddl.Number, bool) {
	switch x.op {
	case pddl.NumDuration:
		return s.timed.duration, true
	case pddl.NumIsViolated:
		return pddl.Int(s.timed.counts[x.fn]), true
	}
	return pddl.Number{}, false
}

// blame names the step after which a broken constraint cannot hold any more.
func (s *Scratch) blame(plan *pddl.Plan, r *Result) {
	t := s.timed
	st := &t.watches[t.broken]
	if !st.failed || st.last < 0 || t.snaps[st.last].kind == snapLiteral {
		return
	}
	r.index = t.snaps[st.last].of
	r.Step = s.rank(plan, r.index)
}

// judgeTimed executes a plan and judges what only shows at its end: trajectory constraints
// and preferences. Of a plan that fails, the executed part is judged as if it were a plan.
func (s *Scratch) judgeTimed(plan *pddl.Plan, observe func(int)) Result {
	r := s.executeTimed(plan, observe)
	t := s.timed
	if s.stop != goOn {
		return r
	}
	bad := s.judgeTrajectory()
	for i, v := range t.violated {
		if v {
			t.counts[s.j.timed.instances[i]]++
		}
	}
	s.prefer(s.j.timed.goal, s.goalFrame())
	if s.now = t.makespan; r.Kind == "" && bad >= 0 {
		r.Kind, t.broken = FailConstraint, int32(bad)
		s.blame(plan, &r)
	}
	return r
}
