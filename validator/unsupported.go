package validator

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// CodeUnsupported begins the codes of constructs that can be read but not judged. The
// name of the feature follows, as `planproof capabilities` lists it.
const CodeUnsupported = "unsupported-"

// maxNesting bounds the depth of conditions and effects; the evaluator recurses on it.
const maxNesting = 10000

// unsupported lists the constructs of a problem that the judge refuses, one diagnostic
// per place. No construct is ever silently ignored.
func unsupported(p *pddl.Problem) pddl.Diagnostics {
	d := p.Domain
	r := &refusals{src: d.Source}
	for _, a := range d.Durative {
		r.add(a.Pos, "durative-actions", "the durative action "+a.Name)
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
		if t := &p.Init.Timed[i]; t.Func >= 0 {
			r.add(t.Pos, "timed-initial-fluents", "a timed initial fluent")
		} else {
			r.add(t.Pos, "timed-initial-literals", "a timed initial literal")
		}
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

// add refuses a use of a feature.
func (r *refusals) add(pos pddl.Pos, feature, what string) {
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: pddl.Code(CodeUnsupported + feature), Source: r.src, Pos: pos, End: pos,
		Message: fmt.Sprintf("%s: %s are not supported by the judge", what, strings.ReplaceAll(feature, "-", " ")),
	})
}

// deep refuses text that is nested too deeply to recurse on.
func (r *refusals) deep(pos pddl.Pos) {
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: pddl.NestingTooDeep, Source: r.src, Pos: pos, End: pos,
		Message: fmt.Sprintf("nested more than %d deep", maxNesting),
	})
}

// constraints refuses trajectory constraints, but not an empty section.
func (r *refusals) constraints(g *pddl.GoalSchema) {
	if f := g.Formula; f != nil && f.Kind != pddl.FormulaTrue && !(f.Kind == pddl.FormulaAnd && len(f.Children) == 0) {
		r.add(f.Pos, "trajectory-constraints", "a constraint")
	}
}

// formulaFeature returns the feature that a kind of formula belongs to, "" for those of
// classical conditions; all other kinds are trajectory constraints.
func formulaFeature(k pddl.FormulaKind) (feature, what string) {
	switch {
	case k <= pddl.FormulaObjectEqual:
		return "", ""
	case k == pddl.FormulaPreference:
		return "preferences", "a preference"
	case k <= pddl.FormulaAtEnd:
		return "durative-actions", "a time specifier"
	}
	return "trajectory-constraints", "a constraint"
}

func (r *refusals) formula(f *pddl.Formula, depth int) {
	if f == nil {
		return
	}
	if feature, what := formulaFeature(f.Kind); feature != "" {
		r.add(f.Pos, feature, what)
		return
	}
	if depth > maxNesting {
		r.deep(f.Pos)
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
		r.add(e.Pos, "durative-actions", "a timed effect")
		return
	case e.Continuous:
		r.add(e.Pos, "continuous-effects", "a continuous effect")
		return
	case depth > maxNesting:
		r.deep(e.Pos)
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
		r.add(e.Pos, "durative-actions", "?duration")
	case e.Kind == pddl.NumTime:
		r.add(e.Pos, "continuous-effects", "#t")
	case e.Kind == pddl.NumIsViolated:
		r.add(e.Pos, "preferences", "is-violated")
	case depth > maxNesting:
		r.deep(e.Pos)
		return
	}
	for _, c := range e.Children {
		r.expr(c, depth+1)
	}
}
