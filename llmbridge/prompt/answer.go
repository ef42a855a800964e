package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
)

// answer returns the text of an item's answer, which follows what ask wrote.
func (b *builder) answer(it *item) string {
	switch b.o.Kind {
	case KindVerification:
		return "\n" + b.verdictText(it)
	case KindExecution:
		return "\n" + b.facts(it, resulting(it.state)) + "\n"
	case KindReplanning:
		return b.planText(it, it.after)
	case KindCostOptimal:
		return b.planText(it, it.plan) + "The total time to execute the plan is " + minutes(it.cost) + ".\n"
	case KindUnsolvable:
		if !it.solvable {
			return "\nno plan possible\n" + b.shut + "\n"
		}
	}
	return b.planText(it, it.plan)
}

// marked returns a plan with its end, which follows its beginning; for the strict reader with both.
func (b *builder) marked(plan string) string {
	if b.strict() {
		plan = b.open + "\n" + plan
	}
	return "\n" + plan + b.shut + "\n"
}

func (b *builder) planText(it *item, steps []string) string {
	if b.o.Reasoning == ReasonState {
		if s, ok := b.tracked(it, steps); ok {
			return s
		}
	}
	return b.marked(b.plan(it, steps))
}

// thoughts returns the reasoning before the answer of a worked example.
func (b *builder) thoughts(it *item) string {
	var out strings.Builder
	if b.o.Reasoning != ReasonCoT || b.example == 0 || len(it.plan) == 0 || it.event != nil {
		return ""
	}
	w := it.w
	if w == nil {
		return ""
	}
	out.WriteString("Let me see what each action needs.\n")
	st := w.Sim.Initial()
	for _, s := range it.plan {
		next, _, err := w.Sim.Apply(st, s)
		if err != nil {
			return ""
		}
		fmt.Fprintf(&out, "To %s, it must hold that %s. After it, %s.\n", InSentence(b.step(it, s)), b.facts(it, w.Needs(st, s)), b.facts(it, atomtext.Gained(w.Facts(st), w.Facts(next))))
		st = next
	}
	return out.String()
}

// tracked writes a plan with the state before and after each action, in the layout of PlanBench's
// chain of thought; for the strict reader it comes before the plan. It returns false if the item has no world.
func (b *builder) tracked(it *item, steps []string) (string, bool) {
	w := it.w
	if w == nil {
		return "", false
	}
	var out strings.Builder
	st := w.Sim.Initial()
	for i, s := range steps {
		next, _, err := w.Sim.Apply(st, s)
		if err != nil {
			return "", false
		}
		fmt.Fprintf(&out, "\n%d. Current State: %s\n   Action: %s\n   Reason: what the action needs holds in the current state: %s\n   Resulting State: %s\n",
			i+1, b.bare(it, w.Facts(st)), b.step(it, s), b.bare(it, w.Needs(st, s)), b.bare(it, w.Facts(next)))
		st = next
	}
	fmt.Fprintf(&out, "\n   Final State: %s\nThe goal holds in the final state.\n", b.bare(it, w.Facts(st)))
	if b.strict() {
		return out.String() + b.marked(b.plan(it, steps)), true
	}
	return out.String() + b.shut + "\n", true
}

// bare writes facts inside a plan: without parentheses, which would make them look like steps.
func (b *builder) bare(it *item, facts []string) string {
	facts = b.ordered(facts)
	if !b.formal() {
		return b.facts(it, facts)
	}
	words := make([]string, len(facts))
	for i, f := range facts {
		words[i] = strings.Trim(f, "()")
	}
	return strings.Join(words, ", ")
}

// verdictText returns the answer to "is this plan valid?".
func (b *builder) verdictText(it *item) string {
	v := it.verdict
	if v.Valid {
		return "The above plan is valid.\n"
	}
	unmet := resulting(v.Unmet)
	for i, f := range unmet {
		if unmet[i] = f; !b.formal() && !strings.Contains(strings.Trim(f, "()"), "(") {
			if s := it.r.Fact(f); s != "" {
				unmet[i] = s
			}
		}
	}
	if v.Kind == "goal" {
		return "The above plan is invalid. These goal conditions are not met at its end:\n" + JoinPhrases(unmet) + "\n"
	}
	if v.Forbidden {
		text := fmt.Sprintf("The above plan is invalid. Step %d, %s, cannot be executed: it is forbidden here.", v.Step, InSentence(b.step(it, v.Action)))
		if len(unmet) == 0 {
			return text + "\n"
		}
		return text + " These preconditions are not met either:\n" + JoinPhrases(unmet) + "\n"
	}
	return fmt.Sprintf("The above plan is invalid. Step %d, %s, cannot be executed. These preconditions are not met:\n%s\n", v.Step, InSentence(b.step(it, v.Action)), JoinPhrases(unmet))
}

// resulting sorts the facts of a resulting state like PlanBench, which does not use the order of its
// initial states here: it compares with "_" for each blank, so that in-city comes before in.
func resulting(state []string) []string {
	out := slices.Clone(state)
	key := func(f string) string { return strings.ReplaceAll(strings.Trim(f, "()"), " ", "_") }
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	return out
}
