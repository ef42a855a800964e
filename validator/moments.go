package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Part says which part of a plan happens at a moment.
type Part uint8

// Parts of a plan.
const (
	PartLiterals Part = iota // timed literals
	PartEnd                  // the end of a durative step
	PartStart                // its start
	PartInstant              // an instantaneous step
)

// Moment is something that happens at one time.
type Moment struct {
	// Of is the step, by its place in Plan.Steps, or the group of timed literals, by time.
	Of   int
	Part Part
}

// Cause is the failure of a plan for programs that look for another timing. The zero Moment
// stands where there is nothing to say; see Result.Kind.
type Cause struct {
	Result
	// At is what fails: a step, or one of its ends. Over reports that it fails between these.
	// HasAt is false for the goal and for constraints.
	At    Moment
	HasAt bool
	Over  bool
	// Other is what it interferes with, if the kind is mutex.
	Other Moment
	// Bound reports that the duration fails to satisfy (Compare ?duration Value). Static
	// reports that no step can change the value.
	Bound, Static bool
	Compare       pddl.CompareOp
	Value         pddl.Number
	// When is the time of the failure of a timed plan.
	When pddl.Number
	// Times are those that a broken constraint names.
	Times []pddl.Number
	// Reads is what the condition that fails depends on.
	Reads []Touch
}

// Cause judges a plan like Judge and says why it fails.
func (j *Judge) Cause(plan *pddl.Plan, s *Scratch) Cause {
	r := j.Judge(plan, s)
	c := Cause{Result: r}
	if r.Valid || r.Kind == FailTimeout {
		return c
	}
	w := &toucher{j: j}
	switch t := s.timed; {
	case r.Kind == FailGoal || r.Step == 0 && r.Kind == FailNumeric:
		w.vars = make([]int32, len(j.prob.Goal.Vars))
		w.wild(0)
		w.formula(j.prob.Goal.Formula)
	case r.Kind == FailConstraint:
		x := &j.timed.watches[t.broken]
		w.vars = slices.Clone(x.env)
		w.freely(x.source)
		switch x.kind {
		case pddl.FormulaWithin, pddl.FormulaHoldAfter:
			c.Times = []pddl.Number{x.from}
		case pddl.FormulaHoldDuring:
			c.Times = []pddl.Number{x.from, x.to}
		}
	case t != nil:
		j.timedCause(plan, s, &c, w)
	default:
		c.At, c.HasAt, c.When = Moment{int(r.index), PartInstant}, true, plan.Steps[r.index].Time
		c.Other = Moment{int(r.other), PartInstant}
		w.moment(plan, c.At, true, true)
	}
	c.Reads = w.out
	return c
}

// timedCause fills in what a timed run knows about its failure.
func (j *Judge) timedCause(plan *pddl.Plan, s *Scratch, c *Cause, w *toucher) {
	t := s.timed
	c.HasAt, c.When = true, t.when
	c.At = momentOf(&t.bad)
	c.Over = c.Kind == FailInvariant || c.fault == faultOver
	if c.Kind == FailMutex {
		c.Other = momentOf(&t.other)
	}
	st := &t.steps[c.At.Of]
	if c.fault == faultDuration {
		c.Bound, c.Compare, c.Value = true, t.bound.cmp, t.value
		w.schema(j.timed.durative[^st.action].schema.Vars, j.timed.durative[^st.action].schema.NumParams, s.stepFrame(int32(c.At.Of)))
		w.formula(t.bound.source)
		c.Static = len(w.out) == 0
		return
	}
	if c.Over {
		d := &j.timed.durative[^st.action]
		w.schema(d.schema.Vars, d.schema.NumParams, s.stepFrame(int32(c.At.Of)))
		w.formula(timedParts(d.schema.Condition)[overAll])
		return
	}
	if st.fault == "" {
		w.moment(plan, c.At, true, true)
	}
}

func momentOf(x *snap) Moment {
	return Moment{int(x.of), map[snapKind]Part{snapLiteral: PartLiterals, snapEnd: PartEnd, snapStart: PartStart, snapInstant: PartInstant}[x.kind]}
}

// Literals returns the times of the timed literals, ascending.
func (j *Judge) Literals() (out []pddl.Number) {
	if j.timed == nil {
		return nil
	}
	for i := range j.timed.literals {
		out = append(out, j.timed.literals[i].time)
	}
	return out
}

// Durative reports whether a step is one of a durative action.
func (j *Judge) Durative(st *pddl.Step) bool {
	return j.timed != nil && j.actionNames.find(st.Name) >= int32(len(j.actions))
}

// Clocked says by what validity depends on more than the order in which things happen: on
// times and durations themselves. It is "" for most problems.
func (j *Judge) Clocked() string {
	if j.timed == nil {
		return ""
	}
	if j.timed.nature != nil {
		return "processes and events"
	}
	moving := j.movingMatters()
	for i := range j.timed.durative {
		d := &j.timed.durative[i]
		duration := false
		walkEffect(d.schema.Effect, func(e *pddl.Effect) {
			walkExpr(e.Value, func(x *pddl.NumExpr) { duration = duration || x.Kind == pddl.NumDuration })
		})
		switch {
		case len(d.rates) > 0 && moving:
			return "continuous effects"
		case len(d.memory) > 0:
			return "conditional effects that span time"
		case duration:
			return "effects that read the duration"
		}
	}
	for i := range j.timed.watches {
		switch w := &j.timed.watches[i]; {
		case w.instance >= 0:
		case w.kind == pddl.FormulaWithin, w.kind == pddl.FormulaAlwaysWithin, w.kind == pddl.FormulaHoldDuring, w.kind == pddl.FormulaHoldAfter:
			return "constraints with times"
		}
	}
	return ""
}

// movingMatters reports whether anything but preferences and the metric reads a value that changes
// continuously.
func (j *Judge) movingMatters() bool {
	w := &toucher{j: j}
	read := func(s *pddl.Schema, f *pddl.Formula, e *pddl.Effect) {
		w.vars = make([]int32, len(s.Vars))
		w.wild(0)
		hard, _ := harden(f, nil)
		w.formula(hard)
		w.effect(e, true)
	}
	for _, a := range j.dom.Actions {
		read(&a.Schema, a.Precondition, a.Effect)
	}
	for i := range j.timed.durative {
		d := &j.timed.durative[i]
		read(&d.schema.Schema, d.schema.Condition, d.start.schema.Effect)
		read(&d.schema.Schema, d.schema.Duration, d.end.schema.Effect)
	}
	read(&j.prob.Goal.Schema, j.prob.Goal.Formula, nil)
	for i := range j.timed.watches {
		if x := &j.timed.watches[i]; x.instance < 0 {
			w.vars = slices.Clone(x.env)
			w.freely(x.source)
		}
	}
	return slices.ContainsFunc(w.out, func(t Touch) bool {
		fn := int(t.sym) - len(j.preds)
		return fn >= 0 && j.fns[fn].moving
	})
}

// EachStep calls f for each step whose action may write one of the touches, without time and
// duration, until f returns false. Arguments have the right types; nothing else is tested.
func (j *Judge) EachStep(about []Touch, f func(pddl.Step) bool) {
	d := j.dom
	for _, a := range d.Actions {
		if !j.eachStep(&a.Schema, about, f) {
			return
		}
	}
	for _, a := range d.Durative {
		if !j.eachStep(&a.Schema, about, f) {
			return
		}
	}
}

func (j *Judge) eachStep(a *pddl.Schema, about []Touch, f func(pddl.Step) bool) bool {
	st := pddl.Step{Name: a.Name, Args: make([]string, a.NumParams)}
	if !j.writesAny(&st, about) { // whatever its arguments
		return true
	}
	var fill func(k int) bool
	fill = func(k int) bool {
		if k == a.NumParams {
			if !j.writesAny(&st, about) {
				return true
			}
			out := st
			out.Args = slices.Clone(st.Args)
			return f(out)
		}
		for _, o := range j.prob.ObjectsOfType(a.Vars[k].Type) {
			if st.Args[k] = j.prob.Objects[o].Name; !fill(k + 1) {
				return false
			}
		}
		st.Args[k] = ""
		return true
	}
	return fill(0)
}

// writesAny reports whether a step may write one of the touches. An argument that is no object
// stands for any.
func (j *Judge) writesAny(st *pddl.Step, about []Touch) bool {
	plan := &pddl.Plan{Steps: []pddl.Step{*st}}
	for _, part := range []Part{PartStart, PartEnd} {
		writes, _ := j.Touches(plan, Moment{Of: 0, Part: part})
		for _, w := range writes {
			if slices.ContainsFunc(about, w.Meets) {
				return true
			}
		}
	}
	return false
}
