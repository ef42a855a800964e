package eval

import (
	"math"
	"math/big"
)

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Interval is a 95 % confidence interval of a rate.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Wilson is the score interval of Wilson (1927) for a mean p of n values in [0, 1]. For
// values other than 0 and 1, such as pass@k of a task, it is wider than need be: their
// variance is at most p(1-p). n of 0 gives [0, 1].
func Wilson(p float64, n int) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	m, z2 := float64(n), z95*z95
	centre := (p + z2/(2*m)) / (1 + z2/m)
	half := z95 / (1 + z2/m) * math.Sqrt(p*(1-p)/m+z2/(4*m*m))
	low, high := max(0, centre-half), min(1, centre+half)
	if p == 0 {
		low = 0 // exactly, whatever rounding does
	}
	if p == 1 {
		high = 1
	}
	return Interval{low, high}
}

// Wald is the interval p +- z sqrt(p(1-p)/n), cut to [0, 1], which many papers report. It
// is too narrow near 0 and 1.
func Wald(p float64, n int) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	half := z95 * math.Sqrt(p*(1-p)/float64(n))
	return Interval{max(0, p-half), min(1, p+half)}
}

// PassAtK is the unbiased estimate of the probability that at least one of k samples is
// correct, from c correct ones among n >= k: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021,
// equation 1), exactly.
func PassAtK(n, c, k int) *big.Rat {
	miss := new(big.Rat).SetFrac(
		new(big.Int).Binomial(int64(n-c), int64(k)),
		new(big.Int).Binomial(int64(n), int64(k)))
	return miss.Sub(big.NewRat(1, 1), miss)
}
