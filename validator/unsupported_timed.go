package validator

import (
	"strings"

	"github.com/planproof/planproof/pddl"
)

// timed refuses what the judge of timed plans does not support.
func (r *refusals) timed(p *pddl.Problem) {
	d := p.Domain
	m := mover{d: d, moving: make([]bool, len(d.Functions))}
	var effects []*timedEffects
	for _, a := range d.Durative {
		x := splitEffect(a.Effect)
		effects = append(effects, x)
		for _, c := range x.rates {
			m.moving[c.e.Func] = true
		}
		for _, e := range x.conditional {
			m.moving[e.Func] = true
			r.add(e.Pos, "continuous-effects", "a conditional continuous effect")
		}
		for _, e := range x.misfits {
			r.add(e.Pos, "durative-actions", "an effect at the start that depends on a condition over all or at the end")
		}
	}
	natural := m.nature(r)
	for i, a := range d.Durative {
		for _, c := range effects[i].rates {
			if m.degree(c.e.Value) > 0 {
				r.add(c.e.Pos, "continuous-effects", "a rate that itself changes continuously")
			}
		}
		m.formula(r, a.Condition, "a condition that is not linear in what changes continuously")
		m.timedConditions(r, a.Effect)
	}
	for _, x := range natural {
		for _, c := range x.rates {
			if m.degree(c.e.Value) > 0 {
				r.add(c.e.Pos, "continuous-effects", "a rate that itself changes continuously")
			}
		}
	}
	for _, a := range d.Nature() {
		m.formula(r, a.Precondition, "a condition that is not linear in what changes continuously")
	}
	for _, a := range d.Axioms {
		m.formula(r, a.Body, "a rule that is not linear in what changes continuously")
	}
	m.constraints(r, d.Constraints, d.Source)
	m.constraints(r, p.Constraints, p.Source)
	r.src = d.Source
}

// nature notes what processes change, and refuses what is conditional.
func (m *mover) nature(r *refusals) (out []*timedEffects) {
	for _, a := range m.d.Processes {
		x := splitEffect(a.Effect)
		out = append(out, x)
		for _, c := range x.rates {
			m.moving[c.e.Func] = true
		}
		walkEffect(a.Effect, func(e *pddl.Effect) {
			if e.Kind == pddl.EffectWhen {
				r.add(e.Pos, "continuous-effects", "a conditional continuous effect")
			}
		})
	}
	return out
}

// mover knows which functions change continuously.
type mover struct {
	d      *pddl.Domain
	moving []bool
}

// nonlinear is the degree of expressions that are not linear.
const nonlinear = 2

// degree is that of an expression in the moving fluents: 0, 1 or nonlinear.
func (m *mover) degree(e *pddl.NumExpr) int {
	switch e.Kind {
	case pddl.NumFluent:
		if m.moving[e.Func] {
			return 1
		}
		return 0
	case pddl.NumDiv:
		if m.degree(e.Children[1]) > 0 {
			return nonlinear
		}
		return m.degree(e.Children[0])
	}
	deg := 0
	for _, k := range e.Children {
		if x := m.degree(k); e.Kind == pddl.NumMul {
			deg = min(deg+x, nonlinear)
		} else {
			deg = max(deg, x)
		}
	}
	return deg
}

// formula refuses comparisons that are not linear.
func (m *mover) formula(r *refusals, f *pddl.Formula, what string) {
	walkFormula(f, func(f *pddl.Formula) {
		if f.Kind == pddl.FormulaCompare && max(m.degree(f.Left), m.degree(f.Right)) == nonlinear {
			r.add(f.Pos, "continuous-effects", what)
		}
	})
}

// timedConditions refuses the same in conditions of timed effects.
func (m *mover) timedConditions(r *refusals, e *pddl.Effect) {
	walkEffect(e, func(e *pddl.Effect) {
		if e.Condition != nil {
			m.formula(r, e.Condition, "a condition that is not linear in what changes continuously")
		}
	})
}

// constraints refuses trajectory constraints on what changes between happenings.
func (m *mover) constraints(r *refusals, g *pddl.GoalSchema, src *pddl.Source) {
	if g == nil {
		return
	}
	r.src = src
	derived := m.movingPredicates()
	walkFormula(g.Formula, func(f *pddl.Formula) {
		if f.Kind == pddl.FormulaAtom && derived[f.Pred] || f.Kind == pddl.FormulaCompare && m.degree(f.Left)+m.degree(f.Right) > 0 {
			r.add(f.Pos, "continuous-effects", "a constraint on what changes continuously")
		}
	})
}

// movingPredicates finds the derived predicates that depend on moving fluents.
func (m *mover) movingPredicates() []bool {
	out := make([]bool, len(m.d.Predicates))
	for changed := true; changed; {
		changed = false
		for _, a := range m.d.Axioms {
			if out[a.Pred] {
				continue
			}
			walkFormula(a.Body, func(f *pddl.Formula) {
				if f.Kind == pddl.FormulaAtom && out[f.Pred] || f.Kind == pddl.FormulaCompare && m.degree(f.Left)+m.degree(f.Right) > 0 {
					out[a.Pred], changed = true, true
				}
			})
		}
	}
	return out
}

// Untimed refuses, each at its place, what makes the plans of a problem timed: durative
// actions, timed literals, trajectory constraints and preferences. It is for callers that go
// from state to state; the error is of type pddl.Diagnostics.
func Untimed(p *pddl.Problem) error {
	d := p.Domain
	r := &refusals{src: d.Source}
	for _, a := range d.Durative {
		r.add(a.Pos, "durative-actions", "the durative action "+a.Name)
	}
	for _, a := range d.Processes {
		r.add(a.Pos, "processes", "the process "+a.Name)
	}
	for _, a := range d.Events {
		r.add(a.Pos, "events", "the event "+a.Name)
	}
	r.section(d.Constraints)
	for _, a := range d.Actions {
		r.preferences(a.Precondition)
	}
	r.src = p.Source
	r.section(p.Constraints)
	for i := range p.Init.Timed {
		r.add(p.Init.Timed[i].Pos, "timed-initial-literals", "a timed initial literal")
	}
	r.preferences(p.Goal.Formula)
	for i := range r.diags {
		r.diags[i].Message = strings.Replace(r.diags[i].Message, "by the judge", "where plans are built step by step", 1)
	}
	if len(r.diags) > 0 {
		return r.diags
	}
	return nil
}

func (r *refusals) section(g *pddl.GoalSchema) {
	if hasConstraints(g) {
		r.add(g.Formula.Pos, "constraints", "a trajectory constraint")
	}
}

func (r *refusals) preferences(f *pddl.Formula) {
	walkFormula(f, func(f *pddl.Formula) {
		if f.Kind == pddl.FormulaPreference {
			r.add(f.Pos, "preferences", "a preference")
		}
	})
}
