package oracle

import (
	"context"
	"errors"
	"slices"

	"github.com/planproof/planproof/validator"
)

// maxSkipped bounds the inapplicable steps that are skipped; each costs another run
// of the judge. What stands after the next one is not executed.
const maxSkipped = 200

// workPerStep is the work that a step of a plan is worth at least.
const workPerStep = 2000

var errSkipWork = errors.New("not judged: skipping its inapplicable steps takes too many evaluations")

// applicable returns the steps that remain of a plan when every step that cannot be
// applied where it stands is skipped, and whether the goal holds after them. It is
// for the variant of the process reward that goes on after a mistake; the verdict
// on the plan is another matter. All runs together may take as much work as the
// judge has for one plan; beyond it the error is errSkipWork.
func (t *task) applicable(ctx context.Context, steps []string, maxWork int64) (done []string, goal bool, err error) {
	done = slices.Clone(steps)
	scratch := t.borrow(ctx)
	defer t.scratch.Put(scratch)
	if maxWork <= 0 {
		maxWork = validator.DefaultMaxWork
	}
	maxWork = max(maxWork, workPerStep*int64(len(steps)))
	for skipped := 0; ; skipped++ {
		plan, diags := planOf(done)
		bad := 0 // step to skip, from 1
		if diags.HasErrors() {
			bad = badLine(diags)
		} else {
			r := t.judge.Judge(plan, scratch)
			if maxWork -= r.Work; r.Kind == validator.FailTimeout || maxWork < 0 {
				return nil, false, errSkipWork
			}
			if r.Step == 0 {
				return done, r.Valid, nil
			}
			bad = r.Step
		}
		if skipped == maxSkipped {
			done = done[:bad-1]
			continue
		}
		done = slices.Delete(done, bad-1, bad)
	}
}
