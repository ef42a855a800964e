package feedback

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// failure describes the failure of a verdict. number maps its steps to step numbers in the model's plan.
func (c *Critic) failure(v *validator.Verdict, number []int) Failure {
	e := Failure{Kind: v.Failure.Kind, Action: strings.ToLower(v.Failure.Action), Unmet: v.Failure.Unsatisfied}
	if v.Failure.Step > 0 {
		e.Step = number[v.Failure.Step-1]
	}
	unmet := v.Explanation.Unmet
	if len(c.forbids) > 0 {
		unmet = slices.DeleteFunc(slices.Clone(unmet), func(u validator.Unmet) bool { return domains.ForbidsStep(c.forbids, u.Literal) })
		e.Forbidden = len(unmet) < len(v.Explanation.Unmet)
	}
	when := ""
	if w := v.Failure.When(); w != "" {
		when = ", " + w
	}
	switch {
	case e.Forbidden && len(unmet) > 0:
		e.Text = fmt.Sprintf("Step %d, %s, is forbidden here. It cannot be carried out anyway: %s.", e.Step, c.say(e.Action), c.needs(unmet, number))
	case e.Forbidden:
		e.Text = fmt.Sprintf("Step %d, %s, is forbidden here.", e.Step, c.say(e.Action))
	case len(unmet) > 0 && e.Step > 0:
		e.Text = fmt.Sprintf("Step %d, %s, cannot be carried out: %s.", e.Step, c.say(e.Action)+when, c.needs(unmet, number))
	case len(unmet) > 0:
		e.Text = fmt.Sprintf("After the last step the goal is not reached: %s.", c.needs(unmet, number))
	case e.Step > 0 && e.Kind != validator.FailConstraint:
		message := strings.TrimPrefix(v.Failure.Message, fmt.Sprintf("step %d %s%s: ", v.Failure.Step, v.Failure.Action, when))
		e.Text = fmt.Sprintf("Step %d, %s, cannot be carried out: %s", e.Step, e.Action+when, closed(message))
	default:
		e.Text = closed(v.Failure.Message)
	}
	return e
}

// needs describes unmet conditions, first those that should hold, then those that should not, each with the
// values it compares and the step that last changed it.
func (c *Critic) needs(unmet []validator.Unmet, number []int) string {
	var lacking, barred []string
	for i := range unmet[:min(len(unmet), maxFeedbackUnmet)] {
		u := &unmet[i]
		text := c.condition(u)
		if note := c.note(u, number); note != "" {
			text += " (" + note + ")"
		}
		if u.Formula.Kind == pddl.FormulaNot {
			barred = append(barred, text)
		} else {
			lacking = append(lacking, text)
		}
	}
	var parts []string
	tell := func(list []string, one, several string) {
		switch len(list) {
		case 0:
		case 1:
			parts = append(parts, one+list[0])
		default:
			parts = append(parts, several+strings.Join(list, "; "))
		}
	}
	tell(lacking, "it does not hold that ", "these do not hold: ")
	tell(barred, "it must not hold, but does, that ", "these must not hold, but do: ")
	if more := len(unmet) - maxFeedbackUnmet; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more such conditions", more))
	}
	return strings.Join(parts, "; ")
}

// note describes the values that a condition compares and the step that last changed it.
func (c *Critic) note(u *validator.Unmet, number []int) string {
	var notes []string
	for _, v := range u.Values {
		value := "no value"
		if v.Value != nil {
			value = *v.Value
		}
		fluent := v.Fluent
		if c.told != nil {
			fluent = strings.Trim(fluent, "()")
		}
		notes = append(notes, fluent+" is "+value)
	}
	if by := u.ChangedBy; by != nil {
		since := "last changed by"
		if u.Held && len(u.Values) > 0 {
			since = "not since" // later steps may have changed the values further
		}
		notes = append(notes, fmt.Sprintf("%s step %d, %s", since, number[by.Step-1], c.say(strings.ToLower(by.Action))))
	}
	return strings.Join(notes, ", ")
}

// say returns a step in the critic's style.
func (c *Critic) say(step string) string {
	if c.told != nil {
		return prompt.InSentence(c.told.Step(step))
	}
	return step
}

// condition returns one unmet condition in the critic's style, without its negation.
func (c *Critic) condition(u *validator.Unmet) string {
	f, literal := u.Formula, u.Literal
	if f.Kind == pddl.FormulaNot {
		f, literal = f.Children[0], strings.TrimSuffix(strings.TrimPrefix(literal, "(not "), ")")
	}
	if c.told == nil {
		return literal
	}
	if f.Kind == pddl.FormulaAtom {
		if text := c.told.Fact(literal); text != "" {
			return text
		}
	}
	return c.told.Formula(f, c.prob.Names(u.Schema))
}

// closed adds a full stop to a message if it needs one.
func closed(s string) string {
	if strings.HasSuffix(s, "?") {
		return s
	}
	return strings.TrimSuffix(s, ".") + "."
}
