package state

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/planproof/planproof/grounder"
)

// fluents returns the number of fluents of a task.
func fluents(t *grounder.Task) int {
	if t.Numeric == nil {
		return 0
	}
	return len(t.Numeric.Fluents)
}

// Unpacked is the length of an unpacked state: a value per variable, and two entries with
// the value of each fluent.
func Unpacked(t *grounder.Task) int { return len(t.Variables) + 2*fluents(t) }

// Initial returns the unpacked initial state; derived variables have their defaults.
func Initial(t *grounder.Task) []int32 {
	values := make([]int32, Unpacked(t))
	copy(values, t.Init)
	for i := range fluents(t) {
		setFluent(values, len(t.Variables), i, t.Numeric.Fluents[i].Init)
	}
	return values
}

// Fluent returns the value of fluent i of an unpacked state of a task with the given number
// of variables, in the fluent's units; grounder.NoValue if it has none.
func Fluent(values []int32, vars, i int) int64 {
	v := values[vars+2*i : vars+2*i+2 : vars+2*i+2]
	return int64(uint32(v[0])) | int64(v[1])<<32
}

func setFluent(values []int32, vars, i int, x int64) {
	values[vars+2*i], values[vars+2*i+1] = int32(uint32(x)), int32(x>>32)
}

// Sum returns the value of a sum in an unpacked state: its sign is exact, and so is the
// value if fits. It reports defined = false where a fluent has no value.
func Sum(s *grounder.Sum, values []int32, vars int) (v int64, fits, defined bool) {
	v, fits = s.Const, true
	for _, t := range s.Terms {
		x := Fluent(values, vars, int(t.Fluent))
		if x == grounder.NoValue {
			return 0, false, false
		}
		p, ok := times(t.Coef, x)
		w := v + p
		if !ok || (w > v) != (p > 0) && p != 0 {
			fits = false
		}
		v = w
	}
	if !fits || v == math.MinInt64 {
		return bigSum(s, values, vars), false, definedSum(s, values, vars)
	}
	return v, true, true
}

// times multiplies, and reports whether the product has 63 bits.
func times(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo < 1<<63
}

// bigSum returns the sign of a sum as -1, 0 or 1.
func bigSum(s *grounder.Sum, values []int32, vars int) int64 {
	sum := big.NewInt(s.Const)
	for _, t := range s.Terms {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(t.Coef), big.NewInt(Fluent(values, vars, int(t.Fluent)))))
	}
	return int64(sum.Sign())
}

func definedSum(s *grounder.Sum, values []int32, vars int) bool {
	for _, t := range s.Terms {
		if Fluent(values, vars, int(t.Fluent)) == grounder.NoValue {
			return false
		}
	}
	return true
}

// compare reports whether a comparison holds in an unpacked state.
func compare(c *grounder.Comparison, values []int32, vars int) bool {
	v, _, defined := Sum(&c.Sum, values, vars)
	switch c.Kind {
	case grounder.NonNegative:
		return defined && v >= 0
	case grounder.Zero:
		return defined && v == 0
	case grounder.NonZero:
		return defined && v != 0
	}
	return defined
}

// compare sets the variables of comparisons.
func (e *AxiomEvaluator) compare(values []int32) {
	for i := range e.compared {
		c := &e.compared[i]
		val := int32(1)
		if compare(c, values, e.vars) {
			val = 0
		}
		values[c.Var] = val
	}
}

// applyChanges writes the fluents that op changes to dst.
func (a *Applier) applyChanges(dst []uint64, values []int32, op grounder.OperatorID) {
	vars := a.packer.vars
	changes := a.changes[op]
	for i := range changes {
		c := &changes[i]
		if !holds(c.Cond, values) {
			continue
		}
		v, _, _ := Sum(&c.Sum, values, vars)
		w := a.packer.facts + int(c.Fluent)
		if c.Add {
			v += int64(dst[w])
		}
		dst[w] = uint64(v)
	}
}

// Fits reports whether all values that op gives to fluents have 63 bits. The changes of a
// fluent are consecutive.
func (a *Applier) Fits(values []int32, op grounder.OperatorID) bool {
	if a.changes == nil {
		return true
	}
	vars := a.packer.vars
	changes := a.changes[op]
	var sum int64
	last := int32(-1)
	for i := range changes {
		c := &changes[i]
		if !holds(c.Cond, values) {
			continue
		}
		v, ok, _ := Sum(&c.Sum, values, vars)
		if c.Add {
			if c.Fluent != last {
				sum, last = Fluent(values, vars, int(c.Fluent)), c.Fluent
			}
			w := sum + v
			ok = ok && ((w > sum) == (v > 0) || v == 0) && w != grounder.NoValue
			sum = w
		}
		if !ok {
			return false
		}
	}
	return true
}
