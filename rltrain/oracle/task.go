package oracle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/validator"
)

// task is a task made ready for judging.
type task struct {
	err     error // why it cannot be judged; nothing else is set then
	key     taskref.Key
	sha     [sha256.Size]byte // see taskKey.sha
	sum     string            // sha as requests name it
	problem *pddl.Problem
	judge   *validator.Judge
	strict  func() *extract.Reader // compiled when it is first needed, as is natural
	natural func() *extract.Reader
	forbids *forbidden // nil: nothing
	scratch sync.Pool
}

// Bytes that a reader of responses takes whatever the task, and for each object;
// measured, with something to spare.
const (
	readerBytes    = 128 << 10
	readerPerName  = 640
	readerPerBytes = 16  // of the domain's text, with the domain itself
	forbiddenBytes = 128 // of a restriction
)

// taskSize estimates the memory of a compiled task: its texts, the judge with a
// scratch, and the reader of responses.
func taskSize(k taskref.Key, t *task) int64 {
	n := 1<<10 + k.Bytes()
	if t.err != nil {
		return n
	}
	if t.forbids != nil {
		n += forbiddenBytes * int64(t.forbids.count)
	}
	return n + t.judge.Memory()*3/2 + readerBytes + readerPerName*int64(len(t.problem.Objects)) + readerPerBytes*int64(len(k.Domain))
}

// task returns the task that ref names, compiled and cached. Errors are in the
// task, errTaskInterrupted if ctx ends before.
func (o *Oracle) task(ctx context.Context, ref taskref.Ref) *task {
	return o.taskAt(ctx, ref, time.Time{})
}

// taskAt is task for who asked at a time: files are as they were then or later. The zero
// time is now.
func (o *Oracle) taskAt(ctx context.Context, ref taskref.Ref, at time.Time) *task {
	key, err := o.resolve(ref, at)
	if err != nil {
		return &task{err: err}
	}
	t, err := o.tasks.GetContext(ctx, key, func() (*task, error) { return o.compile(ctx, key) })
	if err != nil {
		return &task{err: fmt.Errorf("%w: %w", errTaskInterrupted, err)}
	}
	return t
}

// compile reads and checks a task and prepares its judge. Faults of the task are in it; the error is that of ctx.
func (o *Oracle) compile(ctx context.Context, key taskref.Key) (t *task, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, err = &task{err: fmt.Errorf("internal error while reading the task: %v\n%s", r, debug.Stack())}, nil
		}
	}()
	problem, diags, err := o.refs.ParseContext(ctx, key, pddl.Options{Strict: o.opt.Strict})
	if err != nil {
		return nil, err
	}
	if err := diags.FirstError(); err != nil {
		return &task{err: err}, nil
	}
	priced, err := o.opt.Schedule.Apply(problem)
	if err != nil {
		return &task{err: err}, nil
	}
	judge, err := validator.NewJudgeContext(ctx, priced, validator.Options{MaxWork: o.opt.Limits.JudgeWork})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var diags pddl.Diagnostics
		if errors.As(err, &diags) {
			err = diags.FirstError()
		}
		return &task{err: err}, nil
	}
	t = &task{key: key, sha: key.Hash(), problem: priced, judge: judge, forbids: newForbidden(priced)}
	t.sum = key.Sum()
	t.strict = sync.OnceValue(func() *extract.Reader { return extract.NewReader(priced.Domain, priced, extract.Strict) })
	t.natural = sync.OnceValue(func() *extract.Reader { return extract.NewReader(priced.Domain, priced, extract.Natural) })
	o.reader(t, "") // will read most of the task's responses
	t.scratch.New = func() any { return judge.NewScratch() }
	return t, nil
}

// judgeBytes bounds what the changes of one plan take, see validator.Scratch.MaxBytes.
const judgeBytes = 256 << 20

// borrow returns a scratch with which judging ends when ctx does.
func (t *task) borrow(ctx context.Context) *validator.Scratch {
	s := t.scratch.Get().(*validator.Scratch)
	s.Context, s.MaxBytes = ctx, judgeBytes
	return s
}

// reader returns the reader of a response: the one that its row or request asks for, or that
// the task's row among the loaded ones names, or the oracle's.
func (o *Oracle) reader(t *task, asked extract.Kind) *extract.Reader {
	if asked == "" && o.opt.Tasks.Len() > 0 {
		if loaded := o.opt.Tasks.Find(t.sum); loaded != nil {
			asked = loaded.Reader
		}
	}
	if cmp.Or(asked, o.opt.Reader) == extract.Natural {
		return t.natural()
	}
	return t.strict()
}

// status is the status of what asks for a task that has an error.
func (t *task) status() rows.Status {
	if errors.Is(t.err, errTaskInterrupted) {
		return rows.StatusTimeout
	}
	return rows.StatusTaskError
}

// unitCosts reports whether every action of the task costs 1.
func (t *task) unitCosts() bool { return t.problem.Metric == nil }

// resolve finds the texts of a task: a loaded one by its hash or id, else what ref names.
func (o *Oracle) resolve(ref taskref.Ref, at time.Time) (taskref.Key, error) {
	refs := o.named
	if ref.IsZero() {
		ref, refs = o.opt.Task, o.refs
	}
	if ref.Task != "" && (ref.DomainText == "" || ref.ProblemText == "") {
		if t := o.opt.Tasks.Find(ref.Task); t != nil {
			return t.key(), nil
		}
		if strings.HasPrefix(ref.Task, "sha256:") {
			return taskref.Key{}, fmt.Errorf("no task %s is loaded", spell.Clip(ref.Task, 80))
		}
	}
	return refs.Resolve(ref, at)
}
