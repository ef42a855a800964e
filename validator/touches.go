package validator

import "github.com/planproof/planproof/pddl"

// Touch is an atom or a value that something reads or writes.
type Touch struct {
	sym  int32   // predicate, or the number of predicates plus the function
	args []int32 // objects; -1 stands for any
}

// Meets reports whether two touches may be of the same atom or value.
func (a Touch) Meets(b Touch) bool {
	if a.sym != b.sym || len(a.args) != len(b.args) {
		return a.sym == b.sym
	}
	for i, o := range a.args {
		if o >= 0 && b.args[i] >= 0 && o != b.args[i] {
			return false
		}
	}
	return true
}

// Touches returns what a moment of a plan may write, and what its effects depend on. Names that
// do not exist touch nothing.
func (j *Judge) Touches(plan *pddl.Plan, m Moment) (writes, reads []Touch) {
	w := &toucher{j: j}
	w.moment(plan, m, false, false)
	writes, w.out = w.out, nil
	w.moment(plan, m, false, true)
	return writes, w.out
}

// toucher collects touches.
type toucher struct {
	j    *Judge
	vars []int32 // objects of the slots, -1 for any
	out  []Touch
}

func (w *toucher) wild(from int) {
	for i := from; i < len(w.vars); i++ {
		w.vars[i] = -1
	}
}

// schema gives the parameters their objects; all other variables stand for any.
func (w *toucher) schema(vars []pddl.Variable, params int, env []int32) {
	w.vars = make([]int32, len(vars))
	w.wild(copy(w.vars[:params], env))
}

// moment collects what a moment writes, or what it reads: its condition as well as, or only,
// what its effects depend on.
func (w *toucher) moment(plan *pddl.Plan, m Moment, condition, reads bool) {
	j := w.j
	if m.Part == PartLiterals {
		if !reads {
			w.literals(j.timed.literals[m.Of].time)
		}
		return
	}
	st := &plan.Steps[m.Of]
	i := j.actionNames.find(st.Name)
	if i < 0 {
		return
	}
	var a *pddl.Action
	switch n := int32(len(j.actions)); {
	case i < n:
		a = j.actions[i].schema
	case m.Part == PartEnd:
		a = j.timed.durative[i-n].end.schema
	default:
		a = j.timed.durative[i-n].start.schema
	}
	w.vars = make([]int32, len(a.Vars))
	w.wild(0)
	for k, name := range st.Args {
		if k < a.NumParams {
			w.vars[k] = j.objectNames.find(name)
		}
	}
	if condition {
		w.formula(a.Precondition)
	}
	w.effect(a.Effect, reads)
}

// literals collects what the timed literals of a time write.
func (w *toucher) literals(at pddl.Number) {
	for i := range w.j.prob.Init.Timed {
		x := &w.j.prob.Init.Timed[i]
		if !x.Time.Equal(at) {
			continue
		}
		t := Touch{sym: int32(x.Pred)}
		if x.Func >= 0 {
			t.sym = int32(len(w.j.preds)) + int32(x.Func)
		}
		for _, o := range x.Args {
			t.args = append(t.args, int32(o))
		}
		w.out = append(w.out, t)
	}
}

// effect collects what an effect writes, or reads.
func (w *toucher) effect(e *pddl.Effect, reads bool) {
	walkEffect(e, func(e *pddl.Effect) {
		switch {
		case reads:
			w.formula(e.Condition)
			w.expr(e.Value)
		case e.Kind == pddl.EffectAdd || e.Kind == pddl.EffectDelete:
			w.add(int32(e.Pred), e.Args)
		case e.Kind == pddl.EffectNumeric || e.Kind == pddl.EffectAssignObject:
			w.add(int32(len(w.j.preds))+int32(e.Func), e.Args)
		}
	})
}

// freely is formula for one whose quantified variables may have the slots of others.
func (w *toucher) freely(f *pddl.Formula) {
	walkFormula(f, func(f *pddl.Formula) {
		for _, slot := range f.Bound {
			w.vars[slot] = -1
		}
	})
	w.formula(f)
}

func (w *toucher) formula(f *pddl.Formula) {
	walkFormula(f, func(f *pddl.Formula) {
		switch f.Kind {
		case pddl.FormulaAtom:
			w.atom(f)
		case pddl.FormulaObjectEqual:
			w.add(int32(len(w.j.preds))+int32(f.Func), f.Args)
		case pddl.FormulaCompare:
			w.expr(f.Left)
			w.expr(f.Right)
		}
	})
}

// atom collects an atom; of a derived one, everything that its rules depend on.
func (w *toucher) atom(f *pddl.Formula) {
	if !w.j.preds[f.Pred].derived {
		w.add(int32(f.Pred), f.Args)
		return
	}
	for _, sym := range (&compiler{j: w.j}).symbolsOf(f) {
		if int(sym) >= len(w.j.preds) || !w.j.preds[sym].derived {
			w.out = append(w.out, Touch{sym: sym, args: nil})
		}
	}
}

func (w *toucher) expr(e *pddl.NumExpr) {
	walkExpr(e, func(e *pddl.NumExpr) {
		if e.Kind == pddl.NumFluent && w.j.fns[e.Func].fluent {
			w.add(int32(len(w.j.preds))+int32(e.Func), e.Args)
		}
	})
}

func (w *toucher) add(sym int32, args []pddl.Term) {
	if sym < int32(len(w.j.preds)) && !w.j.preds[sym].fluent {
		return
	}
	t := Touch{sym: sym, args: make([]int32, len(args))}
	for i, a := range args {
		switch {
		case !a.IsVar():
			t.args[i] = int32(a)
		case a == pddl.UndefinedTerm:
			t.args[i] = -1
		default:
			t.args[i] = w.vars[a.Slot()]
		}
	}
	w.out = append(w.out, t)
}
