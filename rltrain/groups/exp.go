package groups

import "math"

// The exponential function of the C library or of the machine differs between
// platforms in the last bit. These use only operations that IEEE 754 rounds
// correctly, in a fixed order, so that every program that follows them gets the same
// bits.

// ln2 in two parts; n * ln2High is exact for the few n that occur.
const (
	ln2High = 6.93147180369123816490e-01 // 0x3fe62e42fee00000
	ln2Low  = 1.90821492927058770002e-10 // 0x3dea39ef35793c76
	log2e   = 1.44269504088896338700e+00 // 0x3ff71547652b82fe
)

// maxExponent bounds differences of log-probabilities before they are exponentiated, as
// trainers do.
const maxExponent = 20

// expFixed is e^x for |x| <= 20, to about two units in the last place:
//
//	k = floor(x * log2e + 0.5)      r = (x - k * ln2High) - k * ln2Low
//	p = 1; for n = 13 down to 1: p = 1 + (r * p) / n
//	e^x = p * 2^k
func expFixed(x float64) float64 {
	k := math.Floor(float64(x*log2e) + 0.5)
	r := float64(x-float64(k*ln2High)) - float64(k*ln2Low)
	p := 1.0
	for n := 13; n >= 1; n-- {
		p = 1 + float64(r*p)/float64(n)
	}
	return math.Ldexp(p, int(k))
}

// k3 is e^d - d - 1 for |d| <= 20: near 0 by its series, where the difference would
// cancel:
//
//	|d| < 0.5: q = 1; for n = 18 down to 3: q = 1 + (d * q) / n;  ((d * d) / 2) * q
//	else:      (e^d - 1) - d
func k3(d float64) float64 {
	if math.Abs(d) < 0.5 {
		q := 1.0
		for n := 18; n >= 3; n-- {
			q = 1 + float64(d*q)/float64(n)
		}
		return float64(float64(d*d)/2) * q
	}
	return float64(expFixed(d)-1) - d
}

// clamp keeps x within ±bound.
func clamp(x, bound float64) float64 { return max(-bound, min(bound, x)) }
