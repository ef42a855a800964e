package pddl

// actionHead reads an action's name and declares it. It reports whether the name
// is new.
func (r *reader) actionHead(sch *Schema, at int32) bool {
	r.schema, r.scope = sch, r.scope[:0]
	spelling, key, ok := r.name("action")
	if !ok {
		r.skipValue()
		return false
	}
	sch.Name, sch.Pos = spelling, Pos(r.off)
	id, fresh := r.idx.actions.insert(key)
	if !fresh && !r.bad() {
		line, _ := r.src.LineCol(r.actionPos(id))
		r.errorf(DuplicateAction, r.off, r.lim, "action %s is already declared on line %d", quote(spelling), line)
	}
	if fresh {
		r.idx.actionAt = append(r.idx.actionAt, at)
	}
	r.next()
	return fresh
}

func (r *reader) actionPos(id int32) Pos {
	switch at := r.idx.actionAt[id]; {
	case at == ofNature:
		return r.naturePos(id)
	case at >= 0:
		return r.dom.Actions[at].Pos
	default:
		return r.dom.Durative[^at].Pos
	}
}

// parameters returns the reader of a parameter list.
func (r *reader) parameters(sch *Schema) func(open int) {
	return func(open int) {
		_, sch.NumParams = r.variables(open)
	}
}

// action reads (:action ...).
func (r *reader) action(s section) {
	if !r.enter(s) {
		return
	}
	a := &Action{}
	fresh := r.actionHead(&a.Schema, int32(len(r.dom.Actions)))
	if fresh {
		r.dom.Actions = append(r.dom.Actions, a)
	}
	var vars []int32
	r.parts(s, r.parameters(&a.Schema), []part{
		{":precondition", func() { a.Precondition = r.condition(ctxPreference) }},
		{":effect", func() { a.Effect = r.effect(effInstant) }},
		{":vars", func() { vars = r.actionVars(&a.Schema) }},
	}, ":expansion", ":maintain", ":only-in-expansions")
	if a.Precondition == nil {
		a.Precondition = r.newFormula(FormulaTrue, int(a.Pos))
	}
	if a.Effect == nil {
		a.Effect = r.newEffect(EffectAnd, int(a.Pos))
	}
	r.demandValues(a)
	if len(vars) > 0 {
		r.use(usesExistential, s.open)
		f := r.newFormula(FormulaExists, int(a.Precondition.Pos))
		f.Bound, f.Children = vars, []*Formula{a.Precondition}
		a.Precondition = f
		if e := effectUses(a.Effect, vars); e != nil {
			r.errorf(VariableInEffectScope, int(e.Pos), int(e.Pos)+1, "an effect uses a variable of :vars, which is not supported; make it a parameter")
		}
	}
}

// actionVars reads PDDL 1.2's :vars, variables besides the parameters. The precondition
// quantifies over them existentially.
func (r *reader) actionVars(sch *Schema) []int32 {
	open, ok := r.expectOpen("a list of variables")
	if !ok {
		r.skipValue()
		return nil
	}
	first, n := r.variables(open)
	vars := make([]int32, n)
	for i := range vars {
		vars[i] = int32(first + i)
	}
	return vars
}

// effectUses returns the first part of e that uses a variable in one of the slots.
func effectUses(e *Effect, slots []int32) *Effect {
	in := func(ts []Term) bool {
		for _, t := range ts {
			if t.IsVar() && int32(t.Slot()) >= slots[0] && int32(t.Slot()) <= slots[len(slots)-1] {
				return true
			}
		}
		return false
	}
	var inExpr func(x *NumExpr) bool
	inExpr = func(x *NumExpr) bool {
		found := in(x.Args)
		for _, c := range x.Children {
			found = found || inExpr(c)
		}
		return found
	}
	var inFormula func(f *Formula) bool
	inFormula = func(f *Formula) bool {
		found := in(f.Args) || f.Kind == FormulaObjectEqual && in([]Term{f.Value})
		if f.Left != nil {
			found = found || inExpr(f.Left) || inExpr(f.Right)
		}
		for _, c := range f.Children {
			found = found || inFormula(c)
		}
		return found
	}
	if in(e.Args) || e.Value != nil && inExpr(e.Value) || e.Condition != nil && inFormula(e.Condition) ||
		e.Kind == EffectAssignObject && e.Object != UndefinedTerm && in([]Term{e.Object}) {
		return e
	}
	for _, c := range e.Children {
		if u := effectUses(c, slots); u != nil {
			return u
		}
	}
	return nil
}

// condition reads a precondition or durative condition; () means true.
func (r *reader) condition(ctx fctx) *Formula {
	open := r.off
	if r.kind == tokOpen && r.emptyList() {
		return r.newFormula(FormulaTrue, open)
	}
	if r.stuck() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a condition, found %s", r.found())
		return nil
	}
	return r.formula(ctx)
}

// durativeAction reads (:durative-action ...).
func (r *reader) durativeAction(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesDurative, s.open)
	a := &DurativeAction{}
	fresh := r.actionHead(&a.Schema, ^int32(len(r.dom.Durative)))
	if fresh {
		r.dom.Durative = append(r.dom.Durative, a)
	}
	hasDuration := false
	r.durative = true
	r.parts(s, r.parameters(&a.Schema), []part{
		{":duration", func() { hasDuration, a.Duration = true, flat(r, "durations", (*reader).duration) }},
		{":condition", func() { a.Condition = r.condition(ctxTimed | ctxPreference) }},
		{":effect", func() {
			a.Effect = flat(r, "effects of durative actions", func(r *reader) *Effect { return r.effect(effTimed) })
		}},
	})
	r.durative = false
	if !hasDuration && !s.cut {
		r.errorf(MissingSection, int(a.Pos), int(a.Pos)+len(a.Name), "durative action %s has no :duration", quote(a.Name))
	}
	if a.Duration == nil {
		a.Duration = r.newFormula(FormulaTrue, int(a.Pos))
	}
	if a.Condition == nil {
		a.Condition = r.newFormula(FormulaTrue, int(a.Pos))
	}
	if a.Effect == nil {
		a.Effect = r.newEffect(EffectAnd, int(a.Pos))
	}
}
