package grounder

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// glit is a ground literal: an atom id and a sign.
type glit int32

func newLit(atom int32, neg bool) glit {
	if neg {
		return glit(atom<<1 | 1)
	}
	return glit(atom << 1)
}

func (l glit) atom() int32   { return int32(l) >> 1 }
func (l glit) neg() bool     { return l&1 != 0 }
func (l glit) negated() glit { return l ^ 1 }

// truth of a literal or formula when it does not depend on the state.
type truth uint8

const (
	open truth = iota // depends on the state
	always
	never
)

// literal grounds a literal. An unreachable atom is false.
func (g *grounder) literal(l *lit, env []pddl.ObjectID) (glit, truth) {
	if l.kind == litAtom && g.preds[l.pred].changes() {
		a := g.lookup(l.pred, l.args, env)
		if a >= 0 {
			return g.settled(newLit(a, l.neg))
		}
		if l.neg {
			return 0, always
		}
		return 0, never
	}
	if l.dynamic {
		return g.comparison(l, env)
	}
	if g.holds(l, env) {
		return 0, always
	}
	return 0, never
}

// settled evaluates derived atoms that axiom simplification found constant.
func (g *grounder) settled(l glit) (glit, truth) {
	t := open
	if k := int(l.atom()); k < len(g.axioms.constant) {
		t = g.axioms.constant[k]
	}
	if t != open && l.neg() {
		return l, always + never - t
	}
	return l, t
}

// conjunction grounds a condition and appends its literals to dst. It reports false if
// the condition cannot hold.
func (g *grounder) conjunction(dst []glit, c *conj, env []pddl.ObjectID) ([]glit, bool) {
	for i := range c.lits {
		l, t := g.literal(&c.lits[i], env)
		if t == never {
			return dst, false
		}
		if t == open {
			dst = append(dst, l)
		}
	}
	for _, u := range c.univ {
		inst := g.universal(u, env)
		if inst.never {
			return dst, false
		}
		for _, l := range inst.lits {
			l, t := g.settled(l)
			if t == never {
				return dst, false
			}
			if t == open {
				dst = append(dst, l)
			}
		}
	}
	return dst, true
}

// instance is a universally quantified formula for one choice of its free
// variables, as a conjunction.
type instance struct {
	lits  []glit
	never bool
}

// instances is a cache by the objects of the free variables: many operators share each
// instance.
type instances struct {
	keys relation
	vals []instance
}

func (g *grounder) universal(u *node, env []pddl.ObjectID) *instance {
	for len(g.axioms.universals) <= int(u.id) {
		g.axioms.universals = append(g.axioms.universals, nil)
	}
	c := g.axioms.universals[u.id]
	if c == nil {
		c = &instances{keys: relation{arity: len(u.free)}}
		g.axioms.universals[u.id] = c
	}
	key := make([]pddl.ObjectID, len(u.free))
	for i, s := range u.free {
		key[i] = env[s]
	}
	k, added := c.keys.add(key)
	if added {
		c.vals = append(c.vals, instance{})
		inst := g.expand(u, env)
		c.vals[k] = inst
	}
	return &c.vals[k]
}

// gnode is a ground formula with constants folded away, except at the root.
type gnode struct {
	kind nodeKind // nodeLit, nodeAnd, nodeOr
	lit  glit
	kids []*gnode
}

var (
	trueNode  = &gnode{kind: nodeAnd}
	falseNode = &gnode{kind: nodeOr}
)

// ground instantiates a formula.
func (g *grounder) ground(nd *node, env []pddl.ObjectID) *gnode {
	switch nd.kind {
	case nodeLit:
		l, t := g.literal(&nd.lit, env)
		switch t {
		case always:
			return trueNode
		case never:
			return falseNode
		}
		return &gnode{kind: nodeLit, lit: l}
	case nodeAnd, nodeOr:
		out := &gnode{kind: nd.kind}
		for _, k := range nd.kids {
			if !out.add(g.ground(k, env)) {
				break
			}
		}
		return out.shrink()
	}
	kind := nodeAnd
	if nd.kind == nodeExists {
		kind = nodeOr
	}
	out := &gnode{kind: kind}
	j := nd.join
	copy(j.env, env)
	j.each(func() bool {
		g.tick()
		return !out.add(g.ground(nd.kids[0], j.env))
	})
	return out.shrink()
}

// add appends a child to a conjunction or disjunction. It reports false if that decides
// the formula.
func (n *gnode) add(k *gnode) bool {
	if k.kind == n.kind { // also its neutral element, which has no kids
		n.kids = append(n.kids, k.kids...)
		return true
	}
	if k.kind != nodeLit && len(k.kids) == 0 {
		n.kind, n.kids = k.kind, nil
		return false
	}
	n.kids = append(n.kids, k)
	return true
}

func (n *gnode) shrink() *gnode {
	if len(n.kids) == 1 {
		return n.kids[0]
	}
	return n
}

// quantifierJoin makes the join that enumerates the relevant instances of a quantifier.
// An instance of a universal formula is true, and so irrelevant, if one of its
// disjuncts is the negation of an unreachable atom; dually for existential formulas.
func (g *grounder) quantifierJoin(nd *node, types []pddl.TypeID) *join {
	q := query{types: types, vars: nd.bound}
	inside := make([]bool, len(types))
	for _, s := range nd.bound {
		inside[s] = true
	}
	kind := nodeOr // what is split at the top of the body
	if nd.kind == nodeExists {
		kind = nodeAnd
	}
	guards := []*node{nd.kids[0]}
	if nd.kids[0].kind == kind {
		guards = nd.kids[0].kids
	}
	deeper := make([]bool, len(types)) // slots of quantifiers below
	for _, k := range guards {
		if l := k.lit; k.kind == nodeLit && l.kind == litAtom && l.neg == (nd.kind == nodeForall) {
			q.atoms = append(q.atoms, queryAtom{pred: l.pred, args: l.args})
		}
	}
	var walk func(*node)
	walk = func(k *node) {
		for _, s := range k.bound {
			deeper[s] = true
		}
		for _, c := range k.kids {
			walk(c)
		}
	}
	walk(nd.kids[0])
	for s := range types {
		if !inside[s] && !deeper[s] {
			q.bound = append(q.bound, int32(s))
		}
	}
	return g.newJoin(q)
}

// expand writes out a universal formula. Literals that are single facts become
// conditions. The rest (disjunctions and, in action conditions, negative literals whose
// atom shares its variable with others) is gathered in one derived atom "violated",
// whose negation stands for all of it. In bodies of axioms every disjunction gets a
// derived atom of its own, used positively: a negation there might close a cycle that
// the standard's least fixpoint does not have.
func (g *grounder) expand(u *node, env []pddl.ObjectID) instance {
	f := g.ground(u, env)
	if f.kind == nodeOr && len(f.kids) == 0 {
		return instance{never: true}
	}
	kids := []*gnode{f}
	if f.kind == nodeAnd {
		kids = f.kids
	}
	var inst instance
	var awkward []*gnode
	wide := g.wideNegations(kids) > 1
	for _, k := range kids {
		if k.kind == nodeLit && (u.positive || !wide || !g.isWide(k.lit)) {
			inst.lits = append(inst.lits, k.lit)
		} else {
			awkward = append(awkward, k)
		}
	}
	if len(awkward) == 0 {
		slices.Sort(inst.lits)
		inst.lits = slices.Compact(inst.lits)
		return inst
	}
	if u.positive {
		for _, k := range awkward {
			inst.lits = append(inst.lits, newLit(g.deriveWhen(k), false))
		}
	} else {
		violated := &gnode{kind: nodeOr}
		for _, k := range awkward {
			violated.add(k.negate())
		}
		inst.lits = append(inst.lits, newLit(g.deriveWhen(violated), true))
	}
	return inst
}

// isWide reports whether a negative literal is a disjunction of several facts.
func (g *grounder) isWide(l glit) bool {
	if !l.neg() || int(l.atom()) >= len(g.vars.fact) {
		return false
	}
	return g.vars.size(g.vars.fact[l.atom()].Var) > 2
}

func (g *grounder) wideNegations(kids []*gnode) int {
	n := 0
	for _, k := range kids {
		if k.kind == nodeLit && g.isWide(k.lit) {
			n++
		}
	}
	return n
}

func (n *gnode) negate() *gnode {
	if n.kind == nodeLit {
		return &gnode{kind: nodeLit, lit: n.lit.negated()}
	}
	out := &gnode{kind: nodeAnd + nodeOr - n.kind}
	for _, k := range n.kids {
		out.kids = append(out.kids, k.negate())
	}
	return out
}

// deriveWhen makes a derived atom that holds when f does.
func (g *grounder) deriveWhen(f *gnode) int32 {
	a := g.newAtom()
	for _, body := range g.alternatives(f) {
		g.axioms.add(a, body)
	}
	return a
}

// newAtom makes a derived atom of a predicate of its own.
func (g *grounder) newAtom() int32 {
	if g.worker {
		panic(alone{})
	}
	p := int32(len(g.preds))
	pred := &predicate{name: fmt.Sprintf("new-axiom@%d", len(g.preds)-g.ownPreds), derived: true, rel: &relation{}, base: int32(g.atoms)}
	pred.rel.add(nil)
	g.preds = append(g.preds, pred)
	g.atoms++
	g.atomPred = append(g.atomPred, p)
	g.initial = append(g.initial, false)
	if len(g.vars.fact) > 0 || g.vars.members != nil { // variables are chosen: append one
		g.vars.fact = append(g.vars.fact, Fact{Var: int32(len(g.vars.members)), Val: 0})
		g.vars.members = append(g.vars.members, []int32{int32(g.atoms - 1)})
	}
	g.checkSize(&g.atomCount)
	return int32(g.atoms - 1)
}

// alternatives splits a ground formula into conjunctions of literals, with
// derived atoms for disjunctions that would multiply out too far.
func (g *grounder) alternatives(f *gnode) [][]glit {
	switch f.kind {
	case nodeLit:
		return [][]glit{{f.lit}}
	case nodeOr:
		var out [][]glit
		for _, k := range f.kids {
			out = append(out, g.alternatives(k)...)
		}
		return out
	}
	parts := make([][][]glit, len(f.kids))
	product := 1
	for i, k := range f.kids {
		parts[i] = g.alternatives(k)
		product = min(product*len(parts[i]), g.limits.alternatives+1)
	}
	out := [][]glit{nil}
	for _, p := range parts {
		if product > g.limits.alternatives && len(p) > 1 {
			a := g.newAtom()
			for _, body := range p {
				g.axioms.add(a, body)
			}
			p = [][]glit{{newLit(a, false)}}
		}
		var longer [][]glit
		for _, x := range out {
			for _, y := range p {
				longer = append(longer, slices.Concat(x, y))
			}
		}
		out = longer
		g.tick()
	}
	return out
}

// groundGoal instantiates the goal. Whether its derived atoms are constant is only
// found out later.
func (g *grounder) groundGoal() {
	env := make([]pddl.ObjectID, len(g.goalTypes))
	lits, ok := g.conjunction(nil, &g.goal, env)
	if !ok {
		g.unsolvable()
		return
	}
	slices.Sort(lits)
	g.goalLits = slices.Compact(lits)
}
