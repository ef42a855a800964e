package costmodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// totalCost is the fluent that action costs add to, as in IPC 2008.
const totalCost = "total-cost"

// Apply returns a problem like p whose actions cost what s says. p and its domain
// are not changed; what is not about costs is shared with them.
//
//   - Every effect on (total-cost) is removed, conditional ones too, and each
//     action gets one increase by its cost.
//   - (total-cost) starts at 0, and is declared if the domain does not; so is the
//     requirement.
//   - The metric becomes to minimise (total-cost), whatever it was: a schedule
//     replaces the prices, it does not add to other preferences.
//   - Other fluents stay: a vehicle still burns fuel.
//
// It is an error if s names an action that the domain does not have, leaves one
// out, or meets durative actions. The empty schedule returns p itself.
func (s Schedule) Apply(p *pddl.Problem) (*pddl.Problem, error) {
	if s.Empty() {
		return p, nil
	}
	if err := s.Check(p.Domain); err != nil {
		return nil, err
	}
	dom := *p.Domain
	fluent, err := declareTotalCost(&dom)
	if err != nil {
		return nil, err
	}
	for _, t := range p.Init.Timed {
		if t.Func == fluent {
			return nil, fmt.Errorf("schedule: problem %s changes (total-cost) at time %s", p.Name, t.Time)
		}
	}
	dom.Requirements = s.requirements(p.Domain)
	dom.Actions = make([]*pddl.Action, len(p.Domain.Actions))
	for i, a := range p.Domain.Actions {
		cost, _ := s.Cost(a.Name)
		priced := *a
		priced.Effect = withCost(a.Effect, fluent, cost)
		dom.Actions[i] = &priced
	}
	priced := *p
	priced.Domain = &dom
	priced.Init.Values = withoutFluent(&p.Init.Values, fluent)
	priced.Metric = &pddl.Metric{Expr: &pddl.NumExpr{Kind: pddl.NumFluent, Func: fluent}}
	if p.Metric != nil {
		priced.Metric.Pos = p.Metric.Pos
		priced.Metric.Expr.Pos = p.Metric.Pos
	}
	return &priced, nil
}

// requirements adds what a priced domain uses, so that it can be printed and read again:
// action costs, and arithmetic where a cost is no decimal number, (/ 1 3).
func (s Schedule) requirements(d *pddl.Domain) []string {
	needs := ":action-costs"
	declared := slices.Contains(d.Requirements, needs)
	for _, a := range d.Actions {
		if cost, _ := s.Cost(a.Name); strings.Contains(cost.String(), "/") {
			needs, declared = ":numeric-fluents", false
			break
		}
	}
	if declared || slices.Contains(d.Requirements, ":numeric-fluents") || slices.Contains(d.Requirements, ":fluents") {
		return d.Requirements
	}
	return append(slices.Clip(d.Requirements), needs)
}

// declareTotalCost finds the fluent or adds it to the (already copied) domain.
func declareTotalCost(dom *pddl.Domain) (pddl.FunctionID, error) {
	if id, ok := dom.FunctionByName(totalCost); ok {
		if f := &dom.Functions[id]; !f.Numeric || len(f.Params) > 0 {
			return 0, fmt.Errorf("schedule: domain %s declares %s as something else than a number without arguments", dom.Name, totalCost)
		}
		return id, nil
	}
	dom.Functions = append(slices.Clip(dom.Functions), pddl.Function{Name: totalCost, Pos: dom.NamePos, Numeric: true})
	return pddl.FunctionID(len(dom.Functions) - 1), nil
}

// withCost replaces the effects on the fluent by one increase.
func withCost(e *pddl.Effect, fluent pddl.FunctionID, cost pddl.Number) *pddl.Effect {
	priced := &pddl.Effect{Kind: pddl.EffectAnd}
	if e != nil {
		priced.Pos = e.Pos
		if kept := without(e, fluent); kept != nil {
			priced.Children = append(priced.Children, kept)
		}
	}
	priced.Children = append(priced.Children, &pddl.Effect{
		Kind: pddl.EffectNumeric, Op: pddl.OpIncrease, Pos: priced.Pos, Func: fluent,
		Value: &pddl.NumExpr{Kind: pddl.NumConst, Pos: priced.Pos, Value: cost},
	})
	return priced
}

// without returns e without its effects on the fluent, sharing what does not
// change; nil when nothing is left.
func without(e *pddl.Effect, fluent pddl.FunctionID) *pddl.Effect {
	switch e.Kind {
	case pddl.EffectNumeric:
		if e.Func == fluent {
			return nil
		}
	case pddl.EffectAnd, pddl.EffectForall, pddl.EffectWhen, pddl.EffectAtStart, pddl.EffectAtEnd:
		kept := make([]*pddl.Effect, 0, len(e.Children))
		for _, c := range e.Children {
			if k := without(c, fluent); k != nil {
				kept = append(kept, k)
			}
		}
		if slices.Equal(kept, e.Children) {
			return e
		}
		if len(kept) == 0 {
			return nil
		}
		copied := *e
		copied.Children = kept
		return &copied
	}
	return e
}

// withoutFluent copies the initial values except the fluent's, which becomes 0.
func withoutFluent(t *pddl.ValueTable, fluent pddl.FunctionID) pddl.ValueTable {
	var out pddl.ValueTable
	add := func(f pddl.FunctionID, args []pddl.ObjectID, v pddl.Number, pos pddl.Pos) {
		out.Func = append(out.Func, f)
		out.Args = append(out.Args, args...)
		out.Value = append(out.Value, v)
		out.Pos = append(out.Pos, pos)
		out.Start = append(out.Start, uint32(len(out.Args)))
	}
	out.Start = append(out.Start, 0)
	for i := 0; i < t.Len(); i++ {
		f, args, v := t.Fluent(i)
		if f != fluent {
			pos := pddl.Pos(0)
			if i < len(t.Pos) {
				pos = t.Pos[i]
			}
			add(f, args, v, pos)
		}
	}
	add(fluent, nil, pddl.Number{}, 0)
	return out
}
