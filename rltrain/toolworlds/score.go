package toolworlds

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/domains/tools"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/itineraries"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

type rowJSON struct {
	Case        json.RawMessage `json:"case"`
	ID          json.RawMessage `json:"id"`
	Group       json.RawMessage `json:"group"`
	Domain      string          `json:"domain_text"`
	Problem     string          `json:"problem_text"`
	Tools       json.RawMessage `json:"tools"`
	Constraints []string        `json:"constraints"`
	Prediction  json.RawMessage `json:"prediction"`
	Response    json.RawMessage `json:"response"`
}

// compiledTask judges answers to one task.
type compiledTask struct {
	runner      *tools.Runner
	kept        *constraints.Judge
	constrained *validator.Judge // of the task whose plans keep the constraints
	list        []constraints.Constraint
}

// compileTask reads and compiles the task of a row. Errors have their member.
func compileTask(ctx context.Context, row *rowJSON) (*compiledTask, error) {
	set, err := tools.ReadSet("tools", row.Tools)
	if err != nil {
		return nil, rowjson.At(rowjson.CodeValue, "tools", err)
	}
	prob, err := read(row.Domain, row.Problem)
	if err != nil {
		return nil, rowjson.At(rowjson.CodeValue, "problem_text", err)
	}
	w := &compiledTask{}
	if w.runner, err = tools.NewRunner(ctx, set, prob, search.Limits{}); err != nil {
		return nil, rowjson.At(rowjson.CodeValue, "tools", err)
	}
	list, diags := constraints.Parse(pddl.NewSource("constraints", strings.Join(row.Constraints, "\n")), prob)
	if diags.HasErrors() {
		return nil, rowjson.At(rowjson.CodeValue, "constraints", diags.Err())
	}
	w.list = list
	task, err := constraints.Compile(prob, list)
	if err == nil {
		if w.constrained, err = validator.NewJudgeContext(ctx, task, validator.Options{}); err == nil {
			w.kept, err = constraints.NewJudge(prob, list)
		}
	}
	return w, rowjson.At(rowjson.CodeValue, "constraints", err)
}

// judgement of an answer.
type judgement struct {
	verdict    *validator.Verdict // under the constraints; never valid where a call cannot be read or made
	faults     []string
	violations []string // constraints
	checks     reward.Checks
}

func (j *judgement) valid() bool { return j.verdict.Valid }

func (w *compiledTask) judge(p *tools.Plan) (*judgement, error) {
	run := w.runner.Judge(p)
	j := &judgement{faults: append([]string{}, p.Faults...)}
	for i := range run.Faults {
		j.faults = append(j.faults, run.Faults[i].String())
	}
	src := pddl.NewSource("calls", strings.Join(run.Steps, "\n"))
	list, err := w.kept.Violations(src)
	if err != nil {
		return nil, err
	}
	for i := range list {
		j.violations = append(j.violations, list[i].Constraint.String())
	}
	plan, _ := pddl.ParsePlan(src)
	j.verdict = w.constrained.Validate(plan)
	j.checks = reward.Checks{Schema: len(j.faults) == 0 && len(p.Steps) > 0, CommonsenseAll: 2, HardAll: len(w.list), Hard: len(w.list) - len(list)}
	if f := run.Verdict.Failure; f == nil || f.Step == 0 {
		j.checks.Commonsense++ // every call can be made
	}
	if run.Verdict.Valid {
		j.checks.Commonsense++ // and they do what is to be done
	}
	if len(j.faults) > 0 && j.verdict.Valid {
		j.verdict = &validator.Verdict{Failure: &validator.Failure{Kind: validator.FailSyntax, Message: j.faults[0]}, Cost: j.verdict.Cost}
	}
	return j, nil
}

// maxTasks bounds the compiled tasks that are kept; groups of answers to one task come together.
const maxTasks = 64

// compiledTasks keeps compiled tasks by their texts.
type compiledTasks struct {
	sync.Mutex
	kept  map[[32]byte]*compiledTask
	order [][32]byte
}

func (c *compiledTasks) find(ctx context.Context, row *rowJSON) (*compiledTask, [32]byte, error) {
	key := sha256.Sum256(rowjson.Append(nil, []any{row.Domain, row.Problem, row.Tools, row.Constraints}))
	c.Lock()
	w := c.kept[key]
	c.Unlock()
	if w != nil {
		return w, key, nil
	}
	w, err := compileTask(ctx, row)
	if err != nil {
		return nil, key, err
	}
	c.Lock()
	defer c.Unlock()
	if c.kept[key] == nil {
		if len(c.order) == maxTasks {
			delete(c.kept, c.order[0])
			c.order = c.order[1:]
		}
		c.kept[key], c.order = w, append(c.order, key)
	}
	return w, key, nil
}

// Score scores rows in order, as [itineraries.Score] does those of travel: {"id", "group", "reward", "components",
// "violations", "status"}. A row has the members of a generated task and the answer, "prediction" or "response".
func Score(ctx context.Context, in io.Reader, w io.Writer, o itineraries.Options) (rows, faults int, err error) {
	cache := &compiledTasks{kept: map[[32]byte]*compiledTask{}}
	return itineraries.AnswerRows(ctx, in, w, o.Workers, func(ctx context.Context, line *rowstream.Line) itineraries.Answer {
		a := itineraries.Answer{}
		var row rowJSON
		a.Err = rowjson.Unmarshal(bytes.TrimRight(line.Text, "\r\n"), &row, false)
		if a.Name = row.Case; a.Name == nil {
			a.Name = row.ID
		}
		a.Group = row.Group
		if row.Prediction == nil {
			row.Prediction = row.Response
		}
		if a.Err == nil && row.Prediction == nil {
			a.Err = errors.New("the row has neither prediction nor response")
		}
		if a.Err != nil {
			return a
		}
		task, key, err := cache.find(ctx, &row)
		if err != nil {
			a.Err = err
			return a
		}
		plan := tools.ReadPlan(row.Prediction, nil)
		j, err := task.judge(plan)
		if err != nil {
			a.Err = err
			return a
		}
		a.Violations = append(j.faults, j.violations...)
		a.Reward, a.Components = o.Reward.Eval(&reward.Evidence{Verdict: j.verdict, Checks: &j.checks, Task: key, Response: string(row.Prediction)})
		a.Status = "invalid"
		switch {
		case j.valid():
			a.Status = "valid"
		case len(plan.Steps) == 0:
			a.Status = "no-plan"
		}
		return a
	})
}
