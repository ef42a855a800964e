package validator

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// natureFailure puts into words what a process or an event cannot do.
func (b *builder) natureFailure() {
	s := b.s
	w := s.timed.world
	at := numberText(s.timed.when)
	b.f.Time = s.timed.when.String()
	switch name := w.culprit; b.r.fault {
	case faultAgain:
		b.f.Message = fmt.Sprintf("event %s: it happens at %s and would have to happen again at once, since ", name, at)
		if w.node < 0 {
			b.f.Message += "it has no condition that it could make false"
		} else {
			text := s.culpritCondition()
			b.f.Unsatisfied = []string{"(not " + text + ")"}
			b.f.Message += "its condition holds again: " + abbreviate(text)
		}
		if n := w.since; n > 1 {
			b.f.Message += "; it is in a chain of " + fmt.Sprint(n) + " events"
		}
	case faultRivals:
		b.f.Unsatisfied = []string{s.clash}
		b.f.Message = fmt.Sprintf("events %s and %s interfere at %s: both use %s", w.rival, name, at, s.clash)
	case faultConflict:
		b.f.Message = fmt.Sprintf("event %s at %s: its effects change one value in conflicting ways", name, at)
	case faultRate:
		b.f.Message = fmt.Sprintf("process %s from %s on: what it changes, or its rate, has no value", name, at)
	case faultRestless:
		b.f.Message = fmt.Sprintf("process %s from %s on: if it runs, its condition does not hold in the next instant, and if it does not run, it holds", name, at)
	default:
		b.f.Message = fmt.Sprintf("event %s at %s: a value that matters is undefined", name, at)
	}
}

// culpritCondition is the condition of the event that fails, with its objects.
func (s *Scratch) culpritCondition() string {
	n, w := s.j.timed.nature, s.timed.world
	for i := range n.possible {
		o := &n.possible[i]
		if x := &n.events[o.of]; s.occurrenceName(n.events, o) == w.culprit {
			return s.j.text(x.schema.Precondition, true, x.schema.Vars, s.frameOf(o))
		}
	}
	return ""
}

// eventsSoFar says how many events there were since the last happening, for plans whose
// judging a limit ends: "" if none.
func (s *Scratch) eventsSoFar() string {
	if s.timed == nil || s.timed.world == nil || s.timed.world.since == 0 {
		return ""
	}
	w := s.timed.world
	last := ""
	if len(w.due) > 0 { // the limit came between two events
		last = " " + s.eventsText(w.due)
	}
	return fmt.Sprintf("; %d events since the last happening of the plan, the last of them%s at %s", w.since, last, numberText(s.now))
}

// byWorld says what made a condition false, if no step did.
func (s *Scratch) byWorld(r *Reason, what string) string {
	if r.want {
		return what + " made " + abbreviate(r.Literal) + " false"
	}
	return what + " made " + abbreviate(strings.TrimSuffix(strings.TrimPrefix(r.Literal, "(not "), ")")) + " true"
}

// maxWorld bounds the changes that Verdict.World lists.
const maxWorld = 200

// world judges a plan and lists what happens by itself, and how many changes it leaves out.
func (j *Judge) world(plan *pddl.Plan, s *Scratch) (out []WorldChange, omitted int) {
	if s.timed == nil || s.timed.world == nil {
		return nil, 0
	}
	s.timed.observeOccurrence = func(what NatureChange, name string) {
		if len(out) == maxWorld {
			omitted++
			return
		}
		out = append(out, WorldChange{s.now.String(), what, name})
	}
	defer func() { s.timed.observeOccurrence = nil }()
	j.judge(plan, s, nil)
	return out, omitted
}

// words says what happened: "at 2: event (a)".
func (x *WorldChange) words() string {
	switch x.What {
	case ProcessStarts:
		return "from " + x.Time + " on: process " + x.Name
	case ProcessStops:
		return "until " + x.Time + ": process " + x.Name
	}
	return "at " + x.Time + ": event " + x.Name
}

// WorldLines puts Verdict.World into words, a line each.
func (v *Verdict) WorldLines() []string {
	var lines []string
	for i := range v.World {
		lines = append(lines, v.World[i].words())
	}
	if v.WorldOmitted > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more", v.WorldOmitted))
	}
	return lines
}
