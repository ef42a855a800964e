package eval

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// FeedbackFunc tells a model what is wrong with its answer. plan is the plan that was
// read, in PDDL, and verdict the judge's on it; both are nil where no plan was found.
type FeedbackFunc func(ctx context.Context, t *Task, g *Grade, plan []string, verdict *validator.Verdict) string

// again is what every feedback ends with.
const again = " Give a corrected plan, whole, in the same format."

// criticFeedback is the feedback of a feedback.Critic of the given options, made once
// per task. It words invalid plans; what is wrong with other answers is worded as by
// Feedback. Where a task has no critic (its hints need a search that does not support it,
// say), and where a hint meets a limit, the first error is named.
func criticFeedback(o feedback.Options) FeedbackFunc {
	type made struct {
		once   sync.Once
		critic *feedback.Critic
	}
	var critics sync.Map
	return func(ctx context.Context, t *Task, g *Grade, plan []string, v *validator.Verdict) string {
		if o.Level == feedback.LevelBinary {
			switch g.Status {
			case Dear, NotCheapest:
				return "Your plan works but is not cheap enough." + again
			case Malformed:
				return "Your plan is not valid." + again
			}
		}
		if g.Status != Invalid {
			return Feedback(ctx, t, g, plan, v)
		}
		x, _ := critics.LoadOrStore(t, &made{})
		m := x.(*made)
		m.once.Do(func() {
			// Not ctx: the critic is for all samples of the task.
			critic, err := feedback.NewCritic(context.Background(), t.Problem, o)
			if err != nil {
				first := o
				first.Level = feedback.LevelFirst
				critic, err = feedback.NewCritic(context.Background(), t.Problem, first)
			}
			if err == nil {
				m.critic = critic
			}
		})
		if m.critic != nil {
			f, err := m.critic.CriticiseText(ctx, pddl.NewSource("answer", strings.Join(plan, "\n")))
			if err == nil && !f.Valid {
				return f.Text + again
			}
		}
		return Feedback(ctx, t, g, plan, v)
	}
}

// Feedback tells a model in a few sentences what is wrong with its answer: the first
// failing step and what it needs. It names nothing that is not in the task or the answer.
func Feedback(_ context.Context, _ *Task, g *Grade, _ []string, v *validator.Verdict) string {
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
	b.WriteString(again)
	return b.String()
}
