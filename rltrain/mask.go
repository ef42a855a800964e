package rltrain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// StatusMask is the status of the answer to a mask question whose prefix can be executed.
const StatusMask Status = "mask"

// MaskQuestion asks which steps can come after a prefix.
type MaskQuestion struct {
	Task  TaskRef
	Steps []string // in PDDL
}

// MaskAnswer is the answer to a MaskQuestion. Status is StatusMask, StatusInvalid for a
// prefix that cannot be executed, StatusTaskError, or StatusTimeout when a limit came
// first; Error says more for all but the first.
type MaskAnswer struct {
	ID     json.RawMessage `json:"id"`
	Status Status          `json:"status"`
	// Executed counts the steps of the prefix before the one that cannot be executed.
	Executed int `json:"executed"`
	// Goal tells whether the prefix is a valid plan, and Actions lists the steps that can
	// come next; both are null without StatusMask.
	Goal    *bool    `json:"goal"`
	Actions []string `json:"actions"`
	Error   string   `json:"error,omitempty"`
}

// madeMasker is the masker of a task, or why there is none.
type madeMasker struct {
	masker *constrain.Masker
	err    error
}

func maskSize(k taskKey, m madeMasker) int64 {
	if m.masker == nil {
		return 1<<10 + k.bytes()
	}
	return k.bytes() + m.masker.Memory()
}

// masker returns the masker of a task, which is made within the limits for tables when it
// is first asked for.
func (o *Oracle) masker(t *task) madeMasker {
	return o.masks.get(t.key, func() (m madeMasker) {
		defer func() {
			if r := recover(); r != nil {
				m = madeMasker{err: fmt.Errorf("internal error while preparing the task: %v", r)}
			}
		}()
		lim := search.Limits{Wall: o.opt.Limits.TableTime, Memory: o.opt.Limits.TableBytes}
		// No caller's context: the masker is for all that ask.
		m.masker, m.err = constrain.NewMasker(context.Background(), t.problem, constrain.MaskOptions{Limits: lim})
		return m
	})
}

// maskQuestion reads the member "mask": a list of steps, or a plan as text.
func (w *wireRow) maskQuestion(base Item) (*MaskQuestion, error) {
	q := &MaskQuestion{Task: base.Task}
	if json.Unmarshal(w.Mask, &q.Steps) == nil {
		return q, nil
	}
	var text string
	if err := json.Unmarshal(w.Mask, &text); err != nil {
		return nil, fmt.Errorf("%w: mask is neither a list of steps nor the text of a plan: %s", ErrRow, rowjson.Fault(err))
	}
	plan, diags := pddl.ParsePlan(pddl.NewSource("mask", text))
	if err := firstError(diags); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRow, err)
	}
	for i := range plan.Steps {
		q.Steps = append(q.Steps, plan.Steps[i].String())
	}
	return q, nil
}

// Mask tells which steps can come after a prefix, and whether it is a valid plan. It never
// fails: what goes wrong is a status. The masker of a task is made with its first question,
// within the limits for tables, and kept.
func (o *Oracle) Mask(ctx context.Context, q *MaskQuestion) *MaskAnswer {
	t := o.task(q.Task)
	if t.err != nil {
		return &MaskAnswer{Status: StatusTaskError, Error: t.err.Error()}
	}
	if len(q.Steps) > o.opt.Limits.PlanSteps {
		return &MaskAnswer{Status: StatusTooLong, Error: fmt.Sprintf("the prefix has %d steps, more than %d", len(q.Steps), o.opt.Limits.PlanSteps)}
	}
	if ctx.Err() != nil {
		return &MaskAnswer{Status: StatusTimeout, Error: errInterrupted.Error()}
	}
	made := o.masker(t)
	if made.err != nil {
		return maskFailed(0, made.err)
	}
	st, done, err := made.masker.After(q.Steps)
	if err != nil {
		return maskFailed(done, err)
	}
	goal, err := made.masker.GoalHolds(st)
	if err != nil {
		return maskFailed(done, err)
	}
	actions, err := made.masker.Actions(st)
	if err != nil {
		return maskFailed(done, err)
	}
	return &MaskAnswer{Status: StatusMask, Executed: done, Goal: &goal, Actions: actions}
}

func maskFailed(done int, err error) *MaskAnswer {
	a := &MaskAnswer{Status: StatusTaskError, Executed: done, Error: clip(err.Error(), maxErrorText)}
	switch {
	case errors.Is(err, constrain.ErrStep):
		a.Status = StatusInvalid
		a.Error = fmt.Sprintf("step %d: %s", done+1, a.Error)
	case errors.Is(err, search.ErrLimit):
		a.Status = StatusTimeout
	}
	return a
}
