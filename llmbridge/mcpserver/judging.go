package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

type planIn struct {
	taskIn
	limits
	Plan planText `json:"plan" jsonschema:"the plan, one step a line, or a list of steps: (stack a b)"`
}

// planText is a plan as a text or as a list of steps.
type planText string

// UnmarshalJSON implements json.Unmarshaler. The schema has been checked before.
func (p *planText) UnmarshalJSON(raw []byte) error {
	text, err := rowjson.String(raw)
	if err != nil {
		var steps []string
		if err := rowjson.Unmarshal(raw, &steps, false); err != nil {
			return err
		}
		text = strings.Join(steps, "\n")
	}
	*p = planText(text)
	return nil
}

// judgement is planproof.Judge or planproof.Explain.
type judgement = func(ctx context.Context, t *planproof.Task, plan string) (*planproof.Verdict, error)

type checkIn struct {
	DomainText   string   `json:"domain_text" jsonschema:"PDDL text of the domain"`
	ProblemTexts []string `json:"problem_texts,omitempty" jsonschema:"PDDL texts of problems of that domain"`
	Strict       bool     `json:"strict,omitempty" jsonschema:"deviations from the standard are errors"`
}

type explainIn struct {
	planIn
	Style string `json:"style,omitempty" jsonschema:"nl (default) writes in sentences, pddl in atoms"`
}

type explained struct {
	Text    string             `json:"text"`
	Verdict *planproof.Verdict `json:"verdict"`
}

type gradeIn struct {
	taskIn
	limits
	Answer string `json:"answer" jsonschema:"what the model wrote, with its plan somewhere in it"`
	Reward string `json:"reward,omitempty" jsonschema:"how to reward: valid (default), process, cost-ratio, ..."`
	Reader string `json:"reader,omitempty" jsonschema:"natural (default) reads what models write unasked, strict takes the answer contract"`
	Best   bool   `json:"best,omitempty" jsonschema:"find the best plan first, for rewards that compare with it"`
}

func (s *Server) addJudging() {
	add[checkIn, pddl.CheckReport](s, "check",
		"Parse and type-check a PDDL domain and problems of it. Reports every error with its place and a hint.",
		(*call).check)
	add[planIn, verdictShape](s, "validate",
		"Judge a plan exactly: valid or not, the cost, the first failing step and why. A plan that cannot be read is invalid.",
		func(c *call, in *planIn) (any, error) {
			_, v, err := c.judge(in, planproof.Judge)
			return v, err
		})
	add[explainIn, explained](s, "explain",
		"Say in words why a plan fails: the unmet conditions, which step broke them, what the state was.",
		(*call).explain)
	add[planIn, repairShape](s, "repair",
		"Judge a plan and propose the nearest valid plan and the cheapest completion of its longest good prefix, each judged.",
		(*call).repair)
	add[gradeIn, scoreShape](s, "grade",
		"Score an answer of a language model: read the plan that it commits to, judge it, reward it. No reward where nothing was decided.",
		(*call).grade)
}

func (c *call) check(in *checkIn) (any, error) {
	if err := c.sizes(append(in.ProblemTexts, in.DomainText)...); err != nil {
		return nil, err
	}
	var problems []*pddl.Source
	for i, text := range in.ProblemTexts {
		problems = append(problems, pddl.NewSource(fmt.Sprintf("problem_texts[%d]", i), text))
	}
	return pddl.Check(pddl.NewSource("domain_text", in.DomainText), problems, nil, pddl.Options{Strict: in.Strict}), nil
}

// judge reads the task and judges the plan.
func (c *call) judge(in *planIn, how judgement) (*planproof.Task, *planproof.Verdict, error) {
	if err := c.sizes(string(in.Plan)); err != nil {
		return nil, nil, err
	}
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, nil, err
	}
	v, err := how(c.ctx, t, string(in.Plan))
	return t, v, err
}

func (c *call) explain(in *explainIn) (any, error) {
	t, v, err := c.judge(&in.planIn, planproof.Explain)
	if err != nil {
		return nil, err
	}
	switch in.Style {
	case "", "nl":
		critic, err := feedback.NewCritic(c.ctx, t.Problem, feedback.Options{})
		if err != nil {
			return nil, err
		}
		return &explained{strings.TrimSpace(critic.Explain(v)), v}, nil
	case "pddl":
		var b strings.Builder
		err := validator.Explain(v, &b)
		return &explained{strings.TrimSpace(b.String()), v}, err
	}
	return nil, fmt.Errorf("style %q: it is nl or pddl", in.Style)
}

func (c *call) repair(in *planIn) (any, error) {
	t, v, err := c.judge(in, planproof.Judge)
	if err != nil {
		return nil, err
	}
	r, err := feedback.NewRepairer(c.ctx, t.Problem, search.Limits{Memory: c.lim.bytes(), Wall: c.left()})
	if err != nil {
		return nil, err
	}
	p, err := r.Propose(c.ctx, pddl.NewSource("plan", string(in.Plan)), search.Limits{Memory: c.lim.bytes(), Wall: c.left()})
	if err != nil {
		return nil, err
	}
	return json.RawMessage(p.AddTo(v.AppendJSON(nil, nil))), nil
}

// left is what is left of the call's time, for work that ends with what it knows by then.
func (c *call) left() time.Duration {
	deadline, _ := c.ctx.Deadline()
	return max(time.Until(deadline)*9/10, time.Millisecond)
}

func (c *call) grade(in *gradeIn) (any, error) {
	if err := c.sizes(in.Answer); err != nil {
		return nil, err
	}
	if _, err := reward.Find(cmp.Or(in.Reward, "valid"), nil); err != nil {
		return nil, err
	}
	opt := planproof.ScoreOptions{Reward: in.Reward, Reader: extract.Kind(in.Reader)}
	if r := opt.Reader; r != "" && r != planproof.Strict && r != planproof.Natural {
		return nil, fmt.Errorf("reader %q: it is natural or strict", in.Reader)
	}
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, err
	}
	if in.Best {
		if opt.Best, err = planproof.Solve(c.ctx, t, planproof.SolveOptions{Time: c.left(), Memory: c.lim.bytes()}); err != nil {
			return nil, err
		}
		if s := opt.Best.Status; s != search.SolvedOptimally {
			return nil, problem(Limit, doAsk, "the best plan is not known: %s %s", s, opt.Best.Reason)
		}
	}
	score, err := planproof.Score(c.ctx, t, in.Answer, opt)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(score.AppendRow(nil)), nil
}
