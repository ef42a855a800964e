package eval

import (
	"fmt"
	"strings"

	"planproof/validator"
)

// Feedback tells a model in a few sentences what is wrong with its answer: the first
// failing step and what it needs. It names nothing that is not in the task or the answer.
func Feedback(_ *Task, g *Grade, v *validator.Verdict) string {
	var b strings.Builder
	switch g.Status {
	case NoPlan:
		b.WriteString("Your answer does not hold a plan.")
	case Ambiguous:
		b.WriteString("Your answer offers several plans and does not say which one counts.")
	case ClaimsUnsolvable:
		b.WriteString("You say that there is no plan, but that has not been shown.")
	case Truncated:
		b.WriteString("Your answer was cut off before it held a whole plan. Be shorter.")
	case Malformed:
		fmt.Fprintf(&b, "Your plan cannot be read: %s.", strings.TrimSuffix(g.Message, "."))
	case Dear, NotCheapest:
		fmt.Fprintf(&b, "Your plan works but is not cheap enough: %s.", g.Message)
	default:
		fmt.Fprintf(&b, "Your plan is not valid: %s.", strings.TrimSuffix(g.Message, "."))
		if v != nil && v.Failure != nil && v.Failure.Because != "" {
			fmt.Fprintf(&b, " The reason: %s.", v.Failure.Because)
		}
	}
	b.WriteString(" Give a corrected plan, whole, in the same format.")
	return b.String()
}
