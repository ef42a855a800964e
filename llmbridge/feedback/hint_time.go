package feedback

import (
	"context"
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator/retime"
)

// hintTime adds which steps of a plan with times have to move: by how much only if the hint may reveal
// it.
func (c *Critic) hintTime(ctx context.Context, f *Feedback, plan *pddl.Plan) error {
	p, err := c.repairer.retime(ctx, plan, c.o.Limits)
	if err != nil || p.Timed == nil {
		return err
	}
	best := p.Timed.Best()
	if best == nil {
		if p.Timed.Shift.Proven {
			f.Text += " No other times for the same steps make it valid."
		}
		return nil
	}
	var parts []string
	for i := range best.Changes {
		parts = append(parts, c.changeWords(&best.Changes[i]))
	}
	f.Text += " It would be valid if " + prompt.JoinPhrases(parts) + "."
	return nil
}

// changeWords describes a change of a plan.
func (c *Critic) changeWords(x *retime.Change) string {
	later, longer := "later", "longer"
	by, less := strings.CutPrefix(x.By, "-")
	if less {
		later, longer = "earlier", "shorter"
	}
	amount := ""
	if c.o.Reveal {
		amount = by + " time units "
	}
	step := fmt.Sprintf("step %d, %s,", x.Step, c.say(x.Action))
	switch x.What {
	case "start":
		return fmt.Sprintf("%s started %s%s", step, amount, later)
	case "duration":
		return fmt.Sprintf("%s took %s%s", step, amount, longer)
	case "delete":
		return step + " were left out"
	}
	if !c.o.Reveal {
		return "it had one more step, a kind of " + strings.Fields(strings.Trim(x.Action, "()"))[0]
	}
	return fmt.Sprintf("it had one more step at %s, %s", x.To, c.say(x.Action))
}
