package validator

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// timedFailure puts the failure of a timed plan into words.
func (b *builder) timedFailure(v *Verdict) {
	t := b.s.timed
	b.f.Time = t.when.String()
	st := &b.plan.Steps[b.r.index]
	b.f.Action = stepText(st)
	if b.plan.Source != nil {
		b.f.Line, b.f.Column = b.plan.Source.LineCol(st.Pos)
	}
	b.f.At = b.phase()
	b.head[0] = fmt.Sprintf("step %d %s, %s", b.r.Step, b.f.Action, b.f.When())
	fault := b.timedFault(v)
	if b.f.Message == "" {
		b.f.Message = b.head[0] + ": "
	}
	b.f.Message += fault
}

// When says at what time a timed plan fails, "starting at 5"; it is "" for other plans.
func (f *Failure) When() string {
	switch {
	case f.Time == "":
		return ""
	case f.At == partNames[overAll]:
		return "from " + f.Time + " on"
	case f.At == "":
		return "at " + f.Time
	}
	return map[string]string{"start": "starting at ", "end": "ending at "}[f.At] + f.Time
}

// phase names the part of a durative step that fails, "" for an instantaneous one.
func (b *builder) phase() string {
	t := b.s.timed
	switch {
	case b.r.Kind == FailInvariant || b.r.fault == faultOver:
		return partNames[overAll]
	case t.bad.kind == snapStart:
		return "start"
	case t.bad.kind == snapEnd:
		return "end"
	}
	return ""
}

// timedFault says what is wrong; conditions are put into words by condition, which writes
// the message itself.
func (b *builder) timedFault(v *Verdict) string {
	s, t := b.s, b.s.timed
	var d *durative
	if st := &t.steps[b.r.index]; st.action < 0 {
		d = &s.j.timed.durative[^st.action]
	}
	switch {
	case b.r.Kind == FailInvariant || b.r.fault == faultOver:
		span, env := b.span(), s.stepFrame(b.r.index)
		b.ahead = b.r.Kind == FailInvariant && s.eval(d.over, env) == isTrue
		b.condition(v, d.over, d.schema.Vars, env)
		return span
	case b.r.fault == faultDuration:
		return b.badDuration(d)
	case b.r.Kind == FailPrecondition || b.r.Kind == FailNumeric && b.r.fault == faultNone:
		a, _ := s.snapAction(&t.bad)
		b.condition(v, a.pre, a.schema.Vars, s.stepFrame(b.r.index))
		return ""
	case b.r.Kind == FailMutex && b.r.fault == faultRivals:
		b.f.Unsatisfied = []string{s.clash}
		return fmt.Sprintf("it interferes with the event %s, which happens at the same time: both use %s", t.world.rival, s.clash)
	case b.r.Kind == FailMutex:
		b.f.Unsatisfied = []string{s.clash}
		gap := t.bad.time.Sub(t.other.time)
		if gap.Sign() < 0 {
			gap = gap.Neg()
		}
		return fmt.Sprintf("it interferes with %s: both use %s; they are %s apart, and must be more than %s apart",
			s.snapText(b.plan, &t.other), s.clash, numberText(gap), numberText(t.epsilon))
	case b.r.Kind == FailSyntax && d != nil:
		return "a durative action needs its duration, as in " + b.f.Action + " [1]"
	}
	return b.fault(&b.plan.Steps[b.r.index])
}

// span says over which interval a condition over all must hold.
func (b *builder) span() string {
	st := &b.plan.Steps[b.r.index]
	from := b.s.timed.bad.time
	return fmt.Sprintf("; it must hold from %s to %s", numberText(from), numberText(from.Add(st.Duration)))
}

// badDuration says by how much a duration misses its bound.
func (b *builder) badDuration(d *durative) string {
	s, t := b.s, b.s.timed
	st := &b.plan.Steps[b.r.index]
	text := s.j.text(t.bound.source, true, d.schema.Vars, s.stepFrame(b.r.index))
	b.f.Unsatisfied = []string{text}
	off := st.Duration.Sub(t.value)
	side := "more"
	if off.Sign() < 0 {
		off, side = off.Neg(), "less"
	}
	if off.Sign() == 0 {
		return fmt.Sprintf("its duration is %s, but must satisfy %s", numberText(st.Duration), text)
	}
	return fmt.Sprintf("its duration %s is %s %s than the %s of %s", numberText(st.Duration), numberText(off), side, numberText(t.value), text)
}

// snapText names what happens at a moment.
func (s *Scratch) snapText(plan *pddl.Plan, x *snap) string {
	at := "at " + numberText(x.time)
	if x.kind == snapLiteral {
		return "the timed literals " + at
	}
	name := fmt.Sprintf("step %d %s", s.rank(plan, x.of), stepText(&plan.Steps[x.of]))
	switch x.kind {
	case snapStart:
		return "the start of " + name + " " + at
	case snapEnd:
		return "the end of " + name + " " + at
	}
	return name + " " + at
}

// brokenConstraint puts a broken trajectory constraint into words.
func (b *builder) brokenConstraint() {
	w := &b.s.j.timed.watches[b.s.timed.broken]
	st := &b.s.timed.watches[b.s.timed.broken]
	text := b.s.j.text(w.source, true, w.vars, w.env)
	b.f.Unsatisfied = []string{text}
	b.f.Message = "constraint: " + abbreviate(text) + " does not hold"
	at := st.at
	if w.kind == pddl.FormulaSometimeAfter || w.kind == pddl.FormulaAlwaysWithin && !st.failed {
		at = st.since
	}
	if st.failed || st.waiting {
		b.f.Time = at.String()
		b.f.Message += ": it breaks at " + numberText(at)
	}
	if b.r.Step > 0 {
		b.f.Action = stepText(&b.plan.Steps[b.r.index])
		b.f.Message += fmt.Sprintf(", after step %d %s", b.r.Step, b.f.Action)
		if b.plan.Source != nil {
			b.f.Line, b.f.Column = b.plan.Source.LineCol(b.plan.Steps[b.r.index].Pos)
		}
	}
}

// drift says what continuous change made a condition false between two happenings.
func (s *Scratch) drift(r *Reason) string {
	var rates []string
	for i := range s.timed.flows {
		f := &s.timed.flows[i]
		if f.rate.Sign() != 0 {
			rates = append(rates, s.valueText(f.id)+" by "+numberText(f.rate))
		}
	}
	return fmt.Sprintf("%s held until %s; per time unit, continuous effects change %s", abbreviate(r.Literal), numberText(s.timed.when), strings.Join(rates, ", "))
}
