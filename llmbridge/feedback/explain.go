package feedback

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/validator"
)

// Explain describes a verdict with an Explanation (validator.Judge.Explain) at length, in the critic's
// style: what fails and why, what has changed since the start, what holds for the objects concerned, and
// which goals are unmet. It is for people; Criticise is for models.
func (c *Critic) Explain(v *validator.Verdict) string {
	var b strings.Builder
	switch x := v.Explanation; {
	case v.Valid:
		reach := "reach"
		if v.Steps == 1 {
			reach = "reaches"
		}
		fmt.Fprintf(&b, "The plan is valid: its %s %s the goal at cost %s.\n", spell.Plural(v.Steps, "step"), reach, v.Cost)
	case x == nil:
		fmt.Fprintf(&b, "%s\n", closed(v.Failure.Message))
	default:
		b.WriteString(c.failure(v, numbers(v.Steps)).Text + "\n")
		var came, went []string
		for _, change := range x.Changes {
			atom, added := strings.CutPrefix(change, "+ ")
			if atom = strings.TrimPrefix(atom, "- "); added {
				came = append(came, atom)
			} else {
				went = append(went, atom)
			}
		}
		c.facts(&b, "Since the start it has come to hold that ", came)
		c.facts(&b, "Since the start it no longer holds that ", went)
		for _, f := range x.Values {
			from, to := "nothing", "nothing"
			if f.From != nil {
				from = *f.From
			}
			if f.To != nil {
				to = *f.To
			}
			fmt.Fprintf(&b, "The value of %s went from %s to %s.\n", strings.Trim(f.Fluent, "()"), from, to)
		}
		c.facts(&b, "About what is at hand it holds that ", x.Around)
		if len(x.Goals) > 0 {
			fmt.Fprintf(&b, "Of the goal: %s.\n", c.needs(x.Goals, numbers(v.Steps)))
		}
	}
	for _, text := range c.violations(v) {
		b.WriteString(text + "\n")
	}
	if len(v.World) > 0 {
		fmt.Fprintf(&b, "By itself, this happened: %s.\n", strings.Join(v.WorldLines(), "; "))
	}
	for _, w := range v.Warnings {
		fmt.Fprintf(&b, "Note: %s.\n", w)
	}
	return b.String()
}

// facts writes a list of atoms as one sentence, without atoms that texts leave out.
func (c *Critic) facts(b *strings.Builder, begin string, atoms []string) {
	var said []string
	for _, a := range atoms {
		if a != "..." && c.told != nil {
			a = c.told.Fact(a)
		}
		if a != "" {
			said = append(said, a)
		}
	}
	if len(said) > 0 {
		b.WriteString(begin + prompt.JoinPhrases(said) + ".\n")
	}
}
