package rltrain

import (
	"slices"

	"planproof/validator"
)

// maxSkipped bounds the inapplicable steps that are skipped; each costs another run
// of the judge. What stands after the next one is not executed.
const maxSkipped = 200

// applicable returns the steps that remain of a plan when every step that cannot be
// applied where it stands is skipped, and whether the goal holds after them. It is
// for the variant of the process reward that goes on after a mistake; the verdict
// on the plan is another matter.
func (t *task) applicable(steps []string) (done []string, goal bool) {
	done = slices.Clone(steps)
	scratch := t.scratch.Get().(*validator.Scratch)
	defer t.scratch.Put(scratch)
	for skipped := 0; ; skipped++ {
		plan, diags := planOf(done)
		bad := 0 // step to skip, from 1
		if diags.HasErrors() {
			bad = badLine(diags)
		} else if r := t.judge.Judge(plan, scratch); r.Step > 0 {
			bad = r.Step
		} else {
			return done, r.Valid
		}
		if skipped == maxSkipped {
			done = done[:bad-1]
			continue
		}
		done = slices.Delete(done, bad-1, bad)
	}
}
