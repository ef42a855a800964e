package prompt

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/seeded"
)

// Mask says which parts of a prompt to leave out: constraints, the goal, or both (CARL, section 4.2 and
// table 3).
type Mask struct {
	Constraints bool `json:"constraints,omitempty"`
	// TaskConstraints leaves out what restricts only this task: forbidden actions, its budget, its
	// trajectory constraints. The rules of the domain stay, so that the prompt is the one for the
	// unrestricted task.
	TaskConstraints bool `json:"task_constraints,omitempty"`
	Goal            bool `json:"goal,omitempty"`
	// Percent is the percentage of constraints to leave out, 0 to 100 (the masking ratio of CARL,
	// appendix A.3). The goal is left out as a whole. With the same seed, a higher percentage
	// leaves out what a lower one does, and more.
	Percent int    `json:"percent"`
	Seed    uint64 `json:"seed"`
}

// ParseMask reads what to leave out: "constraints", "task-constraints", "goal", several
// separated by commas, or "both" (constraints and goal).
func ParseMask(text string) (Mask, error) {
	m := Mask{Percent: 100}
	for _, w := range strings.Split(text, ",") {
		switch strings.TrimSpace(w) {
		case "constraints":
			m.Constraints = true
		case "task-constraints":
			m.TaskConstraints = true
		case "goal":
			m.Goal = true
		case "both":
			m.Constraints, m.Goal = true, true
		default:
			return m, fmt.Errorf("%w: a prompt can be without constraints, task-constraints, goal or both, not %q", ErrOption, w)
		}
	}
	return m, nil
}

func (m Mask) check() error {
	if m.Percent < 0 || m.Percent > 100 {
		return optionError("the masking ratio is 0 to 100 percent, not %d", m.Percent)
	}
	return nil
}

// any reports whether the mask leaves out anything.
func (m Mask) any() bool { return m.Constraints || m.TaskConstraints || m.Goal }

// constrains reports whether spans of this kind are constraints that the mask may leave out.
func (m Mask) constrains(k SpanKind) bool {
	return m.Constraints && k.isConstraint() && k != SpanRules || m.TaskConstraints && (k == SpanBudget || k == SpanConstraint)
}

// Apply returns the prompt without the masked parts, and the spans of p that it leaves out. It leaves out
// Percent*n/100 of n constraints, rounded to the nearest number, and a heading if nothing below it
// stays. Constraints in worked examples count; the goals of examples stay.
func (m Mask) Apply(p *Prompt) (Prompt, []Span) {
	drop := make([]bool, len(p.Spans))
	var units []int
	for i, s := range p.Spans {
		switch {
		case m.Goal && s.Kind == SpanGoal && s.Example == 0 && m.Percent > 0:
			drop[i] = true
		case m.constrains(s.Kind):
			units = append(units, i)
		}
	}
	rng := seeded.Rand(m.Seed, "mask")
	rng.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	for _, i := range units[:(len(units)*m.Percent+50)/100] {
		drop[i] = true
	}
	for i, s := range p.Spans {
		if s.Kind != SpanRules {
			continue
		}
		j := i + 1
		all := j < len(p.Spans) && p.Spans[j].Kind == SpanRule
		for ; j < len(p.Spans) && p.Spans[j].Kind == SpanRule; j++ {
			all = all && drop[j]
		}
		drop[i] = all
	}
	out := Prompt{System: p.System, Stop: p.Stop}
	var b strings.Builder
	var masked []Span
	at, bytes, runes := 0, 0, 0
	for i, s := range p.Spans {
		if drop[i] {
			b.WriteString(p.Text[at:s.Start])
			at = s.End
			bytes += s.End - s.Start
			runes += s.RuneEnd - s.RuneStart
			masked = append(masked, s)
			continue
		}
		s.Start, s.End = s.Start-bytes, s.End-bytes
		s.RuneStart, s.RuneEnd = s.RuneStart-runes, s.RuneEnd-runes
		out.Spans = append(out.Spans, s)
	}
	b.WriteString(p.Text[at:])
	out.Text = b.String()
	return out, masked
}
