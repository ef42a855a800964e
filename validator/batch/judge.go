package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// compiled is a task that plans are judged by, or why it cannot be.
type compiled struct {
	judge *validator.Judge
	err   error
}

// compiledBytes is what a compiled task takes in the cache.
func compiledBytes(k taskref.Key, c *compiled) int64 {
	if c.judge == nil {
		return 256 + k.Bytes()
	}
	return 256 + k.Bytes() + c.judge.Memory()
}

// tools are what one goroutine uses at a time.
type tools struct {
	reader pddl.PlanReader
	plan   pddl.Plan
	text   []byte           // of the plan
	out    []byte           // room for the next answers
	words  []byte           // the members that name a task, for looking them up
	known  map[string]*task // by these
	held   int64            // bytes of known
	long   longTexts
}

// task is what some words of rows mean, with the memory to judge by it.
type task struct {
	*compiled
	scratch *validator.Scratch
	files   bool      // named by files
	at      time.Time // when they were as judged
}

// Bounds of what tools keep from row to row: plans by their steps, tasks by their number
// and bytes.
const (
	maxKeptSteps = 1 << 14
	maxKeptText  = 1 << 20
	answerRoom   = 1 << 10 // for most answers
	maxKnown     = 64
	maxHeld      = 64 << 20
)

// longTexts are some long texts of tasks, as JSON: where one comes again it is compared, and neither read nor hashed.
type longTexts struct {
	list [8]struct {
		raw  []byte
		name string // that no other text has had
	}
	kept int
}

const minLong = 256

// find returns the text that a part of a row begins with, if it is one of the list.
func (l *longTexts) find(part []byte) []byte {
	if len(part) < minLong || part[0] != '"' {
		return nil
	}
	for i := range l.list {
		if raw := l.list[i].raw; len(raw) > 0 && bytes.HasPrefix(part, raw) {
			return raw
		}
	}
	return nil
}

// appendName appends a member, or the name of one that find returned.
func (l *longTexts) appendName(b, raw []byte) []byte {
	if len(raw) >= minLong {
		for i := range l.list {
			if x := &l.list[i]; len(x.raw) == len(raw) && &x.raw[0] == &raw[0] {
				return append(b, x.name...)
			}
		}
	}
	return append(b, raw...)
}

// keep adds a text to the list, in the place of the oldest.
func (l *longTexts) keep(raw []byte) {
	if len(raw) < minLong || raw[0] != '"' || len(raw) > maxHeld/len(l.list) || l.find(raw) != nil {
		return
	}
	x := &l.list[l.kept%len(l.list)]
	l.kept++
	x.raw, x.name = bytes.Clone(raw), strconv.Itoa(l.kept)
}

// answer answers one row; a panic becomes an error row, so that one row cannot bring
// the others down.
func (b *batch) answer(ctx context.Context, line *rowstream.Line) (a answer) {
	if ctx.Err() != nil {
		return answer{}
	}
	var r row
	t, _ := b.tools.Get().(*tools)
	if t == nil {
		t = &tools{known: map[string]*task{}}
	}
	defer func() {
		if x := recover(); x != nil {
			a = failed(r.id, fmt.Errorf("internal error: %v", x))
			return // without the tools, whatever state they are in
		}
		if cap(t.plan.Steps) > maxKeptSteps || cap(t.text) > maxKeptText {
			t.reader, t.plan, t.text = pddl.PlanReader{}, pddl.Plan{}, nil
		}
		b.tools.Put(t)
		if ctx.Err() != nil {
			a = answer{} // it may have been cut short
		}
	}()
	if line.Text == nil {
		return failed(nil, fmt.Errorf("row %d: longer than %d bytes", line.Row, b.opt.MaxRow))
	}
	if err := r.read(line.Text, t.long.find); err != nil {
		return failed(r.id, fmt.Errorf("row %d: %s", line.Row, rowjson.Fault(err)))
	}
	v, by, err := b.judge(ctx, t, &r, line.Read)
	if err != nil {
		return failed(r.id, err)
	}
	a = answer{text: t.write(v, r.id), kind: invalid}
	switch {
	case v.Valid:
		a.kind = valid
	case !v.Decided():
		a.kind = undecided
	}
	if by != nil {
		by.Recycle(v)
	}
	return a
}

// write puts a verdict into the room for answers, which many of them share.
func (t *tools) write(v *validator.Verdict, id json.RawMessage) []byte {
	if cap(t.out)-len(t.out) < answerRoom {
		t.out = make([]byte, 0, 16*answerRoom)
	}
	from := len(t.out)
	t.out = append(v.AppendJSON(t.out, id), '\n')
	return t.out[from:len(t.out):len(t.out)]
}

// judge reads the row's plan and judges it, and returns the scratch that made the verdict, if one did.
func (b *batch) judge(ctx context.Context, t *tools, r *row, at time.Time) (*validator.Verdict, *validator.Scratch, error) {
	var err error
	if t.text, err = planText(t.text[:0], r.plan); err != nil {
		return nil, nil, err
	}
	// Nothing of the plan is kept beyond this row, so that the next one may overwrite its text.
	src := pddl.NewSourceBytes("plan", t.text)
	epsilon, err := gapOr("epsilon", r.epsilon, b.opt.Epsilon)
	if err != nil {
		return nil, nil, err
	}
	tolerance, err := gapOr("duration_tolerance", r.tolerance, b.opt.Tolerance)
	if err != nil {
		return nil, nil, err
	}
	by, err := b.task(ctx, t, r, at)
	if err != nil {
		return nil, nil, err
	}
	diags, err := t.reader.ReadContext(ctx, src, &t.plan)
	switch {
	case err != nil:
		return validator.Unread(), nil, nil
	case diags.HasErrors():
		return validator.SyntaxVerdict(diags), nil, nil
	}
	s := by.scratch
	s.Epsilon, s.Tolerance, s.MaxBytes, s.Context, s.Brief = epsilon, tolerance, b.opt.Memory, ctx, !b.opt.Explain
	judge := by.judge.ValidateWith
	if b.opt.Explain {
		judge = by.judge.Explain
	}
	v := judge(&t.plan, s)
	if b.opt.CrossCheck {
		if err := by.judge.CrossCheckText(v, src, s); err != nil {
			return nil, nil, err
		}
	}
	return v, s, nil
}

// task finds the task of a row, whose files are as they were at a time or later.
func (b *batch) task(ctx context.Context, t *tools, r *row, at time.Time) (*task, error) {
	t.words = t.words[:0]
	for _, raw := range r.task {
		t.words = append(t.long.appendName(t.words, raw), '\n') // no member holds a line end as it is
	}
	known := t.known[string(t.words)]
	if known != nil && (!known.files || known.at.After(at)) {
		return known, nil
	}
	now := time.Now()
	key, err := b.key(r, at)
	if err != nil {
		return nil, err
	}
	c, err := b.judges.GetContext(ctx, key, func() (*compiled, error) { return b.compile(ctx, key) })
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, err
	}
	if known != nil && known.compiled == c {
		known.at = now
		return known, nil
	}
	known = &task{c, c.judge.NewScratch(), r.task[domainFile] != nil || r.task[problemFile] != nil, now}
	t.held += int64(len(t.words)) + 2*c.judge.Memory()
	if len(t.known) >= maxKnown || t.held > maxHeld {
		clear(t.known)
		t.held = int64(len(t.words)) + 2*c.judge.Memory()
	}
	t.known[string(t.words)] = known
	for _, raw := range r.task {
		t.long.keep(raw)
	}
	return known, nil
}

// key finds the texts of a row's task.
func (b *batch) key(r *row, at time.Time) (taskref.Key, error) {
	var texts [taskMembers]string
	for i, raw := range r.task {
		if raw == nil {
			continue
		}
		var err error
		if texts[i], err = rowjson.String(raw); err != nil {
			return taskref.Key{}, err
		}
	}
	ref := taskref.Ref{
		Domain: texts[domainFile], Problem: texts[problemFile],
		DomainText: texts[domainText], ProblemText: texts[problemText], Task: texts[taskName],
	}
	if sum := ref.Task; strings.HasPrefix(sum, "sha256:") {
		switch ref.Task = ""; {
		case ref.DomainText == "" || ref.ProblemText == "":
			return taskref.Key{}, errors.New("a task given as a hash needs domain_text and problem_text as well")
		case taskref.Sum(ref.DomainText, ref.ProblemText) != sum:
			return taskref.Key{}, fmt.Errorf("task is %.80s, but the texts have the hash %s", sum, taskref.Sum(ref.DomainText, ref.ProblemText))
		}
	}
	key, err := b.opt.Tasks.Key(ref, at)
	// Faults of texts are placed as in files.
	if ref.DomainText != "" {
		key.DomainName = "domain.pddl"
	}
	if ref.ProblemText != "" {
		key.ProblemName = "problem.pddl"
	}
	return key, err
}

// compile makes the judge of a task. Faults of the task are in it; the error is that of ctx.
func (b *batch) compile(ctx context.Context, key taskref.Key) (*compiled, error) {
	p, diags, err := b.opt.Tasks.ParseContext(ctx, key, b.opt.Tasks.Options)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return &compiled{err: diags.Errors()}, nil
	}
	if b.opt.Reprice != nil {
		if p, err = b.opt.Reprice(p); err != nil {
			return &compiled{err: err}, nil
		}
	}
	j, err := validator.NewJudgeContext(ctx, p, b.opt.Judge)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &compiled{j, err}, nil
}

// failed makes the row of an error.
func failed(id json.RawMessage, err error) answer {
	text := append(rowjson.AppendRaw([]byte(`{"id":`), id), `,"error":`...)
	return answer{text: append(rowjson.AppendText(text, err.Error()), "}\n"...), kind: faulty}
}
