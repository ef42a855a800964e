package groups

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/rows"
)

// Options say what [Rows] computes.
type Options struct {
	Name      string // of the input, for errors
	Advantage AdvantageOptions
	// Of the constraint-aware term, for rows with log-probabilities.
	Estimator  Estimator
	Placement  Placement
	Alpha      float64
	Gate       Gate
	DropLowest float64 // part of the terms that is set to 0, see FilterLowest
}

// Check refuses options that no group could have. The error begins with the name of the
// option.
func (o *Options) Check() error {
	inRange := func(x, most float64) bool { return x >= 0 && x <= most }
	switch {
	case !slices.Contains([]Gate{GateNone, GateParsed, GateValid}, o.Gate):
		return fmt.Errorf("gate %q is none of none, parsed, valid", o.Gate)
	case !inRange(o.Advantage.Epsilon, 1e9):
		return errors.New("epsilon is a number that is not negative")
	case !inRange(o.Alpha, 1e9):
		return errors.New("alpha is a number that is not negative")
	case !inRange(o.DropLowest, 1):
		return errors.New("drop-lowest is a part, from 0 to 1")
	case o.Advantage.NoStd && (o.Advantage.Sample || o.Advantage.Epsilon > 0):
		return errors.New("no-std leaves sample-std and epsilon without a meaning")
	}
	if err := o.Estimator.Check(); err != nil {
		return fmt.Errorf("estimator: %w", err)
	}
	if _, err := ConstraintAdvantages(nil, nil, nil, o.Alpha, o.Placement, o.Advantage); err != nil {
		return fmt.Errorf("placement: %w", err)
	}
	return nil
}

// groupRow holds the members that Rows reads.
type groupRow struct {
	ID            json.RawMessage `json:"id"`
	Group         json.RawMessage `json:"group"`
	Reward        *float64        `json:"reward"`
	Status        rows.Status     `json:"status"`
	LogP          []float64       `json:"logp"`
	Unconstrained []float64       `json:"logp_unconstrained"`
	Mask          []bool          `json:"mask"`
}

// groupedRow is an answer of Rows.
type groupedRow struct {
	ID         json.RawMessage `json:"id"`
	Group      json.RawMessage `json:"group"`
	Reward     *float64        `json:"reward"`
	Advantage  float64         `json:"advantage"`
	Degenerate bool            `json:"degenerate"`
	// CA is the constraint-aware term: the mean over tokens, gated and filtered.
	CA *float64 `json:"ca,omitempty"`
}

// Summary counts what Rows has seen.
type Summary struct{ Rows, Groups, Degenerate, Unscored int }

func (s *Summary) String() string {
	return fmt.Sprintf("%s in %s, %d of them degenerate; %s without a reward",
		spell.Plural(s.Rows, "row"), spell.Plural(s.Groups, "group"), s.Degenerate, spell.Plural(s.Unscored, "row"))
}

// Rows reads scored rows {"id", "group", "reward"}, as score prints them, and writes
// for each, in order, its advantage in its group. Rows may have the log-probabilities
// of their tokens with and without the prompt's constraints, "logp" and
// "logp_unconstrained" (all rows or none), and "mask"; then the constraint-aware term of
// CARL is computed, too. A row whose reward is null has advantage 0 and no part in its
// group. With a bad row nothing is written and the error tells all of them.
func Rows(in io.Reader, out io.Writer, opt Options) (*Summary, error) {
	var list []*groupRow
	var faults rowjson.Faults
	withCA := 0
	err := rowjson.EachLine(in, cmp.Or(opt.Name, "rows"), 64<<20, &faults, func(_ int, line []byte) error {
		var r groupRow
		if err := rowjson.Unmarshal(line, &r, false); err != nil {
			return err
		}
		switch {
		case !rowjson.Present(r.Group):
			return rowjson.Errorf(rowjson.CodeMissing, "group", "no group")
		case r.Reward != nil && math.Abs(*r.Reward) > reward.MaxComponent:
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
		if !rowjson.Present(r.ID) {
			r.ID = rowjson.Null
		}
		r.ID, r.Group = rowjson.Echo(r.ID), rowjson.Echo(r.Group)
		list = append(list, &r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if withCA != 0 && withCA != len(list) {
		return nil, fmt.Errorf("%d of %d rows have log-probabilities: all or none", withCA, len(list))
	}
	var ca []float64
	if withCA > 0 {
		if ca, err = constraintTerms(list, opt); err != nil {
			return nil, err
		}
	}
	return writeGroups(list, ca, out, opt)
}

// constraintTerms are the terms of all rows, gated and filtered.
func constraintTerms(list []*groupRow, opt Options) ([]float64, error) {
	ca := make([]float64, len(list))
	for i, r := range list {
		tokens, err := opt.Estimator.Tokens(r.LogP, r.Unconstrained)
		if err != nil {
			return nil, err
		}
		if opt.Gate.Open(r.Status == rows.StatusValid, r.Status == rows.StatusValid || r.Status == rows.StatusInvalid) {
			ca[i] = MeanTokens(tokens, r.Mask)
		}
	}
	FilterLowest(ca, opt.DropLowest)
	return ca, nil
}

func writeGroups(list []*groupRow, ca []float64, out io.Writer, opt Options) (*Summary, error) {
	sum := &Summary{Rows: len(list)}
	members := map[string][]int{}
	var order []string
	for i, r := range list {
		key := string(r.Group)
		if members[key] == nil {
			order = append(order, key)
		}
		members[key] = append(members[key], i)
	}
	answers := make([]groupedRow, len(list))
	for _, key := range order {
		at := members[key]
		rewards, known, terms := make([]float64, len(at)), make([]bool, len(at)), make([]float64, len(at))
		for j, i := range at {
			if r := list[i].Reward; r != nil {
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
		for j, i := range at {
			answers[i] = groupedRow{ID: list[i].ID, Group: list[i].Group, Reward: list[i].Reward, Advantage: advantages[j], Degenerate: degenerate}
			if ca != nil {
				answers[i].CA = &ca[i]
			}
		}
	}
	w := bufio.NewWriter(out)
	if err := rowjson.WriteLines(w, answers); err != nil {
		return nil, err
	}
	return sum, w.Flush()
}
