package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
)

// maxRowItems bounds the answers of one row, as score does.
const maxRowItems = 1 << 12

// extractBatch is extract --batch.
type extractBatch struct {
	e    env
	as   string
	json bool
	own  *rowTask // of rows that name no task; nil for none
	// Readers by task; emptied when the texts that name them have grown to maxTaskText.
	mu    sync.Mutex
	tasks map[taskref.Key]*rowTask
	text  int
	// How many answers said what was asked for, how many did not, and how many rows
	// or answers could not be read.
	found, missing, faults atomic.Int64
}

// maxTaskText bounds the tasks that are kept.
const maxTaskText = 64 << 20

// rowTask holds the readers of one task, each made when it is needed.
type rowTask struct {
	problem func() (*pddl.Problem, error)
	plan    func() *extract.Reader
	state   func() *extract.StateReader
	verdict func() *extract.VerdictReader
}

func newRowTask(read func() (*pddl.Problem, error)) *rowTask {
	t := &rowTask{problem: sync.OnceValues(read)}
	prob := func() *pddl.Problem { p, _ := t.problem(); return p }
	t.plan = sync.OnceValue(func() *extract.Reader { return extract.NewReader(prob().Domain, prob()) })
	t.state = sync.OnceValue(func() *extract.StateReader { return extract.NewStateReader(prob().Domain, prob()) })
	t.verdict = sync.OnceValue(func() *extract.VerdictReader { return extract.NewVerdictReader(prob().Domain, prob()) })
	return t
}

// extractRows is extract --batch: one line for each row, in order.
func (e env) extractRows() error {
	if e.Int("workers") < 0 {
		return errors.New("--workers must not be negative")
	}
	b := &extractBatch{e: e, as: e.String("as"), json: e.Bool("json"), tasks: map[taskref.Key]*rowTask{}}
	if e.NArg() > 0 {
		p, rest, err := e.task()
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return fmt.Errorf("unexpected argument %q: the answers are in the rows of --batch", rest[0])
		}
		b.own = newRowTask(func() (*pddl.Problem, error) { return p, nil })
	}
	in, closeIn, err := e.open(e.String("batch"))
	if err != nil {
		return err
	}
	defer closeIn()
	defer collectAt(rowGarbage)()
	bar := e.rowProgress()
	err = streamRows(e.Context.Context, in, bar.Count(e.out), e.Int("workers"), b.answer)
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.limited("interrupted", "interrupted: the rows printed so far are complete")
	}
	if err != nil {
		return err
	}
	found, missing, faults := b.found.Load(), b.missing.Load(), b.faults.Load()
	if !e.Bool("json") {
		fmt.Fprintf(e.err, "%s: %d with a %s, %d without, %s\n", plural(int(found+missing+faults), "answer"), found, b.as, missing, plural(int(faults), "error"))
	}
	switch {
	case faults > 0:
		return exit(exitBad)
	case missing > 0:
		return exit(exitNo)
	}
	return nil
}

// rowAnswer is the reading of one answer, or why there is none.
type rowAnswer struct {
	id      json.RawMessage
	label   string // for people
	reading any    // *extract.Extraction, *extract.StateReading or *extract.VerdictReading
	err     string
}

// answer reads one row; whatever goes wrong is its answer.
func (b *extractBatch) answer(row *rowstream.Line) (text []byte) {
	var id json.RawMessage
	number := row.Row
	defer func() {
		if x := recover(); x != nil {
			text = b.fault(id, number, fmt.Errorf("internal error: %v", x))
		}
	}()
	if row.Text == nil {
		return b.fault(id, number, fmt.Errorf("%w: %d bytes, more than %d", rows.ErrRow, row.Length, maxRowBytes))
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(row.Text, []byte{'\n'}), []byte{'\r'})
	r, err := rows.ParseRequest(line, maxRowItems)
	if r != nil {
		id = r.ID
	}
	if err == nil && len(r.Items) == 0 && !r.List {
		err = fmt.Errorf("%w: no response", rows.ErrRow)
	}
	if err != nil {
		return b.fault(id, number, err)
	}
	if !r.List {
		a := b.read(&r.Items[0], row)
		a.id, a.label = id, rowLabel(id, number)
		return b.print(a)
	}
	answers := make([]*rowAnswer, len(r.Items))
	for i := range r.Items {
		answers[i] = b.read(&r.Items[i], row)
		answers[i].id = r.Items[i].ID
	}
	if !b.json {
		for i, a := range answers {
			if a.label = rowLabel(a.id, 0); a.id == nil {
				a.label = fmt.Sprintf("%s[%d]", rowLabel(id, number), i)
			}
			text = append(text, b.print(a)...)
		}
		return text
	}
	text = append(rowjson.AppendRaw(append(text, `{"id":`...), id), `,"items":[`...)
	for i, a := range answers {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendAnswer(text, a)
	}
	return append(text, "]}\n"...)
}

// read reads one answer.
func (b *extractBatch) read(item *rows.Item, row *rowstream.Line) *rowAnswer {
	a := &rowAnswer{}
	var t *rowTask
	err := item.Err
	if err == nil {
		if t, err = b.task(item.Task, row.Read); err == nil {
			_, err = t.problem()
		}
	}
	if err != nil {
		a.err = fmt.Sprintf("row %d: %v", row.Row, err)
		b.faults.Add(1)
		return a
	}
	ok := false
	switch b.as {
	case "state":
		x := t.state().Read(item.Response)
		a.reading, ok = &x, x.Found
	case "verdict":
		x := t.verdict().Read(item.Response)
		a.reading, ok = &x, x.Found
	default:
		x := t.plan().Extract(item.Response)
		a.reading, ok = &x, x.Status == extract.StatusPlan && len(x.Malformed) == 0
	}
	if ok {
		b.found.Add(1)
	} else {
		b.missing.Add(1)
	}
	return a
}

// task returns the task that a row names which had been read at a time: files are as they
// were then or later.
func (b *extractBatch) task(ref taskref.Ref, at time.Time) (*rowTask, error) {
	if ref.IsZero() {
		if b.own == nil {
			return nil, errors.New("no task: neither domain and problem, nor their text, nor the name of a bundled task")
		}
		return b.own, nil
	}
	if ref.Domain != "" && ref.Problem+ref.ProblemText+ref.Task == "" && domains.IsName(ref.Domain) {
		ref.Task, ref.Domain = ref.Domain, ""
	}
	b.mu.Lock() // also for reading: who names a pipe wants it read once
	defer b.mu.Unlock()
	key, err := b.e.rowKey(ref, at)
	if err != nil {
		return nil, err
	}
	t := b.tasks[key]
	if t == nil {
		t = newRowTask(func() (*pddl.Problem, error) { return b.e.keyProblem(key) })
		if b.text += 1<<10 + int(key.Bytes()); b.text > maxTaskText {
			clear(b.tasks)
			b.text = 0
		}
		b.tasks[key] = t
	}
	return t, nil
}

// fault answers a row that is none.
func (b *extractBatch) fault(id json.RawMessage, number int, err error) []byte {
	b.faults.Add(1)
	return b.print(&rowAnswer{id: id, label: rowLabel(id, number), err: fmt.Sprintf("row %d: %v", number, err)})
}

// rowLabel is what people see of a row's id; its number if it has none.
func rowLabel(id json.RawMessage, number int) string {
	if len(id) == 0 {
		return fmt.Sprintf("row %d", number)
	}
	return strings.Trim(string(id), `"`)
}

// print writes an answer as JSON, or as a line for people.
func (b *extractBatch) print(a *rowAnswer) []byte {
	if b.json {
		return append(appendAnswer(make([]byte, 0, 512), a), '\n')
	}
	if a.err != "" {
		return fmt.Appendf(nil, "%-12s error: %s\n", a.label, a.err)
	}
	said, how, sure := "", "", extract.Confidence("")
	switch x := a.reading.(type) {
	case *extract.StateReading:
		said, how, sure = plural(len(x.Facts), "fact"), x.Reading, x.Confidence
	case *extract.VerdictReading:
		said, how, sure = "no verdict", x.Reading, x.Confidence
		if x.Found {
			said = map[bool]string{true: "valid", false: "invalid"}[x.Valid]
		}
	case *extract.Extraction:
		said, how, sure = fmt.Sprintf("%s, %s", x.Status, plural(x.Steps(), "step")), x.Reading, x.Confidence
		if n := len(x.Malformed); n > 0 {
			said += fmt.Sprintf(", %d malformed", n)
		}
	}
	return fmt.Appendf(nil, "%-12s %s (read as %s, confidence %s)\n", a.label, said, how, sure)
}

// jsonLine returns v as one line of JSON.
func jsonLine(v any) []byte {
	var b bytes.Buffer
	if err := printJSON(&b, v); err != nil {
		return fmt.Appendf(nil, "{\"id\":null,\"error\":%q}\n", err.Error())
	}
	return b.Bytes()
}
