package groups

import (
	"fmt"
	"math"
	"slices"

	"github.com/planproof/planproof/internal/spell"
)

// Estimator estimates, token by token, the divergence between the policy with a
// prompt and the policy without its constraints, KL[pi(y|x) || pi(y|x\C)] (CARL, section
// 5.3), from the log-probabilities of one response under both.
type Estimator string

// Estimators of a token with log-probabilities p under the whole prompt and u under the
// one without constraints.
const (
	Dif      Estimator = "dif"        // p - u
	Abs      Estimator = "abs"        // |p - u|
	MSE      Estimator = "mse"        // (p - u)^2 / 2; the paper's training collapsed under it
	LowVarKL Estimator = "low_var_kl" // e^d - d - 1 with d = u - p within ±20, at most 10; the paper's choice
)

// Estimators lists them all.
var Estimators = []Estimator{Dif, Abs, MSE, LowVarKL}

// maxTerm bounds a low_var_kl term, as verl does.
const maxTerm = 10

// Warning tells what is known against an estimator, "" for nothing.
func (e Estimator) Warning() string {
	if e == MSE {
		return "mse grows without bound, and training collapsed under it in the paper that proposed it (CARL, table 4): use low_var_kl"
	}
	return ""
}

// Token estimates one token's divergence. An unknown estimator gives NaN; see [Estimator.Check].
func (e Estimator) Token(p, u float64) float64 {
	switch e {
	case Dif:
		return p - u
	case Abs:
		return math.Abs(p - u)
	case MSE:
		d := float64(p - u)
		return float64(d*d) / 2
	case LowVarKL:
		return clamp(k3(clamp(u-p, maxExponent)), maxTerm)
	}
	return math.NaN()
}

// Check reports an unknown estimator.
func (e Estimator) Check() error {
	if !slices.Contains(Estimators, e) {
		return fmt.Errorf("%q is no estimator: there are dif, abs, mse, low_var_kl", spell.Clip(string(e), 40))
	}
	return nil
}

// Tokens estimates every token of a response. with and without hold the log-probabilities
// of the same tokens; they must be as many, and finite.
func (e Estimator) Tokens(with, without []float64) ([]float64, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if len(with) != len(without) {
		return nil, fmt.Errorf("%d log-probabilities with the constraints, %d without", len(with), len(without))
	}
	out := make([]float64, len(with))
	for i := range with {
		if d := with[i] - without[i]; math.IsNaN(d) || math.IsInf(d, 0) {
			return nil, fmt.Errorf("token %d: log-probabilities %v and %v", i+1, with[i], without[i])
		}
		out[i] = e.Token(with[i], without[i])
	}
	return out, nil
}

// MeanTokens is the mean over the tokens of a response that count (mask nil: all), 0
// without any. A sum would pay for length.
func MeanTokens(values []float64, mask []bool) float64 {
	sum, n := 0.0, 0
	for i, v := range values {
		if mask == nil || mask[i] {
			sum += v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// Aggregation says how token values of a batch become one number.
type Aggregation string

const (
	// SequenceMean is the mean over responses of the mean over their tokens (CARL,
	// equation 7).
	SequenceMean Aggregation = "seq-mean-token-mean"
	// TokenMean is the mean over all tokens of the batch: long responses count more.
	TokenMean Aggregation = "token-mean"
)

// Aggregate reduces token values, one list a response; masks is nil or has one mask a
// response. Responses without a token that counts are left out of the mean over
// responses.
func (a Aggregation) Aggregate(values [][]float64, masks [][]bool) (float64, error) {
	sum, n := 0.0, 0
	for i, row := range values {
		var mask []bool
		if masks != nil {
			mask = masks[i]
		}
		rowSum, rowN := 0.0, 0
		for j, v := range row {
			if mask == nil || mask[j] {
				rowSum += v
				rowN++
			}
		}
		switch {
		case rowN == 0:
		case a == SequenceMean:
			sum += rowSum / float64(rowN)
			n++
		case a == TokenMean:
			sum += rowSum
			n += rowN
		default:
			return 0, fmt.Errorf("%q is no aggregation: there are %s and %s", spell.Clip(string(a), 40), SequenceMean, TokenMean)
		}
	}
	if n == 0 {
		return 0, nil
	}
	return sum / float64(n), nil
}

// Gate says which responses are paid for attention to constraints.
type Gate string

const (
	GateNone  Gate = "none"  // all: the paper's form
	GateValid Gate = "valid" // those with a valid plan
	// GateParsed: those with a plan that can be read. A response that is merely different
	// without the constraints is no reason to pay.
	GateParsed Gate = "parsed"
)

// Open reports whether a response passes.
func (g Gate) Open(valid, parsed bool) bool {
	return g == GateNone || g == "" || valid || g == GateParsed && parsed
}

// FilterLowest is the threshold filtering of CARL's ablation (appendix D.6): the lowest
// fraction of a batch, floor(fraction * n + 1e-9) values, is set to 0. Of equal values the first
// go first. Values are changed in place; which were filtered is returned.
func FilterLowest(values []float64, fraction float64) []bool {
	out := make([]bool, len(values))
	for _, i := range lowest(values, fraction) {
		values[i], out[i] = 0, true
	}
	return out
}

// lowest returns the indices of the lowest values; the small constant makes 0.29
// of 100 values 29, which float64 alone would not.
func lowest(values []float64, fraction float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	n := int(math.Floor(float64(fraction*float64(len(values))) + 1e-9))
	return order[:max(0, min(n, len(order)))]
}
