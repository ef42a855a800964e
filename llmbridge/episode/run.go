package episode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Turns and patience of the protocol: an episode ends after MaxTurns, or after Patience turns in a row without a newly
// disclosed violation.
const (
	MaxTurns = 20
	Patience = 2
)

// An Agent plans. It sees the task and what has been disclosed, never the profile.
type Agent interface {
	// Plan returns the steps of a plan after the feedback of the turns so far.
	Plan(ctx context.Context, turns []Turn) ([]string, error)
}

// A Turn is a plan and what was said about it.
type Turn struct {
	Plan []string `json:"plan"`
	// Fault says why the plan cannot be carried out, or does not reach the goal; nothing is disclosed then.
	Fault string `json:"fault,omitempty"`
	// Disclosed constraints are violated ones that the agent learns about: New ones, and Repeated ones with a reminder.
	New      []string `json:"new,omitempty"`
	Repeated []string `json:"repeated,omitempty"`
	Feedback string   `json:"feedback"`
	// Passed reports that the plan reaches the goal and keeps every constraint.
	Passed bool `json:"passed"`
}

// Ends of an episode.
const (
	EndPassed   = "passed"
	EndTurns    = "turns"
	EndPatience = "patience"
)

// A Row is an episode.
type Row struct {
	Task    string `json:"task"`
	Agent   string `json:"agent"`
	Seed    uint64 `json:"seed"`
	World   int    `json:"world"`
	User    int    `json:"user"`
	End     string `json:"end"`
	Turns   []Turn `json:"turns"`
	Passed  bool   `json:"passed"`
	Cost    string `json:"cost,omitempty"`
	Optimum string `json:"optimum"`
	// RepeatedWorld and RepeatedUser count disclosed violations that occur again, Silent all violations of disclosed
	// constraints, also those that were not told because of the world's.
	RepeatedWorld  int `json:"repeated_world"`
	RepeatedUser   int `json:"repeated_user"`
	Silent         int `json:"repeated_silent"`
	DisclosedWorld int `json:"disclosed_world"`
	DisclosedUser  int `json:"disclosed_user"`
}

// Env is a task with a profile.
type Env struct {
	prob    *pddl.Problem
	profile *Profile
	public  *validator.Judge
	judge   *constraints.Judge
}

// NewEnv compiles the judges of a task and a profile.
func NewEnv(prob *pddl.Problem, p *Profile) (*Env, error) {
	if p.list == nil {
		if err := p.Parse(prob); err != nil {
			return nil, err
		}
	}
	e := &Env{prob: prob, profile: p}
	var err error
	if e.public, err = validator.NewJudge(prob, validator.Options{}); err != nil {
		return nil, err
	}
	e.judge, err = constraints.NewJudge(prob, p.list)
	return e, err
}

// Run plays an episode by the protocol. It is a function of the task, the profile and what the agent plans.
func (e *Env) Run(ctx context.Context, agent Agent) (*Row, error) {
	row := &Row{World: len(e.profile.World), User: len(e.profile.User), Optimum: e.profile.Cost.String(), End: EndTurns}
	disclosed := map[string]bool{}
	for quiet := 0; len(row.Turns) < MaxTurns; {
		plan, err := agent.Plan(ctx, row.Turns)
		if err != nil {
			return nil, err
		}
		t, cost, err := e.turn(plan, disclosed, row)
		if err != nil {
			return nil, err
		}
		row.Turns = append(row.Turns, t)
		if t.Passed {
			row.End, row.Passed, row.Cost = EndPassed, true, cost
			break
		}
		if quiet++; len(t.New) > 0 {
			quiet = 0
		}
		if quiet == Patience {
			row.End = EndPatience
			break
		}
	}
	return row, nil
}

// turn judges a plan by the whole profile, and says what the protocol lets it say.
func (e *Env) turn(steps []string, disclosed map[string]bool, row *Row) (t Turn, cost string, err error) {
	t.Plan = append([]string{}, steps...)
	src := pddl.NewSource("plan", strings.Join(steps, "\n"))
	plan, diags := pddl.ParsePlan(src)
	if plan == nil || diags.HasErrors() {
		t.Fault = "the plan cannot be read: " + diags.Err().Error()
		t.Feedback = t.Fault
		return t, "", nil
	}
	v := e.public.Validate(plan)
	violations, err := e.judge.Violations(src)
	if err != nil {
		return t, "", err
	}
	for i := range violations {
		if disclosed[violations[i].Constraint.String()] {
			row.Silent++
		}
	}
	if !v.Valid {
		t.Fault, t.Feedback = v.Failure.Message, "The plan does not work: "+v.Failure.Message+"."
		return t, "", nil
	}
	if len(violations) == 0 {
		t.Passed, t.Feedback = true, "The plan keeps every constraint."
		return t, v.Cost.String(), nil
	}
	told := slices.Clone(violations)
	if world := func(x constraints.Violation) bool { return x.Constraint.World() }; slices.ContainsFunc(told, world) {
		told = slices.DeleteFunc(told, func(x constraints.Violation) bool { return !world(x) })
	}
	e.disclose(&t, told, disclosed, row)
	return t, "", nil
}

// disclose lists violations: new ones first, then a reminder of those disclosed before.
func (e *Env) disclose(t *Turn, told []constraints.Violation, disclosed map[string]bool, row *Row) {
	var fresh, again []string
	for i := range told {
		c := told[i].Constraint
		world := c.World()
		if !disclosed[c.String()] {
			disclosed[c.String()] = true
			t.New, fresh = append(t.New, c.String()), append(fresh, c.Sentence())
			if world {
				row.DisclosedWorld++
			} else {
				row.DisclosedUser++
			}
			continue
		}
		t.Repeated, again = append(t.Repeated, c.String()), append(again, c.Sentence())
		if world {
			row.RepeatedWorld++
		} else {
			row.RepeatedUser++
		}
	}
	if len(fresh) > 0 {
		t.Feedback = "The plan violates: " + strings.Join(fresh, " ")
	}
	if len(again) > 0 {
		t.Feedback = strings.TrimSpace(fmt.Sprintf("%s You were told before, do not repeat it: %s", t.Feedback, strings.Join(again, " ")))
	}
}
