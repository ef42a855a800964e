package prompt

import (
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// unrestricted returns a problem without its restrictions, and the problem itself if that fails, which
// cannot happen to problems that were read.
func unrestricted(prob *pddl.Problem) *pddl.Problem {
	if p, err := domains.Unrestricted(prob); err == nil {
		return p
	}
	return prob
}

// never writes a forbidden action as a sentence in the prompt's style.
func (b *builder) never(it *item, f domains.Forbidden) string {
	if b.formal() {
		if strings.Contains(f.String(), domains.AnyObject) {
			return "Never do " + f.String() + ", whatever stands for " + domains.AnyObject + "."
		}
		return "Never do " + f.String() + "."
	}
	return it.r.never(f)
}

// never returns a sentence that forbids an action: "Never stack the red block on top of any block."
func (r *Renderer) never(f domains.Forbidden) string {
	if !strings.Contains(f.String(), domains.AnyObject) {
		return "Never " + InSentence(r.Step(f.String())) + "."
	}
	var schema *pddl.Schema
	if i, ok := r.dom.ActionByName(f.Action); ok {
		schema = &r.dom.Actions[i].Schema
	} else if i, ok := r.dom.DurativeByName(f.Action); ok {
		schema = &r.dom.Durative[i].Schema
	}
	words := make([]string, len(f.Args))
	for i, a := range f.Args {
		switch {
		case a != domains.AnyObject:
			words[i] = r.Object(a)
		case schema != nil && r.noun(schema.Vars[i].Type) != "":
			words[i] = "any " + r.noun(schema.Vars[i].Type)
		default:
			words[i] = "anything"
		}
	}
	if r.t != nil {
		if a, ok := r.t.Actions[f.Action]; ok && a.Say != "" {
			return "Never " + InSentence(fillTerms(a.Say, words)) + "."
		}
	}
	return "Never " + strings.Join(append([]string{f.Action}, words...), " ") + "."
}

// InSentence writes a command as it stands in the middle of a sentence, without the capital
// that some templates give it (PlanBench's for depots).
func InSentence(step string) string {
	if step != "" && step[0] >= 'A' && step[0] <= 'Z' {
		return string(step[0]+'a'-'A') + step[1:]
	}
	return step
}
