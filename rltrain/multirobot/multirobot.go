// Package multirobot scores answers to tasks of several robots (BoxNet) with the reward multirobot, on the
// ground that it was made for: steps in which robots move together, and the proved fewest steps as reference.
//
//	row: task, optimal_steps, answer(s) ─► prompt.ReadPlan, ReadStep ─► the judge ─► reward.Spec ─► score
//	scores ─► Summary: success, pass@1, StepDiff, Para
//	task ─► Game: answer ─► the state after its step ─► ... ─► score
//
// Scoring never searches: a row has its optimum.
package multirobot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/data"
	"github.com/planproof/planproof/domains/boxnet/prompt"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/validator"
)

// Score is the score of one answer.
type Score struct {
	ID         json.RawMessage   `json:"id"`
	Reward     float64           `json:"reward"`
	Components reward.Components `json:"components"`
	Success    bool              `json:"success"`
	Reason     boxnet.Reason     `json:"reason"`
	Step       int               `json:"step"`
	// Message says in words what is wrong, with the place in the answer if it cannot be read.
	Message string `json:"message,omitempty"`
	Steps   int    `json:"steps"`
	// StepDiff is the steps less the fewest, of a plan that succeeds; AStarDiff likewise less those of the
	// paper's search, if the row has "astar_steps".
	StepDiff  *int               `json:"step_diff"`
	AStarDiff *int               `json:"astar_diff,omitempty"`
	ParaMax   int                `json:"para_max"`
	ParaMean  float64            `json:"para_mean"`
	Reading   boxnet.Reading     `json:"reading"`
	Verdict   *validator.Verdict `json:"verdict"`
}

// Options of Run.
type Options struct {
	Reading boxnet.Reading
	Spec    *reward.Spec // nil: multirobot
	Workers int
}

// request is what a row holds beside its task.
type request struct {
	steps, astar *int
	proved       bool
	response     string
	turns        []string // of a plan that is made step by step
	stepwise     bool
	reading      boxnet.Reading // of the row
}

// Run scores rows, in order. A row has map, robots, objects, optimal_steps (with "proved": true), and "response", a whole plan, or
// "responses", the steps of a plan that was made turn by turn. Rows that cannot be scored are answered
// with {"id", "error"} and counted.
func Run(ctx context.Context, in io.Reader, out io.Writer, opt Options) (*Summary, error) {
	if opt.Spec == nil {
		spec, err := reward.Find("multirobot", nil)
		if err != nil {
			return nil, err
		}
		opt.Spec = spec
	}
	sum := &Summary{}
	var mu sync.Mutex
	bad, err := data.Each(ctx, in, out, opt.Workers, func(_ context.Context, line *rowstream.Line) ([]byte, error) {
		s, err := opt.score(line)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		sum.add(line.Row, s)
		return append(rowjson.Append(nil, s), '\n'), nil
	})
	sum.Errors = bad
	return sum, err
}

func (opt *Options) score(line *rowstream.Line) (*Score, error) {
	in, err := boxnet.ReadInstance(line.Text, true)
	if err != nil {
		return nil, err
	}
	req, err := readRequest(line.Text)
	if err == nil {
		err = in.CheckReading(opt.Reading)
	}
	if err != nil {
		return nil, err
	}
	j := boxnet.NewJudge(in, opt.Reading)
	think, res, readable := req.judge(j)
	s := opt.rate(req, think, res, readable)
	s.ID = data.RowID(line)
	return s, nil
}

// judge reads and judges what was answered. Of a plan made turn by turn the first turn that cannot be read is the
// fault of its step, and turns after the goal are not looked at.
func (r *request) judge(j *boxnet.Judge) (think bool, res *boxnet.Result, readable bool) {
	if !r.stepwise {
		a := prompt.ReadPlan(r.response)
		return a.Think, j.JudgeRead(a.Plan, a.At, a.Err), a.Err == nil
	}
	g := newGame(j, r, Options{}, len(r.turns))
	for _, turn := range r.turns {
		g.Take(turn)
	}
	return g.result()
}

// rate evaluates the reward on what was found.
func (opt *Options) rate(req *request, think bool, res *boxnet.Result, readable bool) *Score {
	v := res.Verdict
	status := extract.StatusNoPlan
	if readable {
		status = extract.StatusPlan
	}
	e := &reward.Evidence{
		Verdict: v, Extraction: &extract.Extraction{Status: status}, Format: reward.Format{Think: think, Text: true, Plan: readable},
		Gold: reward.Gold{Steps: int64(*req.steps), HasSteps: true},
	}
	s := &Score{Success: v.Valid, Reason: res.Reason, Step: res.Step, Steps: v.Executed, ParaMax: res.ParaMax, ParaMean: res.ParaMean(), Reading: opt.Reading, Verdict: v}
	s.Reward, s.Components = opt.Spec.Eval(e)
	if v.Failure != nil {
		s.Message = v.Failure.Message
		return s
	}
	diff := v.Executed - *req.steps
	s.StepDiff = &diff
	if req.astar != nil {
		diff := v.Executed - *req.astar
		s.AStarDiff = &diff
	}
	return s
}

// readRequest reads the members of a row that are not its task.
func readRequest(row []byte) (*request, error) {
	r, answers, err := readMembers(row)
	if err == nil && answers != 1 {
		err = rowjson.Errorf(rowjson.CodeMissing, "", `the row needs "response", a whole plan, or "responses", one for each step`)
	}
	if err == nil {
		err = r.check()
	}
	return r, err
}

// readTask is readRequest for a row without answers.
func readTask(row []byte) (*request, error) {
	r, _, err := readMembers(row)
	if err == nil {
		err = r.check()
	}
	return r, err
}

// check refuses a row whose optimum is not known.
func (r *request) check() error {
	if r.steps == nil || *r.steps < 0 || !r.proved {
		return rowjson.Errorf(rowjson.CodeMissing, "optimal_steps", `the row needs "optimal_steps" with "proved": true, as boxnet solve writes them: scoring never searches`)
	}
	return nil
}

func readMembers(row []byte) (r *request, answers int, err error) {
	r = &request{}
	err = rowjson.EachMember(row, func(name string, value []byte) (err error) {
		switch name {
		case "reading":
			var text string
			if err = rowjson.Unmarshal(value, &text, false); err == nil {
				r.reading, err = boxnet.ParseReading(text)
			}
		case "optimal_steps":
			err = rowjson.Unmarshal(value, &r.steps, false)
		case "astar_steps":
			err = rowjson.Unmarshal(value, &r.astar, false)
		case "proved":
			r.proved = string(value) == "true"
		case "response":
			answers++
			err = rowjson.Unmarshal(value, &r.response, false)
		case "responses":
			answers++
			r.stepwise = true
			err = rowjson.Unmarshal(value, &r.turns, false)
		}
		return rowjson.At(rowjson.CodeType, name, err)
	})
	if r.reading == "" {
		r.reading = boxnet.Default
	}
	return r, answers, err
}

// taskKey groups the answers to one task: by its id.
func taskKey(id json.RawMessage) string { return string(bytes.TrimSpace(id)) }
