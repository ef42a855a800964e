package feedback

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// preferences words the preferences of a task, by name in lower case: those of one name together,
// in the order domain constraints, actions, goal, problem constraints.
func (c *Critic) preferences() map[string]string {
	out := map[string][]string{}
	d := c.prob.Domain
	goal := func(g *pddl.GoalSchema) {
		if g != nil {
			c.wish(g.Formula, &g.Schema, "", "", out)
		}
	}
	goal(d.Constraints)
	for _, a := range d.Actions {
		c.wish(a.Precondition, &a.Schema, "at each "+a.Name, "", out)
	}
	for _, a := range d.Durative {
		c.wish(a.Condition, &a.Schema, "at each "+a.Name, "", out)
	}
	goal(&c.prob.Goal)
	goal(c.prob.Constraints)
	words := map[string]string{}
	for name, texts := range out {
		words[name] = strings.Join(texts, "; and ")
	}
	return words
}

// wish collects the preferences below f; of names the action, every the quantifiers around.
func (c *Critic) wish(f *pddl.Formula, schema *pddl.Schema, of, every string, out map[string][]string) {
	if f == nil {
		return
	}
	names := c.prob.Names(schema)
	switch f.Kind {
	case pddl.FormulaPreference:
		text := names.Formula(f.Children[0])
		if c.told != nil {
			text = c.told.Formula(f.Children[0], names)
		}
		if every += text; of != "" {
			every = of + ", " + every
		}
		name := strings.ToLower(f.Name)
		out[name] = append(out[name], every)
	case pddl.FormulaForall:
		var bound []string
		for _, slot := range f.Bound {
			t := names.Term(pddl.VarTerm(int(slot)))
			if c.told != nil {
				t = c.told.Term(pddl.VarTerm(int(slot)), names)
			}
			bound = append(bound, t)
		}
		c.wish(f.Children[0], schema, of, every+"for every "+prompt.JoinPhrases(bound)+", ", out)
	case pddl.FormulaAnd:
		for _, k := range f.Children {
			c.wish(k, schema, of, every, out)
		}
	}
}

// violations says which preferences a plan violates, what each asks, and what that costs.
func (c *Critic) violations(v *validator.Verdict) []string {
	var out []string
	for i := range v.Violated {
		x := &v.Violated[i]
		name, times := "preference "+x.Preference, ""
		if x.Preference == "" {
			name = "preference without a name"
		}
		if x.Times > 1 {
			times = fmt.Sprintf(" %d times", x.Times)
		}
		text := fmt.Sprintf("It violates the %s%s: %s", name, times, c.wishes[strings.ToLower(x.Preference)])
		if x.Cost != nil {
			text += fmt.Sprintf("; this adds %s to the cost", *x.Cost)
		}
		out = append(out, text+".")
	}
	return out
}
