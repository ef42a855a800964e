package episode

import (
	"context"
	"math"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// ModelOptions say how a model is asked.
type ModelOptions struct {
	Templates   string // of the domain, "" for the first
	Temperature float64
	TopP        float64
	MaxTokens   int
}

// Rules are the rules of an episode in words, after the prompt of its task.
const Rules = "\n\nThere may be constraints that you are not told. If your plan violates some, you learn which, and give a new plan, whole, in the same format."

// modelAgent asks a language model: the task first, then its answers with what was said about them.
type modelAgent struct {
	m        model.Model
	prob     *pddl.Problem
	reader   *extract.Reader
	opt      ModelOptions
	seed     int64
	messages []prompt.Message
}

// newModelAgent makes an agent of a model. An error of the model ends an episode without a score (see [Row]).
func newModelAgent(ctx context.Context, m model.Model, prob *pddl.Problem, seed uint64, o ModelOptions) (Agent, error) {
	rec, err := prompt.Make(ctx, prompt.Task{ID: prob.Name, Problem: prob}, prompt.Options{NoGold: true, Seed: 1, Templates: o.Templates})
	if err != nil {
		return nil, err
	}
	rec.Prompt.Text += Rules
	return &modelAgent{m: m, prob: prob, reader: extract.NewReader(prob.Domain, prob, extract.Natural), opt: o, seed: int64(seed & math.MaxInt64), messages: rec.Prompt.Messages()}, nil
}

// Plan implements Agent.
func (a *modelAgent) Plan(ctx context.Context, turns []Turn) (p Proposal, err error) {
	messages := a.messages
	for i := range turns {
		messages = append(messages[:len(messages):len(messages)],
			prompt.Message{Role: "assistant", Content: turns[i].Response}, prompt.Message{Role: "user", Content: turns[i].Feedback})
	}
	req := &model.Request{
		Input: model.InputOf(a.m, messages), Seed: &a.seed, Sample: len(turns), Temperature: a.opt.Temperature, TopP: a.opt.TopP, MaxTokens: a.opt.MaxTokens, Problem: a.prob,
	}
	resp, err := a.m.Generate(ctx, req)
	if err != nil {
		return p, err
	}
	s := &resp.Samples[0]
	x := a.reader.Extract(s.Text)
	p.Response = s.Text
	switch {
	case x.Status == extract.StatusPlan:
		p.Plan = strings.Split(strings.TrimSuffix(x.PlanText(), "\n"), "\n")
	case s.Truncated():
		p.Fault = "Your answer was cut off before it held a whole plan."
	default:
		p.Fault = "Your answer does not hold one plan: " + string(x.Status) + "."
	}
	return p, nil
}
