package prompt

import (
	"strings"

	"github.com/planproof/planproof/pddl"
)

// price words the cost of an action as a time in minutes, as PlanBench and Budget-BlocksWorld do.
func (r *Renderer) price(s *pddl.Schema, e *pddl.Effect) string {
	if r.prob.Metric == nil {
		return "1 minute"
	}
	total, ok := r.dom.TotalCost()
	if !ok {
		return "1 minute"
	}
	parts := r.increases(e, total, r.dom.Names(s), "")
	if len(parts) == 0 {
		return "no time"
	}
	return strings.Join(parts, ", plus ")
}

// increases lists what an effect adds to the total cost.
func (r *Renderer) increases(e *pddl.Effect, total pddl.FunctionID, n pddl.Names, when string) []string {
	switch e.Kind {
	case pddl.EffectNumeric:
		if e.Func == total && e.Op == pddl.OpIncrease {
			return []string{r.duration(e.Value, n) + when}
		}
	case pddl.EffectForall:
		return r.increases(e.Children[0], total, n, when+" for every "+r.bound(e.Bound, n))
	case pddl.EffectWhen:
		return r.increases(e.Children[0], total, n, when+" if "+r.grouped(e.Condition, n))
	}
	var out []string
	for _, c := range e.Children {
		out = append(out, r.increases(c, total, n, when)...)
	}
	return out
}

func (r *Renderer) duration(e *pddl.NumExpr, n pddl.Names) string {
	if e.Kind == pddl.NumConst {
		return minutes(e.Value.String())
	}
	if e.Kind == pddl.NumFluent && r.t != nil {
		text, ok := strings.CutSuffix(r.t.Values[strings.ToLower(r.dom.Functions[e.Func].Name)], " takes {v}")
		if ok {
			terms := make([]string, len(e.Args))
			for i, a := range e.Args {
				terms[i] = r.term(a, n)
			}
			return "as many minutes as " + fillTerms(text, terms) + " takes"
		}
	}
	return "as many minutes as " + r.expr(e, n) + " says"
}

// priceable reports whether price is right for the problem: it has no metric or minimises total-cost.
func priceable(prob *pddl.Problem) bool {
	m := prob.Metric
	if m == nil {
		return true
	}
	total, ok := prob.Domain.TotalCost()
	return ok && !m.Maximize && m.Expr.Kind == pddl.NumFluent && m.Expr.Func == total
}
