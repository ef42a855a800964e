package eval

import (
	"fmt"

	"planproof/llmbridge"
)

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

// OtherKind tells whether questions of a kind are answered by something else than a plan,
// so that their tasks need a Grader (Task.Other).
func OtherKind(k llmbridge.TaskKind) bool {
	return k == llmbridge.KindVerification || k == llmbridge.KindExecution
}
