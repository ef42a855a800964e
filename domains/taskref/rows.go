package taskref

import (
	"errors"
	"fmt"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// ErrStdin is what Options.Read returns for "-" where a row may not name standard input.
var ErrStdin = errors.New("cannot be standard input")

// Rows finds and parses the tasks that rows name. Its errors speak of the row.
type Rows struct {
	*Resolver
	Options pddl.Options
}

// Key finds the texts of a row's task, with files as they were at a time or later; the zero
// time is now. A row may name a bundled task or a domain and a problem, not both.
func (r *Rows) Key(ref Ref, at time.Time) (Key, error) {
	if ref.Domain != "" && ref.Problem+ref.ProblemText+ref.Task == "" && domains.IsName(ref.Domain) {
		ref.Task, ref.Domain = ref.Domain, ""
	}
	if ref.Task != "" {
		if ref != (Ref{Task: ref.Task}) {
			return Key{}, errors.New("give either a task, or a domain and a problem")
		}
		return r.Bundled(ref.Task)
	}
	key, err := r.Parts(ref, at)
	if part := (*PartError)(nil); errors.As(err, &part) {
		switch part.Err {
		case nil:
			err = fmt.Errorf("the row has no %s", part.Part)
		case ErrStdin:
			err = fmt.Errorf("the row's %s %w", part.Part, part.Err)
		default:
			err = part.Err
		}
	}
	return key, err
}

// Problem parses a task. The error is its first fault.
func (r *Rows) Problem(key Key) (*pddl.Problem, error) {
	p, diags := r.Parse(key, r.Options)
	if errs := diags.Errors(); len(errs) > 0 {
		return nil, errors.New(errs[0].String())
	}
	return p, nil
}
