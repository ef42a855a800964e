package grounder

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// normaliser compiles conditions of one schema at a time.
type normaliser struct {
	g        *grounder
	src      *pddl.Source  // of the current schema
	types    []pddl.TypeID // of the slots of the current schema
	positive bool          // inside the body of an axiom
	nextID   int32
	demands  []*node // of the current action: effect conditions that must be known
	demanded struct {
		conds []*pddl.Formula
		vars  []int32
	} // the effect of the last demand
	spare    map[any]int32 // see spareSlots
	assigned []objectAssignment
}

// normalise fills g.actions, g.rules and g.goal.
func (g *grounder) normalise() {
	n := &normaliser{g: g}
	n.positive, n.src = true, g.dom.Source
	for i := range g.dom.Axioms {
		ax := g.dom.Axioms[i]
		n.schema(&ax.Schema, []*pddl.Formula{ax.Body}, nil)
		args := make([]pddl.Term, ax.NumParams)
		for s := range args {
			args[s] = pddl.VarTerm(s)
		}
		for _, c := range n.split(n.nnf(ax.Body, false)) {
			g.addRule(int32(ax.Pred), args, n.types, append(slots(0, ax.NumParams), c.vars...), c)
		}
	}
	n.positive = false
	for i, a := range g.dom.Actions {
		n.schema(&a.Schema, []*pddl.Formula{a.Precondition}, a.Effect)
		base := action{schema: int32(i), src: a, types: n.types}
		n.demands, n.demanded.conds = n.demands[:0], nil
		n.assigned = n.assigned[:0]
		n.effects(&base, a.Effect, nil, nil)
		n.demandOneValue()
		pre := append([]*node{n.nnf(a.Precondition, false)}, n.demands...)
		for _, c := range n.split(&node{kind: nodeAnd, kids: pre}) {
			alt := base
			alt.params = append(slots(0, a.NumParams), c.vars...)
			alt.pre = c
			alt.effects = slices.Clone(base.effects)
			alt.costs = slices.Clone(base.costs)
			alt.hasUniv = len(c.univ) > 0
			for _, e := range alt.effects {
				alt.hasUniv = alt.hasUniv || len(e.cond.univ) > 0
			}
			for _, t := range alt.costs {
				alt.hasUniv = alt.hasUniv || len(t.cond.univ) > 0 || len(t.cond.lits) > 0
			}
			g.actions = append(g.actions, &alt)
		}
	}
	n.src = g.prob.Source
	n.schema(&g.prob.Goal.Schema, []*pddl.Formula{g.prob.Goal.Formula}, nil)
	goal := n.split(n.nnf(g.prob.Goal.Formula, false))
	if len(goal) == 1 && len(goal[0].vars) == 0 {
		g.goal, g.goalTypes = goal[0], n.types
	} else {
		g.goal = conj{lits: []lit{n.auxiliary(goal, nil)}}
	}
	g.classifyPredicates()
}

func slots(from, to int) []int32 {
	s := make([]int32, 0, to-from)
	for i := from; i < to; i++ {
		s = append(s, int32(i))
	}
	return s
}

func (n *normaliser) schema(s *pddl.Schema, fs []*pddl.Formula, e *pddl.Effect) {
	n.types = make([]pddl.TypeID, len(s.Vars))
	for i := range s.Vars {
		n.types[i] = s.Vars[i].Type
	}
	n.spareSlots(fs, e)
}

func (g *grounder) addRule(pred int32, args []pddl.Term, types []pddl.TypeID, vars []int32, body conj) {
	g.preds[pred].derived = true
	g.rules = append(g.rules, &rule{pred: pred, args: args, types: types, vars: vars, body: body})
}

// classifyPredicates marks the predicates that actions change, and refuses derived
// predicates that an effect changes.
func (g *grounder) classifyPredicates() {
	for _, a := range g.actions {
		for _, e := range a.effects {
			g.preds[e.pred].fluent = true
			if g.preds[e.pred].derived {
				g.refuse(g.dom.Source, a.src.Pos, DerivedInEffect,
					fmt.Sprintf("action %s changes the derived predicate %s", a.src.Name, g.preds[e.pred].name))
			}
		}
	}
}

// nnf pushes negations down to the literals.
func (n *normaliser) nnf(f *pddl.Formula, neg bool) *node {
	kids := func(kind nodeKind, fs []*pddl.Formula) *node {
		nd := &node{kind: kind, kids: make([]*node, len(fs))}
		for i, k := range fs {
			nd.kids[i] = n.nnf(k, neg)
		}
		return nd
	}
	and, or, forall, exists := nodeAnd, nodeOr, nodeForall, nodeExists
	if neg {
		and, or, forall, exists = or, and, exists, forall
	}
	switch f.Kind {
	case pddl.FormulaTrue:
		return &node{kind: and}
	case pddl.FormulaAtom:
		return &node{lit: lit{kind: litAtom, neg: neg, pred: int32(f.Pred), args: f.Args}}
	case pddl.FormulaEqual:
		return &node{lit: lit{kind: litEqual, neg: neg, args: f.Args}}
	case pddl.FormulaObjectEqual:
		return n.objectEqual(f, neg)
	case pddl.FormulaCompare:
		return &node{lit: lit{kind: litCompare, neg: neg, cmp: f, dynamic: n.g.readsChanged(f.Left) || n.g.readsChanged(f.Right), src: n.src}}
	case pddl.FormulaAnd:
		return kids(and, f.Children)
	case pddl.FormulaOr:
		return kids(or, f.Children)
	case pddl.FormulaNot:
		return n.nnf(f.Children[0], !neg)
	case pddl.FormulaImply:
		return &node{kind: or, kids: []*node{n.nnf(f.Children[0], !neg), n.nnf(f.Children[1], neg)}}
	case pddl.FormulaForall:
		return n.quantifier(forall, f, neg)
	case pddl.FormulaExists:
		return n.quantifier(exists, f, neg)
	}
	panic(fmt.Sprintf("grounder: formula of kind %d was not refused", f.Kind))
}

func (n *normaliser) quantifier(kind nodeKind, f *pddl.Formula, neg bool) *node {
	return n.quantified(kind, f.Bound, n.nnf(f.Children[0], neg))
}

func (n *normaliser) quantified(kind nodeKind, bound []int32, kid *node) *node {
	if len(bound) == 0 {
		return kid
	}
	return n.whole(kind, bound, kid)
}

// whole makes a quantifier, which may bind nothing: as a universal formula, kid is not
// split but written out for each instance, when static literals are known.
func (n *normaliser) whole(kind nodeKind, bound []int32, kid *node) *node {
	nd := &node{kind: kind, bound: bound, kids: []*node{kid}, positive: n.positive}
	nd.free = n.freeSlots(nd)
	nd.join = n.g.quantifierJoin(nd, n.types)
	nd.id = n.nextID
	n.nextID++
	return nd
}

// freeSlots returns the free variables of a formula, sorted.
func (n *normaliser) freeSlots(nd *node) []int32 {
	seen := make([]bool, len(n.types))
	var walk func(*node)
	walk = func(nd *node) {
		if nd.kind == nodeLit {
			eachSlot(nd.lit, func(s int32) { seen[s] = true })
		}
		for _, k := range nd.kids {
			walk(k)
		}
		for _, b := range nd.bound {
			seen[b] = false // slots are unique: b is not used outside
		}
	}
	walk(nd)
	return marked(seen)
}

func marked(seen []bool) []int32 {
	var out []int32
	for s, ok := range seen {
		if ok {
			out = append(out, int32(s))
		}
	}
	return out
}

// eachSlot calls f with the slot of every variable of a literal.
func eachSlot(l lit, f func(int32)) {
	for _, t := range l.args {
		if t.IsVar() {
			f(int32(t.Slot()))
		}
	}
	if l.cmp != nil {
		eachExprSlot(l.cmp.Left, f)
		eachExprSlot(l.cmp.Right, f)
	}
}

func eachExprSlot(e *pddl.NumExpr, f func(int32)) {
	for _, t := range e.Args {
		if t.IsVar() {
			f(int32(t.Slot()))
		}
	}
	for _, c := range e.Children {
		eachExprSlot(c, f)
	}
}

// split moves disjunctions and existential quantifiers to the root and returns the
// alternatives. Universal formulas stay whole.
func (n *normaliser) split(nd *node) []conj {
	switch nd.kind {
	case nodeLit:
		return []conj{{lits: []lit{nd.lit}}}
	case nodeForall:
		return []conj{{univ: []*node{nd}}}
	case nodeExists:
		alts := n.split(nd.kids[0])
		for i := range alts {
			alts[i].vars = append(slices.Clone(nd.bound), alts[i].vars...)
		}
		return alts
	case nodeOr:
		var alts []conj
		for _, k := range nd.kids {
			alts = append(alts, n.split(k)...)
		}
		return alts
	}
	parts := make([][]conj, len(nd.kids))
	product := 1
	for i, k := range nd.kids {
		parts[i] = n.split(k)
		product = min(product*len(parts[i]), n.g.limits.alternatives+1)
	}
	if product > n.g.limits.alternatives {
		for i, p := range parts {
			if len(p) > 1 {
				parts[i] = []conj{{lits: []lit{n.auxiliary(p, n.freeSlots(nd.kids[i]))}}}
			}
		}
	}
	alts := []conj{{}}
	for _, p := range parts {
		if len(p) == 1 { // in place: a long conjunction is copied once
			for i := range alts {
				alts[i].add(&p[0])
			}
			continue
		}
		var longer []conj
		for _, a := range alts {
			for _, b := range p {
				longer = append(longer, conj{
					lits: slices.Concat(a.lits, b.lits), univ: slices.Concat(a.univ, b.univ), vars: slices.Concat(a.vars, b.vars)})
			}
		}
		alts = longer
	}
	return alts
}

// auxiliary introduces a derived predicate of the free variables that holds when
// one of the alternatives does, and returns its atom.
func (n *normaliser) auxiliary(alts []conj, free []int32) lit {
	g := n.g
	pred := int32(len(g.preds))
	g.preds = append(g.preds, &predicate{
		name: fmt.Sprintf("new-axiom@%d", len(g.preds)-g.ownPreds), arity: len(free),
		derived: true, rel: &relation{arity: len(free), objects: len(g.prob.Objects)}})
	args := make([]pddl.Term, len(free))
	for i, s := range free {
		args[i] = pddl.VarTerm(int(s))
	}
	for _, c := range alts {
		g.addRule(pred, args, n.types, slices.Concat(free, c.vars), c)
	}
	return lit{kind: litAtom, pred: pred, args: args}
}

// effects flattens an effect. vars are the quantified slots and conds the conditions
// around it.
func (n *normaliser) effects(a *action, e *pddl.Effect, vars []int32, conds []*pddl.Formula) {
	switch e.Kind {
	case pddl.EffectAnd:
		for _, c := range e.Children {
			n.effects(a, c, vars, conds)
		}
	case pddl.EffectForall:
		n.effects(a, e.Children[0], slices.Concat(vars, e.Bound), conds)
	case pddl.EffectWhen:
		n.effects(a, e.Children[0], vars, append(slices.Clone(conds), e.Condition))
	case pddl.EffectAdd, pddl.EffectDelete:
		n.demandKnown(vars, conds)
		for _, c := range n.split(n.condition(conds)) {
			a.effects = append(a.effects, effect{
				vars: slices.Concat(vars, c.vars), cond: c, neg: e.Kind == pddl.EffectDelete, pred: int32(e.Pred), args: e.Args})
		}
	case pddl.EffectNumeric:
		n.demandKnown(vars, conds)
		// A cost counts once for each instance of the quantified variables, however
		// many alternatives of its condition hold.
		cond := n.condition(conds)
		alts := n.split(cond)
		if len(alts) != 1 || len(alts[0].vars) > 0 {
			alts = []conj{{lits: []lit{n.auxiliary(alts, n.freeSlots(cond))}}}
		}
		a.costs = append(a.costs, costTerm{vars: vars, cond: alts[0], op: e.Op, fn: e.Func, args: e.Args, expr: e.Value, pos: e.Pos})
	case pddl.EffectAssignObject:
		n.assignObject(a, e, vars, conds)
	default:
		panic(fmt.Sprintf("grounder: effect of kind %d was not refused", e.Kind))
	}
}

func (n *normaliser) condition(conds []*pddl.Formula) *node {
	nd := &node{kind: nodeAnd}
	for _, f := range conds {
		nd.kids = append(nd.kids, n.nnf(f, false))
	}
	return nd
}
