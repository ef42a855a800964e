package validator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

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

// rowPlan is the plan of a row as text: given as a string, or as a list of steps.
type rowPlan struct {
	text string
	bad  bool // neither: an error here would end the reading of the row
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

// bench holds what a worker reuses from row to row.
type bench struct {
	reader pddl.PlanReader
	plan   pddl.Plan
}

// maxKeptSteps bounds the plans whose memory a worker keeps between rows, in steps.
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
			answer := b.row(tools, line, c.first+i)
			if b.ctx.Err() != nil {
				break // the row may have been cut short
			}
			answers[i] = answer
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
		return failed(nil, fmt.Errorf("row %d: longer than %d bytes", number, b.opt.maxRow))
	}
	if err := rowjson.Unmarshal(line, &in, false); err != nil {
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
		return nil, errors.New("plan is neither a string nor a list of steps")
	}
	epsilon, err := parseEpsilon(in.Epsilon)
	if err != nil {
		return nil, err
	}
	ref, err := b.taskOf(in)
	if err != nil {
		return nil, err
	}
	j, err := b.tasks.judge(ref)
	if err != nil {
		return nil, err
	}
	if diags := tools.reader.Read(&pddl.Source{Name: "plan", Text: in.Plan.text}, &tools.plan); diags.HasErrors() {
		return SyntaxVerdict(diags), nil
	}
	s := j.borrow()
	s.Epsilon, s.MaxBytes = epsilon, b.opt.Memory
	s.Context = b.ctx
	judge := j.ValidateWith
	if b.opt.Explain {
		judge = j.Explain
	}
	v := judge(&tools.plan, s)
	j.giveBack(s)
	return v, nil
}

// taskOf finds the task of a row.
func (b *batch) taskOf(in *batchRow) (taskRef, error) {
	ref := taskRef{DomainFile: in.Domain, ProblemFile: in.Problem, DomainText: in.DomainText, ProblemText: in.ProblemText}
	if in.Task == "" {
		return ref, nil
	}
	sum, isSum := strings.CutPrefix(in.Task, "sha256:")
	switch {
	case isSum && ref.DomainText != "" && ref.ProblemText != "":
		// The hash that data sets use: SHA-256 of the domain, a zero byte and the problem.
		h := sha256.New()
		io.WriteString(h, ref.DomainText+"\x00"+ref.ProblemText)
		if got := hex.EncodeToString(h.Sum(nil)); got != sum {
			return ref, fmt.Errorf("task is %s, but the texts have the hash sha256:%s", abbreviate(in.Task), got)
		}
		return ref, nil
	case ref != taskRef{}:
		return ref, errors.New("give either a task, or a domain and a problem")
	case isSum:
		return ref, errors.New("a task given as a hash needs domain_text and problem_text as well")
	case b.opt.Named == nil:
		return ref, errors.New("tasks cannot be named here")
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
	ref = taskRef{DomainText: dom.Text, ProblemText: prob.Text}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.named) >= maxNamed {
		b.named = nil
	}
	if b.named == nil {
		b.named = map[string]taskRef{}
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
		return n, fmt.Errorf("epsilon %s is not a number >= 0", raw)
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
