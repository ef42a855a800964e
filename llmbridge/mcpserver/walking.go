package mcpserver

import (
	"slices"
	"strings"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

type stepsIn struct {
	taskIn
	limits
	Steps []string `json:"steps,omitempty" jsonschema:"the steps so far, such as (stack a b); with a session: further ones after its own"`
}

type applyIn struct {
	stepsIn
	Step string `json:"step" jsonschema:"the step to apply after them"`
}

// place is where steps have led: what holds, what can come next, and the verdict on the steps as a plan.
type place struct {
	Session string             `json:"session,omitempty"`
	Steps   []string           `json:"steps"`
	Verdict *planproof.Verdict `json:"verdict" jsonschema:"of the steps so far as a plan: valid once the goal is reached"`
	Actions []string           `json:"actions" jsonschema:"the steps that can come next"`
	Facts   []string           `json:"facts,omitempty" jsonschema:"what holds; absent for tasks with numeric conditions"`
	Added   []string           `json:"added,omitempty" jsonschema:"facts that the last call made true"`
	Deleted []string           `json:"deleted,omitempty" jsonschema:"facts that the last call made false"`
}

// regret says how much more a cheapest plan with the steps so far costs than a cheapest plan.
type regret struct {
	Verdict    *planproof.Verdict `json:"verdict" jsonschema:"of the steps so far as a plan"`
	Optimum    pipeline.Report    `json:"optimum" jsonschema:"the answer of solve for the task"`
	Completion *feedback.Proposal `json:"completion,omitempty" jsonschema:"the cheapest plan with the longest prefix of the steps from which the goal can be reached"`
	DeadEnd    bool               `json:"dead_end" jsonschema:"no plan goes on from here"`
	Regret     *string            `json:"regret" jsonschema:"null where it is not known, or there is no plan from here"`
	Proven     bool               `json:"proven" jsonschema:"regret and dead_end are exact; otherwise a limit came first"`
}

func (s *Server) addWalking() {
	add[stepsIn, constrain.MaskReport](s, "applicable",
		"List the steps that can come after the steps so far, and whether the goal holds. Steps that cannot be executed are an error in the answer.",
		func(c *call, in *stepsIn) (any, error) {
			_, m, steps, err := c.walkOf(in)
			if err != nil {
				return nil, err
			}
			r, err := m.Report(steps)
			if err == nil && r.Actions == nil {
				r.Actions = []string{}
			}
			return r, err
		})
	add[applyIn, place](s, "apply",
		"Apply a step after the steps so far, without a session: what changed, what holds, what can come next.",
		func(c *call, in *applyIn) (any, error) {
			t, m, steps, err := c.walkOf(&in.stepsIn)
			if err != nil {
				return nil, err
			}
			if _, err := c.plan([]string{in.Step}); err != nil {
				return nil, err
			}
			return c.placeOf(t, m, append(slices.Clone(steps), in.Step), len(steps))
		})
	add[stepsIn, regret](s, "regret",
		"Say what the steps so far have cost beyond a cheapest plan: the cheapest plan that begins with them less the cheapest plan, "+
			"both proven, or that they lead into a dead end.",
		(*call).regret)
}

// walkOf returns the task, its steps so far and what executes them.
func (c *call) walkOf(in *stepsIn) (*planproof.Task, *constrain.Masker, []string, error) {
	if _, err := c.plan(in.Steps); err != nil {
		return nil, nil, nil, err
	}
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, nil, nil, err
	}
	if in.Session != "" {
		w, err := c.space.walk(in.Session)
		if err != nil {
			return nil, nil, nil, err
		}
		steps := append(w.taken(), in.Steps...)
		_, err = c.plan(steps)
		return t, w.masker.Within(c.ctx), steps, err
	}
	m, err := c.masker(t)
	return t, m, in.Steps, err
}

func (c *call) masker(t *planproof.Task) (*constrain.Masker, error) {
	m, err := constrain.NewMasker(c.ctx, t.Problem, constrain.MaskOptions{Limits: search.Limits{Memory: c.lim.bytes(), Wall: c.left()}})
	if err != nil {
		return nil, err
	}
	return m.Within(c.ctx), nil
}

// placeOf executes steps, of which those from the given number on are new.
func (c *call) placeOf(t *planproof.Task, m *constrain.Masker, steps []string, old int) (*place, error) {
	before, done, err := m.After(steps[:old])
	if err != nil {
		return nil, c.stepFailed(done, err)
	}
	after := before
	for i, step := range steps[old:] {
		if after, err = m.Step(after, step); err != nil {
			return nil, c.stepFailed(old+i, err)
		}
	}
	p := &place{Steps: slices.Clone(steps)}
	if p.Verdict, err = planproof.Judge(c.ctx, t, strings.Join(steps, "\n")); err != nil {
		return nil, err
	}
	if f := p.Verdict.Failure; f != nil && f.Step > 0 {
		return nil, problem(Internal, "report it, with the task", "the judge refuses a step that could be executed: %s", f.Message)
	}
	if p.Actions, err = m.Actions(after); err != nil {
		return nil, err
	}
	was := m.Facts(before)
	p.Facts = m.Facts(after)
	p.Added, p.Deleted = atomtext.Gained(was, p.Facts), atomtext.Gained(p.Facts, was)
	if p.Actions == nil {
		p.Actions = []string{}
	}
	if p.Steps == nil {
		p.Steps = []string{}
	}
	return p, nil
}

// stepFailed says which step could not be executed.
func (c *call) stepFailed(done int, err error) error {
	p := *problemOf(c.ctx, err)
	if p.Code == BadStep {
		p = *problem(BadStep, p.Do, "step %d: %v", done+1, err)
	}
	return &p
}

func (c *call) regret(in *stepsIn) (any, error) {
	var steps []string
	if in.Session != "" {
		w, err := c.space.walk(in.Session)
		if err != nil {
			return nil, err
		}
		steps = w.taken()
	}
	plan, err := c.plan(append(steps, in.Steps...))
	if err != nil {
		return nil, err
	}
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, err
	}
	if err := validator.Untimed(t.Problem); err != nil {
		return nil, err
	}
	out := &regret{}
	if out.Verdict, err = planproof.Judge(c.ctx, t, plan.String()); err != nil {
		return nil, err
	}
	if f := out.Verdict.Failure; f != nil && f.Step > 0 {
		return nil, problem(BadStep, "leave out the steps from this one on, or call explain", "%s", f.Message)
	}
	best, err := pipeline.Prove(c.ctx, t.Problem, pipeline.Question{Time: c.left() / 2, Memory: c.lim.bytes()})
	if err != nil {
		return nil, err
	}
	out.Optimum = best.Report
	switch best.Report.Status {
	case search.Unsolvable:
		out.DeadEnd, out.Proven = true, true
		return out, nil
	case search.SolvedOptimally:
	default:
		return out, nil
	}
	r, err := feedback.NewRepairer(c.ctx, t.Problem, search.Limits{Memory: c.lim.bytes(), Wall: c.left()})
	if err != nil {
		return nil, err
	}
	if out.Completion, err = r.Complete(c.ctx, plan, search.Limits{Memory: c.lim.bytes(), Wall: c.left()}); err != nil {
		return nil, err
	}
	if p := out.Completion; p.Status == feedback.ProposalFound && p.Proven {
		out.Proven = true
		if out.DeadEnd = p.Kept < len(plan.Steps); !out.DeadEnd {
			cost, ok := pddl.ParseNumber(p.Cost)
			if !ok {
				return nil, problem(Internal, "report it, with the task", "the cost %q is no number", p.Cost)
			}
			more := cost.Sub(best.Cost).String()
			out.Regret = &more
		}
	}
	return out, nil
}
