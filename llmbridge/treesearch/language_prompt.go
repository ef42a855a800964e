package treesearch

import (
	"strings"

	"github.com/planproof/planproof/llmbridge/prompt"
)

// spot is a node as prompts tell it.
type spot struct {
	backward bool
	facts    []string // of the node's (partial) state, sorted
	path     []string // actions in the order of their execution
	spent    string   // their cost, in the problem's units
	budget   string   // "" without one
}

func (w *spot) tag() string {
	if w.backward {
		return "[LAST ACTION]\n"
	}
	return "[ACTION]\n"
}

// teller writes prompts in one style. A prompt is a story and then either next, which an
// action continues, or judge, which "good" continues.
type teller interface {
	story(w *spot) string
	next(w *spot) string
	judge(w *spot, said string) string
	step(action string) string
}

func lines(steps []string, say func(string) string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(say(s) + "\n")
	}
	return b.String()
}

// sentenceTeller writes the sentences of the domain's templates.
type sentenceTeller struct {
	header string // the domain, with what actions cost
	r      *prompt.Renderer
	init   []string
}

func (t *sentenceTeller) step(action string) string { return t.r.Step(action) }

func (t *sentenceTeller) state(facts []string) string {
	if text := t.r.State(facts); text != "" {
		return text
	}
	return "nothing"
}

func (t *sentenceTeller) story(w *spot) string {
	var b strings.Builder
	b.WriteString(t.header)
	b.WriteString("[STATEMENT]\nAs initial conditions I have that, " + t.state(t.init) + ".\n")
	if w.backward {
		b.WriteString("My goal is to have that " + t.state(w.facts) + ".\n")
		if len(w.path) > 0 {
			b.WriteString("\nAfter that I will do this:\n\n[NEXT PLAN]\n" + lines(w.path, t.step) + "[NEXT PLAN END]\n\nIt will take " + w.spent + " minutes.\n")
		}
	} else {
		b.WriteString("My goal is to have that " + t.r.Goal() + ".\n")
		if len(w.path) > 0 {
			b.WriteString("\nI have done this:\n\n[PREVIOUS PLAN]\n" + lines(w.path, t.step) + "[PREVIOUS PLAN END]\n\nIt has taken " + w.spent + " minutes, and now I have that, " + t.state(w.facts) + ".\n")
		}
	}
	if w.budget != "" {
		b.WriteString("My time limit is " + w.budget + " minutes.\n")
	}
	b.WriteString("\n")
	return b.String()
}

func (t *sentenceTeller) next(w *spot) string {
	if w.backward {
		return "The last action of my plan is as follows:\n\n[PLAN]\n"
	}
	return "The next action of my plan is as follows:\n\n[PLAN]\n"
}

func (t *sentenceTeller) judge(w *spot, said string) string {
	return w.tag() + said + "\n\nIs this action a good choice? Answer good or bad.\n\n[EVALUATION]\n"
}

// pddlTeller writes facts and actions in PDDL. The whole task comes first, then the steps,
// so that the prompts of a node begin with those of its parent up to its state; and what
// is judged begins as what is continued.
type pddlTeller struct {
	header string // domain and problem
}

func (t *pddlTeller) step(action string) string { return action }

func (t *pddlTeller) story(w *spot) string {
	var b strings.Builder
	b.WriteString(t.header)
	if w.backward {
		if len(w.path) > 0 {
			// The step nearest to the node comes last: prompts of children go on from there.
			b.WriteString("\nI end with these steps, told from the last one:\n[NEXT PLAN]\n")
			for i := len(w.path) - 1; i >= 0; i-- {
				b.WriteString(w.path[i] + "\n")
			}
			b.WriteString("[NEXT PLAN END]\nCost so far: " + w.spent + "\n")
		}
		b.WriteString("\nBefore them must hold: " + strings.Join(w.facts, " ") + "\n")
	} else if len(w.path) > 0 {
		b.WriteString("\nI have done these steps:\n[PREVIOUS PLAN]\n" + lines(w.path, t.step) + "[PREVIOUS PLAN END]\nCost so far: " + w.spent +
			"\n\nNow holds: " + strings.Join(w.facts, " ") + "\n")
	}
	if w.budget != "" {
		b.WriteString("Cost limit: " + w.budget + "\n")
	}
	return b.String()
}

func (t *pddlTeller) next(w *spot) string { return "\n" + w.tag() }

// judge goes on where next and the action end, as in the paper, so that nothing but the
// tag is new; what the tag means is said once, in the header.
func (t *pddlTeller) judge(w *spot, said string) string {
	return t.next(w) + said + "\n\n[EVALUATION]\n"
}

// pddlQuestion says what follows the tags.
const pddlQuestion = "\nAfter [ACTION] stands the next step of a plan that reaches the goal at the least cost, after [LAST ACTION] the one " +
	"before steps that are known. After [EVALUATION] stands good if that step is a good choice, and bad if it is not.\n"
