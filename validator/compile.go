package validator

import (
	"strings"

	"github.com/planproof/planproof/internal/pace"
	"github.com/planproof/planproof/pddl"
)

// compiler turns a problem into the tables of a Judge.
type compiler struct {
	j       *Judge
	diags   pddl.Diagnostics
	vars    []pddl.Variable // slots of the current schema
	buf     []int32
	watched map[*pddl.Formula]*watch
	rel     *relations
	pace.Pace
}

// run fills c.j. The order matters: the layout needs to know which symbols change,
// and code needs the layout.
func (c *compiler) run() {
	j := c.j
	d := j.dom
	j.types = newTypeRelation(j.prob)
	j.objectNames = newNameTable(objectNames(j.prob))
	names := make([]string, len(d.Actions), len(d.Actions)+len(d.Durative))
	for i, a := range d.Actions {
		names[i] = a.Name
		j.maxArity = max(j.maxArity, a.NumParams)
	}
	for _, a := range d.Durative {
		names = append(names, a.Name)
		j.maxArity = max(j.maxArity, a.NumParams)
	}
	j.actionNames = newNameTable(names)
	c.symbols()
	c.stratify()
	if len(c.diags) > 0 {
		return
	}
	c.rel = newRelations(j)
	c.layOut()
	if isTimed(j.prob) {
		j.timed = &timedTask{byName: map[string]int32{}}
	}
	c.actions()
	c.axioms()
	if j.timed != nil {
		c.timed()
	}
	c.vars, j.goalVars = j.prob.Goal.Vars, len(j.prob.Goal.Vars)
	goal := j.prob.Goal.Formula
	if j.timed != nil {
		goal = c.required(goal, &j.timed.goal)
	}
	j.goal = c.emit(c.build(goal, true, explained))
	if m := j.prob.Metric; m != nil {
		c.vars = nil
		j.metric, j.maximize = c.expr(m.Expr), m.Maximize
	}
}

func objectNames(p *pddl.Problem) []string {
	names := make([]string, len(p.Objects))
	for i := range p.Objects {
		names[i] = p.Objects[i].Name
	}
	return names
}

// symbols determines which predicates axioms define and what effects change.
func (c *compiler) symbols() {
	j := c.j
	d := j.dom
	j.preds, j.fns = make([]pred, len(d.Predicates)), make([]fn, len(d.Functions))
	for i := range d.Predicates {
		j.preds[i] = pred{arity: len(d.Predicates[i].Params), derived: d.Predicates[i].Derived}
	}
	for _, a := range d.Axioms {
		j.preds[a.Pred].derived = true
	}
	for i := range d.Functions {
		f := &d.Functions[i]
		j.fns[i] = fn{arity: len(f.Params), object: !f.Numeric, fluent: isTotalCost(f)}
	}
	for _, root := range effectsOf(d) {
		walkEffect(root, func(e *pddl.Effect) {
			switch e.Kind {
			case pddl.EffectAdd, pddl.EffectDelete:
				if j.preds[e.Pred].derived {
					c.fail(d.Source, e.Pos, pddl.DerivedInEffect, "an effect on the derived predicate "+d.Predicates[e.Pred].Name)
				}
				j.preds[e.Pred].fluent = true
			case pddl.EffectNumeric, pddl.EffectAssignObject:
				j.fns[e.Func].fluent = true
				j.fns[e.Func].moving = j.fns[e.Func].moving || e.Continuous
				j.hasCosts = j.hasCosts || isTotalCost(&d.Functions[e.Func])
			}
		})
	}
	for i := range j.prob.Init.Timed {
		if x := &j.prob.Init.Timed[i]; x.Func >= 0 {
			j.fns[x.Func].fluent = true
		} else {
			j.preds[x.Pred].fluent = true
		}
	}
	init := &j.prob.Init.Atoms
	for i, p := range init.Pred {
		if j.preds[p].derived {
			c.fail(j.prob.Source, init.Pos[i], pddl.DerivedInInit, "the derived predicate "+d.Predicates[p].Name+" in the initial state")
		}
	}
}

// effectsOf lists the effects of a domain's actions.
func effectsOf(d *pddl.Domain) (out []*pddl.Effect) {
	for _, a := range d.Actions {
		out = append(out, a.Effect)
	}
	for _, a := range d.Nature() {
		out = append(out, a.Effect)
	}
	for _, a := range d.Durative {
		out = append(out, a.Effect)
	}
	return out
}

func (c *compiler) fail(src *pddl.Source, pos pddl.Pos, code pddl.Code, what string) {
	c.diags = append(c.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: code, Source: src, Pos: pos, End: pos, Message: what + " cannot be judged",
	})
}

// isTotalCost reports whether f is the cost fluent of the action cost convention.
func isTotalCost(f *pddl.Function) bool {
	return f.Numeric && len(f.Params) == 0 && strings.EqualFold(f.Name, "total-cost")
}

func (c *compiler) actions() {
	j := c.j
	j.actions = make([]action, len(j.dom.Actions))
	for i, a := range j.dom.Actions {
		c.vars = a.Vars
		x := action{schema: a, vars: len(a.Vars), pre: -1, eff: -1, plain: true}
		for k := 0; k < a.NumParams; k++ {
			x.types = append(x.types, a.Vars[k].Type)
		}
		pre := a.Precondition
		if j.timed != nil {
			var softs []soft
			pre = c.required(pre, &softs)
			j.timed.softs = append(j.timed.softs, softs)
		}
		if p := c.build(pre, true, explained); p.op != opTrue {
			x.pre = c.emit(p)
		}
		c.finish(&x, c.effect(a.Effect))
		j.actions[i] = x
	}
}

func (c *compiler) axioms() {
	j := c.j
	j.rules = make([][]rule, len(j.preds))
	for _, a := range j.dom.Axioms {
		c.vars = a.Vars
		r := rule{vars: len(a.Vars), body: c.emit(c.build(a.Body, true, 0))}
		for k := 0; k < a.NumParams; k++ {
			r.types = append(r.types, a.Vars[k].Type)
		}
		j.rules[a.Pred] = append(j.rules[a.Pred], r)
		j.maxArity = max(j.maxArity, a.NumParams)
	}
}
