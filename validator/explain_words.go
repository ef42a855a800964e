package validator

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes a verdict in one or two lines: valid and at what cost, or why not.
func (v *Verdict) WriteText(w io.Writer) (err error) {
	switch {
	case v.Valid:
		_, err = fmt.Fprintf(w, "valid: cost %s, %s%s\n", v.Cost, count(v.Steps, "step"), v.timedWords())
	case !v.Decided():
		_, err = fmt.Fprintf(w, "no verdict: %s\n", v.Failure.Message)
	case v.Failure.Because != "":
		_, err = fmt.Fprintf(w, "invalid: %s\n  %s\n", v.Failure.Message, v.Failure.Because)
	default:
		_, err = fmt.Fprintf(w, "invalid: %s\n", v.Failure.Message)
	}
	return err
}

// Explain writes a verdict in words: what failed and where, each unmet condition with the
// step that broke it, and how the state before the failure differs from the initial one.
// With an Explanation it also writes where the conditions come from, which facts hold
// around them, and which goals are unmet.
func Explain(v *Verdict, w io.Writer) error {
	var b strings.Builder
	if v.Valid {
		reach := "reach"
		if v.Steps == 1 {
			reach = "reaches"
		}
		fmt.Fprintf(&b, "The plan is valid: %s %s the goal%s%s.\n", count(v.Steps, "step"), reach, costWords(v), v.timedWords())
	} else {
		explainFailure(&b, v)
	}
	for i := range v.Violated {
		fmt.Fprintf(&b, "%s.\n", v.Violated[i].words())
	}
	section(&b, "Processes and events:", v.WorldLines())
	for _, t := range v.Warnings {
		fmt.Fprintf(&b, "Note: %s.\n", t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// timedWords says how long a timed plan takes.
func (v *Verdict) timedWords() string {
	if !v.HasMakespan {
		return ""
	}
	return ", makespan " + numberText(v.Makespan)
}

// words says what a violated preference costs.
func (x *Violation) words() string {
	name, times, cost := "The preference "+x.Preference, "", ""
	if x.Preference == "" {
		name = "A preference without a name"
	}
	if x.Times > 1 {
		times = fmt.Sprintf(" %d times", x.Times)
	}
	if x.Cost != nil {
		cost = ", which adds " + *x.Cost + " to the metric"
	}
	return name + " is violated" + times + cost
}

func costWords(v *Verdict) string {
	switch {
	case !v.CostDefined:
		return "; its cost is undefined"
	case v.HasTotalCost:
		return fmt.Sprintf(" at cost %s (no metric: the number of steps; total-cost is %s)", numberText(v.Cost), numberText(v.TotalCost))
	}
	return " at cost " + numberText(v.Cost)
}

func explainFailure(b *strings.Builder, v *Verdict) {
	f := v.Failure
	switch {
	case !v.Decided():
		b.WriteString("The plan was not judged")
	case f.Kind == FailSyntax && f.Step == 0:
		b.WriteString("The plan cannot be read")
	default:
		b.WriteString("The plan is invalid")
	}
	if f.Line > 0 {
		fmt.Fprintf(b, " (line %d, column %d)", f.Line, f.Column)
	}
	b.WriteString(": " + f.Message)
	if !strings.HasSuffix(f.Message, "?") {
		b.WriteByte('.')
	}
	b.WriteByte('\n')
	if f.Kind != FailSyntax {
		fmt.Fprintf(b, "%d of %s could be carried out%s", v.Executed, count(v.Steps, "step"), costWords(v))
		if v.GoalReached {
			b.WriteString("; the goal holds at that point")
		}
		b.WriteString(".\n")
	}
	if len(v.Reasons) > 0 {
		b.WriteString("Unmet:\n")
	}
	x := v.Explanation
	for i := range v.Reasons {
		r := &v.Reasons[i]
		fmt.Fprintf(b, "  %s\n", r.Literal)
		if x != nil {
			x.Unmet[i].origin(b)
		}
		if r.Because != "" {
			fmt.Fprintf(b, "      because %s\n", r.Because)
		}
	}
	if x == nil {
		section(b, "Changed since the initial state:", v.Changes)
		return
	}
	x.write(b, f.Step > 0)
}

// origin writes which part of the condition is unmet, and what it reads.
func (u *Unmet) origin(b *strings.Builder) {
	if u.Conjunct != "" {
		fmt.Fprintf(b, "      from %s", u.Conjunct)
		for i, x := range u.Binding {
			with := ", where "
			if i > 0 {
				with = " and "
			}
			fmt.Fprintf(b, "%s%s is %s", with, x.Variable, x.Object)
		}
		b.WriteByte('\n')
	}
	for _, v := range u.Values {
		if v.Value == nil {
			fmt.Fprintf(b, "      %s has no value\n", v.Fluent)
			continue
		}
		fmt.Fprintf(b, "      %s is %s\n", v.Fluent, *v.Value)
	}
}

// write writes the state before the failure and the goals that are unmet in it.
func (x *Explanation) write(b *strings.Builder, step bool) {
	changes := x.Changes
	for _, c := range x.Values {
		from, to := "no value", "no value"
		if c.From != nil {
			from = *c.From
		}
		if c.To != nil {
			to = *c.To
		}
		changes = append(changes[:len(changes):len(changes)], fmt.Sprintf("%s: %s -> %s", c.Fluent, from, to))
	}
	section(b, "Changed since the initial state:", changes)
	about := "Facts at that point about the objects of these goals:"
	if step {
		about = "Facts at that point about the objects of this step:"
	}
	section(b, about, x.Around)
	goals := make([]string, len(x.Goals))
	for i := range x.Goals {
		goals[i] = x.Goals[i].Literal
	}
	section(b, "Goals unmet at that point:", goals)
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) > 0 {
		b.WriteString(title + "\n  " + strings.Join(lines, "\n  ") + "\n")
	}
}
