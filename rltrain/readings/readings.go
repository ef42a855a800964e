// Package readings reads what rows of answers commit to: a plan, a state or a verdict.
//
//	line ─► rows.ParseRequest ─► answers ─► Options.Task ─► readers of its task
//	                                └──────────────────────────┴─► extract ─► JSON, or a line
//
// Rows are read in parallel and answered in order. A row or answer that cannot be read is
// answered with its error.
package readings

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/rows"
)

const (
	// maxRow is the longest row that is read, in bytes.
	maxRow = 64 << 20
	// maxItems bounds the answers of one row, as scoring does.
	maxItems = 1 << 12
)

// Options say what to read and what to write.
type Options struct {
	// As is what to read: "plan", "state" or "verdict".
	As string
	// JSON asks for JSON Lines instead of a line for people per answer.
	JSON bool
	// Reader reads plans of rows that name no reader; "" is natural.
	Reader extract.Kind
	// Workers is the number of rows read at the same time; 0 is one per processor.
	Workers int
	// Task returns the task that an answer names (the zero reference if it names none), as
	// its files were at a time or later. It is called from any goroutine.
	Task func(ref taskref.Ref, at time.Time) (*Task, error)
}

// Stats counts answers: those that hold what was asked for, those that do not, and those
// that could not be read.
type Stats struct {
	Found, Missing, Errors int
}

// Text sums up the answers from which plans, states or verdicts, as says which, were read.
func (s Stats) Text(as string) string {
	return fmt.Sprintf("%s: %d with a %s, %d without, %s",
		spell.Plural(s.Found+s.Missing+s.Errors, "answer"), s.Found, as, s.Missing, spell.Plural(s.Errors, "error"))
}

// Task holds the readers of one task. Each is made when it is first needed.
type Task struct {
	problem func() (*pddl.Problem, error)
	strict  func() *extract.Reader
	natural func() *extract.Reader
	state   func() *extract.StateReader
	verdict func() *extract.VerdictReader
}

// NewTask returns the readers of the task that read returns. It is called once.
func NewTask(read func() (*pddl.Problem, error)) *Task {
	t := &Task{problem: sync.OnceValues(read)}
	prob := func() *pddl.Problem { p, _ := t.problem(); return p }
	t.strict = sync.OnceValue(func() *extract.Reader { return extract.NewReader(prob().Domain, prob(), extract.Strict) })
	t.natural = sync.OnceValue(func() *extract.Reader { return extract.NewReader(prob().Domain, prob(), extract.Natural) })
	t.state = sync.OnceValue(func() *extract.StateReader { return extract.NewStateReader(prob().Domain, prob()) })
	t.verdict = sync.OnceValue(func() *extract.VerdictReader { return extract.NewVerdictReader(prob().Domain, prob()) })
	return t
}

// Read reads one answer as Options.As and Options.Reader say. The reading is an [*extract.Extraction], an
// [*extract.StateReading] or an [*extract.VerdictReading]. found reports whether the answer
// holds it; a plan must have no malformed step. The error is that of the task.
func (t *Task) Read(as string, reader extract.Kind, answer string) (reading any, found bool, err error) {
	if _, err := t.problem(); err != nil {
		return nil, false, err
	}
	reading, found = t.read(as, reader, answer)
	return reading, found, nil
}

func (t *Task) read(as string, reader extract.Kind, answer string) (reading any, found bool) {
	switch as {
	case "state":
		x := t.state().Read(answer)
		return &x, x.Found
	case "verdict":
		x := t.verdict().Read(answer)
		return &x, x.Found
	}
	plans := t.natural
	if reader == extract.Strict {
		plans = t.strict
	}
	x := plans().Extract(answer)
	return &x, x.Status == extract.StatusPlan && len(x.Malformed) == 0
}

// batch is one run.
type batch struct {
	Options
	found, missing, faults atomic.Int64
}

// Run reads rows of JSON Lines ([rows.ParseRequest]) and writes a line for each, in order, as
// soon as it and those before it are there. The error is one of reading, of writing or of
// ctx; the lines written until then are complete.
func Run(ctx context.Context, in io.Reader, w io.Writer, o Options) (Stats, error) {
	b := &batch{Options: o}
	out := bufio.NewWriterSize(w, 1<<16)
	err := rowstream.Run(ctx, in, rowstream.Options{Workers: o.Workers, MaxLine: maxRow},
		func(_ context.Context, row *rowstream.Line) []byte { return b.answer(row) },
		func(text []byte) error {
			_, err := out.Write(text)
			return err
		}, out.Flush)
	return Stats{int(b.found.Load()), int(b.missing.Load()), int(b.faults.Load())}, err
}

// answer is the reading of one answer, or the error that prevented it.
type answer struct {
	id      json.RawMessage
	label   string // for people
	reading any    // *extract.Extraction, *extract.StateReading or *extract.VerdictReading
	err     string
}

// answer reads one row; whatever goes wrong is its answer.
func (b *batch) answer(row *rowstream.Line) (text []byte) {
	var id json.RawMessage
	number := row.Row
	defer func() {
		if x := recover(); x != nil {
			text = b.fault(id, number, fmt.Errorf("internal error: %v", x))
		}
	}()
	if row.Text == nil {
		return b.fault(id, number, fmt.Errorf("%w: %d bytes, more than %d", rows.ErrRow, row.Length, maxRow))
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(row.Text, []byte{'\n'}), []byte{'\r'})
	r, err := rows.ParseRequest(line, maxItems)
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
	answers := make([]*answer, len(r.Items))
	for i := range r.Items {
		answers[i] = b.read(&r.Items[i], row)
		answers[i].id = r.Items[i].ID
	}
	if !b.JSON {
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
func (b *batch) read(item *rows.Item, row *rowstream.Line) *answer {
	a := &answer{}
	var t *Task
	err := item.Err
	if err == nil {
		if t, err = b.Task(item.Task, row.Read); err == nil {
			_, err = t.problem()
		}
	}
	if err != nil {
		a.err = fmt.Sprintf("row %d: %v", row.Row, err)
		b.faults.Add(1)
		return a
	}
	var ok bool
	a.reading, ok = t.read(b.As, cmp.Or(item.Reader, b.Reader), item.Response)
	if ok {
		b.found.Add(1)
	} else {
		b.missing.Add(1)
	}
	return a
}

// fault answers a row that cannot be read.
func (b *batch) fault(id json.RawMessage, number int, err error) []byte {
	b.faults.Add(1)
	return b.print(&answer{id: id, label: rowLabel(id, number), err: fmt.Sprintf("row %d: %v", number, err)})
}

// rowLabel is what people see of a row's id; its number if it has none.
func rowLabel(id json.RawMessage, number int) string {
	if len(id) == 0 {
		return fmt.Sprintf("row %d", number)
	}
	return strings.Trim(string(id), `"`)
}

// print writes an answer as JSON, or as a line for people.
func (b *batch) print(a *answer) []byte {
	if b.JSON {
		return append(appendAnswer(make([]byte, 0, 512), a), '\n')
	}
	if a.err != "" {
		return fmt.Appendf(nil, "%-12s error: %s\n", a.label, a.err)
	}
	said, how, sure := "", "", extract.Confidence("")
	switch x := a.reading.(type) {
	case *extract.StateReading:
		said, how, sure = spell.Plural(len(x.Facts), "fact"), x.Reading, x.Confidence
	case *extract.VerdictReading:
		said, how, sure = "no verdict", x.Reading, x.Confidence
		if x.Found {
			said = map[bool]string{true: "valid", false: "invalid"}[x.Valid]
		}
	case *extract.Extraction:
		said, how, sure = fmt.Sprintf("%s, %s", x.Status, spell.Plural(x.Steps(), "step")), byReader(x), x.Confidence
		if n := len(x.Malformed); n > 0 {
			said += fmt.Sprintf(", %d malformed", n)
		}
	}
	return fmt.Appendf(nil, "%-12s %s (read as %s, confidence %s)\n", a.label, said, how, sure)
}
