package episode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/llmbridge/model"
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
	// Plan returns a plan after the feedback of the turns so far.
	Plan(ctx context.Context, turns []Turn) (Proposal, error)
}

// A Proposal is a plan or, if an answer has none, why not.
type Proposal struct {
	Plan []string
	// Response is the text of a model, Fault why it has no plan.
	Response, Fault string
}

// A Turn is a plan and what was said about it.
type Turn struct {
	Plan []string `json:"plan"`
	// Response is the answer of a model.
	Response string `json:"response,omitempty"`
	// Fault says why the plan cannot be carried out, or does not reach the goal; nothing is disclosed then.
	Fault string `json:"fault,omitempty"`
	// Disclosed constraints are violated ones that the agent learns about: New ones, and Repeated ones with a reminder.
	New      []string `json:"new,omitempty"`
	Repeated []string `json:"repeated,omitempty"`
	Feedback string   `json:"feedback"`
	// Passed reports that the plan reaches the goal and keeps every constraint.
	Passed bool   `json:"passed"`
	Rubric Rubric `json:"rubric"`
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
	Setting string `json:"setting,omitempty"`
	// Status is "ok", or why a model gave no answer: such an episode counts in no metric.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	Seed   uint64 `json:"seed"`
	World  int    `json:"world"`
	User   int    `json:"user"`
	End    string `json:"end"`
	Turns  []Turn `json:"turns"`
	Passed bool   `json:"passed"`
	// Accurate reports that the last plan has passed and meets the rubric.
	Accurate bool   `json:"accurate"`
	Cost     string `json:"cost,omitempty"`
	Optimum  string `json:"optimum"`
	// RepeatedWorld and RepeatedUser count disclosed violations that occur again, Silent all violations of disclosed
	// constraints, also those that were not told because of the world's.
	RepeatedWorld int `json:"repeated_world"`
	RepeatedUser  int `json:"repeated_user"`
	Silent        int `json:"repeated_silent"`
	// RepeatedHidden counts violations that occur again though they were never disclosed, as those of the user while the
	// world's come first.
	RepeatedHidden int `json:"repeated_hidden"`
	DisclosedWorld int `json:"disclosed_world"`
	DisclosedUser  int `json:"disclosed_user"`
	// structure groups tasks that are equal up to names.
	structure string
}

// Env is a task with a profile. The zero setting is the paper's protocol.
type Env struct {
	// Memory ends each feedback with all constraints disclosed so far. Refine tells what the rubric finds, and goes on until
	// it is met, too.
	Memory, Refine bool

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
	g := e.Begin(MaxTurns)
	for !g.Done() {
		plan, err := agent.Plan(ctx, g.row.Turns)
		if ctx.Err() != nil { // interrupted, whatever the model made of it
			return nil, ctx.Err()
		}
		if asked := new(model.Error); errors.As(err, &asked) {
			g.row.Status, g.row.Error, g.row.End = string(model.KindOf(err)), asked.Message, ""
			return g.row, nil
		}
		if err == nil {
			_, err = g.Take(&plan)
		}
		if err != nil {
			return nil, err
		}
	}
	return g.row, nil
}

// StatusOK is the status of an episode that was played to its end.
const StatusOK = "ok"

// history is what has happened in an episode.
type history struct {
	disclosed, seen map[string]bool
	sentences       []string // of what is disclosed
}

// reminder lists all that is disclosed.
func (h *history) reminder() string {
	if len(h.sentences) == 0 {
		return ""
	}
	return " All constraints that you know: " + strings.Join(h.sentences, " ")
}

// turn judges a plan by the whole profile, and says what the protocol lets it say.
func (e *Env) turn(proposed *Proposal, h *history, row *Row) (t Turn, cost string, err error) {
	t.Plan, t.Response = append([]string{}, proposed.Plan...), proposed.Response
	if proposed.Fault != "" {
		t.Fault, t.Feedback = proposed.Fault, proposed.Fault
		return t, "", nil
	}
	src := pddl.NewSource("plan", strings.Join(t.Plan, "\n"))
	plan, diags := pddl.ParsePlan(src)
	if plan == nil || diags.HasErrors() {
		t.Fault = "the plan cannot be read: " + diags.Err().Error()
		t.Feedback = t.Fault
		return t, "", nil
	}
	v := e.public.Validate(plan)
	if v.Failure != nil && v.Failure.Kind == validator.FailTimeout {
		return t, "", fmt.Errorf("%w: %s", constraints.ErrLimit, v.Failure.Message)
	}
	violations, err := e.judge.Violations(src)
	if err != nil {
		return t, "", err
	}
	t.Rubric = e.rubric(v, violations)
	for i := range violations {
		if h.disclosed[violations[i].Constraint.String()] {
			row.Silent++
		} else if h.seen[violations[i].Constraint.String()] {
			row.RepeatedHidden++
		}
		h.seen[violations[i].Constraint.String()] = true
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
	e.disclose(&t, told, h, row)
	return t, "", nil
}

// disclose lists violations: new ones first, then a reminder of those disclosed before.
func (e *Env) disclose(t *Turn, told []constraints.Violation, h *history, row *Row) {
	var fresh, again []string
	for i := range told {
		c := told[i].Constraint
		world := c.World()
		if !h.disclosed[c.String()] {
			h.disclosed[c.String()] = true
			h.sentences = append(h.sentences, c.Sentence())
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
