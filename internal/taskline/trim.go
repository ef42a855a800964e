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

// long is the number of slices after which a search has tables worth freeing: a tenth of a second or more.
const long = 32

// observer returns an observer of the search that calls another, if there is one. The program is trimmed when the search
// has begun its work and does not end at once, and again from time to time: each collection of garbage touches tables of
// types and functions.
func (t *trimmed) observer(other search.Observer) search.Observer {
	return func(r *search.Result) {
		if t.slices++; t.slices%long == 1 {
			trim.Program()
		}
		if other != nil {
			other(r)
		}
	}
}

// searched is called after the search. Its tables are garbage, and the judge need not stand beside them.
func (t *trimmed) searched() {
	trim.Program()
	if t.slices >= long {
		debug.FreeOSMemory()
	}
}
