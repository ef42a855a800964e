package secondjudge

import (
	"math/big"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// happening checks and carries out what has one time.
func (x *run) happening(ms []moment) Fault {
	closed := x.close(x.state)
	all := &change{adds: map[string]bool{}, dels: map[string]bool{}}
	var ended []*doing
	for _, m := range ms {
		a := &act{time: m.time, literal: m.step < 0, reads: map[string]bool{}, change: &change{map[string]bool{}, map[string]bool{}, nil, map[string]bool{}}}
		kind := ""
		switch {
		case m.step < 0:
			x.literals(m.time, a.change)
		case m.turn == turnBegin:
			var d *doing
			if d, kind = x.begin(closed, m.step, a); d != nil {
				x.running = append(x.running, d)
			}
		default:
			d := x.find(m.step)
			ended = append(ended, d)
			kind = x.conclude(closed, d, a)
		}
		if kind == "" && undefinedChange(x.state, a.change.nums) {
			kind = "numeric"
		}
		if kind == "" {
			kind = merge(a.change.nums)
		}
		for k := range a.change.reads {
			a.reads[k] = true
		}
		if kind == "" && (x.clashes(a) || x.meets(a)) {
			if kind = "mutex"; m.step < 0 {
				return Fault{kind, -1}
			}
		}
		if kind != "" {
			return Fault{kind, x.rank[m.step]}
		}
		x.past = append(x.past, a)
		join(all, a.change)
	}
	x.state = carryOut(x.state, all)
	for _, d := range ended {
		x.forget(d)
	}
	for _, m := range ms {
		if m.step >= 0 && (m.turn != turnBegin || x.durative(x.plan.Steps[m.step].Name) == nil) {
			x.executed++
			x.end = m.time
		}
	}
	x.now = ms[0].time
	return Fault{}
}

func join(all, c *change) {
	for a := range c.adds {
		all.adds[a] = true
	}
	for a := range c.dels {
		all.dels[a] = true
	}
	all.nums = append(all.nums, c.nums...)
}

// clashes reports whether something within epsilon interferes with a.
func (x *run) clashes(a *act) bool {
	for _, b := range x.past {
		near := new(big.Rat).Sub(a.time, b.time).Cmp(x.epsilon) <= 0
		if near && !(a.literal && b.literal) && interferes(b, a) {
			return true
		}
	}
	return false
}

func (x *run) find(step int) *doing {
	for _, d := range x.running {
		if d.step == step {
			return d
		}
	}
	panic("secondjudge: an end without a start")
}

// forget ends a step and counts its broken wishes.
func (x *run) forget(d *doing) {
	var rest []*doing
	for _, e := range x.running {
		if e != d {
			rest = append(rest, e)
		}
	}
	x.running = rest
	for _, w := range d.wishes {
		if w.broken {
			x.violated[strings.ToLower(w.f.Name)]++
		}
	}
}

// literals adds what the timed literals of a time change.
func (x *run) literals(at *big.Rat, c *change) {
	for i := range x.p.Init.Timed {
		t := &x.p.Init.Timed[i]
		if t.Time.Rat().Cmp(at) != 0 {
			continue
		}
		switch {
		case t.Func >= 0:
			c.nums = append(c.nums, assign{x.key(x.d.Functions[t.Func].Name, terms(t.Args), nil), pddl.OpAssign, t.Value.Rat()})
		case t.Negated:
			c.dels[x.key(x.d.Predicates[t.Pred].Name, terms(t.Args), nil)] = true
		default:
			c.adds[x.key(x.d.Predicates[t.Pred].Name, terms(t.Args), nil)] = true
		}
	}
}

// bind looks up the arguments of a step.
func (x *run) bind(st *pddl.Step, schema *pddl.Schema) ([]int, string) {
	if len(st.Args) != schema.NumParams {
		return nil, "arity"
	}
	env := make([]int, len(schema.Vars))
	for i, name := range st.Args {
		env[i] = -1
		for o := range x.p.Objects {
			if strings.EqualFold(x.p.Objects[o].Name, name) {
				env[i] = o
			}
		}
		if env[i] < 0 {
			return nil, "unknown-object"
		}
	}
	for i := range st.Args {
		if !x.isType(env[i], schema.Vars[i].Type) {
			return nil, "type"
		}
	}
	return env, ""
}

// begin checks an instantaneous step, or the start of a durative one, which it returns.
func (x *run) begin(closed *state, step int, a *act) (*doing, string) {
	st := &x.plan.Steps[step]
	if d := x.durative(st.Name); d != nil {
		return x.start(closed, step, d, a)
	}
	for _, action := range x.d.Actions {
		if !strings.EqualFold(action.Name, st.Name) {
			continue
		}
		env, kind := x.bind(st, &action.Schema)
		if kind != "" {
			return nil, kind
		}
		x.vars = action.Vars
		if kind := refused(x.hard(closed, action.Precondition, env)); kind != "" {
			return nil, kind
		}
		x.wished(action.Precondition, env, func(f *pddl.Formula, env []int) {
			if x.eval(closed, f.Children[0], env) != yes {
				x.violated[strings.ToLower(f.Name)]++
			}
		})
		if !x.collect(closed, action.Effect, env, yes, a.change) {
			return nil, "numeric"
		}
		x.readsOf(action.Precondition, action.Vars, env, a.reads)
		x.conditionReads(action.Effect, action.Vars, env, a.reads)
		return nil, ""
	}
	return nil, "unknown-action"
}

// refused is the kind of failure of a condition with a value.
func refused(v truth) string {
	return map[truth]string{no: "precondition", unknown: "numeric"}[v]
}

func (x *run) start(closed *state, step int, a *pddl.DurativeAction, out *act) (*doing, string) {
	st := &x.plan.Steps[step]
	env, kind := x.bind(st, &a.Schema)
	if kind != "" {
		return nil, kind
	}
	if !st.HasDuration {
		return nil, "syntax"
	}
	d := &doing{step: step, action: a, env: env}
	if kind := x.enter(closed, d, pddl.FormulaAtStart, out); kind != "" {
		return nil, kind
	}
	x.wished(a.Condition, env, func(f *pddl.Formula, env []int) {
		d.wishes = append(d.wishes, wish{f, append([]int(nil), env...), x.part(closed, f.Children[0], env, pddl.FormulaAtStart) != yes})
	})
	if !x.effects(closed, d, a.Effect, env, yes, nil, out.change) {
		return nil, "numeric"
	}
	return d, ""
}

// conclude checks the end of a durative step.
func (x *run) conclude(closed *state, d *doing, out *act) string {
	if kind := x.enter(closed, d, pddl.FormulaAtEnd, out); kind != "" {
		return kind
	}
	for i := range d.wishes {
		w := &d.wishes[i]
		w.broken = w.broken || x.part(closed, w.f.Children[0], w.env, pddl.FormulaAtEnd) != yes
	}
	for _, w := range d.waiting {
		if w.gone {
			continue
		}
		v := yes
		for _, c := range w.conds {
			v = min(v, x.part(closed, c, w.env, pddl.FormulaAtEnd))
		}
		if !x.collect(closed, w.body, w.env, v, out.change) {
			return "numeric"
		}
	}
	return ""
}

// enter tests bounds and conditions of one end of a step, and collects what it reads.
func (x *run) enter(closed *state, d *doing, kind pddl.FormulaKind, out *act) string {
	x.vars = d.action.Vars
	x.dur = x.plan.Steps[d.step].Duration.Rat()
	if k := x.bounds(closed, d, d.action.Duration, pddl.FormulaAtStart, kind, out); k != "" {
		return k
	}
	if k := refused(x.part(closed, d.action.Condition, d.env, kind)); k != "" {
		return k
	}
	x.partReads(d.action.Condition, d.env, kind, out.reads)
	x.effectReads(d.action.Effect, d.env, kind, out.reads)
	return ""
}

// bounds tests the bounds of a duration; in is the time specifier around f.
func (x *run) bounds(closed *state, d *doing, f *pddl.Formula, in, kind pddl.FormulaKind, out *act) string {
	switch f.Kind {
	case pddl.FormulaCompare:
		if in != kind {
			return ""
		}
		x.readsOf(f, x.vars, d.env, out.reads)
		v := x.number(closed, f.Right, d.env)
		if v == nil {
			return "numeric"
		}
		if !x.fits(&x.plan.Steps[d.step], f.Cmp, v) {
			return "precondition"
		}
	case pddl.FormulaAtEnd, pddl.FormulaAtStart:
		return x.bounds(closed, d, f.Children[0], f.Kind, kind, out)
	default:
		for _, k := range f.Children {
			if bad := x.bounds(closed, d, k, in, kind, out); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// fits reports whether a written duration satisfies a bound.
func (x *run) fits(st *pddl.Step, cmp pddl.CompareOp, v *big.Rat) bool {
	low, high := new(big.Rat).Sub(v, x.tolerance), new(big.Rat).Add(v, x.tolerance)
	switch cmp {
	case pddl.CompareEqual:
		if x.dur.Cmp(low) >= 0 && x.dur.Cmp(high) <= 0 {
			return true
		}
		// v rounded to the decimals written: twice the difference, scaled, is at most 1.
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(st.Decimals)), nil)
		diff := new(big.Rat).Sub(x.dur, v)
		diff.Mul(diff.Abs(diff), new(big.Rat).SetInt(scale))
		return diff.Cmp(big.NewRat(1, 2)) <= 0
	case pddl.CompareLess:
		return x.dur.Cmp(high) < 0
	case pddl.CompareLessEqual:
		return x.dur.Cmp(high) <= 0
	case pddl.CompareGreater:
		return x.dur.Cmp(low) > 0
	}
	return x.dur.Cmp(low) >= 0
}

// effects goes through a durative effect at the start: what happens then is collected, and
// what may happen at the end waits. v is the value of the conditions around at the start.
func (x *run) effects(closed *state, d *doing, e *pddl.Effect, env []int, v truth, conds []*pddl.Formula, c *change) bool {
	ok := true
	switch e.Kind {
	case pddl.EffectAnd:
		for _, k := range e.Children {
			ok = x.effects(closed, d, k, env, v, conds, c) && ok
		}
	case pddl.EffectForall:
		x.over(x.vars, e.Bound, env, func() { ok = x.effects(closed, d, e.Children[0], env, v, conds, c) && ok })
	case pddl.EffectWhen:
		v = min(v, x.part(closed, e.Condition, env, pddl.FormulaAtStart))
		return x.effects(closed, d, e.Children[0], env, v, append(conds[:len(conds):len(conds)], e.Condition), c)
	case pddl.EffectAtStart:
		return x.collect(closed, e.Children[0], env, v, c)
	case pddl.EffectAtEnd:
		if v == yes {
			d.waiting = append(d.waiting, waiting{env: append([]int(nil), env...), conds: conds, body: e.Children[0]})
		}
		return v != unknown
	}
	return ok
}

// partReads collects what a durative condition reads at one end.
func (x *run) partReads(f *pddl.Formula, env []int, kind pddl.FormulaKind, out map[string]bool) {
	switch f.Kind {
	case kind:
		x.readsOf(f.Children[0], x.vars, env, out)
	case pddl.FormulaAnd, pddl.FormulaPreference:
		for _, k := range f.Children {
			x.partReads(k, env, kind, out)
		}
	case pddl.FormulaForall:
		x.over(x.vars, f.Bound, env, func() { x.partReads(f.Children[0], env, kind, out) })
	}
}

// effectReads collects what the conditions in a durative effect read at one end.
func (x *run) effectReads(e *pddl.Effect, env []int, kind pddl.FormulaKind, out map[string]bool) {
	switch {
	case e.Kind == pddl.EffectAtStart && kind == pddl.FormulaAtStart, e.Kind == pddl.EffectAtEnd && kind == pddl.FormulaAtEnd:
		x.conditionReads(e.Children[0], x.vars, env, out)
		return
	case e.Kind == pddl.EffectAtStart, e.Kind == pddl.EffectAtEnd:
		return
	}
	x.over(x.vars, e.Bound, env, func() {
		if e.Condition != nil {
			x.partReads(e.Condition, env, kind, out)
		}
		for _, k := range e.Children {
			x.effectReads(k, env, kind, out)
		}
	})
}
