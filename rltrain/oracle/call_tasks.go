package oracle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
)

// needs are what an operation needs of a task beside its judge.
type needs struct {
	spec *reward.Spec // nil for none
	gold *reward.Gold // what is known of the task without looking distances up
	mask bool
	// profile asks for the hidden constraints of plan_adapt, nil for none.
	profile *ProfileRef
}

// table reports whether the distance table of t is needed.
func (n *needs) table(t *task) bool { return n.spec != nil && n.spec.NeedsTable(n.gold, t.unitCosts()) }

// prepared is a task with what an operation needs of it.
type prepared struct {
	*task
	table   *distanceTable
	mask    *constrain.Masker
	profile *madeProfile
}

// maxInlineTask bounds the texts of a task that a request brings.
const maxInlineTask = 8 << 20

// ready returns a task with what is needed of it. What is not at hand is made in o.lanes
// while the slot of the caller, which he must hold, is free for others. It goes on being made
// if the caller's time is up, so that he finds it when he asks again.
func (o *Oracle) ready(ctx context.Context, slot *slot, ref taskref.Ref, n needs) (prepared, error) {
	if len(ref.DomainText)+len(ref.ProblemText) > maxInlineTask {
		return prepared{}, &itemError{rows.StatusTaskError, fmt.Sprintf("the texts of the task have more than %d bytes", maxInlineTask)}
	}
	key, err := o.resolve(ref, time.Time{})
	if err != nil {
		return prepared{}, err
	}
	if p, made, err := o.atHand(key, n); made {
		return p, err
	}
	slot.leave()
	defer slot.enter()
	done := make(chan error, 1)
	go func() {
		done <- o.lanes.run(ctx, func(ctx context.Context) bool { return o.prepare(ctx, key, n) })
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return prepared{}, &itemError{rows.StatusInterrupted, "interrupted before its task was prepared"}
	}
	p, made, err := o.atHand(key, n)
	if !made {
		err = &itemError{rows.StatusInterrupted, "there was no room for what its task needs: too many large tasks are in use"}
	}
	return p, err
}

// prepare makes what is needed of a task and leaves it in the caches. It reports whether it
// has; the end of ctx may prevent it.
func (o *Oracle) prepare(ctx context.Context, key taskref.Key, n needs) bool {
	t, err := o.tasks.GetContext(ctx, key, func() (*task, error) { return o.compile(ctx, key) })
	if err != nil {
		return false
	}
	if t.err == nil && n.table(t) {
		o.distances(ctx, t, false) // its error is remembered with it
	}
	if t.err == nil && n.mask {
		o.masker(ctx, t)
	}
	if t.err == nil && n.profile != nil {
		o.profile(ctx, t, *n.profile)
	}
	_, made, _ := o.atHand(key, n)
	return made
}

// atHand returns what has been made of a task; made is false if something is missing.
func (o *Oracle) atHand(key taskref.Key, n needs) (p prepared, made bool, err error) {
	t, ok := o.tasks.Made(key)
	switch {
	case !ok:
		return p, false, nil
	case t.err != nil:
		return p, true, t.err
	}
	p.task = t
	if n.table(t) {
		m, ok := o.tables.Made(key)
		switch {
		case !ok:
			return p, false, nil
		case errors.Is(m.err, errTableTime):
			return p, true, &itemError{rows.StatusTimeout, m.err.Error()}
		case m.err != nil:
			return p, true, &itemError{rows.StatusNoTable, m.err.Error()}
		}
		p.table = m.table
	}
	if n.mask {
		m, ok := o.masks.Made(key)
		switch {
		case !ok:
			return p, false, nil
		case errors.Is(m.err, search.ErrLimit):
			return p, true, &itemError{rows.StatusTimeout, m.err.Error()}
		case m.err != nil:
			return p, true, m.err
		}
		p.mask = m.masker
	}
	if n.profile != nil {
		m, ok := o.profiles.Made(adaptKey{key, *n.profile})
		switch {
		case !ok:
			return p, false, nil
		case m.err != nil:
			return p, true, statusOfProfile(m.err)
		}
		p.profile = &m
	}
	return p, true, nil
}
