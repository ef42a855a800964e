package eval

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Status says what became of a sample. Statuses of a model that gave no answer are the
// model.ErrorKind of the reason.
type Status string

// Statuses of samples.
const (
	Valid   Status = "valid"
	Invalid Status = "invalid"
	// Malformed: a plan in which a line that should be a step cannot be read as one.
	Malformed Status = "malformed-step"
	// Dear: a valid plan that costs more than the budget. NotCheapest: a valid plan where
	// the question was for a cheapest one, which it is not.
	Dear        Status = "over-budget"
	NotCheapest Status = "not-cheapest"
	NoPlan      Status = "no-plan"
	Ambiguous   Status = "ambiguous"
	// ClaimsUnsolvable: the answer says that there is no plan. It is right if the task is
	// known to have none.
	ClaimsUnsolvable Status = "claims-unsolvable"
	// Right and Wrong answers to a question that no plan answers; NoAnswer: neither a
	// verdict nor a state was found.
	Right    Status = "right"
	Wrong    Status = "wrong"
	NoAnswer Status = "no-answer"
	// Truncated: cut off by the token limit before it held a right answer.
	Truncated Status = "truncated"
	// UnreadableTask: the task could not be read or is not supported.
	UnreadableTask Status = "unreadable-task"
	// JudgeLimit: the judge ended at its limit.
	JudgeLimit Status = "judge-limit"
	// NoContent: the server answered without any text, and not for a limit. Ungraded.
	NoContent Status = "no-content"
)

// statusOrder is the order of statuses in reports: graded ones first.
var statusOrder = []Status{Valid, Invalid, Malformed, Dear, NotCheapest, NoPlan, Ambiguous, ClaimsUnsolvable, Right, Wrong, NoAnswer, Truncated,
	UnreadableTask, JudgeLimit, NoContent, Status(model.KindOutage), Status(model.KindRateLimited), Status(model.KindTimeout),
	Status(model.KindMalformed), Status(model.KindRefused), Status(model.KindAuth), Status(model.KindTooLong),
	Status(model.KindQuota), Status(model.KindUnsupported), Status(model.KindMissing), Status(model.KindCancelled)}

// Graded reports whether the model answers for a status.
func (s Status) Graded() bool {
	switch s {
	case Valid, Invalid, Malformed, Dear, NotCheapest, NoPlan, Ambiguous, ClaimsUnsolvable, Right, Wrong, NoAnswer, Truncated:
		return true
	}
	return false
}

// Grade is the verdict on one answer.
type Grade struct {
	Status Status `json:"status"`
	// Correct is the answer to the question: a valid plan, or the true claim that there is
	// none. Of an ungraded row it is false here and null in JSON, where Outcome stands.
	Correct bool   `json:"-"`
	Outcome *bool  `json:"correct"`
	Cost    string `json:"cost,omitempty"`
	Steps   int    `json:"steps"`
	// Optimal reports whether a valid plan is as cheap as can be; absent where that is not
	// known.
	Optimal *bool `json:"optimal,omitempty"`
	// Failure and Message say why a plan is invalid, or why there is no grade.
	Failure validator.FailureKind `json:"failure,omitempty"`
	Message string                `json:"message,omitempty"`
	// Reader is the reader of the plan, and Reading the rule by which it, or another answer, was
	// found.
	Reader  extract.Kind `json:"reader,omitempty"`
	Reading string       `json:"reading,omitempty"`
	// Levels and StateScore score answers about the validity of a plan and about states.
	Levels     *extract.VerdictScore `json:"levels,omitempty"`
	StateScore *extract.StateScore   `json:"state_score,omitempty"`
}

// Task is a planning task to ask about. It is safe for concurrent use.
type Task struct {
	ID string
	// Bundled is the name of a bundled task, from whose generator examples come.
	Bundled string
	// Problem is nil for a task that could not be read; Err says why.
	Problem *pddl.Problem
	Err     string
	// Unsolvable: it is known that there is no plan.
	Unsolvable bool
	// Optimal is the least cost of a plan, where it is known.
	Optimal *pddl.Number
	// Budget bounds the cost of the plan. Cheapest: only a plan of least cost is right;
	// Optimal must then be known.
	Budget   *pddl.Number
	Cheapest bool
	// Reader reads the plans in answers; "" is natural. For the strict one the prompts of
	// ParseMethod state the contract.
	Reader extract.Kind
	// Other grades the answers where the question is not for a plan (otherKind), else nil.
	Other *grade.Grader

	once    sync.Once
	reader  *extract.Reader
	judge   *validator.Judge
	scratch sync.Pool
}

// prepare compiles reader and judge once.
func (t *Task) prepare() {
	t.once.Do(func() {
		if t.Problem == nil {
			if t.Err == "" {
				t.Err = "the task could not be read"
			}
			return
		}
		if t.Other != nil {
			return
		}
		judge, err := validator.NewJudge(t.Problem, validator.Options{})
		if err != nil {
			t.Err = err.Error()
			return
		}
		t.judge = judge
		t.reader = extract.NewReader(t.Problem.Domain, t.Problem, cmp.Or(t.Reader, extract.Natural))
		t.scratch.New = func() any { return judge.NewScratch() }
	})
}

// Grade reads an answer and judges the plan that it commits to. truncated tells that the
// answer was cut off.
func (t *Task) Grade(response string, truncated bool) Grade {
	g, _, _ := t.grade(response, truncated)
	return g
}

// grade also returns the plan and the judge's verdict on it, nil where there was none.
func (t *Task) grade(response string, truncated bool) (g Grade, plan []string, v *validator.Verdict) {
	t.prepare()
	if t.Other != nil && t.Problem != nil {
		return t.gradeOther(response, truncated), nil, nil
	}
	if t.judge == nil {
		return Grade{Status: UnreadableTask, Message: t.Err}, nil, nil
	}
	x := t.reader.Extract(response)
	g = Grade{Reading: x.Reading, Reader: x.Reader, Steps: x.Steps()}
	switch x.Status {
	case extract.StatusPlan:
		s := t.scratch.Get().(*validator.Scratch)
		v, _ = t.judge.ValidateText(pddl.NewSourceBytes("answer", []byte(x.PlanText())), s)
		t.scratch.Put(s)
		t.verdict(&g, &x, v)
		plan = x.Plan
	case extract.StatusClaimsUnsolvable:
		g.Status, g.Correct = ClaimsUnsolvable, t.Unsolvable
	case extract.StatusAmbiguous:
		g.Status = Ambiguous
	default:
		g.Status = NoPlan
	}
	if truncated && g.Status.Graded() && !g.Correct {
		g.Status = Truncated
	}
	if g.Status.Graded() {
		correct := g.Correct
		g.Outcome = &correct
	}
	return g, plan, v
}

func (t *Task) verdict(g *Grade, x *extract.Extraction, v *validator.Verdict) {
	switch {
	case !v.Decided():
		g.Status, g.Message = JudgeLimit, v.Failure.Message
	case v.Valid:
		g.Status, g.Correct = Valid, true
		if v.CostDefined {
			g.Cost = v.Cost.String()
			if t.Optimal != nil && v.Cost.Cmp(*t.Optimal) < 0 {
				// Whoever gave the least cost was wrong: the model does not answer for it.
				g.Message = fmt.Sprintf("the plan costs %s, less than the least cost %s that the task was given with", g.Cost, t.Optimal)
				if t.Cheapest {
					g.Status, g.Correct = UnreadableTask, false
					return
				}
			} else if t.Optimal != nil {
				best := v.Cost.Cmp(*t.Optimal) == 0
				g.Optimal = &best
			}
		}
		switch {
		case t.Budget != nil && (!v.CostDefined || v.Cost.Cmp(*t.Budget) > 0):
			g.Status, g.Correct, g.Message = Dear, false, fmt.Sprintf("the plan costs %s, and the budget is %s", g.Cost, t.Budget)
		case t.Cheapest && (g.Optimal == nil || !*g.Optimal):
			g.Status, g.Correct, g.Message = NotCheapest, false, fmt.Sprintf("the plan costs %s, and the least cost is %s", g.Cost, t.Optimal)
		}
		if t.Unsolvable { // known wrongly: somebody's proof or our judge is broken
			g.Message = "the task was given as unsolvable, and this plan is valid"
		}
	case len(x.Malformed) > 0:
		g.Status = Malformed
		g.Failure = validator.FailSyntax
		g.Message = fmt.Sprintf("step %d is not a step: %s", x.Malformed[0].Step, x.Malformed[0].Text)
	default:
		g.Status, g.Failure, g.Message = Invalid, v.Failure.Kind, v.Failure.Message
	}
}
