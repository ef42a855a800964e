package pddl

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseNumber(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"12", "12"}, {"007", "7"}, {"-3.50", "-3.5"}, {".5", "0.5"}, {"5.", "5"},
		{"1e3", "1000"}, {"1E+2", "100"}, {"1e-3", "0.001"}, {"2.5e1", "25"}, {"+4", "4"}, {"+0.25", "0.25"},
		{"999999999999999999", "999999999999999999"}, {"9223372036854775807", "9223372036854775807"},
		{"9223372036854775808", "9223372036854775808"}, {"-9223372036854775808", "-9223372036854775808"},
		{"0.000000000000000001", "0.000000000000000001"}, {"123456789012345678901234567890", "123456789012345678901234567890"},
		{"0.1234567890123456789012345", "0.1234567890123456789012345"},
	} {
		got, ok := ParseNumber(c.in)
		if !ok || got.String() != c.want {
			t.Errorf("ParseNumber(%q) = %v, %v; want %s", c.in, got, ok, c.want)
		}
	}
	for _, in := range []string{
		"", "-", ".", "+", "-.", "1e", "e5", "1e999999999", "1e5000", "1e-5000", "1.2.3", "1e1.5", "1e+-2", "1e--2",
		"--1", "1-2", "0x10", "1_000", "1/2", "inf", "nan", "1e1e1", " 1", "1 ", "१", strings.Repeat("9", MaxDigits+1),
	} {
		if n, ok := ParseNumber(in); ok {
			t.Errorf("ParseNumber(%q) = %v; want a refusal", in, n)
		}
	}
}

func TestNumberLimits(t *testing.T) {
	lo, hi := Int(math.MinInt64), Int(math.MaxInt64)
	for _, c := range []struct {
		name string
		got  Number
		want string
	}{
		{"neg lo", lo.Neg(), "9223372036854775808"},
		{"neg neg lo", lo.Neg().Neg(), "-9223372036854775808"},
		{"hi+1", hi.Add(Int(1)), "9223372036854775808"},
		{"hi+1-1", hi.Add(Int(1)).Sub(Int(1)), "9223372036854775807"},
		{"lo-1", lo.Sub(Int(1)), "-9223372036854775809"},
		{"0-lo", Int(0).Sub(lo), "9223372036854775808"},
		{"lo*-1", lo.Mul(Int(-1)), "9223372036854775808"},
		{"hi*hi", hi.Mul(hi), "85070591730234615847396907784232501249"},
		{"fraction", Fraction(10, 3), "10/3"},
		{"negative denominator", Fraction(1, -4), "-0.25"},
		{"lo/2", Fraction(math.MinInt64, 2), "-4611686018427387904"},
		{"lo/lo", Fraction(math.MinInt64, math.MinInt64), "1"},
		{"1/lo", Fraction(1, math.MinInt64), "-0." + new(big.Rat).SetFrac64(1, 1<<62).FloatString(63)[2:]},
		{"0/5", Fraction(0, 5), "0"},
		{"0/lo", Fraction(0, math.MinInt64), "0"},
	} {
		if c.name == "1/lo" {
			r := new(big.Rat).SetFrac64(1, 2)
			r.Quo(r, new(big.Rat).SetInt64(1<<62))
			if c.got.Rat().Cmp(r.Neg(r)) != 0 {
				t.Errorf("%s = %v", c.name, c.got)
			}
			continue
		}
		if c.got.String() != c.want {
			t.Errorf("%s = %v, want %s", c.name, c.got, c.want)
		}
	}
	if _, ok := Int(1).Div(Int(0)); ok {
		t.Error("division by zero has a value")
	}
	if !hi.Add(Int(1)).Sub(Int(1)).Equal(hi) {
		t.Error("a number that fits again is not equal to itself")
	}
	if v, ok := hi.Add(Int(1)).Sub(Int(1)).Int64(); !ok || v != math.MaxInt64 {
		t.Error("a number that fits again is not inline")
	}
	if _, ok := hi.Add(Int(1)).Int64(); ok {
		t.Error("Int64 of a number that does not fit")
	}
	if _, ok := Fraction(1, 2).Int64(); ok {
		t.Error("Int64 of a fraction")
	}
}

// TestNumberAgainstRat compares all operations with math/big on values near the
// limits of the inline form.
func TestNumberAgainstRat(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) *big.Rat {
		part := func(label string) int64 {
			return rapid.OneOf(
				rapid.Int64Range(-20, 20),
				rapid.Int64(),
				rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, 1 << 32, 1 << 62, -1 << 62}),
			).Draw(t, label)
		}
		den := part("den")
		if den == 0 {
			den = 1
		}
		r := new(big.Rat).SetFrac(big.NewInt(part("num")), big.NewInt(den))
		if rapid.Bool().Draw(t, "large") {
			r.Mul(r, new(big.Rat).SetInt64(part("factor")))
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		x, y := FromRat(a), FromRat(b)
		check := func(op string, got Number, want *big.Rat) {
			if got.Rat().Cmp(want) != 0 {
				t.Fatalf("%v %s %v = %v, want %v", a, op, b, got, want)
			}
			if fits := want.Num().IsInt64() && want.Denom().IsInt64(); fits && got.big != nil && want.Num().Int64() != math.MinInt64 {
				t.Fatalf("%v %s %v is not inline", a, op, b)
			}
			back, ok := ParseNumber(got.String())
			if ok && !back.Equal(got) {
				t.Fatalf("%v printed and read is %v", got, back)
			}
		}
		check("+", x.Add(y), new(big.Rat).Add(a, b))
		check("-", x.Sub(y), new(big.Rat).Sub(a, b))
		check("*", x.Mul(y), new(big.Rat).Mul(a, b))
		check("neg", x.Neg(), new(big.Rat).Neg(a))
		if q, ok := x.Div(y); ok != (b.Sign() != 0) {
			t.Fatalf("%v / %v: %v", a, b, ok)
		} else if ok {
			check("/", q, new(big.Rat).Quo(a, b))
		}
		if x.Cmp(y) != a.Cmp(b) {
			t.Fatalf("Cmp(%v, %v) = %d", a, b, x.Cmp(y))
		}
		if x.Sign() != a.Sign() || x.IsInt() != a.IsInt() {
			t.Fatalf("Sign or IsInt of %v", a)
		}
	})
}

func TestNumberAllocations(t *testing.T) {
	a, b := Fraction(1, 3), Fraction(22, 7)
	if n := testing.AllocsPerRun(100, func() {
		c := a.Add(b).Mul(b).Sub(a)
		c, _ = c.Div(b)
		if c.Cmp(a) == 0 {
			t.Error("unexpected")
		}
		if _, ok := ParseNumber("12.375"); !ok {
			t.Error("unread")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
