package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Result is the result of Judge.Judge: a Verdict without its words.
type Result struct {
	Valid bool
	// Kind is "" for a valid plan. FailTimeout means that a limit ended judging, so that
	// the plan is neither valid nor invalid.
	Kind FailureKind
	// Step is the failing step, 1-based in execution order; 0 if no step fails.
	Step int
	// Executed counts the steps applied before the failure.
	Executed int
	// Cost, CostDefined, TotalCost, HasTotalCost: as in Verdict.
	Cost         pddl.Number
	CostDefined  bool
	TotalCost    pddl.Number
	HasTotalCost bool
	// Work is the work of judging, in the units of Options.MaxWork.
	Work int64

	// index of the failing step in the plan, and what is wrong with the step.
	index int32
	fault fault
	arg   int32 // argument at fault
	other int32 // index of the step it collides with (mutex)
}

// fault refines a FailureKind.
type fault uint8

const (
	faultNone fault = iota
	faultNegativeTime
	faultDuration      // a bound on the duration
	faultOver          // an undefined condition over all
	faultCondition     // an undefined condition of an effect
	faultValue         // an effect without a value
	faultUndefinedRead // increase of an undefined fluent, scaling by 0
	// Of processes and events (FailEvent):
	faultAgain    // an event happens twice at one moment
	faultRivals   // two events interfere
	faultConflict // an event changes one value in conflicting ways
	faultRate     // a process without a rate
	faultRestless // a process that can neither run nor rest
)

// workPerStep is the least work allowed per step of a plan; reasonWork is allowed for
// the reasons of a failure.
const (
	workPerStep = 2000
	reasonWork  = 5e7
)

// Judge judges a plan without allocating, except when the plan makes the scratch grow.
// It panics if s belongs to another judge.
func (j *Judge) Judge(plan *pddl.Plan, s *Scratch) Result {
	return j.judge(plan, s, nil)
}

// judge judges a plan; after each happening it calls observe, if that is not nil, with
// the number of steps applied so far.
func (j *Judge) judge(plan *pddl.Plan, s *Scratch, observe func(applied int)) Result {
	if s.j != j {
		panic(errForeignScratch)
	}
	s.reset()
	s.allow(j.workFor(plan, observe != nil))
	if observe != nil {
		observe(0)
	}
	given := s.left()
	var r Result
	if j.timed != nil {
		r = s.judgeTimed(plan, observe)
	} else {
		r = s.execute(plan, observe)
	}
	if r.Kind == "" {
		switch v := s.eval(j.goal, s.frameFor(j.goalVars)); {
		case s.stop != goOn:
			r.Kind = FailTimeout
		case v == unknown:
			r.Kind = FailNumeric
		case v == isFalse:
			r.Kind = FailGoal
		default:
			r.Valid = true
		}
	}
	s.price(&r)
	r.Work = given - s.left()
	if s.stop != goOn {
		r.Valid, r.Kind = false, FailTimeout
	}
	return r
}

// workFor is the work that a plan may take, or the reasons of its failure.
func (j *Judge) workFor(plan *pddl.Plan, reasons bool) int64 {
	steps := workPerStep * int64(len(plan.Steps))
	work := max(j.opt.MaxWork, steps)
	if reasons {
		work = min(work, reasonWork+steps)
	}
	return work
}

// price sets the costs of the executed steps.
func (s *Scratch) price(r *Result) {
	j := s.j
	if j.hasCosts && j.metric < 0 {
		r.HasTotalCost = s.defined[j.totalCost]
		r.TotalCost = s.values[j.totalCost]
	}
	if j.metric < 0 {
		r.Cost, r.CostDefined = pddl.Int(int64(r.Executed)), true
		return
	}
	r.Cost, _, r.CostDefined = s.number(j.metric, nil)
}

// frameFor returns room for the variables of a schema.
func (s *Scratch) frameFor(vars int) []int32 {
	for len(s.env) < vars {
		s.env = append(s.env, 0)
	}
	return s.env[:vars]
}

// execute applies the steps of a plan until one fails.
func (s *Scratch) execute(plan *pddl.Plan, observe func(int)) (r Result) {
	s.sequence(plan)
	s.marks = s.marks[:0]
	n := len(plan.Steps)
	for k := 0; k < n; {
		i := s.at(plan, k)
		st := &plan.Steps[i]
		end, before := k+1, s.now
		if plan.Timed {
			for end < n && plan.Steps[s.at(plan, end)].Time.Equal(st.Time) {
				end++
			}
			s.now = st.Time
		} else {
			s.now = pddl.Int(int64(k) + 1)
		}
		if end == k+1 && (s.Epsilon.Sign() <= 0 || !plan.Timed) {
			s.step(st, &r)
		} else {
			k += s.together(plan, k, end, &r)
		}
		if r.Kind != "" || s.stop != goOn {
			if s.stop != goOn {
				r.Kind = FailTimeout
			}
			// k is the failing step, even if it is not the first of its happening.
			r.Step, r.index = k+1, int32(s.at(plan, k))
			s.now = before
			return r
		}
		k = end
		r.Executed = end
		s.marks = append(s.marks, mark{int32(end), int32(len(s.undo))})
		if observe != nil {
			observe(end)
		}
	}
	return r
}

// sequence sorts the steps of a stamped plan by time; steps with the same time keep the
// order of the text.
func (s *Scratch) sequence(plan *pddl.Plan) {
	s.order = s.order[:0]
	if !plan.Timed {
		return
	}
	sorted := true
	for i := 1; i < len(plan.Steps) && sorted; i++ {
		sorted = plan.Steps[i-1].Time.Cmp(plan.Steps[i].Time) <= 0
	}
	if sorted {
		return
	}
	for i := range plan.Steps {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		if c := plan.Steps[a].Time.Cmp(plan.Steps[b].Time); c != 0 {
			return c
		}
		return int(a - b)
	})
}

// at returns the index of the k-th step in execution order.
func (s *Scratch) at(plan *pddl.Plan, k int) int {
	if len(s.order) > 0 {
		return int(s.order[k])
	}
	return k
}

// step checks and applies one step on its own.
func (s *Scratch) step(st *pddl.Step, r *Result) {
	a := s.check(st, r)
	if a == nil || a.eff < 0 {
		return
	}
	e := &s.j.effects[a.eff]
	if a.plain {
		s.applyPlain(e, s.env[:a.vars])
		return
	}
	if s.gather(e, s.env[:a.vars], r) && s.consistent(0, r) {
		s.commit()
	}
}

// check resolves the names of a step into s.env and tests its precondition. It
// returns nil if the step fails.
func (s *Scratch) check(st *pddl.Step, r *Result) *action {
	j := s.j
	s.work--
	i := j.actionNames.find(st.Name)
	if st.Time.Sign() < 0 {
		r.Kind, r.fault = FailSyntax, faultNegativeTime
		return nil
	}
	if i < 0 {
		r.Kind = FailUnknownAction
		return nil
	}
	a := &j.actions[i]
	if len(st.Args) != len(a.types) {
		r.Kind = FailArity
		return nil
	}
	env := s.frameFor(a.vars)
	for k, name := range st.Args {
		o := j.objectNames.find(name)
		if o < 0 {
			r.Kind, r.arg = FailUnknownObject, int32(k)
			return nil
		}
		env[k] = o
	}
	for k, t := range a.types {
		if !j.types.is(env[k], t) {
			r.Kind, r.arg = FailType, int32(k)
			return nil
		}
	}
	if a.pre < 0 {
		return a
	}
	switch s.eval(a.pre, env) {
	case isFalse:
		r.Kind = FailPrecondition
	case unknown:
		r.Kind = FailNumeric
	default:
		return a
	}
	return nil
}

// applyPlain applies an effect of unconditional adds and deletes: deletes first.
func (s *Scratch) applyPlain(e *effect, env []int32) {
	for pass := effDelete; ; pass = effAdd {
		for _, k := range s.j.kids[e.kids.from:e.kids.to] {
			x := &s.j.effects[k]
			if x.op != pass {
				continue
			}
			c := change{pred: x.sym}
			switch {
			case x.dense:
				c.id = s.address(x.base, x.coef, env)
			case pass == effAdd:
				c.id = s.internAtom(x.sym, s.ground(x.args, env))
			default:
				if c.id = s.findSparse(x.sym, s.ground(x.args, env)); c.id < 0 {
					continue
				}
			}
			s.set(c, pass == effAdd)
		}
		if pass == effAdd {
			return
		}
	}
}

// gather evaluates an effect in the state as it is and queues what it changes.
func (s *Scratch) gather(e *effect, env []int32, r *Result) bool {
	if s.run(e, env) && s.stop == goOn {
		return true
	}
	s.clearPending()
	if r.Kind = FailNumeric; s.stop != goOn {
		r.Kind = FailTimeout
	}
	r.fault = faultValue
	return false
}

// run executes an effect node by queueing its changes. It reports false if a condition
// or a value is undefined.
func (s *Scratch) run(e *effect, env []int32) bool {
	s.work--
	switch e.op {
	case effAdd, effDelete:
		c := change{pred: e.sym}
		if e.dense {
			c.id = s.address(e.base, e.coef, env)
		} else {
			c.id = s.internAtom(e.sym, s.ground(e.args, env))
		}
		if e.op == effAdd {
			s.adds = append(s.adds, c)
		} else {
			s.dels = append(s.dels, c)
		}
		if len(s.adds)+len(s.dels) > s.pendingLimit {
			s.stop = stopMemory
		}
		return true
	case effNumeric, effObject:
		if s.reads != nil && e.op == effNumeric {
			s.reads.expr(s.j.exprs[e.value].source, env)
		}
		return s.assign(e, env)
	case effRemember:
		s.remember(e.sym, env)
		return true
	case effForall:
		return s.exists(&s.j.blocks[e.sym], env) == isFalse
	case effWhen:
		switch s.eval(e.cond, env) {
		case isFalse:
			return true
		case unknown:
			return false
		}
	}
	for _, k := range s.j.kids[e.kids.from:e.kids.to] {
		if !s.run(&s.j.effects[k], env) || s.stop != goOn {
			return false
		}
	}
	return true
}

// consistent reports whether the assignments queued from the given one on, which belong
// to one step, can be executed.
func (s *Scratch) consistent(from int, r *Result) bool {
	switch {
	case !s.feasible(from):
		r.Kind, r.fault = FailNumeric, faultUndefinedRead
	case !s.combine(from):
		r.Kind = FailEffectConflict
	default:
		return true
	}
	s.clearPending()
	return false
}

// commit applies the queued changes: deletes, adds, values.
func (s *Scratch) commit() {
	if s.settle(); s.stop == goOn {
		s.commitAll(s.dels, false)
		s.commitAll(s.adds, true)
		s.store()
	}
	s.clearPending()
}
