package validator

import (
	"fmt"
	"io"
	"strings"
)

// Explain writes a verdict in words: what failed where, each unmet condition with
// the step that broke it, and how the state before the failure differs from the
// initial one.
func Explain(v *Verdict, w io.Writer) error {
	var b strings.Builder
	if v.Valid {
		fmt.Fprintf(&b, "The plan is valid: %s reach the goal%s.\n", count(v.Steps, "step"), costWords(v))
	} else {
		explainFailure(&b, v)
	}
	for _, t := range v.Warnings {
		fmt.Fprintf(&b, "Note: %s.\n", t)
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	for i := range v.Reasons {
		r := &v.Reasons[i]
		fmt.Fprintf(b, "  %s\n", r.Literal)
		if r.Because != "" {
			fmt.Fprintf(b, "      because %s\n", r.Because)
		}
	}
	if len(v.Changes) > 0 {
		b.WriteString("Changed since the initial state:\n")
		for _, c := range v.Changes {
			fmt.Fprintf(b, "  %s\n", c)
		}
	}
}
