package validator

import "github.com/planproof/planproof/pddl"

// Applicable judges a plan and appends to yes, for each of the steps, whether it could
// come next: whether its names, types, precondition and effects are in order in the
// state after the plan. If a step of the plan fails, or a limit ends the work, the result
// says so and nothing is appended.
//
// The problem must be Untimed: for another one nothing is appended, and the kind is timeout.
//
// The cost is that of judging the plan once and each step once.
func (j *Judge) Applicable(plan *pddl.Plan, steps []pddl.Step, s *Scratch, yes []bool) (Result, []bool) {
	if j.timed != nil {
		return Result{Kind: FailTimeout}, yes
	}
	r := j.Judge(plan, s)
	if r.Executed < len(plan.Steps) || s.stop != goOn {
		return r, yes
	}
	from := len(yes)
	s.allow(max(j.opt.MaxWork, workPerStep*int64(len(steps))))
	s.now = s.now.Add(pddl.Int(1))
	for i := range steps {
		yes = append(yes, s.could(&steps[i]))
		if s.stop != goOn {
			r.Valid, r.Kind = false, FailTimeout
			return r, yes[:from]
		}
	}
	return r, yes
}

// could reports whether a step could be executed, without executing it.
func (s *Scratch) could(st *pddl.Step) bool {
	var r Result
	a := s.check(st, &r)
	if a == nil {
		return false
	}
	if a.eff < 0 || a.plain {
		return true
	}
	ok := s.gather(&s.j.effects[a.eff], s.env[:a.vars], &r) && s.consistent(0, &r)
	if ok {
		s.settle() // a value may grow beyond the limit
	}
	s.clearPending()
	return ok
}
