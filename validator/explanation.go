package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Explanation says more about an invalid plan than its verdict: where each unmet condition
// comes from, what it reads, which step last changed that, and what the state before the
// failure looks like. Verdicts made by Judge.Explain have one.
type Explanation struct {
	// Unmet are the unmet parts of the failing precondition, or of the goal.
	Unmet []Unmet `json:"unmet"`
	// Changes lists the atoms in which the state before the failure differs from the
	// initial state, "+ (atom)" or "- (atom)", and Values the fluents.
	Changes []string      `json:"changes"`
	Values  []ValueChange `json:"values,omitempty"`
	// Around lists the atoms that hold before the failure, can be changed by actions, and
	// mention an object of the failing step or of the unmet goals.
	Around []string `json:"around"`
	// Goals are the unmet parts of the goal in the state before the failing step. It is
	// nil for a goal failure, whose unmet parts are in Unmet.
	Goals []Unmet `json:"unmet_goals,omitempty"`
}

// Unmet is one unmet part of a condition.
type Unmet struct {
	// Literal is the ground literal, comparison or formula that does not hold.
	Literal string `json:"literal"`
	// Conjunct is the part of the precondition that Literal is an instance of, as in the
	// domain: "(clear ?y)". It is "" if that is Literal itself.
	Conjunct string `json:"conjunct,omitempty"`
	// Binding gives the values of quantified variables in Literal.
	Binding []Binding `json:"binding,omitempty"`
	// Values are those of the fluents that Literal compares.
	Values []FluentValue `json:"values,omitempty"`
	// Held reports whether Literal held at some earlier time. ChangedBy is then the step
	// that made it false; for a comparison that never held it is the last step that changed
	// what it compares. Because says the same in words.
	Held      bool     `json:"held,omitempty"`
	ChangedBy *StepRef `json:"changed_by,omitempty"`
	Because   string   `json:"because,omitempty"`

	// Formula is Literal as a formula. Its remaining variables are bound inside it and
	// belong to Schema.
	Formula *pddl.Formula `json:"-"`
	Schema  *pddl.Schema  `json:"-"`
}

// Binding is the value of a quantified variable.
type Binding struct {
	Variable string `json:"variable"`
	Object   string `json:"object"`
}

// FluentValue is the value of a fluent; nil if it has none.
type FluentValue struct {
	Fluent string  `json:"fluent"`
	Value  *string `json:"value"`
}

// StepRef names a step of the plan by its number in execution order, from 1.
type StepRef struct {
	Step   int    `json:"step"`
	Action string `json:"action"`
}

// ValueChange is a fluent whose value, a number or an object, differs from that in the
// initial state; From is nil if it had no value there, To if it has none now.
type ValueChange struct {
	Fluent string  `json:"fluent"`
	From   *string `json:"from"`
	To     *string `json:"to"`
}

// Explain judges a plan like ValidateWith and explains why it is invalid. It takes a few
// times as long, and memory that grows with the state.
func (j *Judge) Explain(plan *pddl.Plan, s *Scratch) *Verdict {
	world, omitted := j.world(plan, s)
	v := j.ValidateWith(plan, s)
	v.World, v.WorldOmitted = world, omitted
	if v.Valid || !v.Decided() {
		return v
	}
	// The scratch is in the state before the failure.
	x := &Explanation{Changes: append([]string{}, (&builder{s: s}).changes()...), Values: s.valueChanges()}
	schema := &j.prob.Goal.Schema
	if v.Failure.Step > 0 {
		schema = nil
		if i := j.actionNames.find(plan.Steps[s.at(plan, v.Failure.Step-1)].Name); i >= 0 {
			schema = j.schemaOf(i)
		}
	}
	x.Unmet = s.describe(v.Reasons, schema)
	about := s.objectsOf(x.Unmet)
	if v.Failure.Step > 0 {
		for _, name := range plan.Steps[s.at(plan, v.Failure.Step-1)].Args {
			if o := j.objectNames.find(name); o >= 0 {
				about[o] = true
			}
		}
		goals := s.unmet(j.goal, j.prob.Goal.Vars, s.goalFrame())
		s.trace(plan, goals.list)
		x.Goals = s.describe(goals.list, &j.prob.Goal.Schema)
	}
	x.Around = s.around(about)
	v.Explanation = x
	return v
}

// ExplainText reads a plan and explains it, as ValidateText does. The diagnostics are the reader's; with an
// error among them the verdict is of kind syntax.
func (j *Judge) ExplainText(src *pddl.Source, s *Scratch) (*Verdict, pddl.Diagnostics) {
	plan, diags, unread := s.readPlan(src)
	if unread != nil {
		return unread, diags
	}
	return j.Explain(plan, s), diags
}

// describe turns the reasons of a condition of the schema into their public form, in the
// state of the scratch.
func (s *Scratch) describe(list []Reason, schema *pddl.Schema) []Unmet {
	out := make([]Unmet, 0, len(list))
	for i := range list {
		r := &list[i]
		if r.source == nil {
			r.source = &pddl.Formula{Kind: pddl.FormulaTrue}
		}
		u := Unmet{Literal: r.Literal, Because: r.Because, Held: r.held, ChangedBy: r.changedBy, Schema: schema}
		if conjunct := s.j.schemaText(r.source, r.want, schema.Vars); conjunct != r.Literal {
			u.Conjunct = conjunct
		}
		g := &grounding{env: r.env}
		u.Formula = g.formula(r.source)
		if !r.want {
			u.Formula = &pddl.Formula{Kind: pddl.FormulaNot, Pos: r.source.Pos, Children: []*pddl.Formula{u.Formula}}
		}
		for slot := schema.NumParams; slot < len(schema.Vars); slot++ {
			if g.used[int32(slot)] {
				u.Binding = append(u.Binding, Binding{schema.Vars[slot].Name, s.j.prob.Objects[r.env[slot]].Name})
			}
		}
		seen := map[string]bool{}
		s.eachFluent(&s.j.nodes[r.node], func(e *expr) {
			f := FluentValue{Fluent: s.j.exprText(e.source, r.env)}
			if v, _, ok := s.fluentValue(e, r.env); ok {
				f.Value = valueOf(v, true)
			}
			if !seen[f.Fluent] {
				seen[f.Fluent] = true
				u.Values = append(u.Values, f)
			}
		})
		out = append(out, u)
	}
	return out
}

func valueOf(v pddl.Number, defined bool) *string {
	if !defined {
		return nil
	}
	t := numberText(v)
	return &t
}

// objectOf is valueOf for an object fluent, whose value is the number of an object.
func (s *Scratch) objectOf(v pddl.Number, defined bool) *string {
	o, ok := v.Int64()
	if !defined || !ok {
		return nil
	}
	return &s.j.prob.Objects[o].Name
}

// schemaText writes a formula with all its variables.
func (j *Judge) schemaText(f *pddl.Formula, pol bool, vars []pddl.Variable) string {
	w := &writer{texts: new(texts), j: j, vars: vars, free: map[int32]bool{}}
	for slot := range vars {
		w.free[int32(slot)] = true
	}
	return w.signed(f, pol)
}

// valueChanges lists the values that differ from their initial ones, in the order of
// their first change.
func (s *Scratch) valueChanges() []ValueChange {
	var out []ValueChange
	for _, id := range s.touched {
		c := ValueChange{Fluent: s.valueText(id)}
		valueOf := valueOf
		if s.isObjectValue(c.Fluent) {
			valueOf = s.objectOf
		}
		c.To = valueOf(s.values[id], s.defined[id])
		if int(id) < len(s.j.values) {
			if s.defined[id] == s.j.defined[id] && (!s.defined[id] || s.values[id].Equal(s.j.values[id])) {
				continue
			}
			c.From = valueOf(s.j.values[id], s.j.defined[id])
		} else if !s.defined[id] {
			continue
		}
		if len(out) == maxChanges {
			break
		}
		out = append(out, c)
	}
	return out
}

// isObjectValue reports whether a fluent, as valueText writes it, is an object fluent.
func (s *Scratch) isObjectValue(text string) bool {
	return slices.ContainsFunc(s.j.dom.Functions, func(f pddl.Function) bool {
		n := len(f.Name)
		return !f.Numeric && len(text) > n+1 && text[1:n+1] == f.Name && (text[n+1] == ' ' || text[n+1] == ')')
	})
}

// objectsOf collects the objects that unmet conditions are about.
func (s *Scratch) objectsOf(list []Unmet) map[int32]bool {
	about := map[int32]bool{}
	term := func(t pddl.Term) {
		if !t.IsVar() && t != pddl.UndefinedTerm {
			about[int32(t)] = true
		}
	}
	var expr func(e *pddl.NumExpr)
	expr = func(e *pddl.NumExpr) {
		for _, t := range e.Args {
			term(t)
		}
		for _, k := range e.Children {
			expr(k)
		}
	}
	var formula func(f *pddl.Formula)
	formula = func(f *pddl.Formula) {
		for _, t := range f.Args {
			term(t)
		}
		for _, e := range []*pddl.NumExpr{f.Left, f.Right} {
			if e != nil {
				expr(e)
			}
		}
		for _, k := range f.Children {
			formula(k)
		}
	}
	for i := range list {
		formula(list[i].Formula)
	}
	return about
}

// around lists the fluent atoms that hold and are about one of the objects.
func (s *Scratch) around(about map[int32]bool) []string {
	out := []string{}
	for id := int32(0); id < s.fluents; id++ {
		if !getBit(s.bits, id) {
			continue
		}
		c := change{id, s.predOf(id)}
		args := make([]int32, s.j.preds[c.pred].arity)
		s.atomArgs(c, args)
		if !slices.ContainsFunc(args, func(o int32) bool { return about[o] }) {
			continue
		}
		if len(out) == maxChanges {
			return append(out, "...")
		}
		out = append(out, s.atomText(c))
	}
	return out
}

// grounding copies formulas and replaces the variables that are not bound inside by
// objects.
type grounding struct {
	env   []int32
	bound []int32
	used  map[int32]bool // slots that were replaced
}

func (g *grounding) terms(args []pddl.Term) []pddl.Term {
	out := slices.Clone(args)
	for i, t := range out {
		if t == pddl.UndefinedTerm || !t.IsVar() || slices.Contains(g.bound, int32(t.Slot())) {
			continue
		}
		if g.used == nil {
			g.used = map[int32]bool{}
		}
		g.used[int32(t.Slot())] = true
		out[i] = pddl.ObjectTerm(pddl.ObjectID(g.env[t.Slot()]))
	}
	return out
}

func (g *grounding) formula(f *pddl.Formula) *pddl.Formula {
	c := *f
	depth := len(g.bound)
	if f.Kind == pddl.FormulaExists || f.Kind == pddl.FormulaForall {
		g.bound = append(g.bound, f.Bound...)
	}
	c.Args = g.terms(f.Args)
	if f.Kind == pddl.FormulaObjectEqual {
		c.Value = g.terms([]pddl.Term{f.Value})[0]
	}
	if f.Left != nil {
		c.Left = g.expr(f.Left)
	}
	if f.Right != nil {
		c.Right = g.expr(f.Right)
	}
	c.Children = make([]*pddl.Formula, len(f.Children))
	for i, k := range f.Children {
		c.Children[i] = g.formula(k)
	}
	g.bound = g.bound[:depth]
	return &c
}

func (g *grounding) expr(e *pddl.NumExpr) *pddl.NumExpr {
	c := *e
	c.Args = g.terms(e.Args)
	c.Children = make([]*pddl.NumExpr, len(e.Children))
	for i, k := range e.Children {
		c.Children[i] = g.expr(k)
	}
	return &c
}
