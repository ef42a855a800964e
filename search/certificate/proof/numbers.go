package proof

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// Numbers is the numeric part of a task: fluents, what is compared of them, and what operators do to them.
type Numbers struct {
	Fluents     []Fluent
	Comparisons []fdr.Comparison
	Changes     [][]fdr.Change // by operator
}

// Fluent is a numeric state variable. Its value is an integer times Unit, or fdr.NoValue.
type Fluent struct {
	Name, Unit string
	Init       int64
}

// fluents returns the number of fluents.
func (t *Task) fluents() int {
	if t.Numbers == nil {
		return 0
	}
	return len(t.Numbers.Fluents)
}

// initial returns the initial state: a value for each variable, and two entries for each fluent.
func (t *Task) initial() []int32 {
	values := make([]int32, len(t.Variables)+2*t.fluents())
	copy(values, t.Init)
	for f := range t.fluents() {
		setNumber(values[len(t.Variables):], f, t.Numbers.Fluents[f].Init)
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
			m.beyond()
		}
		v = m.add(v, p)
	}
	return v, true
}

// add adds two numbers.
func (m *machine) add(a, b int64) int64 {
	s := a + b
	if s == fdr.NoValue || b > 0 && s < a || b < 0 && s > a {
		m.beyond()
	}
	return s
}

func (m *machine) beyond() { m.wrong = "a number in it exceeds 63 bits" }

// compare sets the variables of comparisons.
func (m *machine) compare(values []int32) {
	if m.t.Numbers == nil {
		return
	}
	for i := range m.t.Numbers.Comparisons {
		c := &m.t.Numbers.Comparisons[i]
		m.ticks += int64(len(c.Sum.Terms))
		v, ok := m.sum(&c.Sum, values)
		values[c.Var] = 1
		if ok && c.Kind.Holds(cmp.Compare(v, 0)) {
			values[c.Var] = 0
		}
	}
}

// changed returns all fluents after operator o in the state values, until the next call; of a task
// without numbers nothing.
func (m *machine) changed(o fdr.OperatorID, values []int32) []int64 {
	for f := range m.after {
		m.after[f] = number(values[len(m.t.Variables):], f)
	}
	if m.t.Numbers == nil {
		return nil
	}
	for i := range m.t.Numbers.Changes[o] {
		c := &m.t.Numbers.Changes[o][i]
		if !holds(c.Cond, values) {
			continue
		}
		v, ok := m.sum(&c.Sum, values)
		if c.Add {
			ok = ok && m.after[c.Fluent] != fdr.NoValue
			v = m.add(m.after[c.Fluent], v)
		}
		if !ok {
			m.wrong = "an effect in it reads a fluent without a value"
		}
		m.after[c.Fluent] = v
	}
	return m.after
}

// compares reports whether a variable stands for a comparison. Numbers can bring its facts about
// with no effect or axiom that names them.
func (t *Task) compares(v int32) bool {
	return t.Numbers != nil && slices.ContainsFunc(t.Numbers.Comparisons, func(c fdr.Comparison) bool { return c.Var == v })
}

// Walk passes the numeric part on in the order in which it is written in files and digests.
func (n *Numbers) Walk(ints func(...int64), text func(string), facts func([]fdr.Fact)) {
	sum := func(s *fdr.Sum) {
		ints(s.Const, int64(len(s.Terms)))
		for _, t := range s.Terms {
			ints(int64(t.Fluent), t.Coef)
		}
	}
	ints(int64(len(n.Fluents)), int64(len(n.Comparisons)))
	for _, f := range n.Fluents {
		text(f.Name)
		text(f.Unit)
		ints(f.Init)
	}
	for i := range n.Comparisons {
		c := &n.Comparisons[i]
		ints(int64(c.Var), int64(c.Kind))
		sum(&c.Sum)
	}
	for _, changes := range n.Changes {
		ints(int64(len(changes)))
		for i := range changes {
			c, add := &changes[i], int64(0)
			if c.Add {
				add = 1
			}
			facts(c.Cond)
			ints(int64(c.Fluent), add)
			sum(&c.Sum)
		}
	}
}

// numeric reads the numeric part of a task.
func (d *Reader) numeric(t *Task) {
	n := &Numbers{}
	t.Numbers = n
	fluents, comparisons := d.small(1<<40), d.small(1<<40)
	for range fluents {
		n.Fluents = grow(d, n.Fluents, 40, Fluent{Name: d.text(), Unit: d.text(), Init: d.signed()})
	}
	for range comparisons {
		c := fdr.Comparison{Var: int32(d.small(len(t.Variables))), Kind: fdr.Comparing(d.small(int(fdr.HasValue) + 1)), Sum: d.linear(n)}
		if t.Variables[c.Var].Layer < 0 {
			d.fail("a comparison decides a state variable")
		}
		n.Comparisons = grow(d, n.Comparisons, 48, c)
	}
	for range t.Operators {
		var changes []fdr.Change
		for range d.small(1 << 40) {
			c := fdr.Change{Cond: d.facts(t), Fluent: int32(d.small(len(n.Fluents))), Add: d.small(2) == 1, Sum: d.linear(n)}
			changes = grow(d, changes, 72, c)
		}
		n.Changes = grow(d, n.Changes, 24, changes)
	}
}

// linear reads a sum over fluents.
func (d *Reader) linear(n *Numbers) (s fdr.Sum) {
	s.Const = d.signed()
	for range d.small(1 << 40) {
		s.Terms = grow(d, s.Terms, 16, fdr.Term{Fluent: int32(d.small(len(n.Fluents))), Coef: d.signed()})
	}
	return s
}

// signed reads a number whose sign is its lowest bit.
func (d *Reader) signed() int64 {
	x := d.uint()
	return int64(x>>1) ^ -int64(x&1)
}

// small reads a signed number from 0 to less than n.
func (d *Reader) small(n int) int {
	x := d.signed()
	if x < 0 || x >= int64(n) {
		d.fail("%d is not below %d", x, n)
	}
	return int(x)
}
