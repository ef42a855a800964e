package validator

import (
	"fmt"

	"planproof/pddl"
)

// CodeUnsupported marks constructs that the judge reads but does not judge yet.
const CodeUnsupported pddl.Code = "unsupported"

// maxNesting bounds the depth of conditions and effects; the evaluator recurses on it.
const maxNesting = 10000

// unsupported lists the constructs of a problem that the judge refuses, one
// diagnostic per place. A refused construct is never judged as if it were absent.
func unsupported(p *pddl.Problem) pddl.Diagnostics {
	d := p.Domain
	r := &refusals{src: d.Source}
	for _, a := range d.Durative {
		r.add(a.Pos, "durative action "+a.Name)
	}
	if d.Constraints != nil {
		r.constraints(d.Constraints)
	}
	for _, a := range d.Actions {
		r.formula(a.Precondition, 0)
		r.effect(a.Effect, 0)
	}
	for _, a := range d.Axioms {
		r.formula(a.Body, 0)
	}
	r.src = p.Source
	if p.Constraints != nil {
		r.constraints(p.Constraints)
	}
	for i := range p.Init.Timed {
		r.add(p.Init.Timed[i].Pos, "timed initial literal")
	}
	r.formula(p.Goal.Formula, 0)
	if p.Metric != nil {
		r.expr(p.Metric.Expr, 0)
	}
	return r.diags
}

type refusals struct {
	src   *pddl.Source
	diags pddl.Diagnostics
}

func (r *refusals) add(pos pddl.Pos, what string) {
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: CodeUnsupported, Source: r.src, Pos: pos, End: pos,
		Message: fmt.Sprintf("the judge does not support this yet: %s", what),
	})
}

// constraints refuses trajectory constraints; an empty section constrains nothing.
func (r *refusals) constraints(g *pddl.GoalSchema) {
	if f := g.Formula; f != nil && f.Kind != pddl.FormulaTrue && !(f.Kind == pddl.FormulaAnd && len(f.Children) == 0) {
		r.add(f.Pos, "trajectory constraints")
	}
}

var formulaNames = map[pddl.FormulaKind]string{
	pddl.FormulaPreference: "preference", pddl.FormulaAtStart: "at start", pddl.FormulaOverAll: "over all",
	pddl.FormulaAtEnd: "at end", pddl.FormulaAlways: "always", pddl.FormulaSometime: "sometime",
	pddl.FormulaWithin: "within", pddl.FormulaAtMostOnce: "at-most-once", pddl.FormulaSometimeAfter: "sometime-after",
	pddl.FormulaSometimeBefore: "sometime-before", pddl.FormulaAlwaysWithin: "always-within",
	pddl.FormulaHoldDuring: "hold-during", pddl.FormulaHoldAfter: "hold-after",
}

func (r *refusals) formula(f *pddl.Formula, depth int) {
	if f == nil {
		return
	}
	if name, ok := formulaNames[f.Kind]; ok {
		r.add(f.Pos, name)
		return
	}
	if depth > maxNesting {
		r.add(f.Pos, fmt.Sprintf("a condition nested more than %d deep", maxNesting))
		return
	}
	for _, c := range f.Children {
		r.formula(c, depth+1)
	}
	if f.Kind == pddl.FormulaCompare {
		r.expr(f.Left, depth+1)
		r.expr(f.Right, depth+1)
	}
}

func (r *refusals) effect(e *pddl.Effect, depth int) {
	if e == nil {
		return
	}
	switch {
	case e.Kind == pddl.EffectAtStart || e.Kind == pddl.EffectAtEnd:
		r.add(e.Pos, "timed effect")
		return
	case e.Continuous:
		r.add(e.Pos, "continuous effect")
		return
	case depth > maxNesting:
		r.add(e.Pos, fmt.Sprintf("an effect nested more than %d deep", maxNesting))
		return
	}
	r.formula(e.Condition, depth+1)
	for _, c := range e.Children {
		r.effect(c, depth+1)
	}
	if e.Value != nil {
		r.expr(e.Value, depth+1)
	}
}

func (r *refusals) expr(e *pddl.NumExpr, depth int) {
	switch {
	case e == nil:
		return
	case e.Kind == pddl.NumDuration:
		r.add(e.Pos, "?duration")
	case e.Kind == pddl.NumTime:
		r.add(e.Pos, "#t")
	case e.Kind == pddl.NumIsViolated:
		r.add(e.Pos, "is-violated")
	case depth > maxNesting:
		r.add(e.Pos, fmt.Sprintf("an expression nested more than %d deep", maxNesting))
		return
	}
	for _, c := range e.Children {
		r.expr(c, depth+1)
	}
}
