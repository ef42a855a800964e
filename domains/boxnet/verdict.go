package boxnet

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Result is a plan's verdict with what only this domain has.
type Result struct {
	Verdict *validator.Verdict
	Reason  Reason // "" if the plan is valid
	// Step is the number of the first step that is not legal, from 1; 0 if there is none.
	Step int
	// Moves is the number of moves with an effect in the executed steps. ParaMax is the
	// largest number of them in one step, and Moves divided by the executed steps the mean.
	Moves, ParaMax int
	// Duration is the plan time of the executed steps: each takes as long as its longest
	// move at 0.5 units per time. It is a sum of square roots and so the only float.
	Duration float64
}

// ParaMean is the mean number of moves per executed step, 0 without steps.
func (r *Result) ParaMean() float64 {
	if r.Verdict.Executed == 0 {
		return 0
	}
	return float64(r.Moves) / float64(r.Verdict.Executed)
}

// Judge judges a plan. The cost of the verdict is the number of executed steps.
func (j *Judge) Judge(plan Plan) *Result { return j.JudgeRead(plan, 0, nil) }

// JudgeText reads a plan, a JSON list of steps, and judges it. What cannot be read is a fault of the
// plan, of kind syntax.
func (j *Judge) JudgeText(raw []byte) *Result {
	plan, at, err := ReadPlan(raw)
	return j.JudgeRead(plan, at, err)
}

// JudgeRead judges what ReadPlan returned: the steps that could be read, and the fault of the
// one after them, if err is not nil.
func (j *Judge) JudgeRead(plan Plan, at int, err error) *Result {
	r := &Result{Verdict: &validator.Verdict{Steps: len(plan), CostDefined: true}}
	if err != nil && at > 0 {
		r.Verdict.Steps++
	}
	st, s := j.Start(), new(Scratch)
	for i, step := range plan {
		if f := j.Step(st, step, s); f != nil {
			r.fail(f.Reason, i+1, step.Text(), f.Words(step))
			break
		}
		r.count(j.Instance, s)
	}
	if r.Verdict.Failure == nil && err != nil {
		r.fail(syntaxReason(err), at, "", err.Error())
		r.Verdict.Failure.Kind = validator.FailSyntax
	}
	j.finish(r, st)
	return r
}

// syntaxReason is MovesTwice for a name that is given twice: the text can be read, but not carried out.
func syntaxReason(err error) Reason {
	if rowjson.IsRepeated(err) {
		return MovesTwice
	}
	return Unreadable
}

func (r *Result) fail(why Reason, step int, action, words string) {
	r.Reason, r.Step = why, step
	if step > 0 {
		words = fmt.Sprintf("step %d: %s", step, words)
	}
	r.Verdict.Failure = &validator.Failure{Kind: failureKind(why), Step: step, Action: action, Unsatisfied: []string{string(why)}, Message: words}
}

// count adds a step that has been carried out.
func (r *Result) count(in *Instance, s *Scratch) {
	r.Verdict.Executed++
	moves := 0
	for i := range s.motions {
		if s.motions[i].From != s.motions[i].To {
			moves++
		}
	}
	r.Moves += moves
	r.ParaMax = max(r.ParaMax, moves)
	r.Duration += in.duration(s.motions)
}

// finish says whether the goal is reached.
func (j *Judge) finish(r *Result, st *State) {
	v := r.Verdict
	v.Cost = pddl.Int(int64(v.Executed))
	away := j.Away(st)
	v.GoalReached = len(away) == 0
	if v.Failure == nil && !v.GoalReached {
		words := make([]string, len(away))
		for i, o := range away {
			words[i] = fmt.Sprintf("%s is not at its target %v", o.Name, *o.Target)
		}
		r.fail(GoalNotReached, 0, "", "goal: "+strings.Join(words, ", "))
		v.Failure.Unsatisfied = words
	}
	v.Valid = v.Failure == nil
}

// failureKind is the kind of failure of the PDDL judge that a reason corresponds to.
func failureKind(why Reason) validator.FailureKind {
	switch why {
	case Unreadable, MovesTwice:
		return validator.FailSyntax
	case UnknownRobot:
		return validator.FailUnknownObject
	case WrongStart, OutOfReach, NoObject, SweepsObject, MeetsObstacle:
		return validator.FailPrecondition
	case ObjectsCollide:
		return validator.FailEffectConflict
	case GoalNotReached:
		return validator.FailGoal
	}
	return validator.FailMutex // two robots
}
