package retime

import (
	"slices"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// edit fills in the cheapest valid plan with one step less, or one more. A step that is inserted
// begins right after a happening, or at 0; what starts later stays where it is, or is moved on by
// as much as the step takes.
func (p *proposer) edit(plan *pddl.Plan, out *Proposal) error {
	s, err := newSchedule(p.judge, plan, &p.opt)
	if err != nil {
		return err
	}
	p.judged = 0
	e := &editor{proposer: p, schedule: s}
	e.remove()
	if reason := e.insert(); reason != "" {
		out.Reason = reason
	}
	out.Judged = p.judged
	switch {
	case e.best != nil:
		out.Changes, out.Proven = []Change{e.change}, false
		if out.Reason == "" {
			out.Reason = "other moments and durations for a step were not tried"
		}
		return p.accept(out, e.best)
	case out.Reason != "":
		out.Status = Limit
	default:
		out.Status, out.Reason = None, "other moments and durations for a step were not tried"
	}
	return nil
}

// editor looks for the cheapest edit.
type editor struct {
	*proposer
	*schedule
	best     *pddl.Plan
	bestCost pddl.Number
	change   Change
}

// try judges a candidate and keeps it if it is the best so far: the first one of least cost, or
// of greatest value if the metric is maximised.
func (e *editor) try(plan *pddl.Plan, c Change) validator.Cause {
	e.judged++
	r := e.proposer.judge.Cause(plan, e.scratch)
	if !r.Valid {
		return r
	}
	better := e.best == nil || r.Cost.Cmp(e.bestCost) < 0
	if m := e.proposer.judge.Problem().Metric; m != nil && m.Maximize {
		better = e.best == nil || r.Cost.Cmp(e.bestCost) > 0
	}
	if better {
		e.best, e.bestCost, e.change = plan, r.Cost, c
	}
	return r
}

// remove tries the plan without each step.
func (e *editor) remove() {
	for i := range e.plan.Steps {
		if e.spent() != "" {
			return
		}
		p := &pddl.Plan{Steps: slices.Delete(slices.Clone(e.plan.Steps), i, i+1), Timed: true}
		e.try(p, Change{Step: i + 1, Action: lower(&e.plan.Steps[i]), What: "delete", From: e.plan.Steps[i].Time.String()})
	}
}

// insert tries each action that may change what the plan fails for, and returns the limit that
// was reached.
func (e *editor) insert() string {
	c := e.proposer.judge.Cause(e.plan, e.scratch)
	if len(c.Reads) == 0 || c.Bound {
		return ""
	}
	b := &brancher{proposer: e.proposer, schedule: e.schedule}
	reads := c.Reads
	for _, k := range b.writersOf(reads) {
		reads = append(reads[:len(reads):len(reads)], e.reads[k]...)
	}
	moments := e.openings()
	reason := ""
	e.proposer.judge.EachStep(reads, func(st pddl.Step) bool {
		for _, at := range moments {
			if reason = e.spent(); reason != "" {
				return false
			}
			e.place(st, at)
		}
		return true
	})
	return reason
}

// openings lists the moments at which a step can be inserted, ascending: right after each happening.
func (e *editor) openings() []int64 {
	out := []int64{0}
	for _, t := range append(slices.Clone(e.given[1:]), e.literals...) {
		out = append(out, t+e.gap)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// place tries a step at a moment, first among the others and then with the later ones moved on.
func (e *editor) place(st pddl.Step, at int64) {
	st.Time = e.grid.time(at)
	takes := int64(0)
	if st.HasDuration = e.proposer.judge.Durative(&st); st.HasDuration {
		var ok bool
		if takes, ok = e.duration(&st); !ok {
			return
		}
	}
	c := Change{Action: lower(&st), What: "insert", To: st.Time.String()}
	if e.try(e.with(st, at, 0), c).Valid || !e.later(at) {
		return
	}
	// What starts later leaves room for the step, and for a gap before and after it.
	e.try(e.with(st, at, takes+2*e.gap), c)
}

// duration gives a durative step the shortest duration that its bounds allow at the start of the
// plan, as the judge says.
func (e *editor) duration(st *pddl.Step) (int64, bool) {
	d := int64(0)
	for range 4 {
		st.Duration = e.grid.time(d)
		st.Decimals = places(st.Duration)
		e.judged++
		c := e.proposer.judge.Cause(&pddl.Plan{Steps: []pddl.Step{*st}, Timed: true}, e.scratch)
		if !c.Bound {
			return d, true
		}
		low, ok := e.grid.ceil(c.Value)
		if !ok {
			return 0, false
		}
		if c.Compare == pddl.CompareGreater {
			low, _ = e.grid.floor(c.Value)
			low++
		}
		if low <= d { // an upper bound
			return 0, false
		}
		d = low
	}
	return d, true
}

// later reports whether a step starts at a moment or after it.
func (e *editor) later(at int64) bool {
	return slices.ContainsFunc(e.start, func(n int32) bool { return e.given[n] >= at-e.gap+1 })
}

// with returns the plan with one more step; those that start later are moved on.
func (e *editor) with(st pddl.Step, at, on int64) *pddl.Plan {
	p := &pddl.Plan{Steps: slices.Clone(e.plan.Steps), Timed: true}
	place := len(p.Steps)
	for i := range p.Steps {
		if n := e.given[e.start[i]]; n >= at {
			place = min(place, i)
			if on > 0 {
				p.Steps[i].Time = e.grid.time(n + on)
			}
		}
	}
	p.Steps = slices.Insert(p.Steps, place, st)
	return p
}
