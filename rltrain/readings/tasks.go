package readings

import (
	"errors"
	"sync"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/pddl"
)

// maxTaskText bounds the texts of the tasks whose readers are kept.
const maxTaskText = 64 << 20

// Tasks keeps the readers of the tasks that rows name. It may be used by any number of
// goroutines.
type Tasks struct {
	// Own is the task of rows that name none; nil refuses them.
	Own *Task

	refs  *taskref.Rows
	mu    sync.Mutex
	tasks *lru.Cache[taskref.Key, *Task]
}

// NewTasks finds tasks by refs.
func NewTasks(refs *taskref.Rows) *Tasks {
	return &Tasks{refs: refs, tasks: lru.New[taskref.Key, *Task](maxTaskText, func(k taskref.Key, _ *Task) int64 { return 1<<10 + k.Bytes() })}
}

// Task returns the task of a reference, with its files as they were at a time or later, for
// Options.Task.
func (t *Tasks) Task(ref taskref.Ref, at time.Time) (*Task, error) {
	if ref.IsZero() {
		if t.Own == nil {
			return nil, errors.New("no task: neither domain and problem, nor their text, nor the name of a bundled task")
		}
		return t.Own, nil
	}
	t.mu.Lock() // who names a pipe wants it read once
	key, err := t.refs.Key(ref, at)
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return t.tasks.Get(key, func() *Task {
		return NewTask(func() (*pddl.Problem, error) { return t.refs.Problem(key) })
	}), nil
}
