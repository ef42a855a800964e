package lifted

import (
	"math"
	"math/big"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
)

// UnsupportedAxioms is the kind of the diagnostic for derived predicates. All others are those of grounding.
const UnsupportedAxioms pddl.Code = "unsupported-derived-predicates"

// refuser finds what lifted search does not support, each at its place.
type refuser struct {
	*task
	changed []bool // functions that actions change
	diags   pddl.Diagnostics
}

func (r *refuser) refuse(src *pddl.Source, pos pddl.Pos, code pddl.Code, what string) {
	r.diags = append(r.diags, pddl.Diagnostic{Severity: pddl.Error, Code: code, Source: src, Pos: pos, End: pos, Message: what})
}

const byLifted = " are not supported by lifted search"

// sorted returns the diagnostics in the order of the texts, the domain first.
func (r *refuser) sorted() pddl.Diagnostics {
	slices.SortStableFunc(r.diags, func(a, b pddl.Diagnostic) int {
		if a.Source != b.Source {
			return map[bool]int{true: -1, false: 1}[a.Source == r.dom.Source]
		}
		return int(a.Pos) - int(b.Pos)
	})
	return r.diags
}

func (r *refuser) check() {
	d, p := r.dom, r.prob
	r.changed = make([]bool, len(d.Functions))
	for _, a := range d.Actions {
		r.scan(a.Effect)
	}
	for _, a := range d.Durative {
		r.refuse(d.Source, a.Pos, grounder.UnsupportedDurative, "durative actions"+byLifted)
	}
	for _, a := range d.Processes {
		r.refuse(d.Source, a.Pos, grounder.UnsupportedProcesses, "processes"+byLifted)
	}
	for _, a := range d.Events {
		r.refuse(d.Source, a.Pos, grounder.UnsupportedEvents, "events"+byLifted)
	}
	for _, a := range d.Axioms {
		r.refuse(d.Source, a.Pos, UnsupportedAxioms, "derived predicates"+byLifted)
	}
	if d.Constraints != nil {
		r.refuse(d.Source, d.Constraints.Pos, grounder.UnsupportedConstraints, "trajectory constraints"+byLifted)
	}
	if p.Constraints != nil {
		r.refuse(p.Source, p.Constraints.Pos, grounder.UnsupportedConstraints, "trajectory constraints"+byLifted)
	}
	if len(p.Init.Timed) > 0 {
		r.refuse(p.Source, p.Init.Timed[0].Pos, grounder.UnsupportedTimedLiterals, "timed initial literals"+byLifted)
	}
	if len(p.Init.Objects) > 0 {
		r.refuse(p.Source, p.Init.Objects[0].Pos, grounder.UnsupportedObjectFluents, "object fluents"+byLifted)
	}
	for _, a := range d.Actions {
		r.formula(d.Source, a.Precondition)
		r.effect(a.Effect)
	}
	r.formula(p.Source, p.Goal.Formula)
}

// scan notes the functions that an effect changes.
func (r *refuser) scan(e *pddl.Effect) {
	if e.Kind == pddl.EffectNumeric {
		r.changed[e.Func] = true
	}
	for _, c := range e.Children {
		r.scan(c)
	}
}

func (r *refuser) formula(src *pddl.Source, f *pddl.Formula) {
	switch {
	case f.Kind == pddl.FormulaCompare:
		r.refuse(src, f.Pos, grounder.UnsupportedNumeric, "conditions on numbers"+byLifted)
	case f.Kind == pddl.FormulaObjectEqual:
		r.refuse(src, f.Pos, grounder.UnsupportedObjectFluents, "object fluents"+byLifted)
	case f.Kind == pddl.FormulaPreference:
		r.refuse(src, f.Pos, grounder.UnsupportedPreferences, "preferences"+byLifted)
	case f.Kind > pddl.FormulaPreference && f.Kind <= pddl.FormulaAtEnd:
		r.refuse(src, f.Pos, grounder.UnsupportedDurative, "time specifiers"+byLifted)
	case f.Kind > pddl.FormulaAtEnd:
		r.refuse(src, f.Pos, grounder.UnsupportedConstraints, "trajectory constraints"+byLifted)
	}
	for _, c := range f.Children {
		r.formula(src, c)
	}
}

func (r *refuser) effect(e *pddl.Effect) {
	src := r.dom.Source
	switch e.Kind {
	case pddl.EffectWhen:
		r.formula(src, e.Condition)
	case pddl.EffectAssignObject:
		r.refuse(src, e.Pos, grounder.UnsupportedObjectFluents, "object fluents"+byLifted)
	case pddl.EffectAtStart, pddl.EffectAtEnd:
		r.refuse(src, e.Pos, grounder.UnsupportedDurative, "timed effects"+byLifted)
	case pddl.EffectNumeric:
		if e.Op != pddl.OpIncrease && e.Op != pddl.OpDecrease {
			r.refuse(src, e.Pos, grounder.UnsupportedNumeric, "numeric effects other than increase and decrease"+byLifted)
		}
		r.expr(e.Value)
	}
	for _, c := range e.Children {
		r.effect(c)
	}
}

// expr refuses what is not a function of initial values.
func (r *refuser) expr(e *pddl.NumExpr) {
	src := r.dom.Source
	switch e.Kind {
	case pddl.NumFluent:
		if r.changed[e.Func] {
			r.refuse(src, e.Pos, grounder.UnsupportedNumeric, "costs that depend on a fluent that actions change"+byLifted)
		}
	case pddl.NumDuration, pddl.NumTime, pddl.NumTotalTime, pddl.NumIsViolated:
		r.refuse(src, e.Pos, grounder.UnsupportedDurative, "expressions of time"+byLifted)
	case pddl.NumDiv:
		for _, c := range e.Children[1:] {
			if c.Kind != pddl.NumConst {
				r.refuse(src, c.Pos, grounder.UnsupportedMetric, "divisions by anything but a constant"+byLifted)
			}
		}
	}
	for _, c := range e.Children {
		r.expr(c)
	}
}

// price reads the metric and puts costs into units.
func (r *refuser) price() {
	t := r.task
	t.perStep = pddl.Int(1)
	if m := r.prob.Metric; m != nil {
		t.metric, t.perStep = true, pddl.Number{}
		if m.Maximize {
			r.refuse(r.prob.Source, m.Pos, grounder.UnsupportedMaximize, "maximising a metric is not supported: costs are minimised")
			return
		}
		r.weigh(m.Expr, pddl.Int(1))
	}
	for i := range t.weights {
		w := &t.weights[i]
		v, ok := t.values[w.fn].initial(w.args)
		if !ok {
			r.refuse(r.prob.Source, r.prob.Metric.Pos, grounder.UndefinedMetric, "the metric reads ("+r.dom.Functions[w.fn].Name+"), which has no initial value")
		}
		t.base = t.base.Add(v.Mul(w.coef))
	}
	if len(r.diags) > 0 {
		return
	}
	d := new(big.Int).Set(t.perStep.Rat().Denom())
	for _, a := range t.actions {
		for i := range a.costs {
			for k := range t.weights {
				if w := &t.weights[k]; w.fn == a.costs[i].src.Func {
					d = lcm(d, new(big.Int).Mul(w.coef.Rat().Denom(), t.denominator(a.costs[i].src.Value)))
				}
			}
		}
	}
	t.scale = pddl.FromRat(new(big.Rat).SetInt(d))
	step, ok := t.units(t.perStep)
	if t.step = step; !ok || d.BitLen() > 62 {
		r.refuse(r.prob.Source, r.prob.Metric.Pos, grounder.CostTooLarge, "action costs of this problem need a unit of more than 62 bits")
		return
	}
	for i, a := range t.actions {
		r.fix(a)
		if c := a.fixedCost(t.step); i == 0 {
			t.same = c
		} else if c != t.same {
			t.same = -1
		}
	}
}

// fix computes the costs of an action that do not depend on its parameters, and those that one fluent gives.
func (r *refuser) fix(a *action) {
	for i := range a.costs {
		term := &a.costs[i]
		v := &r.values[term.src.Func]
		if v.rel.arity > 0 {
			continue
		}
		if _, ok := v.initial(nil); !ok {
			a.never = a.never || term.each == nil
			continue
		}
		coef, x := r.coefficient(term.src.Func, nil), term.src.Value
		switch x.Kind {
		case pddl.NumConst:
			n, ok := r.units(x.Value.Mul(coef))
			term.units, term.fixed = signed(term.src, n), ok
		case pddl.NumFluent:
			from := &r.values[x.Func]
			term.byRow = make([]int64, len(from.value))
			for k, v := range from.value {
				n, ok := r.units(v.Mul(coef))
				if !ok || r.tick(1) {
					term.byRow = nil
					break
				}
				term.byRow[k] = signed(term.src, n)
			}
		}
	}
}

// fixedCost returns the cost of all instances of an action, -1 if they differ or it is negative or too large.
func (a *action) fixedCost(step int64) int64 {
	cost := step
	for i := range a.costs {
		u := a.costs[i].units
		if !a.costs[i].fixed || a.costs[i].each != nil || u > math.MaxInt64/4 || u < 0 {
			return -1
		}
		if cost += u; cost < 0 || cost > math.MaxInt64/4 {
			return -1
		}
	}
	return cost
}

// weigh adds factor times an expression to the metric.
func (r *refuser) weigh(e *pddl.NumExpr, factor pddl.Number) {
	switch e.Kind {
	case pddl.NumConst:
		r.base = r.base.Add(factor.Mul(e.Value))
	case pddl.NumTotalTime:
		r.perStep = r.perStep.Add(factor)
	case pddl.NumFluent:
		args := make([]pddl.ObjectID, len(e.Args))
		for i, t := range e.Args {
			args[i] = t.Object()
		}
		for i := range r.weights {
			if w := &r.weights[i]; w.fn == e.Func && slices.Equal(w.args, args) {
				w.coef = w.coef.Add(factor)
				return
			}
		}
		r.weights = append(r.weights, weight{e.Func, args, factor})
	case pddl.NumNeg, pddl.NumSub, pddl.NumAdd:
		for i, c := range e.Children {
			if e.Kind == pddl.NumNeg || e.Kind == pddl.NumSub && i > 0 {
				r.weigh(c, factor.Neg())
			} else {
				r.weigh(c, factor)
			}
		}
	case pddl.NumMul:
		r.weighProduct(e, factor)
	default:
		r.refuse(r.prob.Source, e.Pos, grounder.UnsupportedMetric, "metrics other than sums of fluents with constant factors"+byLifted)
	}
}

// weighProduct is weigh for a product of constants and at most one fluent.
func (r *refuser) weighProduct(e *pddl.NumExpr, factor pddl.Number) {
	rest := &pddl.NumExpr{Kind: pddl.NumConst, Value: pddl.Int(1)}
	for _, c := range e.Children {
		switch {
		case c.Kind == pddl.NumConst:
			factor = factor.Mul(c.Value)
		case rest.Kind == pddl.NumConst:
			rest = c
		default:
			r.refuse(r.prob.Source, c.Pos, grounder.UnsupportedMetric, "metrics other than sums of fluents with constant factors"+byLifted)
			return
		}
	}
	r.weigh(rest, factor)
}
