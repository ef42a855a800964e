package oracle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/validator"
)

// runner prepares the operation of a request.
func (o *Oracle) runner(c *call) (*runner, *Fault) {
	switch c.op {
	case OpScore:
		run, fault := o.scoreRunner(c.spec)
		if fault == nil && c.steps {
			if err := run.spec.CheckSteps(); err != nil {
				return nil, badRequest("%v", err)
			}
			run.steps = true
		}
		return run, fault
	case OpExtract:
		return &runner{do: o.doExtract}, nil
	case OpValidate:
		return &runner{do: o.doValidate}, nil
	case OpTruth:
		return &runner{do: o.doTruth}, nil
	case OpMask:
		return &runner{mask: true, do: o.doMask}, nil
	case OpSolve:
		return &runner{do: o.doSolve}, nil
	case OpCheck:
		return &runner{do: o.doCheck}, nil
	case OpReset, OpStep:
		run, fault := o.scoreRunner(c.spec)
		if fault == nil {
			run.mask, run.episodes, run.do = true, true, o.doStep
			if c.op == OpReset {
				run.do, run.first = o.doReset, true
			}
		}
		return run, fault
	}
	return nil, badRequest("there is no operation %q", c.op)
}

func (o *Oracle) scoreRunner(raw []byte) (*runner, *Fault) {
	spec, err := o.specOf(raw)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return &runner{spec: spec, specSum: spec.SHA(), do: o.doScore}, nil
}

// specOf finds the spec that a request names: by name or address, or inline, as in a
// reward file.
func (o *Oracle) specOf(raw []byte) (*reward.Spec, error) {
	switch {
	case !rowjson.Present(raw):
		return o.reward, nil
	case raw[0] == '"':
		name, err := rowjson.String(raw)
		if err != nil {
			return nil, err
		}
		return o.spec(name)
	case raw[0] == '{' && len(raw) <= maxInlineSpec:
		spec, diags := reward.Read(pddl.NewSource("spec", string(raw)))
		if err := diags.FirstError(); err != nil {
			return nil, err
		}
		return spec, nil
	}
	return nil, errors.New("spec is neither the name of a reward nor a reward")
}

// maxInlineSpec bounds a reward that a request brings.
const maxInlineSpec = 64 << 10

// doScore appends the score of an item.
func (o *Oracle) doScore(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	row := rows.Item{ID: item.id, Gold: item.known, Reader: item.reader, Constrained: item.constrained, StepRewards: w.run.steps}
	var s *rows.Score
	if p.err == nil {
		if row.Response, row.Err = rows.AnswerTextOf(item.completion); errors.Is(row.Err, rowjson.ErrSyntax) {
			return b, rowjson.ErrSyntax
		} else if row.Err != nil {
			p = prepared{task: &task{err: &itemError{rows.StatusBadRow, row.Err.Error()}}}
		}
	}
	if p.err != nil {
		status, message := statusOf(p.err)
		s = failed(&row, status, message)
	} else {
		row.Truncated = string(item.finish) == `"length"`
		start := time.Now()
		s = o.scoreIn(ctx, p.task, p.table, w.run.spec, &row)
		w.judge += time.Since(start)
		if s.Status == rows.StatusTimeout {
			s.Status = limitStatus(ctx)
		}
	}
	w.count(s.Status)
	return w.appendScore(b, s, p, row.Response, row.Gold), nil
}

// appendScore appends the item of an answer, with all its members (docs/ORACLE.md).
func (w *worker) appendScore(b []byte, s *rows.Score, p prepared, response string, gold *reward.Gold) []byte {
	status := itemStatusOf(s.Status)
	b = append(b, `{"id":`...)
	b = append(b, s.ID...)
	b = append(b, `,"status":"`...)
	b = append(b, status...)
	b = append(b, `","score":`...)
	if s.Reward != nil && status == itemOK {
		b = rowjson.AppendFloat(b, *s.Reward)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"components":{`...)
	if status == itemOK {
		b = w.appendComponents(b, s.Components)
	}
	b = append(b, '}')
	if w.run.steps {
		b = appendSteps(b, s, status)
	}
	b = append(b, `,"verdict":"`...)
	b = append(b, verdictWord(s)...)
	b = append(b, `","plan_len":`...)
	b = appendPlan(b, s.Verdict)
	if s.Violations != nil && status == itemOK {
		b = append(b, `,"violations":`...)
		b = strconv.AppendInt(b, int64(*s.Violations), 10)
	}
	b = appendReference(b, s.Verdict, p, gold)
	b = append(b, `,"reader":`...)
	if s.Reader != "" {
		b = rowjson.AppendText(b, string(s.Reader))
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"digest":`...)
	b = w.appendDigest(b, p.task, s.Reader, response)
	b = append(b, `,"reason":"`...)
	b = append(b, s.Status...)
	b = append(b, `","message":`...)
	message := s.Error
	if message == "" && s.Verdict != nil && s.Verdict.Failure != nil {
		message = spell.Clip(s.Verdict.Failure.Message, maxErrorText)
	}
	b = rowjson.AppendText(b, message)
	return append(b, '}')
}

func (w *worker) appendComponents(b []byte, c reward.Components) []byte {
	if len(w.names) != len(c) {
		w.names = w.names[:0]
		for name := range c {
			w.names = append(w.names, name)
		}
		slices.Sort(w.names)
	}
	for i, name := range w.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = rowjson.AppendText(b, name)
		b = append(b, ':')
		b = rowjson.AppendFloat(b, c[name])
	}
	return b
}

// appendSteps appends the score step by step, null where there is none.
func appendSteps(b []byte, s *rows.Score, status itemStatus) []byte {
	if status != itemOK {
		return append(b, `,"step_rewards":null,"step_lines":null`...)
	}
	b = append(b, `,"step_rewards":[`...)
	for i, r := range s.StepRewards {
		if i > 0 {
			b = append(b, ',')
		}
		b = rowjson.AppendFloat(b, r)
	}
	b = append(b, `],"step_lines":[`...)
	for i, line := range s.StepLines {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(line), 10)
	}
	return append(b, ']')
}

// appendPlan appends the members about the plan: its length up to cost, but for those of
// the reference.
func appendPlan(b []byte, v *validator.Verdict) []byte {
	if v == nil {
		return append(b, `0,"first_bad_step":-1,"cost":null`...)
	}
	b = strconv.AppendInt(b, int64(v.Steps), 10)
	b = append(b, `,"first_bad_step":`...)
	bad := -1
	if v.Failure != nil && v.Failure.Step > 0 {
		bad = v.Failure.Step
	}
	b = strconv.AppendInt(b, int64(bad), 10)
	b = append(b, `,"cost":`...)
	if !v.CostDefined {
		return append(b, "null"...)
	}
	return appendNumber(b, v.Cost)
}

// appendReference appends what is known about the best plan: the gold plan of the task's
// row, or else the length of a shortest plan where the reward looks distances up anyway.
func appendReference(b []byte, v *validator.Verdict, p prepared, gold *reward.Gold) []byte {
	b = append(b, `,"ref_len":`...)
	optimal := false
	switch {
	case gold != nil && gold.HasSteps:
		b = strconv.AppendInt(b, gold.Steps, 10)
		optimal = gold.Optimal
	case p.table != nil:
		b = strconv.AppendInt(b, p.table.table.InitialDistance().Steps, 10)
		optimal = true
	default:
		b = append(b, "null"...)
	}
	b = append(b, `,"ref_optimal":`...)
	b = strconv.AppendBool(b, optimal)
	b = append(b, `,"optimality_gap":`...)
	if v != nil && v.Valid && v.CostDefined && gold != nil && gold.Cost != nil && gold.Optimal {
		return appendNumber(b, v.Cost.Sub(*gold.Cost))
	}
	return append(b, "null"...)
}

// appendNumber appends an exact number: as a JSON number if a double holds it, else as a
// string, a decimal or a fraction.
func appendNumber(b []byte, n pddl.Number) []byte {
	if i, ok := n.Int64(); ok && i > -1<<53 && i < 1<<53 {
		return strconv.AppendInt(b, i, 10)
	}
	r := n.Rat()
	if f, exact := r.Float64(); exact {
		return rowjson.AppendFloat(b, f)
	}
	// A decimal is no double, but the shortest that reads back as the same decimal is.
	if f, _ := r.Float64(); f > -1<<53 && f < 1<<53 {
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if back, ok := new(big.Rat).SetString(text); ok && back.Cmp(r) == 0 {
			return append(b, text...)
		}
	}
	return rowjson.AppendText(b, n.String())
}

// appendDigest appends the hash of what the score is a function of, null where there is no
// task.
func (w *worker) appendDigest(b []byte, t *task, reader extract.Kind, response string) []byte {
	if t.sum == "" {
		return append(b, "null"...)
	}
	buf := w.buf[:0]
	for _, part := range [...]string{w.run.specSum, t.sum, string(reader), response} {
		buf = append(append(buf, part...), 0)
	}
	if w.buf = buf; len(buf) > 1<<20 {
		w.buf = nil
	}
	sum := sha256.Sum256(buf)
	b = append(b, `"sha256:`...)
	b = hex.AppendEncode(b, sum[:])
	return append(b, '"')
}

// verdictWord sums a score's verdict up, "" where there is none.
func verdictWord(s *rows.Score) string {
	switch s.Status {
	case rows.StatusValid:
		return "valid"
	case rows.StatusNoPlan:
		return "no_plan"
	case rows.StatusClaimsUnsolvable:
		return "claims_unsolvable"
	case rows.StatusAmbiguous:
		return "ambiguous"
	case rows.StatusTruncated:
		return "truncated"
	case rows.StatusTooLong:
		return "too_long"
	case rows.StatusInvalid:
		f := s.Verdict.Failure
		if f.Kind == validator.FailGoal && s.Verdict.Steps == 0 {
			return "empty"
		}
		return f.Kind.Word()
	}
	return ""
}
