package taskline

import (
	"runtime/debug"

	"github.com/planproof/planproof/internal/trim"
	"github.com/planproof/planproof/search"
)

// trimmed keeps the program small beside the tables of a search.
type trimmed struct {
	slices int // of the search, so far
}

// A slice takes some milliseconds. After so many the program is trimmed again: each collection of garbage touches tables
// of types and functions.
const every = 32

// long is the number of slices of a search whose tables are freed before its plan is judged.
const long = 8

// observer returns an observer of the search that calls another, if there is one. The program is trimmed when a search
// has worked and does not end at once, and from time to time.
func (t *trimmed) observer(other search.Observer) search.Observer {
	return func(r *search.Result) {
		if t.slices++; t.slices%every == 1 {
			trim.Program()
		}
		if other != nil {
			other(r)
		}
	}
}

// searched is called after the search: its tables are garbage, and the judge need not stand beside them.
func (t *trimmed) searched() {
	if t.slices > 0 {
		trim.Program()
	}
	if t.slices >= long {
		debug.FreeOSMemory()
	}
}
