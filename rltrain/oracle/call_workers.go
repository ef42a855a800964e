package oracle

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// itemStatus is the word of an item of an answer for how it ended.
type itemStatus string

const (
	itemOK          itemStatus = "ok"
	itemTimeout     itemStatus = "timeout"
	itemUnavailable itemStatus = "unavailable"
	itemBadRequest  itemStatus = "bad_request"
)

// wireItem is an item of any operation, its values as they came, nil where absent.
type wireItem struct {
	id                                                  json.RawMessage
	task, completion, finish, plan, prefix, action, how []byte
	question                                            []byte // of solve
	certificate                                         []byte // of check-certificate
	hidden                                              []byte // profile as it came
	gold, budget                                        []byte
	constrained                                         bool         // a grammar constrained the decoding
	reader                                              extract.Kind // "" if the item names none
	known                                               *reward.Gold // what is known of the task
	profile                                             *ProfileRef  // of reset and step: hidden constraints, nil for plan_step
}

// read takes an item apart. A completion that is a string is not checked: whoever reads
// it does. The error is rowjson.ErrSyntax, or that it is no object.
func (w *wireItem) read(raw []byte) error {
	w.id = rowjson.Null
	if len(raw) == 0 || raw[0] != '{' {
		if !rowjson.Valid(raw) {
			return rowjson.ErrSyntax
		}
		return errors.New("an item is an object")
	}
	return rowjson.EachMember(raw, func(name string, value []byte) (err error) {
		switch name {
		case "id":
			w.id, err = rowjson.Compact(value)
			return err
		case "task":
			w.task = value
		case "completion", "response":
			if w.completion == nil || rowjson.Present(value) {
				w.completion = value
			}
		case "finish":
			w.finish = value
		case "reader":
			if w.reader, err = readerOf(value); err != nil {
				return err
			}
		case "plan":
			w.plan = value
		case "prefix":
			w.prefix = value
		case "action":
			w.action = value
		case "question":
			w.question = value
		case "certificate":
			w.certificate = value
		case "profile":
			w.hidden = value
		case "gold":
			w.gold = value
		case "budget":
			w.budget = value
		case "constrained_decoding":
			if err := rowjson.Unmarshal(value, &w.constrained, false); err != nil {
				return errors.New("constrained_decoding is neither true nor false")
			}
		case "schedule":
			w.how = value
		}
		switch {
		case value[0] != '"':
			err = rowjson.Check(value)
		case name != "completion":
			_, err = rowjson.String(value)
		}
		return err
	})
}

// runner does the items of one operation.
type runner struct {
	spec    *reward.Spec
	specSum string
	mask    bool // the masker of each task is needed
	steps   bool // replies have the scores of the steps, too
	// episodes says that items may have profiles.
	episodes bool
	first    bool // of an episode: reset
	// do appends the answer to one item, whose task is ready unless task.err says why not.
	do func(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error)
}

// worker is what one goroutine keeps between the items of a request.
type worker struct {
	run      *runner
	slot     *slot
	lastTask []byte // raw value of the task that was resolved last
	lastRef  taskref.Ref
	lastErr  error
	counts   map[rows.Status]int
	unscored int
	judge    time.Duration
	names    []string // of the spec's components, sorted
	buf      []byte
}

// chunkItems are the items that a worker takes at a time.
const chunkItems = 16

// runItems does all items, several at a time, and returns the text of runs of them, in
// order. All requests share the oracle's slots.
func (o *Oracle) runItems(ctx context.Context, c *call, run *runner, r *Reply) ([][]byte, error) {
	chunks := make([][]byte, (len(c.items)+chunkItems-1)/chunkItems)
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	work := func() {
		w := &worker{run: run, counts: map[rows.Status]int{}}
		err := o.work(ctx, c, w, &next, chunks)
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = err
		}
		for s, n := range w.counts {
			r.Statuses[s] += n
		}
		r.Unscored += w.unscored
		r.Judge += w.judge
	}
	var pool sync.WaitGroup
	for range min(o.opt.Workers, len(chunks)) - 1 {
		pool.Go(work)
	}
	work()
	pool.Wait()
	return chunks, failed
}

func (o *Oracle) work(ctx context.Context, c *call, w *worker, next *atomic.Int64, chunks [][]byte) error {
	w.slot = o.slot()
	defer w.slot.leave()
	for {
		i := int(next.Add(1)) - 1
		if i >= len(chunks) {
			return nil
		}
		items := c.items[i*chunkItems : min((i+1)*chunkItems, len(c.items))]
		b := make([]byte, 0, 640*len(items))
		for k, raw := range items {
			if k > 0 {
				b = append(b, ',')
			}
			w.slot.pause()
			var err error
			if b, err = o.workItem(ctx, c, w, raw, b); err != nil {
				next.Store(int64(len(chunks)))
				return err
			}
		}
		chunks[i] = b
	}
}

// workItem appends the answer to one item. The error is that the request is not JSON.
func (o *Oracle) workItem(ctx context.Context, c *call, w *worker, raw, b []byte) ([]byte, error) {
	item := new(wireItem)
	err := item.read(raw)
	if errors.Is(err, rowjson.ErrSyntax) {
		return nil, errNotObject
	}
	item.reader = cmp.Or(item.reader, c.reader)
	if item.task == nil || !rowjson.Present(item.task) {
		item.task = c.task
	}
	start := len(b)
	b, err = o.doItem(ctx, w, item, err, b)
	if errors.Is(err, rowjson.ErrSyntax) {
		return nil, errNotObject
	}
	if err != nil || c.op != OpScore && c.op != OpExtract {
		if len(item.completion) > 0 && item.completion[0] == '"' {
			if _, bad := rowjson.String(item.completion); bad != nil {
				return nil, errNotObject
			}
		}
	}
	if err != nil {
		b = b[:start]
		b, err = w.run.do(ctx, w, item, prepared{task: &task{err: err}}, b)
	}
	return b, err
}

// doItem finds the task of an item and does it. It does not panic.
func (o *Oracle) doItem(ctx context.Context, w *worker, item *wireItem, bad error, b []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = b, &itemError{rows.StatusInternal, fmt.Sprintf("%v\n%s", r, debug.Stack())}
		}
	}()
	if bad != nil {
		return b, &itemError{rows.StatusBadRow, bad.Error()}
	}
	if ctx.Err() != nil {
		return b, errNotDone
	}
	if w.isReplan(ctx, item) {
		return o.doReplan(w, item, b)
	}
	ref, err := w.taskRef(item.task)
	if err != nil {
		return b, err
	}
	if item.known, err = w.gold(o, item, ref); err != nil {
		return b, err
	}
	n := needs{spec: w.run.spec, gold: item.known, mask: w.run.mask}
	if w.run.episodes && rowjson.Present(item.hidden) {
		if item.profile, err = readProfile(item.hidden); err != nil {
			return b, &itemError{rows.StatusBadRow, err.Error()}
		}
		n = needs{profile: item.profile}
	}
	p, err := o.ready(ctx, w.slot, ref, n)
	if err != nil {
		return b, err
	}
	return w.run.do(ctx, w, item, p, b)
}

// itemError is why an item has no answer, as a status.
type itemError struct {
	status  rows.Status
	message string
}

// Error implements error.
func (e *itemError) Error() string { return e.message }

var errNotObject = errors.New("the request is not one JSON object")

var errNotDone = &itemError{rows.StatusInterrupted, "interrupted before it was done"}

// limitStatus is the status of an item that a limit ended: the deadline of its request, after
// which it can be asked again, or a limit of the judge.
func limitStatus(ctx context.Context) rows.Status {
	if ctx.Err() != nil {
		return rows.StatusInterrupted
	}
	return rows.StatusTimeout
}

// statusOf says how an item ended that has no answer because of err.
func statusOf(err error) (rows.Status, string) {
	var e *itemError
	if errors.As(err, &e) {
		return e.status, e.message
	}
	return rows.StatusTaskError, err.Error()
}

// itemStatusOf returns the word of a status for an item of an answer.
func itemStatusOf(s rows.Status) itemStatus {
	switch s {
	case rows.StatusBadRow, rows.StatusTaskError, rows.StatusNoGold, rows.StatusNoTable:
		return itemBadRequest
	case rows.StatusTimeout:
		return itemTimeout
	case rows.StatusInterrupted, rows.StatusInternal:
		return itemUnavailable
	}
	return itemOK
}

// count notes how an item ended.
func (w *worker) count(s rows.Status) {
	w.counts[s]++
	if itemStatusOf(s) != itemOK {
		w.unscored++
	}
}

// taskRef reads the task of an item. Files are never named by a request.
func (w *worker) taskRef(raw []byte) (taskref.Ref, error) {
	if w.lastTask != nil && bytes.Equal(raw, w.lastTask) {
		return w.lastRef, w.lastErr
	}
	w.lastTask = raw
	w.lastRef, w.lastErr = readTaskRef(raw)
	return w.lastRef, w.lastErr
}

// gold is what is known of the task of an item: by the item, else by its row among the
// loaded tasks.
func (w *worker) gold(o *Oracle, item *wireItem, ref taskref.Ref) (*reward.Gold, error) {
	if rowjson.Present(item.gold) || rowjson.Present(item.budget) {
		g, err := rows.ReadGold(item.gold, item.budget)
		if err != nil {
			return nil, &itemError{rows.StatusBadRow, err.Error()}
		}
		return merged(g, o.loadedGold(ref)), nil
	}
	return o.loadedGold(ref), nil
}

// merged is what g knows, and beside it what h does.
func merged(g, h *reward.Gold) *reward.Gold {
	if h == nil {
		return g
	}
	both := *g
	if !g.HasSteps {
		both.Steps, both.HasSteps = h.Steps, h.HasSteps
	}
	if g.Cost == nil {
		both.Cost, both.Optimal = h.Cost, h.Optimal
	}
	if g.Slack == nil {
		both.Slack = h.Slack
	}
	if g.Budget == nil {
		both.Budget = h.Budget
	}
	return &both
}

// loadedGold is the gold of a loaded task, nil for none.
func (o *Oracle) loadedGold(ref taskref.Ref) *reward.Gold {
	if o.opt.Tasks.Len() == 0 {
		return nil
	}
	name := ref.Task
	if name == "" {
		key, err := o.resolve(ref, time.Time{})
		if err != nil {
			return nil
		}
		name = key.Sum()
	}
	if t := o.opt.Tasks.Find(name); t != nil {
		return t.Gold
	}
	return nil
}

func readTaskRef(raw []byte) (ref taskref.Ref, err error) {
	if !rowjson.Present(raw) {
		return ref, nil // the oracle's own, if it has one
	}
	switch raw[0] {
	case '"':
		if ref.Task, err = rowjson.String(raw); err == nil {
			return ref, nil
		}
	case '{':
		err = rowjson.EachMember(raw, func(name string, value []byte) (err error) {
			switch name {
			case "domain", "domain_text":
				ref.DomainText, err = rowjson.String(value)
			case "problem", "problem_text":
				ref.ProblemText, err = rowjson.String(value)
			}
			return err
		})
		if err == nil && ref.DomainText != "" && ref.ProblemText != "" {
			return ref, nil
		}
		if rowjson.IsRepeated(err) {
			return taskref.Ref{}, &itemError{rows.StatusBadRow, "task: " + err.Error()}
		}
	}
	return taskref.Ref{}, &itemError{rows.StatusBadRow, "task is neither a name nor an object with the texts of domain and problem"}
}
