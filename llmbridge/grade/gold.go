package grade

import (
	"context"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// goldMemory bounds the memory for grounding a task whose gold state is checked.
const goldMemory = 1 << 30

// CheckGold compares a gold answer with its task as far as that needs no search, because a wrong gold answer
// would grade right answers as wrong. A gold plan must be valid and have the stated cost. A gold verdict
// must agree with the judge's on the candidate in all that it states. A gold state must be the one after
// the candidate's steps. Not checked are that a cost is the least, that there is no plan, verdicts and
// states without a candidate, and states of tasks that cannot be grounded in 1 GB. Errors are of type
// *rowjson.RowError, with the member's path.
func CheckGold(ctx context.Context, g *prompt.Gold, prob *pddl.Problem) error {
	if g == nil {
		return nil
	}
	cost, ok := pddl.ParseFraction(g.Cost)
	switch {
	case g.Cost != "" && !ok:
		return wrongGold("cost", "its gold cost %q is not a cost", g.Cost)
	case g.Unsolvable && (len(g.Plan) > 0 || g.Cost != ""):
		return wrongGold("unsolvable", "its gold says that there is no plan, but has one")
	}
	if len(g.Plan) > 0 {
		v, err := world.Judge(prob, g.Plan)
		switch {
		case err != nil || !v.Decided():
			// Answers cannot be judged either, and grading will say so.
		case !v.Valid:
			return wrongGold("plan", "its gold plan is invalid: %s", v.Failure.Message)
		case g.Cost != "" && v.CostDefined && v.Cost.Cmp(cost) != 0:
			return wrongGold("cost", "its gold cost is %s, but its gold plan costs %s", g.Cost, v.Cost)
		}
	}
	if len(g.Candidate) == 0 {
		return nil
	}
	if g.Verdict != nil {
		return checkGoldVerdict(g, prob)
	}
	if g.State != nil {
		return checkGoldState(ctx, g, prob)
	}
	return nil
}

func wrongGold(member, format string, args ...any) error {
	return rowjson.Errorf(rowjson.CodeGold, "gold."+member, format, args...)
}

func validityOf(valid bool) string {
	if valid {
		return "valid"
	}
	return "invalid"
}

// checkGoldVerdict compares the gold verdict with the judge's in all that it states.
func checkGoldVerdict(g *prompt.Gold, prob *pddl.Problem) error {
	told := g.Verdict
	v, err := world.Judge(prob, g.Candidate)
	if err != nil || !v.Decided() {
		return nil // nothing shows that the gold verdict is wrong
	}
	if v.Valid != told.Valid {
		return wrongGold("verdict.valid", "its gold verdict says that the candidate is %s, but it is %s", validityOf(told.Valid), validityOf(v.Valid))
	}
	is := prompt.GoldVerdict(prob, v)
	if is == nil {
		return nil // a failure of another kind, such as an unknown object
	}
	switch {
	case told.Kind != "" && told.Kind != is.Kind:
		return wrongGold("verdict.kind", "its gold verdict says that a %s of the candidate is unmet, but it is a %s", told.Kind, is.Kind)
	case told.Step != 0 && told.Step != is.Step:
		return wrongGold("verdict.step", "its gold verdict says that step %d of the candidate fails, but it is step %d", told.Step, is.Step)
	case told.Action != "" && told.Action != is.Action:
		return wrongGold("verdict.action", "its gold verdict says that %s fails, but it is %s", told.Action, is.Action)
	case told.Forbidden != is.Forbidden:
		return wrongGold("verdict.forbidden", "its gold verdict says forbidden: %t, but it is %t", told.Forbidden, is.Forbidden)
	case len(told.Unmet) > 0 && !atomtext.Same(told.Unmet, is.Unmet):
		return wrongGold("verdict.unmet", "its gold verdict says that %s is unmet, but it is %s", strings.Join(told.Unmet, " "), strings.Join(is.Unmet, " "))
	}
	return nil
}

// checkGoldState compares the gold state with that after the candidate's steps.
func checkGoldState(ctx context.Context, g *prompt.Gold, prob *pddl.Problem) error {
	w, err := world.New(ctx, prob, search.Limits{Memory: goldMemory})
	if err != nil {
		return ctx.Err()
	}
	st, err := w.After(g.Candidate)
	if err != nil {
		return wrongGold("candidate", "its candidate cannot be executed: %v", err)
	}
	is := w.Facts(st)
	var faults []string
	for _, f := range atomtext.Gained(is, g.State) {
		faults = append(faults, f+" is not true")
	}
	for _, f := range atomtext.Gained(g.State, is) {
		faults = append(faults, f+" is missing")
	}
	if len(faults) > 0 {
		slices.Sort(faults)
		return wrongGold("state", "its gold state is not the one after its candidate's steps: %s", strings.Join(faults[:min(len(faults), 5)], ", "))
	}
	return nil
}
