package reproduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// taskBytes bounds the texts of tasks that are kept.
const taskBytes = 16 << 20

// bundledTasks makes tasks of a bundled kind.
func bundledTasks(kind string, params map[string]int, seed uint64, count int) ([]prompt.Task, error) {
	made, err := domains.Generate(kind, domains.GenerateOptions{Params: params, Seed: seed, Count: count})
	if err != nil {
		return nil, err
	}
	refs := taskref.NewResolver(taskref.Options{CacheBytes: taskBytes})
	tasks := make([]prompt.Task, len(made))
	for i, t := range made {
		p, diags := refs.Parse(taskref.KeyOf(t.Domain, t.Problem), pddl.Options{})
		if diags.HasErrors() {
			return nil, diags
		}
		tasks[i] = prompt.Task{ID: t.Name, Bundled: t.Name, Problem: p}
	}
	return tasks, nil
}

// blocksTasks makes tasks of so many blocks.
func blocksTasks(blocks int, seed uint64, count int) ([]prompt.Task, error) {
	return bundledTasks("blocksworld", map[string]int{"blocks": blocks}, seed, count)
}

// answer is what a model made of a task.
type answer struct {
	attempts int // until a plan could be read, at most as many as are allowed
	valid    bool
	steps    int // of the plan
	gold     int // steps of a cheapest plan
	away     int // steps of a shortest plan from the state after the last step that can be carried out
}

// thesisAttempts is how often the thesis asks until a plan can be read.
const thesisAttempts = 3

// ask puts tasks to the model, with one example and an incantation, each up to some attempts until a plan can be read.
// An answer that does not come is an error: it is no score.
func (o *Options) ask(ctx context.Context, tasks []prompt.Task, incantation string, attempts int) ([]answer, error) {
	var answers []answer
	for _, t := range tasks {
		a, err := o.askOne(ctx, t, incantation, attempts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.ID, err)
		}
		answers = append(answers, *a)
	}
	return answers, nil
}

func (o *Options) askOne(ctx context.Context, t prompt.Task, incantation string, attempts int) (*answer, error) {
	rec, err := prompt.Make(ctx, t, prompt.Options{Style: prompt.StyleNL, Shots: 1, Seed: o.Seed, Incantation: incantation, Limits: o.Limits})
	if err != nil {
		return nil, err
	}
	best, err := world.Solve(ctx, t.Problem, o.Limits)
	if err != nil {
		return nil, err
	}
	a := &answer{gold: len(best.Plan), away: len(best.Plan)}
	reader := extract.NewReader(t.Problem.Domain, t.Problem, extract.Natural)
	for a.attempts < attempts {
		response, err := o.Model.Generate(ctx, &model.Request{
			Input: model.InputOf(o.Model, rec.Prompt.Messages()), Sample: a.attempts, Temperature: o.Temperature, MaxTokens: o.MaxTokens, Problem: t.Problem,
		})
		if err != nil {
			return nil, err
		}
		a.attempts++
		x := reader.Extract(response.Samples[0].Text)
		if x.Status != extract.StatusPlan {
			continue
		}
		return a, o.grade(ctx, t.Problem, &x, a)
	}
	return a, nil
}

// grade judges the plan of an answer.
func (o *Options) grade(ctx context.Context, prob *pddl.Problem, x *extract.Extraction, a *answer) error {
	if len(x.Malformed) > 0 {
		return nil
	}
	v, err := world.Judge(prob, x.Plan)
	if err != nil {
		return err
	}
	a.valid, a.steps, a.away = v.Valid, v.Steps, 0
	if v.Valid {
		return nil
	}
	w, err := world.New(ctx, prob, o.Limits)
	if err != nil {
		return err
	}
	st, err := w.After(x.Plan[:v.Executed])
	if err != nil {
		return err
	}
	left, err := world.WithState(prob, w.Facts(st))
	if err != nil {
		return err
	}
	rest, err := world.Solve(ctx, left, o.Limits)
	if err == nil {
		a.away = len(rest.Plan)
	}
	return err
}

// solved counts the tasks that the model solves at the first attempt.
func (o *Options) solved(ctx context.Context, tasks []prompt.Task, incantation string) (n int, err error) {
	answers, err := o.ask(ctx, tasks, incantation, 1)
	for _, a := range answers {
		if a.valid {
			n++
		}
	}
	return n, err
}

// mode is the most frequent number, the least of several.
func mode(list []int) (best int) {
	counts := map[int]int{}
	for _, x := range list {
		counts[x]++
	}
	for i, x := range list {
		if i == 0 || counts[x] > counts[best] || counts[x] == counts[best] && x < best {
			best = x
		}
	}
	return best
}

func meanOf(list []int) float64 {
	sum := 0
	for _, x := range list {
		sum += x
	}
	return float64(sum) / float64(max(1, len(list)))
}

// quartiles are the least number, the quartiles and the greatest one, of a list that is not empty.
func quartiles(list []int) (q [5]int) {
	sorted := slices.Sorted(slices.Values(list))
	for k := range q {
		q[k] = sorted[k*(len(sorted)-1)/4]
	}
	return q
}
