package pddl

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Number is an exact rational. Values that fit in int64 over int64 are kept
// inline and computed without allocation; anything larger moves to math/big and
// comes back when it fits again. The zero value is 0. Numbers are immutable;
// compare them with Cmp or Equal, never with ==.
type Number struct {
	num  int64
	den1 int64    // denominator minus one, so that the zero value is 0/1
	big  *big.Rat // set instead of num and den1 when they do not fit
}

// Int returns n as a Number.
func Int(n int64) Number { return Number{num: n} }

// Fraction returns num/den in lowest terms. It panics if den is 0.
func Fraction(num, den int64) Number {
	if den == 0 {
		panic("pddl: fraction with denominator 0")
	}
	n, ok := reduce(num, den)
	if ok {
		return n
	}
	return FromRat(big.NewRat(num, den))
}

// FromRat returns the value of r.
func FromRat(r *big.Rat) Number {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		return Number{num: r.Num().Int64(), den1: r.Denom().Int64() - 1}
	}
	return Number{big: new(big.Rat).Set(r)}
}

// Rat returns a fresh big.Rat of the same value.
func (n Number) Rat() *big.Rat {
	if n.big != nil {
		return new(big.Rat).Set(n.big)
	}
	return big.NewRat(n.num, n.den1+1)
}

// Int64 returns the value as an int64, and whether it is an integer that fits.
func (n Number) Int64() (int64, bool) {
	if n.big != nil || n.den1 != 0 {
		return 0, false
	}
	return n.num, true
}

// IsInt reports whether n is an integer of any size.
func (n Number) IsInt() bool {
	if n.big != nil {
		return n.big.IsInt()
	}
	return n.den1 == 0
}

// Sign returns -1, 0 or 1.
func (n Number) Sign() int {
	if n.big != nil {
		return n.big.Sign()
	}
	switch {
	case n.num < 0:
		return -1
	case n.num > 0:
		return 1
	}
	return 0
}

// reduce returns a/b in lowest terms, and false when that needs math/big.
func reduce(a, b int64) (Number, bool) {
	if a == -1<<63 || b == -1<<63 {
		return Number{}, false // the absolute value does not fit
	}
	if b < 0 {
		a, b = -a, -b
	}
	x, y := a, b
	if x < 0 {
		x = -x
	}
	for y != 0 {
		x, y = y, x%y
	}
	return Number{num: a / x, den1: b/x - 1}, true
}

func mul64(a, b int64) (int64, bool) {
	if a == -1<<63 || b == -1<<63 {
		return 0, false
	}
	neg := (a < 0) != (b < 0)
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

func add64(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

// Bits are the lengths of numerator and denominator, in bits.
func (n Number) Bits() (num, den int) {
	if n.big != nil {
		return n.big.Num().BitLen(), n.big.Denom().BitLen()
	}
	abs := uint64(n.num)
	if n.num < 0 {
		abs = -abs
	}
	return bits.Len64(abs), bits.Len64(uint64(n.den1) + 1)
}

// Add returns n + m.
func (n Number) Add(m Number) Number {
	if n.big == nil && m.big == nil {
		if n.den1 == 0 && m.den1 == 0 {
			if s, ok := add64(n.num, m.num); ok {
				return Number{num: s}
			}
		} else if a, ok := mul64(n.num, m.den1+1); ok {
			if b, ok := mul64(m.num, n.den1+1); ok {
				if s, ok := add64(a, b); ok {
					if d, ok := mul64(n.den1+1, m.den1+1); ok {
						if r, ok := reduce(s, d); ok {
							return r
						}
					}
				}
			}
		}
	}
	return FromRat(new(big.Rat).Add(n.Rat(), m.Rat()))
}

// Neg returns -n.
func (n Number) Neg() Number {
	if n.big == nil && n.num != -1<<63 {
		return Number{num: -n.num, den1: n.den1}
	}
	return FromRat(new(big.Rat).Neg(n.Rat()))
}

// Sub returns n - m.
func (n Number) Sub(m Number) Number { return n.Add(m.Neg()) }

// Mul returns n * m.
func (n Number) Mul(m Number) Number {
	if n.big == nil && m.big == nil {
		if a, ok := mul64(n.num, m.num); ok {
			if n.den1 == 0 && m.den1 == 0 {
				return Number{num: a}
			}
			if d, ok := mul64(n.den1+1, m.den1+1); ok {
				if r, ok := reduce(a, d); ok {
					return r
				}
			}
		}
	}
	return FromRat(new(big.Rat).Mul(n.Rat(), m.Rat()))
}

// Div returns n / m, and false when m is 0: the quotient is undefined.
func (n Number) Div(m Number) (Number, bool) {
	if m.Sign() == 0 {
		return Number{}, false
	}
	if n.big == nil && m.big == nil {
		if a, ok := mul64(n.num, m.den1+1); ok {
			if d, ok := mul64(n.den1+1, m.num); ok {
				if r, ok := reduce(a, d); ok {
					return r, true
				}
			}
		}
	}
	return FromRat(new(big.Rat).Quo(n.Rat(), m.Rat())), true
}

// Cmp returns -1, 0 or 1 as n is less than, equal to or greater than m.
func (n Number) Cmp(m Number) int {
	if n.big == nil && m.big == nil {
		if n.den1 == m.den1 {
			switch {
			case n.num < m.num:
				return -1
			case n.num > m.num:
				return 1
			}
			return 0
		}
		if a, ok := mul64(n.num, m.den1+1); ok {
			if b, ok := mul64(m.num, n.den1+1); ok {
				return Int(a).Cmp(Int(b))
			}
		}
	}
	return n.Rat().Cmp(m.Rat())
}

// Equal reports whether n and m are the same number.
func (n Number) Equal(m Number) bool { return n.Cmp(m) == 0 }

// String writes n exactly: as an integer or a finite decimal when it is one
// ("6", "-0.25"), else as a fraction in lowest terms ("10/3").
func (n Number) String() string {
	if n.big == nil && n.den1 == 0 {
		return strconv.FormatInt(n.num, 10)
	}
	r := n.Rat()
	if r.IsInt() {
		return r.Num().String()
	}
	// A reduced fraction is a finite decimal exactly if its denominator has no
	// prime factor but 2 and 5; the larger exponent is the number of decimals.
	d, q, m := new(big.Int).Set(r.Denom()), new(big.Int), new(big.Int)
	count := func(p int64) int {
		k := 0
		for {
			q.QuoRem(d, big.NewInt(p), m)
			if m.Sign() != 0 {
				return k
			}
			d.Set(q)
			k++
		}
	}
	two, five := count(2), count(5)
	if d.Cmp(big.NewInt(1)) != 0 {
		return r.String()
	}
	return r.FloatString(max(two, five))
}

// MaxDigits bounds the length of a number literal and the size of its exponent,
// so that hostile input such as 1e999999999 is refused instead of filling memory.
const MaxDigits = 4096

// ParseNumber reads an integer, a decimal or a number with an exponent ("12",
// "-3.50", "1e-3"), exactly. It reports false for anything else, and for numbers
// longer than MaxDigits.
func ParseNumber(s string) (Number, bool) {
	if n, ok := parseSmall(s); ok {
		return n, true
	}
	if len(s) == 0 || len(s) > MaxDigits {
		return Number{}, false
	}
	mantissa, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		e, ok := parseSmall(strings.TrimPrefix(s[i+1:], "+"))
		if !ok || e.den1 != 0 || strings.ContainsAny(s[i+1:], ".") || strings.HasPrefix(s[i+1:], "+-") || e.num > MaxDigits || e.num < -MaxDigits {
			return Number{}, false
		}
		exp = int(e.num)
	}
	digits, frac := 0, -1
	for i := 0; i < len(mantissa); i++ {
		switch c := mantissa[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && frac < 0:
			frac = i
		case (c == '-' || c == '+') && i == 0:
		default:
			return Number{}, false
		}
	}
	if digits == 0 {
		return Number{}, false
	}
	r, ok := new(big.Rat).SetString(mantissa)
	if !ok {
		return Number{}, false
	}
	if exp != 0 {
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(exp))), nil)
		if exp > 0 {
			r.Mul(r, new(big.Rat).SetInt(p))
		} else {
			r.Quo(r, new(big.Rat).SetInt(p))
		}
	}
	return FromRat(r), true
}

// ParseFraction reads what Number.String prints: a number or a fraction of two ("7/3"), with or
// without spaces around them.
func ParseFraction(s string) (Number, bool) {
	above, below, fraction := strings.Cut(s, "/")
	n, ok := ParseNumber(strings.TrimSpace(above))
	if !ok || !fraction {
		return n, ok
	}
	d, ok := ParseNumber(strings.TrimSpace(below))
	if !ok {
		return Number{}, false
	}
	return n.Div(d)
}

// parseSmall reads an integer or decimal of up to 18 digits without allocating:
// the common case.
func parseSmall(s string) (Number, bool) {
	t, neg := s, false
	if len(t) > 0 && t[0] == '-' {
		t, neg = t[1:], true
	}
	if len(t) == 0 || len(t) > 19 {
		return Number{}, false
	}
	var v int64
	digits, den := 0, int64(0)
	for i := 0; i < len(t); i++ {
		c := t[i] - '0'
		if c > 9 {
			if t[i] != '.' || den != 0 {
				return Number{}, false
			}
			den = 1
			continue
		}
		if digits++; digits > 18 {
			return Number{}, false
		}
		v = v*10 + int64(c)
		den *= 10
	}
	if digits == 0 {
		return Number{}, false
	}
	if neg {
		v = -v
	}
	if den > 1 {
		return reduce(v, den)
	}
	return Number{num: v}, true
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}
