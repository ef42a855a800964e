package oracle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
)

// TruthSource looks ground truth up.
type TruthSource interface {
	// Truth returns what is known about a task under a cost schedule ("" for the domain's
	// own costs), as something that encoding/json writes as `planproof truth list` does;
	// nil when nothing is known. Nothing is computed but the task's key.
	Truth(ctx context.Context, domain, problem, schedule string) (any, error)
}

// appendHead appends the members that the items of all operations begin with.
func (w *worker) appendHead(b []byte, item *wireItem, status rows.Status) []byte {
	w.count(status)
	b = append(b, `{"id":`...)
	b = append(b, item.id...)
	b = append(b, `,"status":"`...)
	b = append(b, itemStatusOf(status)...)
	return append(b, '"')
}

func appendMessage(b []byte, message string) []byte {
	b = append(b, `,"message":`...)
	b = rowjson.AppendText(b, spell.Clip(message, maxErrorText))
	return append(b, '}')
}

// appendRefused appends an item without an answer; member would have held it.
func (w *worker) appendRefused(b []byte, item *wireItem, member string, err error) []byte {
	status, message := statusOf(err)
	b = w.appendHead(b, item, status)
	b = append(b, `,"`...)
	b = append(b, member...)
	b = append(b, `":null`...)
	return appendMessage(b, message)
}

// appendAnswer appends an item whose member holds v.
func (w *worker) appendAnswer(b []byte, item *wireItem, status rows.Status, member string, v any, message string) ([]byte, error) {
	b = w.appendHead(b, item, status)
	b = append(b, `,"`...)
	b = append(b, member...)
	b = append(b, `":`...)
	b, err := rowjson.AppendValue(b, v)
	if err != nil {
		return b, err
	}
	return appendMessage(b, message), nil
}

// doExtract appends the plan that a response commits to.
func (o *Oracle) doExtract(_ context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "extraction"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	text, err := rows.AnswerTextOf(item.completion)
	if errors.Is(err, rowjson.ErrSyntax) {
		return b, rowjson.ErrSyntax
	}
	if err == nil && len(text) > o.opt.Limits.ResponseBytes {
		err = fmt.Errorf("the response has %d bytes, more than %d", len(text), o.opt.Limits.ResponseBytes)
	}
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, err.Error()}), nil
	}
	x := o.reader(p.task, item.reader).Extract(text)
	return w.appendAnswer(b, item, rows.StatusValid, member, &x, "")
}

// doValidate appends the verdict on a plan.
func (o *Oracle) doValidate(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "verdict"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	text, err := o.planText(item.plan)
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, err.Error()}), nil
	}
	scratch := p.borrow(ctx)
	defer p.scratch.Put(scratch)
	v, _ := p.judge.ValidateText(pddl.NewSource("plan", text), scratch)
	switch {
	case v.Valid:
		return w.appendAnswer(b, item, rows.StatusValid, member, v, "")
	case !v.Decided():
		return w.appendRefused(b, item, member, &itemError{limitStatus(ctx), v.Failure.Message}), nil
	}
	return w.appendAnswer(b, item, rows.StatusInvalid, member, v, v.Failure.Message)
}

// planText reads a plan: its text, or a list of steps.
func (o *Oracle) planText(raw []byte) (text string, err error) {
	switch {
	case !rowjson.Present(raw):
		return "", fmt.Errorf("no plan")
	case raw[0] == '"':
		text, err = rowjson.String(raw)
	default:
		var steps []string
		if steps, err = stepList(raw); err == nil {
			text = strings.Join(steps, "\n")
		}
	}
	if err != nil {
		return "", fmt.Errorf("the plan is neither a text nor a list of steps")
	}
	if n := strings.Count(text, "("); n > o.opt.Limits.PlanSteps || len(text) > o.opt.Limits.LineBytes {
		return "", fmt.Errorf("the plan has %d steps, more than %d", n, o.opt.Limits.PlanSteps)
	}
	return text, nil
}

// stepList reads a list of steps, each without a line end; null is an empty one.
func stepList(raw []byte) (steps []string, err error) {
	if !rowjson.Present(raw) {
		return nil, nil
	}
	if err := rowjson.Unmarshal(raw, &steps, false); err != nil {
		return nil, err
	}
	return steps, checkSteps(steps)
}

// checkSteps refuses steps that would be something else as a line of a plan.
func checkSteps(steps []string) error {
	for _, s := range steps {
		if strings.ContainsAny(s, "\n\r;") {
			return fmt.Errorf("%q is not one step", spell.Clip(s, 80))
		}
	}
	return nil
}

// doTruth appends the ground truth about a task.
func (o *Oracle) doTruth(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "truth"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	schedule := ""
	if rowjson.Present(item.how) {
		var err error
		if schedule, err = rowjson.String(item.how); err != nil {
			return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "the schedule is not a string"}), nil
		}
	}
	var truth any
	if o.opt.Truth != nil {
		var err error
		if truth, err = o.opt.Truth.Truth(ctx, p.key.Domain, p.key.Problem, schedule); err != nil {
			return w.appendRefused(b, item, member, err), nil
		}
	}
	if truth == nil && schedule == "" {
		truth = o.goldTruth(p.sum)
	}
	message := ""
	if truth == nil {
		message = "nothing is known about this task"
	}
	return w.appendAnswer(b, item, rows.StatusValid, member, truth, message)
}

// goldRow is the gold of a loaded task in the words of a row of ground truth.
type goldRow struct {
	Status string   `json:"status"`
	Cost   string   `json:"cost"`
	Steps  int      `json:"steps"`
	Plan   []string `json:"plan,omitempty"`
}

// goldTruth returns the gold of a loaded task if it is ground truth, else nil.
func (o *Oracle) goldTruth(sum string) any {
	t := o.opt.Tasks.Find(sum)
	if t == nil || t.Gold == nil || !t.Gold.Optimal || t.Gold.Cost == nil {
		return nil
	}
	return &goldRow{"solved-optimally", t.Gold.Cost.String(), len(t.Plan), t.Plan}
}

// mask is the answer about the steps that can come next.
type mask struct {
	Actions []string `json:"actions"`
	Goal    bool     `json:"goal"`
	Done    int      `json:"done"`
}

// doMask appends the steps that can come after a prefix. When a step of the prefix cannot
// be executed there are none: done is then less than the prefix has steps.
func (o *Oracle) doMask(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "mask"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	prefix, err := o.prefix(item.prefix)
	if err != nil {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, err.Error()}), nil
	}
	p.mask = p.mask.Within(ctx)
	st, done, err := p.mask.After(prefix)
	switch {
	case errors.Is(err, constrain.ErrStep):
		return w.appendAnswer(b, item, rows.StatusInvalid, member, &mask{Actions: []string{}, Done: done}, err.Error())
	case err != nil:
		return w.appendRefused(b, item, member, maskError(ctx, err)), nil
	}
	m := &mask{Done: done}
	if m.Actions, err = p.mask.Actions(st); err == nil {
		m.Goal, err = p.mask.GoalHolds(st)
	}
	if err != nil {
		return w.appendRefused(b, item, member, maskError(ctx, err)), nil
	}
	return w.appendAnswer(b, item, rows.StatusValid, member, m, "")
}

func maskError(ctx context.Context, err error) error {
	if errors.Is(err, search.ErrLimit) {
		return &itemError{limitStatus(ctx), err.Error()}
	}
	return err
}

// prefix reads a prefix of steps.
func (o *Oracle) prefix(raw []byte) ([]string, error) {
	steps, err := stepList(raw)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the prefix is not a list of steps")
	case len(steps) > o.opt.Limits.PlanSteps:
		return nil, fmt.Errorf("the prefix has %d steps, more than %d", len(steps), o.opt.Limits.PlanSteps)
	}
	return steps, nil
}
