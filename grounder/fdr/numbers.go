package fdr

import "math"

// NoValue stands for the value of a fluent that has none. No value is as small.
const NoValue int64 = math.MinInt64

// Comparing says how a sum is compared with 0.
type Comparing uint8

// The comparisons. A sum that lacks a value satisfies none of them.
const (
	NonNegative Comparing = iota
	Positive              // only while grounding: a sum of integers is at least 1 then
	Zero
	NonZero
	HasValue
)

func (c Comparing) String() string { return [...]string{">=", ">", "=", "!=", "defined"}[c] }

// Holds reports whether a sum of the given sign satisfies c.
func (c Comparing) Holds(sign int) bool {
	return [...]bool{sign >= 0, sign > 0, sign == 0, sign != 0, true}[c]
}

// Comparison makes fact (Var, 0) hold where the sum satisfies Kind, and (Var, 1) elsewhere.
// Var is a derived variable of layer 0 without axioms.
type Comparison struct {
	Var  int32
	Kind Comparing
	Sum  Sum
}

// Sum is Const + the sum of Coef * fluent, in units. It has no value where one of its
// fluents has none.
type Sum struct {
	Terms []Term
	Const int64
}

// Term is a summand. Coef may be 0: then it only says that the fluent is read.
type Term struct {
	Fluent int32
	Coef   int64
}

// Change sets a fluent to a sum, or adds the sum to it, when every fact of Cond holds. Cond
// and sum read the state before the operator. The changes of an operator never set a
// fluent that another of them changes at the same time, and never read a fluent that has
// no value.
type Change struct {
	Cond   []Fact
	Fluent int32
	Add    bool
	Sum    Sum
}
