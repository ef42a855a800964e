package pddl

// costUse is an amount that an effect adds to total-cost and that depends on one
// fluent, at one place: each initial value of the fluent gives one cost.
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
		r.idx.costUses = append(r.idx.costUses, use)
	case fluents == 0 && use.negative(Number{}):
		r.errorf(NegativeCost, value.off, value.lim, "a negative action cost")
	}
}

// scan counts the fluents in e, whose last it keeps, and the nodes. A constant of
// many digits counts for many nodes.
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

// Amounts beyond these limits are left to the later stages: an amount is computed
// for each of the possibly millions of initial values.
const (
	maxCostNodes = 32
	maxCostBits  = 1 << 16
)

// valueWith returns the value of e when each fluent in it has the value v. There is
// none for a division by zero, for a time or for numbers beyond maxCostBits.
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

// bits returns about how many bits the number needs.
func (n Number) bits() int {
	if n.big == nil {
		return 128
	}
	return n.big.Num().BitLen() + n.big.Denom().BitLen()
}

// checkCostValues refuses initial values that make the cost of an action negative,
// unless actions change the fluent: then it is no mere cost.
func (r *reader) checkCostValues(in *Init) {
	if len(r.idx.costUses) == 0 {
		return
	}
	uses := make([][]*costUse, len(r.dom.Functions))
	for i := range r.idx.costUses {
		if u := &r.idx.costUses[i]; !r.idx.written[u.fn] {
			uses[u.fn] = append(uses[u.fn], u)
		}
	}
	for i := range in.Timed {
		if f := in.Timed[i].Func; f >= 0 {
			uses[f] = nil // it changes after all
		}
	}
	for i, f := range in.Values.Func {
		for _, u := range uses[f] {
			if u.negative(in.Values.Value[i]) {
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
