package debugger

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/validator"
	"github.com/planproof/planproof/validator/timeline"
)

// PlanFile is the reader that takes an answer for the text of a plan file.
const PlanFile extract.Kind = "plan"

// answerIn is an answer to be judged.
type answerIn struct {
	taskIn
	Answer string       `json:"answer"`
	Reader extract.Kind `json:"reader"` // natural (default), strict or plan
	Reward string       `json:"reward"` // of score; valid by default
}

// judged is what the page shows about an answer.
type judged struct {
	Reading planproof.Extraction `json:"reading"`
	// Text is the plan that was judged, one step a line.
	Text        string             `json:"text"`
	Verdict     *planproof.Verdict `json:"verdict"`
	Explanation string             `json:"explanation"` // in words
	// Steps are the plan's, in the order of the answer.
	Steps []step `json:"steps"`
	// Start is the initial state; States says why there are no states, if there are none.
	Start  *scene `json:"start,omitempty"`
	States string `json:"states,omitempty"`
	// Timeline is a picture of a plan with times or numbers that change, as SVG.
	Timeline string `json:"timeline,omitempty"`
}

// read finds the plan of an answer.
func (in *answerIn) read(t *planproof.Task) (*planproof.Extraction, string, error) {
	switch in.Reader {
	case "", planproof.Natural, planproof.Strict:
		x := planproof.Extract(t, in.Answer, planproof.ExtractOptions{Reader: in.Reader})
		return x, x.PlanText(), nil
	case PlanFile:
		return planFile(in.Answer), in.Answer, nil
	}
	return nil, "", fmt.Errorf("reader %q: it is natural, strict or plan", in.Reader)
}

// planFile is the reading of a plan file: its steps with their lines. Text that is no plan has none, and the
// judge says why.
func planFile(text string) *planproof.Extraction {
	x := &planproof.Extraction{Reader: PlanFile, Status: extract.StatusPlan, Reading: "plan-file", Confidence: extract.ConfidenceHigh, Plan: []string{}}
	src := pddl.NewSource("plan", text)
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		return x
	}
	for i := range plan.Steps {
		st := &plan.Steps[i]
		line, _ := src.LineCol(st.Pos)
		x.Plan = append(x.Plan, st.String())
		x.Lines = append(x.Lines, line)
	}
	return x
}

func (c *call) judge(in *answerIn) (any, error) {
	t, err := c.read(&in.taskIn)
	if err != nil {
		return nil, err
	}
	x, text, err := in.read(t)
	if err != nil {
		return nil, err
	}
	out := &judged{Reading: *x, Text: text, Steps: []step{}}
	if out.Verdict, err = planproof.Explain(c.ctx, t, text); err != nil {
		return nil, err
	}
	critic, err := feedback.NewCritic(c.ctx, t.Problem, feedback.Options{})
	if err != nil {
		return nil, err
	}
	out.Explanation = strings.TrimSpace(critic.Explain(out.Verdict))
	out.Steps = steps(x, out.Verdict)
	c.walk(t, out)
	out.Timeline, err = c.timeline(t, text)
	return out, err
}

// timeline draws a plan with times, or with numbers that change; "" for others.
func (c *call) timeline(t *planproof.Task, text string) (string, error) {
	plan, diags := pddl.ParsePlan(pddl.NewSource("plan", text))
	if diags.HasErrors() {
		return "", nil
	}
	j, err := validator.NewJudgeContext(c.ctx, t.Problem, validator.Options{})
	if err != nil {
		return "", err
	}
	s := j.NewScratch()
	s.Context = c.ctx
	if h := j.History(plan, s); !j.Timed() && len(h.Curves) == 0 || len(h.Spans) == 0 {
		return "", nil
	}
	var b strings.Builder
	err = timeline.New(j, plan, s).WriteSVG(&b)
	return b.String(), err
}

// scored is the reward of an answer.
type scored struct {
	Score   *planproof.Scored `json:"score"`
	Optimum *pipeline.Report  `json:"optimum,omitempty"`
}

func (c *call) score(in *answerIn) (any, error) {
	t, err := c.read(&in.taskIn)
	if err != nil {
		return nil, err
	}
	spec, err := reward.Find(cmp.Or(in.Reward, "valid"), nil)
	if err != nil {
		return nil, err
	}
	opt, answer := planproof.ScoreOptions{Reward: in.Reward, Reader: in.Reader}, in.Answer
	if in.Reader == PlanFile {
		opt.Reader, answer = planproof.Strict, "```plan\n"+strings.TrimSpace(answer)+"\n```\n"
	}
	if spec.NeedsGold() {
		ctx, cancel := context.WithTimeout(c.ctx, c.left()*8/10)
		defer cancel()
		opt.Best, err = planproof.Solve(ctx, t, planproof.SolveOptions{Time: c.left() * 8 / 10, Memory: c.opt.Memory})
		if err != nil && c.ctx.Err() != nil {
			return nil, err
		}
	}
	s, err := planproof.Score(c.ctx, t, answer, opt)
	if err != nil {
		return nil, err
	}
	return &scored{Score: s}, nil
}

func (c *call) solve(in *taskIn) (any, error) {
	t, err := c.read(in)
	if err != nil {
		return nil, err
	}
	r, err := pipeline.Prove(c.ctx, t.Problem, pipeline.Question{Time: c.left(), Memory: c.opt.Memory})
	if err != nil {
		return nil, err
	}
	return &r.Report, nil
}

// planIn is a plan, one step a line.
type planIn struct {
	taskIn
	Plan string `json:"plan"`
}

func (c *call) repair(in *planIn) (any, error) {
	t, err := c.read(&in.taskIn)
	if err != nil {
		return nil, err
	}
	r, err := feedback.NewRepairer(c.ctx, t.Problem, c.limits())
	if err != nil {
		return nil, err
	}
	p, err := r.Propose(c.ctx, pddl.NewSource("plan", in.Plan), c.limits())
	if err != nil {
		return nil, err
	}
	return p, nil
}
