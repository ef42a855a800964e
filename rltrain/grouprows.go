package rltrain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/planproof/planproof/internal/rowjson"
)

// GroupOptions say what [GroupRows] computes.
type GroupOptions struct {
	Name      string // of the input, for errors
	Advantage AdvantageOptions
	// Of the constraint-aware term, for rows with log-probabilities.
	Estimator  Estimator
	Placement  Placement
	Alpha      float64
	Gate       Gate
	DropLowest float64 // part of the terms that is set to 0, see FilterLowest
}

// groupRow holds the members that GroupRows reads.
type groupRow struct {
	ID            json.RawMessage `json:"id"`
	Group         json.RawMessage `json:"group"`
	Reward        *float64        `json:"reward"`
	Status        Status          `json:"status"`
	LogP          []float64       `json:"logp"`
	Unconstrained []float64       `json:"logp_unconstrained"`
	Mask          []bool          `json:"mask"`
}

// groupedRow is an answer of GroupRows.
type groupedRow struct {
	ID         json.RawMessage `json:"id"`
	Group      json.RawMessage `json:"group"`
	Reward     *float64        `json:"reward"`
	Advantage  float64         `json:"advantage"`
	Degenerate bool            `json:"degenerate"`
	// CA is the constraint-aware term: the mean over tokens, gated and filtered.
	CA *float64 `json:"ca,omitempty"`
}

// GroupSummary counts what GroupRows has seen.
type GroupSummary struct{ Rows, Groups, Degenerate, Unscored int }

// rowFaults collects what is wrong with the rows of a file, to be told at once.
type rowFaults struct {
	name string
	rowjson.Faults
}

func newRowFaults(name string) *rowFaults {
	if name == "" {
		name = "rows"
	}
	return &rowFaults{name: name}
}

func (f *rowFaults) add(line int, row []byte, err error) {
	f.Add(f.name, line, 1, row, err)
}

// eachLine calls visit with each line that is not blank, and notes its errors. Lines are
// bounded.
func eachLine(in io.Reader, limit int, faults *rowFaults, visit func(number int, line []byte) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for number := 1; ; number++ {
		line, skipped, err := readLine(r, limit)
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte(rowjson.BOM))
		}
		switch {
		case skipped > 0:
			faults.add(number, nil, rowjson.Errorf(rowjson.CodeTooLong, "", "%d bytes, more than %d", skipped, limit))
		case len(bytes.TrimSpace(line)) > 0:
			if fault := visit(number, line); fault != nil {
				faults.add(number, line, fault)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// GroupRows reads scored rows {"id", "group", "reward"}, as score prints them, and writes
// for each, in order, its advantage in its group. Rows may have the log-probabilities
// of their tokens with and without the prompt's constraints, "logp" and
// "logp_unconstrained" (all rows or none), and "mask"; then the constraint-aware term of
// CARL is computed, too. A row whose reward is null has advantage 0 and no part in its
// group. With a bad row nothing is written and the error tells all of them.
func GroupRows(in io.Reader, out io.Writer, opt GroupOptions) (*GroupSummary, error) {
	var rows []*groupRow
	faults := newRowFaults(opt.Name)
	withCA := 0
	err := eachLine(in, 64<<20, faults, func(_ int, line []byte) error {
		var r groupRow
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		switch {
		case !present(r.Group):
			return rowjson.Errorf(rowjson.CodeMissing, "group", "no group")
		case r.Reward != nil && math.Abs(*r.Reward) > maxComponent:
			return rowjson.Errorf(rowjson.CodeValue, "reward", "a reward of %g", *r.Reward)
		case (r.LogP == nil) != (r.Unconstrained == nil):
			return rowjson.Errorf(rowjson.CodeMissing, "", "only one of logp and logp_unconstrained")
		case r.Mask != nil && len(r.Mask) != len(r.LogP):
			return rowjson.Errorf(rowjson.CodeValue, "mask", "%d tokens and a mask of %d", len(r.LogP), len(r.Mask))
		}
		if r.LogP != nil {
			withCA++
			if _, err := opt.Estimator.Tokens(r.LogP, r.Unconstrained); err != nil {
				return rowjson.At(rowjson.CodeValue, "logp_unconstrained", err)
			}
		}
		if !present(r.ID) {
			r.ID = null
		}
		r.ID, r.Group = rowjson.Echo(r.ID), rowjson.Echo(r.Group)
		rows = append(rows, &r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if withCA != 0 && withCA != len(rows) {
		return nil, fmt.Errorf("%d of %d rows have log-probabilities: all or none", withCA, len(rows))
	}
	var ca []float64
	if withCA > 0 {
		if ca, err = constraintTerms(rows, opt); err != nil {
			return nil, err
		}
	}
	return writeGroups(rows, ca, out, opt)
}

// constraintTerms are the terms of all rows, gated and filtered.
func constraintTerms(rows []*groupRow, opt GroupOptions) ([]float64, error) {
	ca := make([]float64, len(rows))
	for i, r := range rows {
		tokens, err := opt.Estimator.Tokens(r.LogP, r.Unconstrained)
		if err != nil {
			return nil, err
		}
		if opt.Gate.Open(r.Status == StatusValid, r.Status == StatusValid || r.Status == StatusInvalid) {
			ca[i] = MeanTokens(tokens, r.Mask)
		}
	}
	FilterLowest(ca, opt.DropLowest)
	return ca, nil
}

func writeGroups(rows []*groupRow, ca []float64, out io.Writer, opt GroupOptions) (*GroupSummary, error) {
	sum := &GroupSummary{Rows: len(rows)}
	members := map[string][]int{}
	var order []string
	for i, r := range rows {
		key := string(r.Group)
		if members[key] == nil {
			order = append(order, key)
		}
		members[key] = append(members[key], i)
	}
	answers := make([]groupedRow, len(rows))
	for _, key := range order {
		list := members[key]
		rewards, known, terms := make([]float64, len(list)), make([]bool, len(list)), make([]float64, len(list))
		for j, i := range list {
			if r := rows[i].Reward; r != nil {
				rewards[j], known[j] = *r, true
			} else {
				sum.Unscored++
			}
			if ca != nil {
				terms[j] = ca[i]
			}
		}
		advantages, err := ConstraintAdvantages(rewards, known, terms, opt.Alpha, opt.Placement, opt.Advantage)
		if err != nil {
			return nil, err
		}
		degenerate := Degenerate(rewards, known)
		sum.Groups++
		if degenerate {
			sum.Degenerate++
		}
		for j, i := range list {
			answers[i] = groupedRow{ID: rows[i].ID, Group: rows[i].Group, Reward: rows[i].Reward, Advantage: advantages[j], Degenerate: degenerate}
			if ca != nil {
				answers[i].CA = &ca[i]
			}
		}
	}
	w := bufio.NewWriter(out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range answers {
		if err := e.Encode(&answers[i]); err != nil {
			return nil, err
		}
	}
	return sum, w.Flush()
}
