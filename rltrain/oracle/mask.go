package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
)

// madeMasker is the masker of a task, or why there is none.
type madeMasker struct {
	masker *constrain.Masker
	err    error
}

func maskSize(k taskref.Key, m madeMasker) int64 {
	if m.masker == nil {
		return 1<<10 + k.Bytes()
	}
	return k.Bytes() + m.masker.Memory()
}

// masker returns the masker of a task, which is made within the limits for tables when it
// is first asked for. If ctx ends before, the error is errInterrupted and not remembered.
func (o *Oracle) masker(ctx context.Context, t *task) madeMasker {
	m, err := o.masks.GetContext(ctx, t.key, func() (m madeMasker, err error) {
		defer func() {
			if r := recover(); r != nil {
				m = madeMasker{err: fmt.Errorf("internal error while preparing the task: %v", r)}
			}
		}()
		lim := search.Limits{Wall: o.opt.Limits.TableTime, Memory: o.opt.Limits.TableBytes}
		m.masker, m.err = constrain.NewMasker(ctx, t.problem, constrain.MaskOptions{Limits: lim})
		if m.err != nil && ctx.Err() != nil {
			return m, ctx.Err()
		}
		return m, nil
	})
	if err != nil {
		m.err = errInterrupted
	}
	return m
}

// Mask tells which steps can come after a prefix, and whether it is a valid plan. It never
// fails: what goes wrong is a status. The masker of a task is made with its first question,
// within the limits for tables, and kept.
func (o *Oracle) Mask(ctx context.Context, q *rows.MaskQuestion) *rows.MaskAnswer {
	t := o.task(ctx, q.Task)
	if t.err != nil {
		return &rows.MaskAnswer{Status: t.status(), Error: t.err.Error()}
	}
	if len(q.Steps) > o.opt.Limits.PlanSteps {
		return &rows.MaskAnswer{Status: rows.StatusTooLong, Error: fmt.Sprintf("the prefix has %d steps, more than %d", len(q.Steps), o.opt.Limits.PlanSteps)}
	}
	if ctx.Err() != nil {
		return &rows.MaskAnswer{Status: rows.StatusTimeout, Error: errInterrupted.Error()}
	}
	made := o.masker(context.WithoutCancel(ctx), t) // it is for all that ask
	if made.err != nil {
		return maskFailed(0, made.err)
	}
	masker := made.masker.Within(ctx)
	st, done, err := masker.After(q.Steps)
	if err != nil {
		return maskFailed(done, err)
	}
	goal, err := masker.GoalHolds(st)
	if err != nil {
		return maskFailed(done, err)
	}
	actions, err := masker.Actions(st)
	if err != nil {
		return maskFailed(done, err)
	}
	return &rows.MaskAnswer{Status: rows.StatusMask, Executed: done, Goal: &goal, Actions: actions}
}

func maskFailed(done int, err error) *rows.MaskAnswer {
	a := &rows.MaskAnswer{Status: rows.StatusTaskError, Executed: done, Error: spell.Clip(err.Error(), maxErrorText)}
	switch {
	case errors.Is(err, constrain.ErrStep):
		a.Status = rows.StatusInvalid
		a.Error = fmt.Sprintf("step %d: %s", done+1, a.Error)
	case errors.Is(err, search.ErrLimit):
		a.Status = rows.StatusTimeout
	}
	return a
}
