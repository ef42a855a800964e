package validator

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/planproof/planproof/internal/rowjson"
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
	// Explain adds an Explanation to the verdicts on invalid plans.
	Explain bool
	// Tasks is a cache to share between batches, which then decides over Judge and
	// Reprice; nil makes one of CacheBytes.
	Tasks      *Tasks
	CacheBytes int64
	// MaxRow bounds one input row in bytes; a longer row is answered with an error.
	// 0 means DefaultMaxRow.
	MaxRow int
	// Progress, if set, is called after each row that has been written.
	Progress func(BatchStats)
}

// DefaultMaxRow is the longest row read by default: plans of some two million steps.
const DefaultMaxRow = 64 << 20

// BatchStats counts the rows written so far.
type BatchStats struct {
	Rows, Valid, Invalid int
	Undecided            int // a limit ended judging
	Errors               int // rows with "error"
}

// batchRow is an input row.
type batchRow struct {
	ID          json.RawMessage `json:"id"`
	Domain      string          `json:"domain"`
	Problem     string          `json:"problem"`
	DomainText  string          `json:"domain_text"`
	ProblemText string          `json:"problem_text"`
	Task        string          `json:"task"`
	Plan        *rowPlan        `json:"plan"`
	Epsilon     json.RawMessage `json:"epsilon"`
}

// rowPlan is the plan of a row as text: the text itself, or a list of steps, a line each.
type rowPlan struct {
	text string
	bad  bool // neither: an error would end the reading of the row
}

// UnmarshalJSON reads a string or a list of strings.
func (p *rowPlan) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &p.text)
	}
	var steps []string
	p.bad = json.Unmarshal(data, &steps) != nil
	p.text = strings.Join(steps, "\n")
	return nil
}

// rowError is the output of a row that cannot be judged.
type rowError struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
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

// Rows are handed out in chunks so that small ones cost little; the bounds keep
// memory flat however large the input.
const (
	chunkRows  = 64
	chunkBytes = 1 << 18
	maxFlight  = 64 << 20 // bytes of rows read but not yet written
)

// ValidateBatch judges rows of JSON Lines, {"id", "domain", "problem", "plan"} with
// file names, or with text under "domain_text" and "problem_text", or with a name under
// "task" (which beside texts may be their hash, "sha256:..."), and optionally "epsilon";
// "id" is any JSON value, "plan" a text or a list of steps. It writes one row per input row, in order: the verdict with its id, or
// {"id", "error"} for a row that cannot be judged, which does not stop the others.
// Blank lines are skipped. The error is one of reading, writing or ctx.
func ValidateBatch(ctx context.Context, r io.Reader, w io.Writer, opt BatchOptions) (BatchStats, error) {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.MaxRow <= 0 {
		opt.MaxRow = DefaultMaxRow
	}
	if opt.Tasks == nil {
		opt.Tasks = NewTasks(opt.CacheBytes, opt.Judge)
		opt.Tasks.reprice = opt.Reprice
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &batch{ctx: ctx, opt: opt, work: make(chan *chunk), order: make(chan *chunk, 4*opt.Workers), room: newRoom(maxFlight)}
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
	work  chan *chunk
	order chan *chunk
	room  *room

	mu    sync.Mutex
	named map[string]TaskRef
}

// room is a byte budget: take blocks while more is out than fits, but always lets
// at least one taker through.
type room struct {
	mu     sync.Mutex
	cond   *sync.Cond
	limit  int64
	out    int64
	closed bool
}

func newRoom(limit int64) *room {
	r := &room{limit: limit}
	r.cond = sync.NewCond(&r.mu)
	return r
}

func (r *room) take(n int64) {
	r.mu.Lock()
	for r.out > 0 && r.out+n > r.limit && !r.closed {
		r.cond.Wait()
	}
	r.out += n
	r.mu.Unlock()
}

func (r *room) give(n int64) {
	r.mu.Lock()
	r.out -= n
	r.cond.Broadcast()
	r.mu.Unlock()
}

func (r *room) close() {
	r.mu.Lock()
	r.closed = true
	r.cond.Broadcast()
	r.mu.Unlock()
}

// read cuts the input into chunks. A chunk ends early when no further input is
// there yet, so that a caller may wait for an answer before it sends the next row.
func (b *batch) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<16)
	first := true
	row := 0
	c := &chunk{first: 1, out: make(chan []answer, 1)}
	send := func() bool {
		if len(c.lines) == 0 {
			return true
		}
		b.room.take(c.size)
		for _, ch := range []chan *chunk{b.order, b.work} {
			select {
			case ch <- c:
			case <-b.ctx.Done():
				return false
			}
		}
		c = &chunk{first: row + 1, out: make(chan []answer, 1)}
		return true
	}
	for {
		line, long, err := readLine(in, b.opt.MaxRow)
		if first {
			line, first = bytes.TrimPrefix(line, []byte(rowjson.BOM)), false
		}
		if len(bytes.TrimSpace(line)) > 0 || long {
			row++
			if long {
				line = nil
			}
			c.lines = append(c.lines, line)
			c.size += int64(len(line)) + 64
		}
		full := len(c.lines) >= chunkRows || c.size >= chunkBytes || !lineBuffered(in)
		if (full || err != nil) && !send() {
			return b.ctx.Err()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineBuffered reports whether a whole further line has been read already.
func lineBuffered(in *bufio.Reader) bool {
	ahead, _ := in.Peek(in.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0
}

// readLine reads a line of its own memory, up to limit bytes; the rest of a longer
// one is skipped.
func readLine(in *bufio.Reader, limit int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long && len(line)+len(part) > limit {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// bench is what a worker uses again for each row.
type bench struct {
	reader pddl.PlanReader
	plan   pddl.Plan
}

// maxKeptSteps bounds the steps whose room a worker keeps between rows.
const maxKeptSteps = 1 << 14

// worker judges chunks.
func (b *batch) worker() {
	tools := &bench{}
	for c := range b.work {
		answers := make([]answer, len(c.lines))
		for i, line := range c.lines {
			if b.ctx.Err() != nil {
				break
			}
			answers[i] = b.row(tools, line, c.first+i)
			if cap(tools.plan.Steps) > maxKeptSteps {
				*tools = bench{}
			}
		}
		c.lines = nil
		c.out <- answers
	}
}

// row answers one row; a panic becomes an error row, so that one row cannot bring
// the others down.
func (b *batch) row(tools *bench, line []byte, number int) (a answer) {
	var in batchRow
	defer func() {
		if x := recover(); x != nil {
			a = failed(in.ID, fmt.Errorf("internal error: %v", x))
			*tools = bench{}
		}
	}()
	if line == nil {
		return failed(nil, fmt.Errorf("row %d: longer than %d bytes", number, b.opt.MaxRow))
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return failed(in.ID, fmt.Errorf("row %d: %s", number, rowjson.Fault(err)))
	}
	v, err := b.judge(tools, &in)
	if err != nil {
		return failed(in.ID, err)
	}
	text, err := v.JSON(in.ID)
	if err != nil {
		return failed(in.ID, err)
	}
	a = answer{text: text, kind: answerInvalid}
	switch {
	case v.Valid:
		a.kind = answerValid
	case !v.Decided():
		a.kind = answerUndecided
	}
	return a
}

// judge reads the row's plan and judges it.
func (b *batch) judge(tools *bench, in *batchRow) (*Verdict, error) {
	switch {
	case in.Plan == nil:
		return nil, errors.New("no plan")
	case in.Plan.bad:
		return nil, errors.New("plan is neither a text nor a list of steps")
	}
	epsilon, err := parseEpsilon(in.Epsilon)
	if err != nil {
		return nil, err
	}
	ref, err := b.taskOf(in)
	if err != nil {
		return nil, err
	}
	j, err := b.opt.Tasks.Judge(ref)
	if err != nil {
		return nil, err
	}
	if diags := tools.reader.Read(&pddl.Source{Name: "plan", Text: in.Plan.text}, &tools.plan); diags.HasErrors() {
		return SyntaxVerdict(diags), nil
	}
	s := j.Borrow()
	s.Epsilon = epsilon
	judge := j.ValidateWith
	if b.opt.Explain {
		judge = j.Explain
	}
	v := judge(&tools.plan, s)
	j.Return(s)
	return v, nil
}

// taskOf finds the task of a row.
func (b *batch) taskOf(in *batchRow) (TaskRef, error) {
	ref := TaskRef{DomainFile: in.Domain, ProblemFile: in.Problem, DomainText: in.DomainText, ProblemText: in.ProblemText}
	if in.Task == "" {
		return ref, nil
	}
	sum, isSum := strings.CutPrefix(in.Task, "sha256:")
	switch {
	case isSum && ref.DomainText != "" && ref.ProblemText != "":
		// As data sets have it: SHA-256 of the domain, a zero byte and the problem.
		h := sha256.New()
		io.WriteString(h, ref.DomainText+"\x00"+ref.ProblemText)
		if got := hex.EncodeToString(h.Sum(nil)); got != sum {
			return ref, fmt.Errorf("task is %s, but the texts have the hash sha256:%s", abbreviate(in.Task), got)
		}
		return ref, nil
	case ref != TaskRef{}:
		return ref, errors.New("a row has a task, or a domain and a problem")
	case isSum:
		return ref, errors.New("a hash under task needs domain_text and problem_text beside it")
	case b.opt.Named == nil:
		return ref, errors.New("no tasks are known by name")
	}
	b.mu.Lock()
	ref, ok := b.named[in.Task]
	b.mu.Unlock()
	if ok {
		return ref, nil
	}
	dom, prob, err := b.opt.Named(in.Task)
	if err != nil {
		return ref, err
	}
	ref = TaskRef{DomainText: dom.Text, ProblemText: prob.Text}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.named) >= maxNamed {
		b.named = nil
	}
	if b.named == nil {
		b.named = map[string]TaskRef{}
	}
	b.named[in.Task] = ref
	return ref, nil
}

// maxNamed bounds the named tasks whose texts a batch keeps.
const maxNamed = 1024

// parseEpsilon reads the optional epsilon of a row: a number, or one in a string.
func parseEpsilon(raw json.RawMessage) (pddl.Number, error) {
	text := strings.Trim(string(raw), `"`)
	if text == "" || text == "null" {
		return pddl.Number{}, nil
	}
	n, ok := pddl.ParseNumber(text)
	if !ok || n.Sign() < 0 {
		return n, fmt.Errorf("epsilon %s is not a number of at least 0", raw)
	}
	return n, nil
}

// failed makes the row of an error.
func failed(id json.RawMessage, err error) answer {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	text, e := encode(rowError{id, err.Error()})
	if e != nil {
		text = []byte(`{"id":null,"error":"unprintable error"}`)
	}
	return answer{text: text, kind: answerError}
}

// write writes the answers in order, and whenever none is ready lets the caller see
// what there is.
func (b *batch) write(w io.Writer) (BatchStats, error) {
	var stats BatchStats
	out := bufio.NewWriterSize(w, 1<<16)
	for {
		var c *chunk
		var ok bool
		select {
		case c, ok = <-b.order:
		default:
			if err := out.Flush(); err != nil {
				return stats, err
			}
			select {
			case c, ok = <-b.order:
			case <-b.ctx.Done():
				return stats, b.ctx.Err()
			}
		}
		if !ok {
			return stats, out.Flush()
		}
		if len(b.order) == 0 {
			if err := out.Flush(); err != nil {
				return stats, err
			}
		}
		var answers []answer
		select {
		case answers = <-c.out:
		case <-b.ctx.Done():
			return stats, errors.Join(b.ctx.Err(), out.Flush())
		}
		for _, a := range answers {
			if a.text == nil {
				return stats, errors.Join(b.ctx.Err(), out.Flush())
			}
			if err := b.emit(out, a, &stats); err != nil {
				return stats, err
			}
		}
		b.room.give(c.size)
	}
}

func (b *batch) emit(out *bufio.Writer, a answer, stats *BatchStats) error {
	stats.Rows++
	switch a.kind {
	case answerValid:
		stats.Valid++
	case answerInvalid:
		stats.Invalid++
	case answerUndecided:
		stats.Undecided++
	default:
		stats.Errors++
	}
	if _, err := out.Write(a.text); err != nil {
		return err
	}
	if err := out.WriteByte('\n'); err != nil {
		return err
	}
	if b.opt.Progress != nil {
		b.opt.Progress(*stats)
	}
	return nil
}
