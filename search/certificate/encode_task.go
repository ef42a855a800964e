package certificate

import (
	"github.com/planproof/planproof/grounder"
)

// task writes the task that a certificate is about, for those who check it without the PDDL.
func (e *encoder) task(t *grounder.Task) {
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
	e.facts(t.Goal)
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
	}
	e.count(len(t.Axioms))
	for _, a := range t.Axioms {
		e.facts(a.Body)
		e.fact(a.Head)
	}
	e.text(t.CostUnit.String())
	e.text(t.CostBase.String())
	if n := NumbersOf(t); n != nil {
		n.Walk(func(xs ...int64) {
			for _, x := range xs {
				e.uint(uint64(x)<<1 ^ uint64(x>>63)) // the sign is the lowest bit
			}
		}, e.text, e.facts)
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
