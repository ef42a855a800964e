package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// objectFluentsHere is the message for callers that only know atoms.
const objectFluentsHere = "object fluents are supported by solve, ground and validate, but not here"

// numericFluentsHere is the message for callers that only know facts.
const numericFluentsHere = "numbers that actions change are supported by solve, ground, exhaust, cost and validate, but not here"

// refuseUnsupported reports, each at its place, the constructs without an equivalent in
// a classical task.
func (g *grounder) refuseUnsupported() {
	d, p := g.dom, g.prob
	n := len(d.Functions)
	g.num.changed, g.num.assigns, g.num.sets, g.num.values = make([]bool, n), make([]bool, n), make([]bool, n), make([]valueTable, n)
	for _, a := range d.Actions {
		g.scanEffect(a.Effect)
	}
	g.track()
	for _, a := range d.Durative {
		g.refuse(d.Source, a.Pos, UnsupportedDurative, "durative actions are not supported by grounding")
	}
	for _, x := range d.Processes {
		g.refuse(d.Source, x.Pos, UnsupportedProcesses, "processes are not supported by grounding")
	}
	for _, x := range d.Events {
		g.refuse(d.Source, x.Pos, UnsupportedEvents, "events are not supported by grounding")
	}
	if d.Constraints != nil {
		g.refuse(d.Source, d.Constraints.Pos, UnsupportedConstraints, "trajectory constraints are not supported by grounding")
	}
	if p.Constraints != nil {
		g.refuse(p.Source, p.Constraints.Pos, UnsupportedConstraints, "trajectory constraints are not supported by grounding")
	}
	if len(p.Init.Timed) > 0 {
		g.refuse(p.Source, p.Init.Timed[0].Pos, UnsupportedTimedLiterals, "timed initial literals are not supported by grounding")
	}
	if len(p.Init.Objects) > 0 && !g.opt.ObjectFluents {
		g.refuse(p.Source, p.Init.Objects[0].Pos, UnsupportedObjectFluents, objectFluentsHere)
	}
	for _, a := range d.Actions {
		g.checkFormula(d.Source, a.Precondition)
		g.checkEffect(a, a.Effect)
	}
	for _, a := range d.Axioms {
		g.checkFormula(d.Source, a.Body)
	}
	g.checkFormula(p.Source, p.Goal.Formula)
	g.readMetric()
}

// scanEffect notes which functions actions change.
func (g *grounder) scanEffect(e *pddl.Effect) {
	if e.Kind == pddl.EffectNumeric {
		g.num.changed[e.Func] = true
		g.num.assigns[e.Func] = g.num.assigns[e.Func] || e.Op == pddl.OpAssign
		g.num.sets[e.Func] = g.num.sets[e.Func] || e.Op != pddl.OpIncrease && e.Op != pddl.OpDecrease
	}
	for _, c := range e.Children {
		g.scanEffect(c)
	}
}

func (g *grounder) checkFormula(src *pddl.Source, f *pddl.Formula) {
	switch f.Kind {
	case pddl.FormulaCompare:
		g.checkExpr(src, f.Left)
		g.checkExpr(src, f.Right)
	case pddl.FormulaObjectEqual:
		if !g.opt.ObjectFluents {
			g.refuse(src, f.Pos, UnsupportedObjectFluents, objectFluentsHere)
		}
	case pddl.FormulaPreference:
		g.refuse(src, f.Pos, UnsupportedPreferences, "preferences are not supported by grounding")
	case pddl.FormulaAtStart, pddl.FormulaOverAll, pddl.FormulaAtEnd:
		g.refuse(src, f.Pos, UnsupportedDurative, "time specifiers are not supported by grounding")
	case pddl.FormulaAlways, pddl.FormulaSometime, pddl.FormulaWithin, pddl.FormulaAtMostOnce, pddl.FormulaSometimeAfter,
		pddl.FormulaSometimeBefore, pddl.FormulaAlwaysWithin, pddl.FormulaHoldDuring, pddl.FormulaHoldAfter:
		g.refuse(src, f.Pos, UnsupportedConstraints, "trajectory constraints are not supported by grounding")
	}
	for _, c := range f.Children {
		g.checkFormula(src, c)
	}
}

// checkExpr refuses reading a fluent that actions change, unless Options.NumericFluents is
// set and the expression is linear.
func (g *grounder) checkExpr(src *pddl.Source, e *pddl.NumExpr) {
	switch e.Kind {
	case pddl.NumFluent:
		if g.num.changed[e.Func] && !g.opt.NumericFluents {
			g.refuse(src, e.Pos, UnsupportedNumeric, numericFluentsHere)
		}
	case pddl.NumDuration, pddl.NumTime, pddl.NumTotalTime, pddl.NumIsViolated:
		g.refuse(src, e.Pos, UnsupportedDurative, "time in an expression is not supported by grounding")
	case pddl.NumMul, pddl.NumDiv:
		if g.opt.NumericFluents {
			g.checkLinear(src, e)
		}
	}
	for _, c := range e.Children {
		g.checkExpr(src, c)
	}
}

func (g *grounder) checkEffect(a *pddl.Action, e *pddl.Effect) {
	switch e.Kind {
	case pddl.EffectWhen:
		g.checkFormula(g.dom.Source, e.Condition)
	case pddl.EffectNumeric:
		g.checkExpr(g.dom.Source, e.Value)
		if scales := e.Op == pddl.OpScaleUp || e.Op == pddl.OpScaleDown; scales && g.opt.NumericFluents && g.readsChanged(e.Value) {
			g.refuse(g.dom.Source, e.Value.Pos, UnsupportedNumeric, "grounding supports scaling by numbers only that no action changes")
		}
	case pddl.EffectAssignObject:
		if !g.opt.ObjectFluents {
			g.refuse(g.dom.Source, e.Pos, UnsupportedObjectFluents, objectFluentsHere)
		}
	case pddl.EffectAtStart, pddl.EffectAtEnd:
		g.refuse(g.dom.Source, e.Pos, UnsupportedDurative, "timed effects are not supported by grounding")
	}
	for _, c := range e.Children {
		g.checkEffect(a, c)
	}
}

func (g *grounder) refuse(src *pddl.Source, pos pddl.Pos, code pddl.Code, message string) {
	g.diags = append(g.diags, pddl.Diagnostic{Severity: pddl.Error, Code: code, Source: src, Pos: pos, End: pos, Message: message})
}

func (g *grounder) sortDiagnostics() {
	slices.SortStableFunc(g.diags, func(a, b pddl.Diagnostic) int {
		if (a.Source == g.dom.Source) != (b.Source == g.dom.Source) {
			if a.Source == g.dom.Source {
				return -1
			}
			return 1
		}
		return int(a.Pos) - int(b.Pos)
	})
	g.diags = slices.CompactFunc(g.diags, func(a, b pddl.Diagnostic) bool {
		return a.Source == b.Source && a.Pos == b.Pos && a.Code == b.Code
	})
}
