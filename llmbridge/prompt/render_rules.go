package prompt

import (
	"strings"

	"github.com/planproof/planproof/pddl"
)

// rule is one sentence about the actions.
type rule struct {
	kind SpanKind
	text string
}

// rules returns the sentences of the templates or, without such, sentences about the domain's
// preconditions and effects.
func (r *Renderer) rules() []rule {
	var out []rule
	if r.t != nil && len(r.t.Rules) > 0 {
		for _, s := range r.t.Rules {
			out = append(out, rule{SpanRule, s})
		}
		for _, s := range r.t.Effects {
			out = append(out, rule{SpanEffect, s})
		}
		return out
	}
	for _, a := range r.dom.Actions {
		n := r.dom.Names(&a.Schema)
		said := r.schema(&a.Schema)
		if a.Precondition != nil && a.Precondition.Kind != pddl.FormulaTrue {
			out = append(out, rule{SpanRule, "I can " + said + " only if " + r.Formula(a.Precondition, n) + "."})
		}
	}
	for _, a := range r.dom.Durative {
		n := r.dom.Names(&a.Schema)
		if a.Condition != nil && a.Condition.Kind != pddl.FormulaTrue {
			out = append(out, rule{SpanRule, "I can " + r.schema(&a.Schema) + " only if " + r.Formula(a.Condition, n) + "."})
		}
	}
	for _, a := range r.dom.Actions {
		if s := r.effects(a.Effect, r.dom.Names(&a.Schema)); len(s) > 0 {
			out = append(out, rule{SpanEffect, "After I " + r.schema(&a.Schema) + ", " + strings.Join(s, "; ") + "."})
		}
	}
	for _, a := range r.dom.Durative {
		n := r.dom.Names(&a.Schema)
		s := r.effects(a.Effect, n)
		if a.Duration != nil && a.Duration.Kind != pddl.FormulaTrue {
			s = append(s, "its duration obeys "+n.Formula(a.Duration))
		}
		if len(s) > 0 {
			out = append(out, rule{SpanEffect, "When I " + r.schema(&a.Schema) + ", " + strings.Join(s, "; ") + "."})
		}
	}
	for _, a := range r.dom.Axioms {
		n := r.dom.Names(&a.Schema)
		args := make([]pddl.Term, a.NumParams)
		for i := range args {
			args[i] = pddl.VarTerm(i)
		}
		out = append(out, rule{SpanEffect, capitalised(r.atom(a.Pred, args, n)) + " whenever " + r.Formula(a.Body, n) + "."})
	}
	return out
}

func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// schema words an action with its parameters in place of objects.
func (r *Renderer) schema(s *pddl.Schema) string {
	n := r.dom.Names(s)
	args := make([]string, s.NumParams)
	for i := range args {
		args[i] = r.term(pddl.VarTerm(i), n)
	}
	name := strings.ToLower(s.Name)
	if r.t != nil {
		if a, ok := r.t.Actions[name]; ok && a.Say != "" {
			return fillTerms(a.Say, args)
		}
	}
	return strings.Join(append([]string{name}, args...), " ")
}

// sentence returns the sentence of the first action whose sentences the renderer's reader reads, "" if there
// is none.
func (r *Renderer) sentence() string {
	if r.t == nil || len(r.prob.Objects) == 0 {
		return ""
	}
	for _, a := range r.dom.Actions {
		step := "(" + strings.ToLower(a.Name) + strings.Repeat(" "+strings.ToLower(r.prob.Objects[0].Name), a.NumParams) + ")"
		if r.Step(step) != step {
			return r.schema(&a.Schema)
		}
	}
	return ""
}

// effects words an effect without its costs, one clause each.
func (r *Renderer) effects(e *pddl.Effect, n pddl.Names) []string {
	switch e.Kind {
	case pddl.EffectAdd:
		return []string{r.atom(e.Pred, e.Args, n)}
	case pddl.EffectDelete:
		return []string{"it is no longer the case that " + r.atom(e.Pred, e.Args, n)}
	case pddl.EffectAnd:
		var out []string
		for _, c := range e.Children {
			out = append(out, r.effects(c, n)...)
		}
		return out
	case pddl.EffectForall:
		if said, q := r.nestedEffect(e, n); q != nil {
			return q.effects(said, n)
		}
		if s := r.effects(e.Children[0], n); len(s) > 0 {
			return []string{"for every " + r.bound(e.Bound, n) + ", " + strings.Join(s, " and ")}
		}
		return nil
	case pddl.EffectWhen:
		if s := r.effects(e.Children[0], n); len(s) > 0 {
			return []string{"if " + r.grouped(e.Condition, n) + " before it, " + strings.Join(s, " and ")}
		}
		return nil
	case pddl.EffectAtStart, pddl.EffectAtEnd:
		when := "at its start "
		if e.Kind == pddl.EffectAtEnd {
			when = "at its end "
		}
		var out []string
		for _, s := range r.effects(e.Children[0], n) {
			out = append(out, when+s)
		}
		return out
	case pddl.EffectNumeric:
		if total, ok := r.dom.TotalCost(); ok && e.Func == total {
			return nil // part of the price of the action
		}
		return []string{r.fluent(e.Func, e.Args, n) + assignWords[e.Op] + r.expr(e.Value, n)}
	case pddl.EffectAssignObject:
		return []string{r.fluent(e.Func, e.Args, n) + assignWords[pddl.OpAssign] + r.term(e.Object, n)}
	}
	return []string{n.Effect(e)}
}

var assignWords = map[pddl.AssignOp]string{
	pddl.OpAssign: " becomes ", pddl.OpIncrease: " grows by ", pddl.OpDecrease: " falls by ",
	pddl.OpScaleUp: " is multiplied by ", pddl.OpScaleDown: " is divided by ",
}

// does words what an action does, in a sentence without objects.
func (r *Renderer) does(s *pddl.Schema) string {
	if r.t != nil {
		if a, ok := r.t.Actions[strings.ToLower(s.Name)]; ok && a.Does != "" {
			return a.Does
		}
	}
	return capitalised(r.schema(s))
}
