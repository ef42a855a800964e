package proof

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// initial returns the initial state: a value for each variable, and two entries for each fluent.
func (t *Task) initial() []int32 {
	values := make([]int32, len(t.Variables)+2*len(t.Fluents))
	copy(values, t.Init)
	for f := range t.Fluents {
		setNumber(values[len(t.Variables):], f, t.Fluents[f].Init)
	}
	return values
}

// number reads the value of fluent f from the entries of all.
func number(entries []int32, f int) int64 {
	return int64(uint32(entries[2*f])) | int64(entries[2*f+1])<<32
}

func setNumber(entries []int32, f int, x int64) {
	entries[2*f], entries[2*f+1] = int32(uint32(x)), int32(x>>32)
}

// sum returns the value of a sum in a state; ok is false where a fluent has none. A number
// beyond 63 bits makes the whole check fail.
func (m *machine) sum(s *fdr.Sum, values []int32) (v int64, ok bool) {
	v = s.Const
	for _, t := range s.Terms {
		x := number(values[len(m.t.Variables):], int(t.Fluent))
		if x == fdr.NoValue {
			return 0, false
		}
		p := t.Coef * x
		if p == fdr.NoValue || x != 0 && p/x != t.Coef {
			refuse("", beyond)
		}
		v = add(v, p)
	}
	return v, true
}

const beyond = "a number in it exceeds 63 bits"

// add adds two numbers.
func add(a, b int64) int64 {
	s := a + b
	if s == fdr.NoValue || b > 0 && s < a || b < 0 && s > a {
		refuse("", beyond)
	}
	return s
}

// compare sets the variables of comparisons.
func (m *machine) compare(values []int32) {
	for i := range m.t.Comparisons {
		c := &m.t.Comparisons[i]
		m.ticks += int64(len(c.Sum.Terms))
		v, ok := m.sum(&c.Sum, values)
		values[c.Var] = 1
		if ok && c.Kind.Holds(cmp.Compare(v, 0)) {
			values[c.Var] = 0
		}
	}
}

// changed returns all fluents after an operator in the state values, until the next call.
func (m *machine) changed(op *Operator, values []int32) []int64 {
	for f := range m.after {
		m.after[f] = number(values[len(m.t.Variables):], f)
	}
	for i := range op.Changes {
		c := &op.Changes[i]
		if !holds(c.Cond, values) {
			continue
		}
		v, ok := m.sum(&c.Sum, values)
		if c.Add {
			ok = ok && m.after[c.Fluent] != fdr.NoValue
			v = add(m.after[c.Fluent], v)
		}
		if !ok {
			refuse("", "an effect in it reads a fluent without a value")
		}
		m.after[c.Fluent] = v
	}
	return m.after
}

// compares reports whether a variable stands for a comparison. Numbers can bring its facts about
// with no effect or axiom that names them.
func (t *Task) compares(v int32) bool {
	return slices.ContainsFunc(t.Comparisons, func(c fdr.Comparison) bool { return c.Var == v })
}
