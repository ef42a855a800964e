package validator

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// timed fills j.timed, apart from the preferences of actions and the goal.
func (c *compiler) timed() {
	j := c.j
	t := j.timed
	for _, a := range j.dom.Durative {
		t.durative = append(t.durative, c.durative(a))
	}
	for _, a := range j.dom.Actions {
		t.writes = append(t.writes, c.written(a.Effect))
	}
	c.nature()
	c.literals()
	for _, g := range []*pddl.GoalSchema{j.dom.Constraints, j.prob.Constraints} {
		if hasConstraints(g) {
			c.vars = g.Vars
			c.constraint(g.Formula, nil, -1)
		}
	}
}

// preference returns the number of a preference's name.
func (c *compiler) preference(name string) int32 {
	t := c.j.timed
	key := strings.ToLower(name)
	if i, ok := t.byName[key]; ok {
		return i
	}
	i := int32(len(t.names))
	t.names, t.byName[key] = append(t.names, name), i
	return i
}

// required compiles a condition without its preferences, which it appends to softs.
func (c *compiler) required(f *pddl.Formula, softs *[]soft) *pddl.Formula {
	hard, list := harden(f, nil)
	for _, x := range list {
		*softs = append(*softs, soft{c.preference(x.f.Name), x.bound, c.vars, c.emit(c.build(x.f.Children[0], true, explained))})
	}
	if hard == nil {
		return &pddl.Formula{Kind: pddl.FormulaTrue, Pos: f.Pos}
	}
	return hard
}

// durative compiles a durative action.
func (c *compiler) durative(a *pddl.DurativeAction) durative {
	c.vars = a.Vars
	d := durative{schema: a, over: -1}
	hard, softs := harden(a.Condition, nil)
	parts := timedParts(hard)
	bounds := c.bounds(a.Duration, &d)
	effects := splitEffect(a.Effect)
	reads := [partCount]*pddl.Formula{atStart: conjunction(parts[atStart], bounds[0]), atEnd: conjunction(parts[atEnd], bounds[1])}
	for _, x := range softs {
		p := timedParts(x.f.Children[0])
		s := timedSoft{name: c.preference(x.f.Name), bound: x.bound}
		for i := range p {
			s.parts[i] = c.node(p[i])
			if p[i] != nil && len(x.bound) > 0 {
				p[i] = &pddl.Formula{Kind: pddl.FormulaForall, Pos: p[i].Pos, Bound: x.bound, Children: []*pddl.Formula{p[i]}}
			}
			reads[i] = conjunction(reads[i], p[i])
		}
		d.softs = append(d.softs, s)
	}
	d.over = c.node(parts[overAll])
	d.reads = c.symbolsOf(parts[overAll])
	d.rates, d.moving = c.rates(effects.rates), c.moves(parts[overAll])
	kids, ends := c.memories(effects, &d)
	d.start = c.snap(a, parts[atStart], reads[atStart], effects.at[atStart], kids)
	d.end = c.snap(a, parts[atEnd], reads[atEnd], effects.at[atEnd], nil)
	d.end.schema.Effect = &pddl.Effect{Kind: pddl.EffectAnd, Pos: a.Pos, Children: []*pddl.Effect{d.end.schema.Effect, ends}}
	d.writes[0] = c.written(effects.at[atStart])
	d.writes[1] = c.written(d.end.schema.Effect)
	return d
}

// node compiles a condition; -1 if it is nil or always true.
func (c *compiler) node(f *pddl.Formula) int32 {
	if f == nil {
		return -1
	}
	x := c.build(f, true, explained)
	if x.op == opTrue {
		return -1
	}
	return c.emit(x)
}

// bounds compiles the constraints on the duration and returns them as conditions at the
// start and at the end, for what they read.
func (c *compiler) bounds(f *pddl.Formula, d *durative) (reads [2]*pddl.Formula) {
	var add func(f *pddl.Formula, part int)
	add = func(f *pddl.Formula, part int) {
		switch f.Kind {
		case pddl.FormulaCompare:
			d.bounds[part] = append(d.bounds[part], bound{f.Cmp, c.expr(f.Right), f})
			reads[part] = conjunction(reads[part], f)
		case pddl.FormulaAtEnd:
			part = 1
			fallthrough
		default:
			for _, k := range f.Children {
				add(k, part)
			}
		}
	}
	add(f, 0)
	return reads
}

// memories compiles the effects at the end that depend on earlier states. It returns the
// instructions by which the start remembers, and adds what start and end read to effects.
func (c *compiler) memories(effects *timedEffects, d *durative) (kids []int32, ends *pddl.Effect) {
	ends = &pddl.Effect{Kind: pddl.EffectAnd}
	nothing := &pddl.Effect{Kind: pddl.EffectAnd}
	for _, m := range effects.memories {
		k := int32(len(d.memory))
		var last []*cond // one conjunction with conditions inside the effect
		if m.parts[atEnd] != nil {
			last = append(last, c.build(m.parts[atEnd], true, 0))
		}
		r := remembered{over: c.node(m.parts[overAll]), effects: c.list(c.effectUnder(nil, last, m.body))}
		d.memory = append(d.memory, r)
		var conds []*cond
		if m.parts[atStart] != nil {
			conds = append(conds, c.build(m.parts[atStart], true, 0))
			effects.at[atStart] = joinEffects(effects.at[atStart], under(m.bound, m.parts[atStart], nothing))
		}
		kids = append(kids, c.wrap(m.bound, conds, []int32{c.newEffect(effect{op: effRemember, sym: k})})...)
		ends = joinEffects(ends, under(m.bound, m.parts[atEnd], m.body))
	}
	return kids, ends
}

// snap compiles the start or the end of a durative action as an action of its own; reads is
// its whole condition, with preferences and bounds, and kids are further effects.
func (c *compiler) snap(a *pddl.DurativeAction, pre, reads *pddl.Formula, e *pddl.Effect, kids []int32) action {
	if e == nil {
		e = &pddl.Effect{Kind: pddl.EffectAnd, Pos: a.Pos}
	}
	x := action{schema: &pddl.Action{Schema: a.Schema, Precondition: reads, Effect: e}, vars: len(a.Vars), pre: c.node(pre), eff: -1}
	for k := 0; k < a.NumParams; k++ {
		x.types = append(x.types, a.Vars[k].Type)
	}
	c.finish(&x, append(c.effect(e), kids...))
	return x
}

// finish gives an action its effects.
func (c *compiler) finish(x *action, kids []int32) {
	x.plain = true
	for _, k := range kids {
		if o := c.j.effects[k].op; o != effAdd && o != effDelete {
			x.plain = false
		}
	}
	if len(kids) > 0 {
		x.eff = c.newEffect(effect{op: effSeq, kids: c.list(kids)})
	}
}

// literals compiles the timed literals, one effect for each time.
func (c *compiler) literals() {
	j := c.j
	c.vars = nil
	timed := slices.Clone(j.prob.Init.Timed)
	slices.SortStableFunc(timed, func(a, b pddl.TimedInit) int { return a.Time.Cmp(b.Time) })
	for from := 0; from < len(timed); {
		to := from
		all := &pddl.Effect{Kind: pddl.EffectAnd, Pos: timed[from].Pos}
		for ; to < len(timed) && timed[to].Time.Equal(timed[from].Time); to++ {
			all.Children = append(all.Children, literalEffect(&timed[to]))
		}
		j.timed.literals = append(j.timed.literals, literalGroup{
			time: timed[from].Time, pos: timed[from].Pos, writes: c.written(all),
			effect: c.newEffect(effect{op: effSeq, kids: c.list(c.effect(all))}),
		})
		from = to
	}
}

// literalEffect is a timed literal as an effect.
func literalEffect(t *pddl.TimedInit) *pddl.Effect {
	e := &pddl.Effect{Kind: pddl.EffectAdd, Pos: t.Pos, Pred: t.Pred}
	for _, o := range t.Args {
		e.Args = append(e.Args, pddl.ObjectTerm(o))
	}
	switch {
	case t.Func >= 0:
		e.Kind, e.Func = pddl.EffectNumeric, t.Func
		e.Value = &pddl.NumExpr{Kind: pddl.NumConst, Pos: t.Pos, Value: t.Value}
	case t.Negated:
		e.Kind = pddl.EffectDelete
	}
	return e
}

// written lists the symbols that an effect may change: predicates, then functions counted
// from the number of predicates.
func (c *compiler) written(e *pddl.Effect) (out []int32) {
	walkEffect(e, func(e *pddl.Effect) {
		switch e.Kind {
		case pddl.EffectAdd, pddl.EffectDelete:
			out = append(out, int32(e.Pred))
		case pddl.EffectNumeric, pddl.EffectAssignObject:
			out = append(out, int32(len(c.j.preds))+int32(e.Func))
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// symbolsOf lists the symbols that a condition may depend on and that something changes;
// derived predicates count as what their rules read.
func (c *compiler) symbolsOf(fs ...*pddl.Formula) []int32 {
	j := c.j
	seen := map[int32]bool{}
	var out []int32
	var visit func(f *pddl.Formula)
	expr := func(e *pddl.NumExpr) {
		walkExpr(e, func(e *pddl.NumExpr) {
			if e.Kind == pddl.NumFluent && j.fns[e.Func].fluent {
				seen[int32(len(j.preds))+int32(e.Func)] = true
			}
		})
	}
	one := func(f *pddl.Formula) {
		switch f.Kind {
		case pddl.FormulaAtom:
			p := int32(f.Pred)
			if seen[p] || !j.preds[p].fluent && !j.preds[p].derived {
				return
			}
			seen[p] = true
			if !j.preds[p].derived {
				return
			}
			for _, a := range j.dom.Axioms {
				if int32(a.Pred) == p {
					visit(a.Body)
				}
			}
		case pddl.FormulaObjectEqual:
			if j.fns[f.Func].fluent {
				seen[int32(len(j.preds))+int32(f.Func)] = true
			}
		case pddl.FormulaCompare:
			expr(f.Left)
			expr(f.Right)
		}
	}
	visit = func(f *pddl.Formula) { walkFormula(f, one) }
	for _, f := range fs {
		visit(f)
	}
	for sym := range seen {
		out = append(out, sym)
	}
	slices.Sort(out)
	return out
}
