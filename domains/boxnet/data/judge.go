package data

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/domains/boxnet/prompt"
	"github.com/planproof/planproof/validator"
)

// JudgeOptions of Judge.
type JudgeOptions struct {
	joint.Options
	Level  joint.Level // of feedback; "" for none
	Repair bool
}

// Judged is a verdict on a plan, with what was asked for beside it.
type Judged struct {
	ID       string             `json:"id"`
	Verdict  *validator.Verdict `json:"verdict"`
	Reason   boxnet.Reason      `json:"reason"`
	Step     int                `json:"step"`
	Moves    int                `json:"moves"`
	ParaMax  int                `json:"para_max"`
	ParaMean float64            `json:"para_mean"`
	Duration float64            `json:"duration"`
	Reading  boxnet.Reading     `json:"reading"`
	Feedback string             `json:"feedback,omitempty"`
	// Repair is a valid plan with the same good steps, if asked for and found.
	Repair boxnet.Plan `json:"repair,omitempty"`
}

// Judge judges a plan: a JSON list of steps, or a whole answer with thoughts and a block of JSON.
func Judge(ctx context.Context, id string, in *boxnet.Instance, text string, opt JudgeOptions) (*Judged, error) {
	j := boxnet.NewJudge(in, opt.Reading)
	plan, at, err := boxnet.ReadPlan([]byte(strings.TrimSpace(text)))
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		a := prompt.ReadPlan(text)
		plan, at, err = a.Plan, a.At, a.Err
	}
	res := j.JudgeRead(plan, at, err)
	out := &Judged{
		ID: id, Verdict: res.Verdict, Reason: res.Reason, Step: res.Step, Moves: res.Moves, ParaMax: res.ParaMax,
		ParaMean: res.ParaMean(), Duration: res.Duration, Reading: opt.Reading,
	}
	if opt.Level != "" {
		if out.Feedback, err = joint.Feedback(ctx, j, plan, res, opt.Level, opt.Options); err != nil {
			return nil, err
		}
	}
	if opt.Repair && !res.Verdict.Valid {
		if out.Repair, err = joint.Repair(ctx, j, plan, res, opt.Options); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// WriteText writes the verdict for people.
func (d *Judged) WriteText(w io.Writer) (err error) {
	if d.Feedback != "" {
		_, err = fmt.Fprintln(w, d.Feedback)
	} else {
		err = d.Verdict.WriteText(w)
	}
	if err == nil && d.Repair != nil {
		_, err = fmt.Fprintf(w, "a plan of %d steps with the same beginning:\n%s\n", len(d.Repair), d.Repair.Text())
	}
	return err
}
