package eval

import (
	"context"
	"errors"
	"sync"

	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/validator"
)

// Method is a way to get a plan out of a model by prompting.
type Method struct {
	Name string
	// Prompt makes the question. It must be a function of the task alone.
	Prompt func(ctx context.Context, t *Task) (*prompt.Prompt, error)
	// Rounds is the largest number of answers asked for; 0 means 1. Between two of them
	// stands the feedback.
	Rounds int
	// Feedback words what is wrong with an answer, for the model. Needed for more than one round.
	Feedback FeedbackFunc
	// Grammar, if set, keeps answers inside a language, in a notation that the model takes.
	Grammar func(can model.Capabilities, t *Task) (*model.Grammar, error)
}

// Settings are the same for all requests of a run.
type Settings struct {
	Samples     int // per task; 0 means 1
	Seed        *int64
	Temperature float64
	TopP        float64
	MaxTokens   int
	// OnChunk is handed on to the model (model.Request.OnChunk).
	OnChunk func(model.Chunk)
}

// Round is one answer and what the judge says about it.
type Round struct {
	Response string `json:"response"`
	// Plan is the plan that was read, in PDDL; nil where none was.
	Plan []string `json:"plan,omitempty"`
	Grade
	Feedback string `json:"feedback,omitempty"` // that followed
}

// Ask puts one task to a model. The row's status is that of the last answer, or of the
// reason for which there is none; it is an error only if ctx ended.
func Ask(ctx context.Context, m model.Model, method *Method, t *Task, set *Settings, sample int) (Row, []Round, error) {
	row := Row{Task: t.ID, Model: m.Name(), Method: method.Name, Sample: sample}
	t.prepare()
	if t.judge == nil && (t.Other == nil || t.Problem == nil) {
		row.Status, row.Message = UnreadableTask, t.Err
		return row, nil, nil
	}
	asked, err := method.Prompt(ctx, t)
	if err != nil {
		if ctx.Err() != nil {
			return row, nil, ctx.Err()
		}
		row.Status, row.Message = UnreadableTask, "no prompt: "+err.Error()
		return row, nil, nil
	}
	req := set.request(t, asked, sample)
	if method.Grammar != nil {
		if req.Grammar, err = method.Grammar(m.Capabilities(), t); err != nil {
			row.Status, row.Message = Status(model.KindUnsupported), "no grammar: "+err.Error()
			return row, nil, nil
		}
	}
	rounds, err := method.ask(ctx, m, t, req, asked.Messages(), &row)
	return row, rounds, err
}

// request is a question to a model, but for the messages.
func (set *Settings) request(t *Task, asked *prompt.Prompt, sample int) *model.Request {
	req := &model.Request{
		Sample: sample, Stop: asked.Stop, Temperature: set.Temperature, TopP: set.TopP, MaxTokens: set.MaxTokens,
		Problem: t.Problem, OnChunk: set.OnChunk,
	}
	if set.Seed != nil {
		seed := *set.Seed + int64(sample)
		req.Seed = &seed
	}
	return req
}

// ask asks until an answer is right, cannot be graded, or was the last one, and leaves the grade
// of the last one in the row.
func (method *Method) ask(ctx context.Context, m model.Model, t *Task, req *model.Request, messages []prompt.Message, row *Row) (rounds []Round, err error) {
	usage := &model.Usage{}
	for {
		req.Input = model.InputOf(m, messages)
		resp, err := m.Generate(ctx, req)
		if err != nil {
			if ctx.Err() != nil {
				return rounds, ctx.Err()
			}
			row.Grade = Grade{Status: Status(model.KindOf(err)), Message: message(err)}
			return rounds, nil
		}
		s := &resp.Samples[0]
		grade, plan, verdict := Grade{Status: NoContent, Message: "the server sent no text"}, []string(nil), (*validator.Verdict)(nil)
		if !s.NoText || s.Truncated() {
			grade, plan, verdict = t.grade(s.Text, s.Truncated())
		}
		row.Grade, row.Constrained = grade, resp.Constrained
		row.Rounds++
		if resp.Usage == nil || usage == nil {
			usage = nil
		} else {
			usage.Add(*resp.Usage)
		}
		row.Usage = usage
		rounds = append(rounds, Round{Response: s.Text, Plan: plan, Grade: grade})
		if grade.Correct || !grade.Status.Graded() || row.Rounds >= method.Rounds {
			return rounds, nil
		}
		told := method.Feedback(ctx, t, &grade, plan, verdict)
		rounds[len(rounds)-1].Feedback = told
		messages = append(messages, prompt.Message{Role: "assistant", Content: s.Text}, prompt.Message{Role: "user", Content: told})
	}
}

func message(err error) string {
	var e *model.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// Config is an evaluation run.
type Config struct {
	Models  []model.Model
	Methods []*Method
	Tasks   []*Task
	Settings
	// Parallel is the number of samples in flight; 0 means 4. It changes no result.
	Parallel int
}

// Rows is the number of rows that a run gives.
func (c *Config) Rows() int { return len(c.Models) * len(c.Methods) * len(c.Tasks) * max(1, c.Samples) }

// Run asks every model by every method about every task, and hands the rows to emit in the
// order of models, methods, tasks and samples. The error is that of ctx or of emit.
func Run(ctx context.Context, c *Config, emit func(*Row) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	waiting, next := map[int]Row{}, 0
	for r := range c.askAll(ctx) {
		if r.err != nil || failed != nil {
			if failed == nil {
				failed = r.err
				cancel()
			}
			continue
		}
		waiting[r.i] = r.row
		for {
			row, ok := waiting[next]
			if !ok {
				break
			}
			delete(waiting, next)
			next++
			if failed = emit(&row); failed != nil {
				cancel()
				break
			}
		}
	}
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}

// result is one row of a run, by its number.
type result struct {
	i   int
	row Row
	err error
}

// askAll asks in parallel and gives the rows as they come.
func (c *Config) askAll(ctx context.Context) <-chan result {
	total, samples := c.Rows(), max(1, c.Samples)
	workers := c.Parallel
	if workers <= 0 {
		workers = 4
	}
	jobs, results := make(chan int), make(chan result)
	var wg sync.WaitGroup
	for range min(workers, max(total, 1)) {
		wg.Go(func() {
			for i := range jobs {
				sample, rest := i%samples, i/samples
				task, rest := c.Tasks[rest%len(c.Tasks)], rest/len(c.Tasks)
				method, mod := c.Methods[rest%len(c.Methods)], c.Models[rest/len(c.Methods)]
				row, _, err := Ask(ctx, mod, method, task, &c.Settings, sample)
				results <- result{i, row, err}
			}
		})
	}
	go func() {
		defer close(jobs)
		for i := range total {
			select {
			case jobs <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { wg.Wait(); close(results) }()
	return results
}
