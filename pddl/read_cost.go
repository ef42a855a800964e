package pddl

// costUse is an amount that an effect adds to total-cost and that mentions a single
// fluent once: each initial value of the fluent gives one cost.
type costUse struct {
	fn       FunctionID
	amount   *NumExpr
	decrease bool
}

// checkCost refuses action costs that are negative as written, and notes the
// amounts that depend on a fluent, whose initial values are checked with the problem.
func (r *reader) checkCost(e *Effect, value span) {
	if r.dom == nil || FunctionID(r.idx.totalCost) != e.Func || e.Op != OpIncrease && e.Op != OpDecrease {
		return
	}
	use := costUse{amount: e.Value, decrease: e.Op == OpDecrease}
	fluents, nodes := 0, 0
	use.scan(e.Value, &fluents, &nodes)
	switch {
	case fluents == 1 && nodes <= maxCostNodes:
		r.addCostUse(use)
	case fluents == 0 && use.negative(Number{}):
		r.errorf(NegativeCost, value.off, value.lim, "a negative action cost")
	}
}

// addCostUse keeps the use, unless there are too many or it just adds or subtracts the
// fluent and another one is known to do the same.
func (r *reader) addCostUse(u costUse) {
	if r.idx.costUses == nil {
		r.idx.costUses = make([][]costUse, len(r.dom.Functions))
	}
	uses := &r.idx.costUses[u.fn]
	for i := range *uses {
		if k := &(*uses)[i]; u.amount.Kind == NumFluent && k.amount.Kind == NumFluent && k.decrease == u.decrease {
			return
		}
	}
	if len(*uses) < maxCostUses {
		*uses = append(*uses, u)
	}
}

// scan counts the fluents and nodes of e and keeps the last fluent. A constant of many
// digits counts as many nodes.
func (u *costUse) scan(e *NumExpr, fluents, nodes *int) {
	*nodes++
	switch e.Kind {
	case NumFluent:
		u.fn = e.Func
		*fluents++
	case NumConst:
		*nodes += e.Value.bits() / 256
	}
	for _, c := range e.Children {
		u.scan(c, fluents, nodes)
	}
}

// negative reports whether the cost is negative when the fluent has the value v.
func (u *costUse) negative(v Number) bool {
	cost, ok := valueWith(u.amount, v)
	if u.decrease {
		cost = cost.Neg()
	}
	return ok && cost.Sign() < 0
}

// Amounts beyond these limits are left to later stages: there may be millions of
// initial values, and an amount is computed for each.
const (
	maxCostNodes = 32
	maxCostBits  = 1 << 12
	maxCostUses  = 16 // of one function
)

// valueWith returns the value of e when each fluent in it has the value v. It reports
// false for a division by zero, a time, or numbers beyond maxCostBits.
func valueWith(e *NumExpr, v Number) (Number, bool) {
	switch e.Kind {
	case NumConst:
		return e.Value, true
	case NumFluent:
		return v, true
	case NumAdd, NumSub, NumNeg, NumMul, NumDiv:
	default:
		return Number{}, false
	}
	acc, ok := valueWith(e.Children[0], v)
	if e.Kind == NumNeg {
		acc = acc.Neg()
	}
	for _, c := range e.Children[1:] {
		x, k := valueWith(c, v)
		if !ok || !k {
			return Number{}, false
		}
		switch e.Kind {
		case NumAdd:
			acc = acc.Add(x)
		case NumSub:
			acc = acc.Sub(x)
		case NumMul:
			acc = acc.Mul(x)
		case NumDiv:
			acc, ok = acc.Div(x)
		}
		ok = ok && acc.bits() <= maxCostBits
	}
	return acc, ok
}

// bits returns the approximate size of the number in bits.
func (n Number) bits() int {
	if n.big == nil {
		return 128
	}
	return n.big.Num().BitLen() + n.big.Denom().BitLen()
}

// checkCostValues refuses initial values that make the cost of an action negative,
// unless actions change the fluent: then it is more than a cost.
func (r *reader) checkCostValues(in *Init) {
	if r.idx.costUses == nil {
		return
	}
	changes := append([]bool(nil), r.idx.written...)
	for i := range in.Timed {
		if f := in.Timed[i].Func; f >= 0 {
			changes[f] = true
		}
	}
	for i, f := range in.Values.Func {
		if changes[f] {
			continue
		}
		for k := range r.idx.costUses[f] {
			if u := &r.idx.costUses[f][k]; u.negative(in.Values.Value[i]) {
				at := r.initialValue(in.Values.Pos[i])
				r.errorf(NegativeCost, at.off, at.lim, "with %s as the value of %s, the cost of an action is negative",
					shorten(r.text[at.off:at.lim]), quote(r.dom.Functions[f].Name))
				break
			}
		}
	}
}

// initialValue returns the place of the number in the element (= FLUENT NUMBER)
// whose parenthesis is at pos.
func (r *reader) initialValue(pos Pos) span {
	s := scanner{collector: &collector{src: r.src}, text: r.text, pos: int(pos), end: len(r.text)}
	s.next() // (
	s.next() // =
	s.next()
	if s.kind == tokOpen {
		for s.kind != tokClose {
			s.next()
		}
	}
	s.next()
	return span{s.off, s.lim}
}
