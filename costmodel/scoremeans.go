package costmodel

import (
	"encoding/json"
	"math/big"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// Tally adds scores up. Its means do not depend on the order of the scores.
type Tally struct {
	// Tasks counts the scores, Valid those of valid plans, Successes those of success.
	Tasks, Valid, Successes int64

	optimality, efficiency, regret, relative mean
}

// Add counts a score.
func (t *Tally) Add(s Score) {
	t.Tasks++
	if s.RegretDefined {
		t.Valid++
		t.regret.add(s.Regret)
	}
	if s.Success {
		t.Successes++
	}
	t.optimality.add(s.Optimality)
	if s.EfficiencyDefined {
		t.efficiency.add(s.Efficiency)
	}
	if s.RelativeRegretDefined {
		t.relative.add(s.RelativeRegret)
	}
}

// SuccessRate is the share of tasks with success; false without tasks.
func (t *Tally) SuccessRate() (float64, bool) {
	if t.Tasks == 0 {
		return 0, false
	}
	f := float64(t.Successes) / float64(t.Tasks)
	return f, true
}

// Optimality is the mean over all tasks, failures counting 0; false without tasks.
func (t *Tally) Optimality() (float64, bool) { return t.optimality.value() }

// Efficiency is the mean over the tasks whose expansions were counted; false without any.
func (t *Tally) Efficiency() (float64, bool) { return t.efficiency.value() }

// Regret is the mean over valid plans; false without any.
func (t *Tally) Regret() (float64, bool) { return t.regret.value() }

// RelativeRegret is the mean over the valid plans for which it is defined; false without any.
func (t *Tally) RelativeRegret() (float64, bool) { return t.relative.value() }

// MarshalJSON writes counts and means; a mean over nothing is null.
func (t *Tally) MarshalJSON() ([]byte, error) {
	rate := new(mean)
	rate.n = t.Tasks
	rate.sum.Lsh(big.NewInt(t.Successes), meanBits)
	return rowjson.AppendValue(nil, struct {
		Tasks      int64           `json:"tasks"`
		Valid      int64           `json:"valid"`
		Successes  int64           `json:"successes"`
		Success    json.RawMessage `json:"success_rate"`
		Optimality json.RawMessage `json:"optimality"`
		Efficiency json.RawMessage `json:"efficiency"`
		Regret     json.RawMessage `json:"regret"`
		Relative   json.RawMessage `json:"relative_regret"`
	}{t.Tasks, t.Valid, t.Successes, rate.text(), t.optimality.text(), t.efficiency.text(), t.regret.text(), t.relative.text()})
}

// mean sums exact numbers in fixed point: the common denominator of a million fractions
// would have millions of digits. Each summand loses less than 2^-meanBits.
type mean struct {
	n   int64
	sum big.Int // times 2^meanBits
}

const meanBits = 96

func (m *mean) add(v pddl.Number) {
	r := v.Rat()
	fixed := new(big.Int).Lsh(r.Num(), meanBits)
	m.sum.Add(&m.sum, fixed.Quo(fixed, r.Denom()))
	m.n++
}

func (m *mean) rat() *big.Rat {
	return new(big.Rat).SetFrac(&m.sum, new(big.Int).Lsh(big.NewInt(m.n), meanBits))
}

func (m *mean) value() (float64, bool) {
	if m.n == 0 {
		return 0, false
	}
	f, _ := m.rat().Float64()
	return f, true
}

// text writes the mean with six decimals; "null" over nothing.
func (m *mean) text() json.RawMessage {
	if m.n == 0 {
		return json.RawMessage("null")
	}
	return json.RawMessage(m.rat().FloatString(6))
}
