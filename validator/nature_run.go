package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// natureRun is what judging a plan keeps of processes and events.
type natureRun struct {
	active  []bool        // per occurrence of a process
	firedAt []pddl.Number // per occurrence of an event: when it happened last
	fired   []bool        // whether it ever did
	arrived *group        // what events did when the current moment came
	count   int           // events so far
	since   int           // events since the last happening of the plan
	env     []int32
	due     []int32
	// What failed: an occurrence of an event or process, and another one.
	culprit, rival string
	node           int32 // condition that the culprit does not falsify
}

// ofWorld is the position that a failure of a process or an event has: that of no step.
const ofWorld = -2

func (j *Judge) newNatureRun() *natureRun {
	n := j.timed.nature
	if n == nil {
		return nil
	}
	return &natureRun{active: make([]bool, len(n.running)), firedAt: make([]pddl.Number, len(n.possible)), fired: make([]bool, len(n.possible))}
}

func (n *natureRun) reset() {
	if n == nil {
		return
	}
	clear(n.active)
	clear(n.fired)
	n.arrived, n.count, n.since, n.node = nil, 0, 0, -1
}

// wake lets the world begin at time 0, if nothing of the plan happens then.
func (s *Scratch) wake(plan *pddl.Plan, r *Result) int {
	t := s.timed
	if t.world == nil || len(t.snaps) > 0 && t.snaps[0].time.Sign() == 0 {
		return -1
	}
	return s.turn(r, len(t.snaps) == 0 && plan.End.Sign() == 0)
}

// turn is a moment between two happenings of the plan: the events that have become possible
// happen, processes start and stop. It returns the position of a failure, or -1.
func (s *Scratch) turn(r *Result, last bool) int {
	t := s.timed
	t.count++
	s.touchFlows()
	before := t.world.count
	if bad := s.calm(r, last); bad != -1 || s.stop != goOn {
		return bad
	}
	s.touchFlows()
	if t.observeTurn != nil {
		t.observeTurn()
	}
	if bad := s.lasting(r); bad != -1 || s.stop != goOn {
		return bad
	}
	if t.world.count > before {
		s.watchAll(false)
	}
	return -1
}

// arrive lets the events happen that have become possible when the time of a happening of the
// plan comes; what they do must not interfere with the steps of that time.
func (s *Scratch) arrive(r *Result) int {
	w := s.timed.world
	if w == nil {
		return -1
	}
	w.arrived, w.since = s.newGroup(), 0
	ok := s.cascade(r)
	if len(w.arrived.cells)+len(w.arrived.patterns) == 0 {
		w.arrived = nil
	}
	if !ok {
		return ofWorld
	}
	return -1
}

// calm lets events happen until none is possible any more, now or in the next instant, and
// finds out what changes from now on. After the last moment only those of now happen.
func (s *Scratch) calm(r *Result, last bool) int {
	w := s.timed.world
	if w != nil {
		w.arrived = nil
	}
	var ran []bool
	if w != nil && s.timed.observeOccurrence != nil {
		ran = slices.Clone(w.active)
	}
	for s.stop == goOn {
		if w != nil && !s.cascade(r) {
			return ofWorld
		}
		s.renew()
		if bad := s.currents(r); bad != -1 || w == nil {
			return bad
		}
		if last {
			return -1
		}
		if !s.processes(r) {
			return ofWorld
		}
		n, ok := s.round(r, true)
		if !ok {
			return ofWorld
		}
		if n == 0 {
			s.logProcesses(ran)
			return -1
		}
	}
	return -1
}

// cascade lets the events happen that are possible now, and those that these make possible.
func (s *Scratch) cascade(r *Result) bool {
	for s.stop == goOn {
		if n, ok := s.round(r, false); n == 0 || !ok {
			return ok
		}
	}
	return true
}

// holdsFor evaluates the condition of an occurrence; an undefined one does not hold.
func (s *Scratch) holdsFor(x *natural, o *occurrence) bool {
	s.work--
	return x.pre < 0 || s.eval(x.pre, s.frameOf(o)) == isTrue
}

// frameOf copies the variables of an occurrence, since evaluation writes to them.
func (s *Scratch) frameOf(o *occurrence) []int32 {
	w := s.timed.world
	w.env = append(w.env[:0], o.env...)
	return w.env
}

// ahead runs f in the right neighbourhood of this moment.
func (s *Scratch) ahead(f func()) {
	t := s.timed
	s.renew()
	t.moving, t.next = true, s.now
	f()
	t.moving = false
	s.renew()
}

// round lets all events happen that are possible now, or, ahead, in the next instant: all
// read the same state, and none may interfere with another. It returns their number.
func (s *Scratch) round(r *Result, ahead bool) (int, bool) {
	n, w := s.j.timed.nature, s.timed.world
	w.due = w.due[:0]
	look := func() {
		for i := range n.possible {
			if o := &n.possible[i]; s.holdsFor(&n.events[o.of], o) {
				w.due = append(w.due, int32(i))
			}
		}
	}
	if ahead {
		s.ahead(look)
	} else {
		look()
	}
	if len(w.due) == 0 || s.stop != goOn {
		return 0, true
	}
	g := s.newGroup()
	for _, i := range w.due {
		if !s.occurs(i, g, r) {
			return 0, false
		}
	}
	s.combine(0)
	s.commit()
	s.logRound()
	return len(w.due), s.stop == goOn
}

// occurs checks an event and queues what it does.
func (s *Scratch) occurs(i int32, g *group, r *Result) bool {
	n, t := s.j.timed.nature, s.timed
	w := t.world
	o := &n.possible[i]
	x := &n.events[o.of]
	w.culprit = s.occurrenceName(n.events, o)
	if w.fired[i] && w.firedAt[i].Equal(s.now) {
		r.Kind, r.fault, w.node = FailEvent, faultAgain, x.pre
		return false
	}
	w.fired[i], w.firedAt[i] = true, s.now
	t.touch(x.writes)
	adds, dels, nums := len(s.adds), len(s.dels), len(s.nums)
	env := s.frameOf(o)
	reads := newReadSet(s.j)
	reads.action(&x.action, env)
	s.reads = reads
	ok := x.eff < 0 || s.gather(&s.j.effects[x.eff], env, r)
	ok = ok && s.consistent(nums, r)
	s.reads = nil
	if !ok {
		if s.stop == goOn {
			r.fault = map[FailureKind]fault{FailEffectConflict: faultConflict, FailNumeric: faultValue}[r.Kind]
			r.Kind = FailEvent
		}
		return false
	}
	f := s.footprint(i, reads.patterns, s.adds[adds:], s.dels[dels:], s.nums[nums:])
	if other := g.clash(f); other >= 0 {
		s.clearPending()
		r.Kind, r.fault, w.rival = FailEvent, faultRivals, s.occurrenceName(n.events, &n.possible[other])
		return false
	}
	g.admit(f)
	if w.arrived != nil {
		w.arrived.admit(f)
	}
	return true
}

// processes finds the processes that run from now on: those whose condition holds in the
// next instant if just they run. It begins with those whose condition holds now, and takes
// those whose condition then holds in the next instant, until that changes nothing. Their
// rates add to the flows.
func (s *Scratch) processes(r *Result) bool {
	n, t := s.j.timed.nature, s.timed
	w := t.world
	steps := append([]flow(nil), t.flows...)
	look := func() {
		for i := range n.running {
			o := &n.running[i]
			w.active[i] = s.holdsFor(&n.processes[o.of], o)
		}
	}
	s.renew()
	look()
	seen := map[string]bool{}
	for s.stop == goOn {
		t.flows = append(t.flows[:0], steps...)
		if !s.addProcesses(r) {
			return false
		}
		was := packed(w.active)
		if seen[was] {
			w.culprit = s.restless(was)
			r.Kind, r.fault = FailEvent, faultRestless
			return false
		}
		seen[was] = true
		s.ahead(look)
		if packed(w.active) == was {
			return true
		}
	}
	return true
}

// packed packs truth values.
func packed(active []bool) string {
	b := make([]byte, (len(active)+7)/8)
	for i, on := range active {
		if on {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return string(b)
}

// restless names the first process that would have to run and not to run.
func (s *Scratch) restless(was string) string {
	n, w := s.j.timed.nature, s.timed.world
	s.ahead(func() {
		for i := range n.running {
			o := &n.running[i]
			w.active[i] = s.holdsFor(&n.processes[o.of], o)
		}
	})
	for i, on := range w.active {
		if on != (was[i/8]>>(i%8)&1 != 0) {
			return s.occurrenceName(n.processes, &n.running[i])
		}
	}
	return ""
}

// addProcesses adds the rates of the active processes to the flows.
func (s *Scratch) addProcesses(r *Result) bool {
	n, w := s.j.timed.nature, s.timed.world
	for i := range n.running {
		if !w.active[i] {
			continue
		}
		o := &n.running[i]
		x := &n.processes[o.of]
		env := append([]int32(nil), o.env...)
		for k := range x.rates {
			y := &x.rates[k]
			s.eachBinding(y.bound, x.schema.Vars, env, func() {
				if !s.addFlow(&s.j.effects[y.effect], env, y.negate) && s.stop == goOn {
					r.Kind, r.fault = FailEvent, faultRate
				}
			})
			if r.Kind != "" {
				w.culprit = s.occurrenceName(n.processes, o)
				return false
			}
		}
	}
	return true
}

// foresee looks at the conditions of processes and events in the right neighbourhood of this
// moment, so that t.next is at most the next moment at which one may change.
func (s *Scratch) foresee() {
	n := s.j.timed.nature
	if n == nil {
		return
	}
	for i := range n.running {
		s.holdsFor(&n.processes[n.running[i].of], &n.running[i])
	}
	for i := range n.possible {
		s.holdsFor(&n.events[n.possible[i].of], &n.possible[i])
	}
}

// touchFlows notes that continuous change has changed the fluents that flow.
func (s *Scratch) touchFlows() {
	t := s.timed
	for i := range t.flows {
		t.stamps[len(s.j.preds)+int(t.flows[i].fn)] = t.count
	}
}

func (s *Scratch) newGroup() *group {
	return &group{s: s, time: s.now, cells: map[string]*cell{}, patterns: map[int32][]reading{}, writes: map[int32][]writing{}}
}
