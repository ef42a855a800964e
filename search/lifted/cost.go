package lifted

import (
	"math/big"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// pricing turns numeric effects into the cost of a step, an integer times unit.
type pricing struct {
	metric  bool
	values  []values // by function
	weights []weight
	perStep pddl.Number // the metric's coefficient of total-time; 1 without a metric
	base    pddl.Number // the metric initially
	scale   pddl.Number // units per 1
	step    int64       // perStep in units
	// same is the cost of each step in units, -1 if steps differ.
	same int64
}

// values are the initial values of a function.
type values struct {
	rel   relation
	value []pddl.Number
	index *index
	start bool // it starts at 0 where it has no value: total-cost
}

// weight is the coefficient of a fluent in the metric.
type weight struct {
	fn   pddl.FunctionID
	args []pddl.ObjectID
	coef pddl.Number
}

// costTerm is a numeric effect for all instances that each finds; nil means just one.
type costTerm struct {
	each  *program
	src   *pddl.Effect
	fixed bool // units is its cost
	units int64
	// byRow are its costs by the row of the one fluent that it reads, nil if it is no such term.
	byRow []int64
}

func (t *task) loadValues() {
	t.values = make([]values, len(t.dom.Functions))
	for f := range t.values {
		d := &t.dom.Functions[f]
		t.values[f].rel.arity = len(d.Params)
		t.values[f].start = len(d.Params) == 0 && strings.EqualFold(d.Name, "total-cost")
	}
	init := &t.prob.Init.Values
	for i := range init.Len() {
		if t.tick(1) {
			return
		}
		f, args, v := init.Fluent(i)
		x := &t.values[f]
		x.rel.rows, x.rel.n, x.value = append(x.rel.rows, args...), x.rel.n+1, append(x.value, v)
	}
	for f := range t.values {
		cols := make([]int, t.values[f].rel.arity)
		for c := range cols {
			cols[c] = c
		}
		t.values[f].index = t.values[f].rel.index(cols, t.meter)
	}
}

// row returns the row of a fluent's value, the last one if it has several; false if it has none.
func (v *values) row(args []pddl.ObjectID) (uint32, bool) {
	rows := v.index.find(args)
	if len(rows) == 0 {
		return 0, false
	}
	return rows[len(rows)-1], true
}

// initial returns the initial value of a fluent; false if it has none.
func (v *values) initial(args []pddl.ObjectID) (pddl.Number, bool) {
	i, ok := v.row(args)
	if !ok {
		return pddl.Number{}, v.start
	}
	return v.value[i], true
}

// price returns the cost of the step whose parameters are bound; false if an effect reads an undefined value: then the step is
// inapplicable.
func (e *engine) price(a *action) (cost int64, ok bool) {
	cost, ok = e.t.step, true
	for i := range a.costs {
		term := &a.costs[i]
		add := func() bool {
			c, defined := e.amount(term)
			if ok = ok && defined; ok {
				cost = e.sum(cost, c)
			}
			return !ok
		}
		if term.each == nil {
			add()
		} else {
			e.run(term.each, 0, add)
		}
		if !ok {
			return 0, false
		}
	}
	return cost, true
}

// sum adds two costs and remembers that the sum exceeds 63 bits.
func (e *engine) sum(a, b int64) int64 {
	c := a + b
	if (a^c)&(b^c) < 0 {
		e.large = true
	}
	return c
}

// amount returns what a numeric effect adds to the cost; false if it reads an undefined value.
func (e *engine) amount(term *costTerm) (int64, bool) {
	if term.fixed {
		return term.units, true
	}
	src := term.src
	if term.byRow != nil {
		e.key = e.joiner.values(e.key[:0], src.Value.Args)
		i, ok := e.t.values[src.Value.Func].row(e.key)
		if !ok {
			return 0, e.t.values[src.Value.Func].start
		}
		return term.byRow[i], true
	}
	e.key = e.joiner.values(e.key[:0], src.Args)
	if _, ok := e.t.values[src.Func].initial(e.key); !ok {
		return 0, false
	}
	coef := e.t.coefficient(src.Func, e.key)
	v, ok := e.eval(src.Value)
	if !ok || coef.Sign() == 0 {
		return 0, ok
	}
	n, ok := e.t.units(v.Mul(coef))
	e.large = e.large || !ok
	return signed(src, n), true
}

// signed is the cost of an effect by n units.
func signed(e *pddl.Effect, n int64) int64 {
	if e.Op == pddl.OpDecrease {
		return -n
	}
	return n
}

// units writes a cost in units; false if it exceeds 63 bits.
func (p *pricing) units(v pddl.Number) (int64, bool) { return v.Mul(p.scale).Int64() }

// coefficient returns a fluent's coefficient in the metric.
func (p *pricing) coefficient(f pddl.FunctionID, args []pddl.ObjectID) pddl.Number {
next:
	for i := range p.weights {
		w := &p.weights[i]
		if w.fn != f {
			continue
		}
		for k, o := range w.args {
			if args[k] != o {
				continue next
			}
		}
		return w.coef
	}
	return pddl.Number{}
}

// eval computes an expression of initial values; false if it is undefined.
func (e *engine) eval(x *pddl.NumExpr) (pddl.Number, bool) {
	switch x.Kind {
	case pddl.NumConst:
		return x.Value, true
	case pddl.NumFluent:
		e.key = e.joiner.values(e.key[:0], x.Args)
		return e.t.values[x.Func].initial(e.key)
	}
	v, ok := e.eval(x.Children[0])
	if x.Kind == pddl.NumNeg {
		return v.Neg(), ok
	}
	for _, c := range x.Children[1:] {
		w, defined := e.eval(c)
		if ok = ok && defined; !ok {
			return v, false
		}
		if v, ok = combine(x.Kind, v, w); !ok {
			return v, false
		}
	}
	return v, ok
}

// combine applies an operator; false for a division by zero.
func combine(k pddl.NumKind, v, w pddl.Number) (pddl.Number, bool) {
	switch k {
	case pddl.NumDiv:
		return v.Div(w)
	case pddl.NumMul:
		return v.Mul(w), true
	case pddl.NumSub:
		return v.Sub(w), true
	}
	return v.Add(w), true
}

// exprSlots lists the slots that an expression mentions.
func exprSlots(e *pddl.NumExpr) []int32 {
	out := slotsOf(e.Args)
	for _, c := range e.Children {
		out = append(out, exprSlots(c)...)
	}
	return out
}

// denominator returns a number that makes every value of an expression an integer.
func (t *task) denominator(e *pddl.NumExpr) *big.Int {
	d := big.NewInt(1)
	switch e.Kind {
	case pddl.NumConst:
		d.Set(e.Value.Rat().Denom())
	case pddl.NumFluent:
		for _, v := range t.values[e.Func].value {
			if t.tick(1) {
				break
			}
			d = lcm(d, v.Rat().Denom())
		}
	case pddl.NumMul:
		for _, c := range e.Children {
			d.Mul(d, t.denominator(c))
		}
	case pddl.NumDiv: // by constants
		d = t.denominator(e.Children[0])
		for _, c := range e.Children[1:] {
			d.Mul(d, new(big.Int).Abs(c.Value.Rat().Num()))
		}
	default:
		for _, c := range e.Children {
			d = lcm(d, t.denominator(c))
		}
	}
	return d
}

func lcm(a, b *big.Int) *big.Int {
	if a.Sign() == 0 || b.Sign() == 0 {
		return big.NewInt(1)
	}
	return new(big.Int).Mul(a, new(big.Int).Quo(b, new(big.Int).GCD(nil, nil, a, b)))
}
