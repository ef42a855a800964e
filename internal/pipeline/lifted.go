package pipeline

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/lifted"
)

// Ungrounded reports whether a search string names a search that takes the problem without grounding.
func Ungrounded(by string) bool {
	name, err := search.Canonical(by)
	return err == nil && name == lifted.Name
}

// SearchUngrounded is [Solve] by lifted search, whatever opt.Search.Search is: nothing is grounded. The Task of the
// answer names and prices the steps of its plan, and has nothing else. Errors are [pddl.Diagnostics] of what lifted
// search does not support, and those of [Search].
func SearchUngrounded(ctx context.Context, p *pddl.Problem, opt Options) (*Answer, error) {
	res, own, err := lifted.Run(ctx, p, opt.Search.Limits, opt.Search.Observer)
	if err != nil {
		return nil, err
	}
	return settle(ctx, p, own, res, opt)
}

// Spares reports whether a search string names a search that goes on without grounding where that takes too much memory.
func Spares(by string) bool {
	name, err := search.Canonical(by)
	return err == nil && strings.HasPrefix(name, "auto(")
}

// Instead answers by lifted search where the default search cannot begin, because grounding ran out of memory.
// Otherwise, and where lifted search does not support the task, it returns the error of grounding.
func Instead(ctx context.Context, p *pddl.Problem, opt Options, why error) (*Answer, error) {
	if !errors.Is(why, grounder.ErrMemory) || !Spares(opt.Search.Search) {
		return nil, why
	}
	debug.FreeOSMemory() // what grounding leaves behind
	a, err := SearchUngrounded(ctx, p, opt)
	var unsupported pddl.Diagnostics
	switch {
	case errors.As(err, &unsupported):
		return nil, why
	case err != nil:
		return nil, err
	}
	a.Note = why.Error() + ", so the task was searched without grounding"
	return a, nil
}
