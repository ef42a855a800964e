package constraints

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// A Violation of a constraint by a plan.
type Violation struct {
	Constraint *Constraint
	// Step is the step, from 1, by which the constraint is violated for good: 0 for the end of the plan or, if Initially,
	// for the initial state.
	Step      int
	Initially bool
	Action    string
}

// A Judge knows the constraints of a task. Each is judged by itself, on the course that the plan takes in the task
// without constraints, so that all violations are found at once, also if the plan breaks elsewhere.
type Judge struct {
	base   *validator.Judge
	list   []Constraint
	judges []*validator.Judge // nil for a cost limit
}

// NewJudge compiles a judge for each constraint.
func NewJudge(prob *pddl.Problem, list []Constraint) (*Judge, error) {
	free, err := withGoal(prob, "(and)")
	if err != nil {
		return nil, err
	}
	j := &Judge{list: list, judges: make([]*validator.Judge, len(list))}
	if j.base, err = validator.NewJudge(free, validator.Options{}); err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Kind == CostLimit {
			continue
		}
		p, err := Compile(free, list[i:i+1])
		if err == nil {
			j.judges[i], err = validator.NewJudge(p, validator.Options{})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", &list[i], err)
		}
	}
	return j, nil
}

// ErrLimit is wrapped where a limit of the judge ended it: nothing is known of the plan then.
var ErrLimit = errors.New("the plan takes too long to judge")

// ErrPlan is wrapped where a plan cannot be read.
var ErrPlan = errors.New("the plan cannot be read")

// Violations lists the constraints that a plan violates, in their order. The course of a plan ends at the first step
// that cannot be carried out.
func (j *Judge) Violations(src *pddl.Source) ([]Violation, error) {
	plan, diags := pddl.ParsePlan(src)
	if plan == nil || diags.HasErrors() {
		return nil, fmt.Errorf("%w: %w", ErrPlan, diags.Err())
	}
	base := j.base.Validate(plan)
	if err := limited(base); err != nil {
		return nil, err
	}
	course := *plan
	course.Steps = plan.Steps[:base.Executed]
	var list []Violation
	for i := range j.list {
		c := &j.list[i]
		if j.judges[i] == nil {
			if base.Cost.Cmp(c.Cost) > 0 {
				list = append(list, j.spent(c, &course))
			}
			continue
		}
		v := j.judges[i].Validate(&course)
		if err := limited(v); err != nil {
			return nil, err
		}
		if !v.Valid {
			list = append(list, located(c, v.Failure.Step, &course))
		}
	}
	return list, nil
}

// spent places the violation of a cost limit: the step that takes the cost beyond it for good, 0 if none does, as where
// the metric can fall again.
func (j *Judge) spent(c *Constraint, course *pddl.Plan) Violation {
	v := Violation{Constraint: c}
	for n := len(course.Steps); n > 0; n-- {
		part := *course
		part.Steps = course.Steps[:n-1]
		if before := j.base.Validate(&part); !before.CostDefined || before.Cost.Cmp(c.Cost) <= 0 {
			v.Step, v.Action = n, course.Steps[n-1].String()
			break
		}
	}
	return v
}

// limited is the error of a verdict that a limit ended.
func limited(v *validator.Verdict) error {
	if v.Failure != nil && v.Failure.Kind == validator.FailTimeout {
		return fmt.Errorf("%w: %s", ErrLimit, v.Failure.Message)
	}
	return nil
}

// located places a violation that the compiled task notices when it refuses a step, or at the end (0). Conditions on
// every state are noticed in the state that the step before has made.
func located(c *Constraint, refused int, course *pddl.Plan) Violation {
	v := Violation{Constraint: c, Step: refused}
	switch c.Kind {
	case Always, AtMostOnce, SometimeBefore, Capacity:
		if v.Step--; refused == 0 {
			v.Step = len(course.Steps)
		}
		v.Initially = v.Step == 0
	}
	if v.Step > 0 {
		v.Action = course.Steps[v.Step-1].String()
	}
	return v
}

// String writes "step 3 (stack a b): Do (stack ? b) at most 1 times."
func (v *Violation) String() string {
	where := map[bool]string{false: "at the end", true: "from the beginning"}[v.Initially]
	if v.Step > 0 {
		where = fmt.Sprintf("step %d %s", v.Step, v.Action)
	}
	return fmt.Sprintf("%s: %s", where, v.Constraint.Sentence())
}
