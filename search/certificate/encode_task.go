package certificate

import (
	"github.com/planproof/planproof/grounder"
)

// task writes the task that a certificate is about, for those who check it without the PDDL.
func (e *encoder) task(t *grounder.Task) {
	n := t.Numeric
	if n == nil {
		n = &grounder.Numeric{Changes: make([][]grounder.Change, t.Operators.Len())}
	}
	e.count(len(n.Fluents))
	for i := range n.Fluents {
		f := &n.Fluents[i]
		e.text(f.Name)
		e.text(f.Unit.String())
		e.signed(f.Init)
	}
	e.count(len(t.Variables))
	for i := range t.Variables {
		v := &t.Variables[i]
		e.count(int(v.Layer) + 1)
		e.count(int(v.Default))
		e.count(len(v.Values))
		for _, name := range v.Values {
			e.text(name)
		}
		e.count(int(t.Init[i]))
	}
	e.count(len(n.Comparisons))
	for i := range n.Comparisons {
		c := &n.Comparisons[i]
		e.count(int(c.Var))
		e.count(int(c.Kind))
		e.sum(&c.Sum)
	}
	e.facts(t.Goal)
	e.operators(t, n)
	e.count(len(t.Axioms))
	for _, a := range t.Axioms {
		e.facts(a.Body)
		e.fact(a.Head)
	}
	e.text(t.CostUnit.String())
	e.text(t.CostBase.String())
}

func (e *encoder) operators(t *grounder.Task, n *grounder.Numeric) {
	e.count(t.Operators.Len())
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		e.text(t.OperatorName(grounder.OperatorID(i)))
		e.facts(op.Pre)
		e.uint(uint64(op.Cost))
		e.count(len(op.Effects))
		for _, x := range op.Effects {
			e.facts(x.Cond)
			e.fact(grounder.Fact{Var: x.Var, Val: x.Val})
		}
		e.count(len(op.CondCosts))
		for _, x := range op.CondCosts {
			e.facts(x.Cond)
			e.uint(uint64(x.Cost))
		}
		e.count(len(n.Changes[i]))
		for k := range n.Changes[i] {
			c := &n.Changes[i][k]
			e.facts(c.Cond)
			e.count(int(c.Fluent))
			e.bool(c.Add)
			e.sum(&c.Sum)
		}
	}
}

func (e *encoder) sum(s *grounder.Sum) {
	e.signed(s.Const)
	e.count(len(s.Terms))
	for _, t := range s.Terms {
		e.count(int(t.Fluent))
		e.signed(t.Coef)
	}
}

func (e *encoder) text(s string) {
	e.count(len(s))
	e.out.WriteString(s)
}

func (e *encoder) fact(f grounder.Fact) {
	e.count(int(f.Var))
	e.count(int(f.Val))
}

func (e *encoder) facts(facts []grounder.Fact) {
	e.count(len(facts))
	for _, f := range facts {
		e.fact(f)
	}
}
