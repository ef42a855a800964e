package feedback

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// hint adds how to go on after the part of the plan that is good.
func (c *Critic) hint(ctx context.Context, f *Feedback, plan *pddl.Plan) error {
	p, err := c.repairer.Complete(ctx, plan, c.o.Limits)
	if errors.Is(err, ErrRepair) {
		return c.hintTime(ctx, f, plan)
	}
	if err != nil {
		return err
	}
	f.Hint = p
	var next []string
	for _, e := range p.Script {
		if e.Op == EditInsert {
			next = append(next, e.Action)
		}
	}
	if p.Status != ProposalFound {
		return nil
	}
	text := " No step of it can stay at the beginning."
	switch {
	case p.Kept == 1:
		text = " Its first step can stay."
	case p.Kept > 1:
		text = fmt.Sprintf(" Its first %d steps can stay.", p.Kept)
	}
	if p.Proven && p.Kept < f.Verdict.Executed {
		text += " After the next one the goal is out of reach."
	}
	switch {
	case len(next) == 0:
		text += " They reach the goal: leave out the rest."
		if p.Kept == 0 {
			text = " The goal holds from the start: nothing needs to be done."
		}
	case c.o.Reveal:
		for i := range next {
			next[i] = c.say(next[i])
		}
		text += " From there this reaches the goal: " + strings.Join(next, ", then ") + "."
	case len(next) == 1:
		text += fmt.Sprintf(" From there one more step is enough, a kind of %s.", atomtext.Words(next[0])[0])
	default:
		text += fmt.Sprintf(" From there %d more steps are enough; the next could be: %s.", len(next), c.say(next[0]))
	}
	f.Text += text
	if !c.o.Reveal {
		f.Hint = &Proposal{Status: p.Status, Proven: p.Proven, Reason: p.Reason, Cost: p.Cost, Kept: p.Kept, Edits: p.Edits}
	}
	return nil
}
