package validator

import (
	"fmt"

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
		r.formula(a.Duration, 0)
		r.formula(a.Condition, 0)
		r.effect(a.Effect, 0)
	}
	r.timed(p)
	for _, a := range append(d.Nature(), d.Actions...) {
		r.formula(a.Precondition, 0)
		r.effect(a.Effect, 0)
	}
	for _, a := range d.Axioms {
		r.formula(a.Body, 0)
	}
	if d.Constraints != nil {
		r.formula(d.Constraints.Formula, 0)
	}
	r.src = p.Source
	if p.Constraints != nil {
		r.formula(p.Constraints.Formula, 0)
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
		Message: what + " is not supported by the judge",
	})
}

// deep refuses text that is nested too deeply to recurse on.
func (r *refusals) deep(pos pddl.Pos) {
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: pddl.NestingTooDeep, Source: r.src, Pos: pos, End: pos,
		Message: fmt.Sprintf("nested more than %d deep", maxNesting),
	})
}

func (r *refusals) formula(f *pddl.Formula, depth int) {
	if f == nil {
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
	case depth > maxNesting:
		r.deep(e.Pos)
		return
	}
	for _, c := range e.Children {
		r.expr(c, depth+1)
	}
}
