package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// askedBy makes the task what a query of PlanBench asks about the instance that it holds: its
// question may be another goal, another initial state, or none for a plan.
func (t *Task) askedBy(ctx context.Context, kind prompt.Kind, query string) error {
	rec, err := grade.QueryRecord(ctx, kind, t.Problem, query)
	if err != nil {
		return err
	}
	if otherKind(kind) {
		t.Other, err = grade.NewGrader(rec)
		return err
	}
	if kind == prompt.KindGeneration || kind == prompt.KindGeneralise {
		return nil // the instance as it is
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource(t.Problem.Name, rec.Problem), t.Problem.Domain, pddl.Options{})
	if prob == nil {
		return ds.Err()
	}
	t.Problem = prob
	return nil
}

// cheapestBy makes the cost of a plan the least one, which only a cheapest plan has.
func (t *Task) cheapestBy(plan string) error {
	x := extract.NewReader(t.Problem.Domain, t.Problem, extract.Natural).Extract(plan)
	judge, err := validator.NewJudge(t.Problem, validator.Options{})
	if err != nil {
		return err
	}
	v, _ := judge.ValidateText(pddl.NewSource("ground_truth_plan", x.PlanText()), judge.NewScratch())
	if !v.Valid || !v.CostDefined {
		return errors.New("the ground_truth_plan is not valid, so the least cost is not known")
	}
	cost := v.Cost
	t.Optimal, t.Cheapest = &cost, true
	return nil
}

// gradeOther grades an answer to a question that no plan answers: whether a plan is valid,
// and what the state is after some actions.
func (t *Task) gradeOther(response string, truncated bool) Grade {
	x := t.Other.Grade(response)
	g := Grade{Correct: x.Correct, Levels: x.Levels, StateScore: x.StateScore}
	g.Status = Wrong
	found := false
	switch {
	case x.Verification != nil:
		found, g.Reading = x.Verification.Found, x.Verification.Reading
		if found && !x.Correct {
			g.Message = "the answer is that the plan is " + validity(x.Verification.Valid)
		}
	case x.State != nil:
		found, g.Reading = x.State.Found, x.State.Reading
		if found && !x.Correct {
			g.Message = fmt.Sprintf("%d facts are missing, %d are wrong", len(x.StateScore.Missing), len(x.StateScore.Extra)+len(x.State.Unread))
		}
	}
	switch {
	case x.Correct:
		g.Status = Right
	case truncated:
		g.Status = Truncated
	case !found:
		g.Status = NoAnswer
	}
	correct := g.Correct
	g.Outcome = &correct
	return g
}

func validity(valid bool) string {
	if valid {
		return "valid"
	}
	return "invalid"
}

// otherKind reports whether questions of a kind are answered by something else than a plan,
// so that their tasks need a Grader (Task.Other).
func otherKind(k prompt.Kind) bool {
	return k == prompt.KindVerification || k == prompt.KindExecution
}
