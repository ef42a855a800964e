package validator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// compiler turns a problem into the tables of a Judge.
type compiler struct {
	j     *Judge
	diags pddl.Diagnostics
	vars  []pddl.Variable // slots of the schema at hand
	buf   []int32
	rel   *relations
}

// run fills c.j. The order matters: the layout needs to know which symbols change,
// and code needs the layout.
func (c *compiler) run() {
	j := c.j
	d := j.dom
	j.types = newTypeRelation(j.prob)
	j.objectNames = newNameTable(objectNames(j.prob))
	names := make([]string, len(d.Actions))
	for i, a := range d.Actions {
		names[i] = a.Name
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
	c.actions()
	c.axioms()
	c.vars, j.goalVars = j.prob.Goal.Vars, len(j.prob.Goal.Vars)
	j.goal = c.emit(c.build(j.prob.Goal.Formula, true, explained))
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

// symbols finds out what axioms define and what effects change.
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
	for _, a := range d.Actions {
		walkEffect(a.Effect, func(e *pddl.Effect) {
			switch e.Kind {
			case pddl.EffectAdd, pddl.EffectDelete:
				if j.preds[e.Pred].derived {
					c.fail(d.Source, e.Pos, pddl.DerivedInEffect, "an effect on the derived predicate "+d.Predicates[e.Pred].Name)
				}
				j.preds[e.Pred].fluent = true
			case pddl.EffectNumeric, pddl.EffectAssignObject:
				j.fns[e.Func].fluent = true
				j.hasCosts = j.hasCosts || isTotalCost(&d.Functions[e.Func])
			}
		})
	}
	init := &j.prob.Init.Atoms
	for i, p := range init.Pred {
		if j.preds[p].derived {
			c.fail(j.prob.Source, init.Pos[i], pddl.DerivedInInit, "the derived predicate "+d.Predicates[p].Name+" in the initial state")
		}
	}
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

// walkFormula visits f and everything below it.
func walkFormula(f *pddl.Formula, visit func(*pddl.Formula)) {
	if f == nil {
		return
	}
	visit(f)
	for _, k := range f.Children {
		walkFormula(k, visit)
	}
}

// walkEffect visits e and the effects below it.
func walkEffect(e *pddl.Effect, visit func(*pddl.Effect)) {
	if e == nil {
		return
	}
	visit(e)
	for _, k := range e.Children {
		walkEffect(k, visit)
	}
}

// walkExpr visits e and everything below it.
func walkExpr(e *pddl.NumExpr, visit func(*pddl.NumExpr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, k := range e.Children {
		walkExpr(k, visit)
	}
}

// extents finds the objects that can stand at each position of each predicate and
// function: those of the declared type, and whatever else the task writes there.
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
	for _, a := range d.Actions {
		w.vars = a.Vars
		w.formula(a.Precondition)
		w.effect(a.Effect)
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
	for i := range in.Objects {
		for k, a := range in.Objects[i].Args {
			w.fns[in.Objects[i].Func].widen(k, int32(a), int32(a))
		}
	}
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
		if p := c.build(a.Precondition, true, explained); p.op != opTrue {
			x.pre = c.emit(p)
		}
		kids := c.effect(a.Effect)
		for _, k := range kids {
			if o := j.effects[k].op; o != effAdd && o != effDelete {
				x.plain = false
			}
		}
		if len(kids) > 0 {
			x.eff = c.newEffect(effect{op: effSeq, kids: c.list(kids)})
		}
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

// stratify finds the components of the derived predicates and refuses a
// component in which a predicate depends on its own negation.
func (c *compiler) stratify() {
	j := c.j
	n := len(j.preds)
	uses := make([][]int32, n) // predicates in the bodies, derived or not
	type edge struct {
		from, to int32
		pos      pddl.Pos
	}
	var negative []edge
	fnUses := make([][]int32, n)
	for _, a := range j.dom.Axioms {
		p := int32(a.Pred)
		polarity(a.Body, false, func(f *pddl.Formula, neg bool) {
			switch f.Kind {
			case pddl.FormulaAtom:
				uses[p] = append(uses[p], int32(f.Pred))
				if neg {
					negative = append(negative, edge{p, int32(f.Pred), f.Pos})
				}
			case pddl.FormulaObjectEqual:
				fnUses[p] = append(fnUses[p], int32(f.Func))
			case pddl.FormulaCompare:
				for _, e := range []*pddl.NumExpr{f.Left, f.Right} {
					walkExpr(e, func(e *pddl.NumExpr) {
						if e.Kind == pddl.NumFluent {
							fnUses[p] = append(fnUses[p], int32(e.Func))
						}
					})
				}
			}
		})
	}
	j.scc, j.recurs = components(uses)
	for _, e := range negative {
		if j.scc[e.from] == j.scc[e.to] {
			c.fail(j.dom.Source, e.pos, pddl.AxiomCycle, fmt.Sprintf("the derived predicate %s, which depends on its own negation,", j.dom.Predicates[e.from].Name))
		}
	}
	c.affects(uses, fnUses)
}

// affects inverts the dependencies of derived predicates: what to forget when a
// predicate or a function changes that effects write. Where the lists would
// become too long, they are replaced by one of all derived predicates: to forget too
// much is slow, but not wrong.
func (c *compiler) affects(uses, fnUses [][]int32) {
	j := c.j
	users, fnUsers := make([][]int32, len(uses)), make([][]int32, len(j.fns))
	var all []int32
	for p := range uses {
		if j.preds[p].derived {
			all = append(all, int32(p))
		}
		for _, u := range uses[p] {
			users[u] = append(users[u], int32(p))
		}
		for _, f := range fnUses[p] {
			fnUsers[f] = append(fnUsers[f], int32(p))
		}
	}
	seen := make([]int32, len(uses))
	mark, room := int32(0), affectsAtMost
	above := func(direct []int32) []int32 {
		if room <= 0 {
			return all
		}
		mark++
		var list []int32
		add := func(ps []int32) {
			room -= len(ps)
			for _, p := range ps {
				if seen[p] != mark {
					seen[p] = mark
					list = append(list, p)
				}
			}
		}
		add(direct)
		for i := 0; i < len(list) && room > 0; i++ {
			add(users[list[i]])
		}
		if room <= 0 {
			return all
		}
		slices.Sort(list)
		return list
	}
	for p := range j.preds {
		if j.preds[p].fluent && len(users[p]) > 0 {
			j.preds[p].affects = above(users[p])
		}
	}
	for f := range j.fns {
		if j.fns[f].fluent && len(fnUsers[f]) > 0 {
			j.fns[f].affects = above(fnUsers[f])
		}
	}
}

// affectsAtMost bounds the steps through the dependencies of derived predicates.
const affectsAtMost = 1 << 22

// polarity visits f and what is below it with the sign of each occurrence.
func polarity(f *pddl.Formula, neg bool, visit func(*pddl.Formula, bool)) {
	if f == nil {
		return
	}
	visit(f, neg)
	for i, k := range f.Children {
		n := neg
		if f.Kind == pddl.FormulaNot || f.Kind == pddl.FormulaImply && i == 0 {
			n = !neg
		}
		polarity(k, n, visit)
	}
}

// components numbers the strongly connected components of a graph (Tarjan's
// algorithm on an explicit stack) and tells which nodes lie on a cycle.
func components(edges [][]int32) (comp []int32, cyclic []bool) {
	n := len(edges)
	comp, cyclic = make([]int32, n), make([]bool, n)
	low, num := make([]int32, n), make([]int32, n)
	var stack, path []int32
	next := make([]int, n)
	var count, comps int32
	for root := range edges {
		if num[root] != 0 {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			v := path[len(path)-1]
			if num[v] == 0 {
				count++
				num[v], low[v], comp[v] = count, count, -1
				stack = append(stack, v)
			}
			if i := next[v]; i < len(edges[v]) {
				next[v]++
				w := edges[v][i]
				switch {
				case w == v:
					cyclic[v] = true
				case num[w] == 0:
					path = append(path, w)
				case comp[w] < 0:
					low[v] = min(low[v], num[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				u := path[len(path)-1]
				low[u] = min(low[u], low[v])
			}
			if low[v] == num[v] {
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					comp[w] = comps
					if w != v {
						cyclic[w], cyclic[v] = true, true
					} else {
						break
					}
				}
				comps++
			}
		}
	}
	return comp, cyclic
}
