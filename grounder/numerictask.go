package grounder

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/planproof/planproof/grounder/fdr"
	"github.com/planproof/planproof/pddl"
)

// Numeric is the numeric part of a Task: fluents that conditions depend on, and what is
// compared. Values are exact: a fluent's value is an integer times its Unit, and Ground
// chooses the units such that every effect leads from integers to integers.
type Numeric struct {
	Fluents     []Fluent
	Comparisons []Comparison
	Changes     [][]Change // by operator
}

// Fluent is a numeric state variable.
type Fluent struct {
	Name string      // "(fuel t1)"
	Unit pddl.Number // positive
	Init int64       // in units; NoValue if it has none
}

// The parts of the numeric part are those of package fdr, like those of the task.
type (
	// Comparing says how a sum is compared with 0.
	Comparing = fdr.Comparing
	// Comparison makes a fact hold where a sum compares so.
	Comparison = fdr.Comparison
	// Sum is a constant and multiples of fluents.
	Sum = fdr.Sum
	// Term is a summand.
	Term = fdr.Term
	// Change sets a fluent to a sum, or adds the sum to it.
	Change = fdr.Change
)

// Text writes a value of the fluent, given in its units.
func (f *Fluent) Text(units int64) string {
	if units == NoValue {
		return "undefined"
	}
	return f.Unit.Mul(pddl.Int(units)).String()
}

// NoValue stands for the value of a fluent that has none.
const NoValue = fdr.NoValue

// The comparisons of package fdr.
const (
	NonNegative = fdr.NonNegative
	Positive    = fdr.Positive
	Zero        = fdr.Zero
	NonZero     = fdr.NonZero
	HasValue    = fdr.HasValue
)

func (n *Numeric) bytes() int64 {
	if n == nil {
		return 0
	}
	b := 96*int64(len(n.Fluents)) + 24*int64(len(n.Changes))
	for i := range n.Comparisons {
		b += 64 + 16*int64(len(n.Comparisons[i].Sum.Terms))
	}
	for _, cs := range n.Changes {
		for i := range cs {
			b += 80 + 8*int64(len(cs[i].Cond)) + 16*int64(len(cs[i].Sum.Terms))
		}
	}
	return b
}

// numericBuilder turns rationals into integers of common units.
type numericBuilder struct {
	g     *grounder
	index []int32    // by fluent of the grounder: its number in the task, -1 if left out
	list  []int32    // by fluent of the task
	unit  []*big.Int // by fluent of the task: how many units make 1
}

// finishNumeric makes t.Numeric, if a comparison is left.
func (g *grounder) finishNumeric(t *Task) {
	n := &Numeric{}
	b := &numericBuilder{g: g, index: make([]int32, len(g.num.fluents))}
	var left []*compared
	for i := range g.num.comparisons {
		c := &g.num.comparisons[i]
		if f := g.sas.rename.of(g.vars.fact[c.atom]); f.Var >= 0 {
			left = append(left, c)
			n.Comparisons = append(n.Comparisons, Comparison{Var: f.Var, Kind: c.kind})
		}
	}
	if len(left) == 0 && (len(g.num.fluents) == 0 || !g.opt.KeepIrrelevant) {
		return
	}
	b.choose()
	b.units()
	for _, id := range b.list {
		n.Fluents = append(n.Fluents, b.fluent(id))
	}
	for i, c := range left {
		x := &n.Comparisons[i]
		x.Sum = b.sum(coprime(b.inUnits(c.sum)), c.at)
		if x.Kind == Positive {
			x.Kind = NonNegative
			x.Sum.Const--
		}
	}
	n.Changes = make([][]Change, t.Operators.Len())
	for op, cs := range g.sas.nums {
		for i := range cs {
			c := &cs[i]
			at := place{g.dom.Source, c.pos}
			s := g.scaled(b.inUnits(c.sum), b.perUnit(b.index[c.fluent]))
			n.Changes[op] = append(n.Changes[op], Change{Cond: c.facts, Fluent: b.index[c.fluent], Add: c.add, Sum: b.sum(s, at)})
		}
	}
	t.Numeric = n
}

// choose numbers the fluents that matter. One that keeps its initial value is a number.
func (b *numericBuilder) choose() {
	g := b.g
	changed := make([]bool, len(b.index))
	for _, cs := range g.sas.nums {
		for i := range cs {
			changed[cs[i].fluent] = true
		}
	}
	for id := range b.index {
		b.index[id] = -1
		if !g.num.dropped(int32(id)) && (changed[id] || !g.num.fluents[id].defined) {
			b.index[id] = int32(len(b.list))
			b.list = append(b.list, int32(id))
		}
	}
}

// units chooses units in which all values that can come about are integers: those of the
// initial values, then, until nothing changes, what the effects need. It refuses an effect
// that would need ever smaller ones.
func (b *numericBuilder) units() {
	g := b.g
	b.unit = make([]*big.Int, len(b.list))
	for i, id := range b.list {
		b.unit[i] = big.NewInt(1)
		if f := &g.num.fluents[id]; f.defined {
			b.unit[i].Set(f.value.Rat().Denom())
		}
	}
	for changed := true; changed; {
		changed = false
		for _, cs := range g.sas.nums {
			for i := range cs {
				g.tick()
				u := b.unit[b.index[cs[i].fluent]]
				need := b.denominator(b.inUnits(cs[i].sum))
				if new(big.Int).Rem(u, need).Sign() == 0 {
					continue
				}
				u.Mul(u, need.Quo(need, new(big.Int).GCD(nil, nil, u, need)))
				changed = true
				if u.BitLen() > 62 {
					g.refuse(g.dom.Source, cs[i].pos, UnsupportedNumeric,
						fmt.Sprintf("repeating this effect divides %s ever more finely; grounding needs a smallest unit of at least 2^-62", g.fluentName(&g.num.fluents[cs[i].fluent])))
					panic(bailout{g.diags})
				}
			}
		}
	}
}

// denominator is the least common one of a sum's numbers.
func (b *numericBuilder) denominator(s sum) *big.Int {
	den := big.NewInt(1)
	lcm := func(n pddl.Number) {
		d := n.Rat().Denom()
		den.Mul(den, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, den, d)))
	}
	lcm(s.constant)
	for _, t := range s.terms {
		lcm(t.factor)
	}
	return den
}

// inUnits is a sum over the fluents of the task, in their units; fluents that keep their
// value become part of the constant.
func (b *numericBuilder) inUnits(s sum) sum {
	out := sum{constant: s.constant}
	for _, t := range s.terms {
		i := b.index[t.fluent]
		if i < 0 {
			out.constant = out.constant.Add(t.factor.Mul(b.g.num.fluents[t.fluent].value))
			continue
		}
		k := new(big.Rat).SetInt(b.unit[i])
		out.terms = append(out.terms, sumTerm{i, pddl.FromRat(k.Quo(t.factor.Rat(), k))})
	}
	return out
}

// perUnit is the number of units that make 1.
func (b *numericBuilder) perUnit(i int32) pddl.Number {
	return pddl.FromRat(new(big.Rat).SetInt(b.unit[i]))
}

func (b *numericBuilder) fluent(id int32) Fluent {
	g := b.g
	f := &g.num.fluents[id]
	i := b.index[id]
	out := Fluent{Name: g.fluentName(f), Init: NoValue}
	out.Unit, _ = pddl.Int(1).Div(b.perUnit(i))
	if f.defined {
		out.Init = b.integer(f.value.Mul(b.perUnit(i)), place{g.prob.Source, f.pos})
	}
	return out
}

func (b *numericBuilder) sum(s sum, at place) Sum {
	out := Sum{Const: b.integer(s.constant, at)}
	for _, t := range s.terms {
		out.Terms = append(out.Terms, Term{Fluent: t.fluent, Coef: b.integer(t.factor, at)})
	}
	return out
}

// integer refuses what does not fit.
func (b *numericBuilder) integer(n pddl.Number, at place) int64 {
	v, ok := n.Int64()
	if !ok || v > 1<<62 || v < -1<<62 {
		b.g.refuse(at.src, at.pos, NumberTooLarge, fmt.Sprintf("search is limited to numbers of 62 bits, and this needs %s", n))
		panic(bailout{b.g.diags})
	}
	return v
}

// comparisonText writes a comparison in PDDL.
func (g *grounder) comparisonText(kind Comparing, s sum) string {
	var terms []string
	for _, t := range s.terms {
		name := g.fluentName(&g.num.fluents[t.fluent])
		if !t.factor.Equal(pddl.Int(1)) && kind != HasValue {
			name = "(* " + t.factor.String() + " " + name + ")"
		}
		terms = append(terms, name)
	}
	all := strings.Join(terms, " ")
	if kind == HasValue {
		return "(defined " + all + ")"
	}
	if len(terms) > 1 {
		all = "(+ " + all + ")"
	}
	return fmt.Sprintf("(%s %s %s)", kind, all, s.constant.Neg())
}

// sumKey identifies a sum.
func (g *grounder) sumKey(s sum) string {
	var b strings.Builder
	for _, t := range s.terms {
		fmt.Fprintf(&b, "%s*%d ", t.factor, t.fluent)
	}
	return b.String() + s.constant.String()
}
