package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/domains/boxnet/prompt"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
)

// TraceOptions of Traces.
type TraceOptions struct {
	joint.Options
	// Replan asks for a conversation of many turns in place of one answer.
	Replan  bool
	Workers int
}

// Example is a row for supervised training: a conversation in which the answers are thoughts and a
// plan with the fewest steps.
type Example struct {
	ID         json.RawMessage `json:"id"`
	Split      string          `json:"split"`
	Structure  string          `json:"structure"`
	Mode       string          `json:"mode"` // "fullplan" or "replan"
	Messages   []Message       `json:"messages"`
	Steps      int             `json:"optimal_steps"`
	Proved     bool            `json:"proved"`
	Reach      int             `json:"reach_checks"`
	Collisions int             `json:"collision_checks"`
	Reading    boxnet.Reading  `json:"reading"`
}

// Message is one turn.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Traces solves the tasks of rows and writes a training example for each, in order. Rows that cannot be
// read, and tasks without a plan, are answered with {"id", "error"} and counted.
func Traces(ctx context.Context, in io.Reader, out io.Writer, opt TraceOptions) (bad int, err error) {
	return Each(ctx, in, out, opt.Workers, func(ctx context.Context, line *rowstream.Line) ([]byte, error) {
		task, err := boxnet.ReadInstance(line.Text, true)
		if err != nil {
			return nil, err
		}
		res, err := joint.Solve(ctx, task, opt.Options)
		if err != nil {
			return nil, err
		}
		if res.Status != joint.Solved {
			return nil, errors.New("no plan: " + string(res.Status))
		}
		x, err := example(task, res, opt.Replan)
		if err != nil {
			return nil, err
		}
		x.ID = RowID(line)
		return append(rowjson.Append(nil, x), '\n'), nil
	})
}

func example(in *boxnet.Instance, res *joint.Result, replan bool) (*Example, error) {
	j := boxnet.NewJudge(in, res.Reading)
	structure := in.Structure()
	x := &Example{Structure: structure, Split: splitOf(structure), Mode: "fullplan", Steps: len(res.Plan), Proved: true, Reading: res.Reading}
	if !replan {
		t, err := prompt.TracePlan(j, res.Plan, prompt.TraceOptions{Optimal: true, Lower: res.Lower.Steps})
		if err != nil {
			return nil, err
		}
		x.Messages = []Message{{"user", prompt.FullPlan(in)}, {"assistant", prompt.FullAnswer(t, res.Plan)}}
		x.Reach, x.Collisions = t.Reach, t.Collision
		return x, nil
	}
	x.Mode = "replan"
	st, s := j.Start(), new(boxnet.Scratch)
	for n, step := range res.Plan {
		ask := prompt.Replan(in)
		if n > 0 {
			ask = prompt.Observation(in, st)
		}
		t := prompt.TraceStep(j, st, res.Plan, n)
		x.Messages = append(x.Messages, Message{"user", ask}, Message{"assistant", prompt.StepAnswer(t, step)})
		x.Reach += t.Reach
		x.Collisions += t.Collision
		if f := j.Step(st, step, s); f != nil {
			return nil, fmt.Errorf("step %d is not legal: %s", n+1, f.Words(step))
		}
	}
	return x, nil
}
