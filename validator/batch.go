package validator

import (
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/planproof/planproof/pddl"
)

// BatchOptions of ValidateBatch. The zero value is fine.
type BatchOptions struct {
	// Workers judge rows in parallel; 0 means one per processor. The output does not
	// depend on it.
	Workers int
	// Judge holds the limits of the judge.
	Judge Options
	// Reprice, if set, changes each problem before it is compiled (a cost schedule,
	// for instance). It must not change its argument.
	Reprice func(*pddl.Problem) (*pddl.Problem, error)
	// Named, if set, gives the texts of the task that a row names under "task".
	Named func(name string) (domain, problem *pddl.Source, err error)
	// Strict makes warnings about a task errors, as pddl.Options.Strict does.
	Strict bool
	// Explain adds an Explanation to the verdicts on invalid plans.
	Explain bool
	// Memory, if positive, is the Scratch.MaxBytes of each row.
	Memory int64

	// For tests: the bytes of a row (0: defaultMaxRow) and of the cache of tasks.
	maxRow     int
	cacheBytes int64
}

// defaultMaxRow is the longest row that is read, in bytes: a plan of some two million
// steps. A longer row is answered with an error.
const defaultMaxRow = 64 << 20

// BatchStats counts the rows written so far.
type BatchStats struct {
	Rows, Valid, Invalid int
	Undecided            int // a limit ended judging
	Errors               int // rows with "error"
}

// chunk is a run of rows: one unit of work.
type chunk struct {
	lines [][]byte // nil for a row that was too long
	first int      // number of the first row
	size  int64
	out   chan []answer
}

type answer struct {
	text []byte
	kind answerKind
}

type answerKind uint8

const (
	answerValid answerKind = iota
	answerInvalid
	answerUndecided
	answerError
)

// Rows are handed out in chunks, so that small rows cost little; the bounds keep memory
// constant however large the input.
const (
	chunkRows  = 64
	chunkBytes = 1 << 18
	maxFlight  = 64 << 20 // bytes of rows read but not yet written
)

// ValidateBatch judges plans in rows of JSON Lines. A row has the fields
//
//	id                        any JSON value, repeated in the answer
//	domain, problem           names of files; or
//	domain_text, problem_text the PDDL itself; or
//	task                      the name of a task (see BatchOptions.Named); besides
//	                          the texts it may be their hash, "sha256:..."
//	plan                      a string, or a list of steps
//	epsilon                   optional, see Scratch.Epsilon
//
// For each row it writes one row, in order: the verdict with the id, or {"id", "error"}
// for a row that cannot be judged, which does not stop the others. Blank lines are
// skipped. The error is that of reading, of writing or of ctx, whose end also ends the row
// that is being judged.
func ValidateBatch(ctx context.Context, r io.Reader, w io.Writer, opt BatchOptions) (BatchStats, error) {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.maxRow <= 0 {
		opt.maxRow = defaultMaxRow
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tasks := newTaskCache(opt.cacheBytes, opt.Judge, opt.Reprice)
	tasks.read.Strict = opt.Strict
	b := &batch{ctx: ctx, opt: opt, tasks: tasks, work: make(chan *chunk), order: make(chan *chunk, 4*opt.Workers), room: newRoom(maxFlight)}
	var readErr error
	var workers sync.WaitGroup
	for range opt.Workers {
		workers.Go(b.worker)
	}
	go func() {
		readErr = b.read(r)
		close(b.work)
		close(b.order)
	}()
	stats, err := b.write(w)
	if err != nil {
		cancel()
		b.room.close()
		return stats, err
	}
	workers.Wait()
	if readErr == nil {
		readErr = ctx.Err()
	}
	return stats, readErr
}

type batch struct {
	ctx   context.Context
	opt   BatchOptions
	tasks *taskCache
	work  chan *chunk
	order chan *chunk
	room  *room

	mu    sync.Mutex
	named map[string]taskRef
}
