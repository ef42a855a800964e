package validator

import (
	"github.com/planproof/planproof/pddl"
)

// extents finds the possible objects at each position of each predicate and function:
// those of the declared type, and others that the task mentions there.
func (c *compiler) extents() (preds, fns []extent) {
	j := c.j
	d := j.dom
	preds = newExtents(len(d.Predicates), func(i int) int { return len(d.Predicates[i].Params) })
	fns = newExtents(len(d.Functions), func(i int) int { return len(d.Functions[i].Params) })
	declared := func(e *extent, params []pddl.Variable) {
		for i := range params {
			c.widenByType(e, i, params[i].Type)
		}
	}
	for i := range d.Predicates {
		declared(&preds[i], d.Predicates[i].Params)
	}
	for i := range d.Functions {
		declared(&fns[i], d.Functions[i].Params)
	}
	w := widener{c, preds, fns, nil}
	for _, a := range append(d.Nature(), d.Actions...) {
		w.vars = a.Vars
		w.formula(a.Precondition)
		w.effect(a.Effect)
	}
	for _, a := range d.Durative {
		w.vars = a.Vars
		w.formula(a.Duration)
		w.formula(a.Condition)
		w.effect(a.Effect)
	}
	for _, g := range []*pddl.GoalSchema{d.Constraints, j.prob.Constraints} {
		if g != nil {
			w.vars = g.Vars
			w.formula(g.Formula)
		}
	}
	for _, a := range d.Axioms {
		w.vars = a.Vars
		for i := 0; i < a.NumParams; i++ {
			c.widenByType(&preds[a.Pred], i, a.Vars[i].Type)
		}
		w.formula(a.Body)
	}
	w.vars = j.prob.Goal.Vars
	w.formula(j.prob.Goal.Formula)
	if j.prob.Metric != nil {
		w.expr(j.prob.Metric.Expr)
	}
	w.initial()
	return preds, fns
}

func (c *compiler) widenByType(e *extent, i int, t pddl.TypeID) {
	if objs := c.j.prob.ObjectsOfType(t); len(objs) > 0 {
		e.widen(i, int32(objs[0]), int32(objs[len(objs)-1]))
	}
}

// widener walks a task and widens extents by the terms it meets.
type widener struct {
	c          *compiler
	preds, fns []extent
	vars       []pddl.Variable
}

func (w *widener) args(e *extent, args []pddl.Term) {
	for i, t := range args {
		if t.IsVar() {
			w.c.widenByType(e, i, w.vars[t.Slot()].Type)
		} else {
			e.widen(i, int32(t), int32(t))
		}
	}
}

func (w *widener) formula(f *pddl.Formula) {
	walkFormula(f, func(f *pddl.Formula) {
		switch f.Kind {
		case pddl.FormulaAtom:
			w.args(&w.preds[f.Pred], f.Args)
		case pddl.FormulaObjectEqual:
			w.args(&w.fns[f.Func], f.Args)
		case pddl.FormulaCompare:
			w.expr(f.Left)
			w.expr(f.Right)
		}
	})
}

func (w *widener) expr(e *pddl.NumExpr) {
	walkExpr(e, func(e *pddl.NumExpr) {
		if e.Kind == pddl.NumFluent {
			w.args(&w.fns[e.Func], e.Args)
		}
	})
}

func (w *widener) effect(e *pddl.Effect) {
	walkEffect(e, func(e *pddl.Effect) {
		switch e.Kind {
		case pddl.EffectAdd, pddl.EffectDelete:
			w.args(&w.preds[e.Pred], e.Args)
		case pddl.EffectNumeric, pddl.EffectAssignObject:
			w.args(&w.fns[e.Func], e.Args)
		}
		w.formula(e.Condition)
		w.expr(e.Value)
	})
}

func (w *widener) initial() {
	in := &w.c.j.prob.Init
	for i := 0; i < in.Atoms.Len(); i++ {
		p, args := in.Atoms.Atom(i)
		for k, a := range args {
			w.preds[p].widen(k, int32(a), int32(a))
		}
	}
	for i := 0; i < in.Values.Len(); i++ {
		f, args, _ := in.Values.Fluent(i)
		for k, a := range args {
			w.fns[f].widen(k, int32(a), int32(a))
		}
	}
	for i := range in.Timed {
		e := &in.Timed[i]
		x := w.preds
		at := int(e.Pred)
		if e.Func >= 0 {
			x, at = w.fns, int(e.Func)
		}
		for k, a := range e.Args {
			x[at].widen(k, int32(a), int32(a))
		}
	}
	for i := range in.Objects {
		for k, a := range in.Objects[i].Args {
			w.fns[in.Objects[i].Func].widen(k, int32(a), int32(a))
		}
	}
}

// extent collects, for each argument position of a predicate or function, the
// range of objects that are possible there.
type extent struct{ lo, hi []int32 }

func (e *extent) widen(i int, lo, hi int32) {
	e.lo[i] = min(e.lo[i], lo)
	e.hi[i] = max(e.hi[i], hi)
}

func newExtents(n int, arity func(int) int) []extent {
	es := make([]extent, n)
	for i := range es {
		k := arity(i)
		es[i] = extent{make([]int32, k), make([]int32, k)}
		for p := 0; p < k; p++ {
			es[i].lo[p], es[i].hi[p] = 1<<31-1, -1
		}
	}
	return es
}
