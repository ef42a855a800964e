package prompt

import (
	"maps"

	"github.com/planproof/planproof/pddl"
)

// A comparison or an assignment of object fluents, (= (in ?a) (in ?b)), is read with a variable for each value
// and equations that give it. Words need no such variable: "the value of in box A is the value of in box B", which holds
// only if there are such values.

// nested takes a condition on values apart. It returns what is said of them, and a renderer that words their variables as
// the fluents; nil for other conditions.
func (r *Renderer) nested(f *pddl.Formula, n pddl.Names) (*pddl.Formula, *Renderer) {
	body := f.Children[0]
	switch k := len(f.Bound); {
	case f.Kind == pddl.FormulaExists && body.Kind == pddl.FormulaAnd && len(body.Children) == k+1:
		return body.Children[k], r.withValues(f.Bound, body.Children[:k], "", n)
	case f.Kind == pddl.FormulaForall && body.Kind == pddl.FormulaImply:
		return body.Children[1], r.withValues(f.Bound, conjuncts(body.Children[0]), "", n)
	}
	return nil, nil
}

// nestedEffect is nested for an effect. Its values are those before it.
func (r *Renderer) nestedEffect(e *pddl.Effect, n pddl.Names) (*pddl.Effect, *Renderer) {
	when := e.Children[0]
	if when.Kind != pddl.EffectWhen {
		return nil, nil
	}
	return when.Children[0], r.withValues(e.Bound, conjuncts(when.Condition), " before it", n)
}

func conjuncts(f *pddl.Formula) []*pddl.Formula {
	if f.Kind == pddl.FormulaAnd {
		return f.Children
	}
	return []*pddl.Formula{f}
}

// withValues returns a renderer that words each bound variable as the fluent of its equation, inner ones first; nil if
// some variable is not just the value of a fluent.
func (r *Renderer) withValues(bound []int32, equations []*pddl.Formula, when string, n pddl.Names) *Renderer {
	if len(bound) != len(equations) {
		return nil
	}
	q := &Renderer{prob: r.prob, dom: r.dom, t: r.t, state: r.state, restrictions: r.restrictions, plan: r.plan, values: map[pddl.Term]string{}}
	maps.Copy(q.values, r.values)
	for i, e := range equations {
		if v := pddl.VarTerm(int(bound[i])); e.Kind != pddl.FormulaObjectEqual || e.Value != v || n.Schema.Vars[bound[i]].Type != n.Domain.Functions[e.Func].Type {
			return nil
		}
		q.values[e.Value] = q.fluent(e.Func, e.Args, n)
	}
	for _, e := range equations {
		q.values[e.Value] += when
	}
	return q
}
