package validator

import "github.com/planproof/planproof/pddl"

// effect compiles e into a list of effect nodes without effSeq at the top. The
// order of effects has no meaning: every condition and right-hand side reads the
// state before the step.
func (c *compiler) effect(e *pddl.Effect) []int32 {
	return c.effectUnder(nil, nil, e)
}

// effectUnder compiles e under universally quantified variables and conditions. `forall`
// distributes over `and`, and a condition moves into the block of the quantifier around
// it, so that the block's search can use it.
func (c *compiler) effectUnder(vars []int32, conds []*cond, e *pddl.Effect) []int32 {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case pddl.EffectAnd:
		var out, simple []int32
		for _, k := range e.Children {
			if c.Stop() {
				return nil
			}
			if isPrimitive(k) {
				simple = append(simple, c.primitive(k))
			} else {
				out = append(out, c.effectUnder(vars, conds, k)...)
			}
		}
		return append(c.wrap(vars, conds, simple), out...)
	case pddl.EffectForall:
		return c.effectUnder(append(vars[:len(vars):len(vars)], e.Bound...), conds, e.Children[0])
	case pddl.EffectWhen:
		k := c.build(e.Condition, true, 0)
		conds = conds[:len(conds):len(conds)]
		if k.op == opAnd {
			conds = append(conds, k.kids...)
		} else {
			conds = append(conds, k)
		}
		return c.effectUnder(vars, conds, e.Children[0])
	}
	return c.wrap(vars, conds, []int32{c.primitive(e)})
}

func isPrimitive(e *pddl.Effect) bool {
	return e.Kind == pddl.EffectAdd || e.Kind == pddl.EffectDelete || e.Kind == pddl.EffectNumeric || e.Kind == pddl.EffectAssignObject
}

// wrap puts primitive effects under a quantifier and conditions.
func (c *compiler) wrap(vars []int32, conds []*cond, effects []int32) []int32 {
	if len(effects) == 0 {
		return nil
	}
	switch {
	case len(vars) > 0:
		leaf := c.newEffect(effect{op: effSeq, kids: c.list(effects)})
		return []int32{c.newEffect(effect{op: effForall, sym: c.block(vars, conds, leaf)})}
	case len(conds) > 0:
		k := &cond{op: opAnd, pol: true, kids: append([]*cond(nil), conds...)}
		return []int32{c.newEffect(effect{op: effWhen, cond: c.emit(junction(k)), kids: c.list(effects)})}
	}
	return effects
}

func (c *compiler) newEffect(e effect) int32 {
	c.j.effects = append(c.j.effects, e)
	return int32(len(c.j.effects) - 1)
}

// primitive compiles an add, a delete or an assignment.
func (c *compiler) primitive(e *pddl.Effect) int32 {
	j := c.j
	x := effect{source: e, args: c.terms(e.Args), cond: -1, value: -1}
	switch e.Kind {
	case pddl.EffectAdd, pddl.EffectDelete:
		x.op = effAdd
		if e.Kind == pddl.EffectDelete {
			x.op = effDelete
		}
		x.sym = int32(e.Pred)
		if p := &j.preds[e.Pred]; p.dense {
			x.dense = true
			x.base, x.coef = c.address(p.base, &p.dims, e.Args)
		}
	case pddl.EffectNumeric, pddl.EffectAssignObject:
		x.op, x.assign, x.sym = effNumeric, e.Op, int32(e.Func)
		if f := &j.fns[e.Func]; f.dense {
			x.dense = true
			x.base, x.coef = c.address(f.base, &f.dims, e.Args)
		}
		if e.Kind == pddl.EffectNumeric {
			x.value = c.expr(e.Value)
		} else {
			x.op, x.term = effObject, int32(e.Object)
		}
	}
	return c.newEffect(x)
}
