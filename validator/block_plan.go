package validator

import (
	"math"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// planner orders the variables of a block: it repeatedly takes the way to bind
// variables that seems to yield the fewest values per variable.
type planner struct {
	c       *compiler
	unbound map[int32]bool
	guards  []*cond
	placed  []bool
	waits   []int           // per guard: variables without a value
	needs   map[int32][]int // per variable: the guards it occurs in
	free    []int           // guards that have become ground
	partOf  []int           // per guard
	current int             // current part
	apart   bool            // one binding is enough
	long    bool            // too many variables: keep the order of the text
	next    int             // long blocks: first variable that may have no value
	cost    float64         // estimated bindings of the whole block
}

// planAtMost bounds the variables of a block whose order is planned; a longer block keeps
// the order of the text.
const planAtMost = 64

// choice is one way to bind variables.
type choice struct {
	gen   genKind
	slot  int32
	guard int       // the guard it comes from (genEqual, genIndex)
	other pddl.Term // genEqual
	atom  *cond     // genIndex
	est   float64   // values
	score float64   // logarithm of est per variable
	binds int
	waits int // genType: variables without a value in the guard closest to being ground
}

// best returns the most selective choice at this point.
func (p *planner) best(order []int32) choice {
	best := choice{score: math.Inf(1)}
	if p.long {
		for !p.unbound[order[p.next]] {
			p.next++
		}
		v := order[p.next]
		return choice{gen: genType, slot: v, est: float64(len(p.c.j.prob.ObjectsOfType(p.c.vars[v].Type))), binds: 1}
	}
	take := func(x choice) {
		x.score = math.Log2(x.est+1) / float64(x.binds)
		if x.score < best.score || x.score == best.score && x.waits < best.waits {
			best = x
		}
	}
	for _, v := range order {
		if p.unbound[v] {
			n := len(p.c.j.prob.ObjectsOfType(p.c.vars[v].Type))
			take(choice{gen: genType, slot: v, est: float64(n), binds: 1, waits: p.soonest(v)})
		}
	}
	for i, g := range p.guards {
		switch {
		case g.neg || p.partOf[i] != p.current:
		case g.op == opEqual:
			p.equality(i, g, take)
		case g.op == opFluent || g.op == opStatic || g.op == opSparseFluent || g.op == opSparseStatic:
			p.scan(i, g, take)
		}
	}
	return best
}

// soonest returns the smallest number of variables that a guard with v waits for.
func (p *planner) soonest(v int32) int {
	least := math.MaxInt
	for _, g := range p.needs[v] {
		if !p.placed[g] {
			least = min(least, p.waits[g])
		}
	}
	return least
}

func (p *planner) equality(guard int, g *cond, take func(choice)) {
	a, b := g.f.Args[0], g.f.Args[1]
	for _, t := range [2][2]pddl.Term{{a, b}, {b, a}} {
		if p.open(t[0]) && !p.open(t[1]) {
			take(choice{gen: genEqual, guard: guard, slot: int32(t[0].Slot()), other: t[1], est: 1, binds: 1})
		}
	}
}

// open reports whether t is a variable without a value yet.
func (p *planner) open(t pddl.Term) bool { return t.IsVar() && p.unbound[int32(t.Slot())] }

// scan considers binding every open variable of an atom from an index.
func (p *planner) scan(guard int, g *cond, take func(choice)) {
	j, pr := p.c.j, int32(g.f.Pred)
	est := float64(p.c.rel.size(pr))
	if j.preds[pr].fluent {
		est += 4 // a plan may add more
	}
	seen := map[int32]bool{}
	for i, t := range g.f.Args {
		switch {
		case p.open(t):
			seen[int32(t.Slot())] = true
		default:
			est /= float64(max(1, p.c.rel.values(j, pr, i)))
		}
	}
	if len(seen) > 0 {
		take(choice{gen: genIndex, guard: guard, atom: g, est: est, binds: len(seen)})
	}
}

// bind turns a choice into a level and marks what it binds.
func (p *planner) bind(x choice) (level, bool) {
	l := level{gen: x.gen, slot: x.slot, index: -1}
	switch x.gen {
	case genEqual:
		l.term, l.typ = int32(x.other), p.c.vars[x.slot].Type
		p.settle(x.slot)
		p.placed[x.guard] = true // holds by construction
	case genType:
		l.typ = p.c.vars[x.slot].Type
		l.objects = p.c.j.prob.ObjectsOfType(l.typ)
		if p.apart && len(p.needs[x.slot]) == 0 {
			l.objects = l.objects[:min(1, len(l.objects))] // any object will do
		}
		p.settle(x.slot)
	case genIndex:
		var key []int32
		var terms []pddl.Term
		for i, t := range x.atom.f.Args {
			if !p.open(t) {
				key, terms = append(key, int32(i)), append(terms, t)
			}
		}
		l.index = p.c.indexOn(int32(x.atom.f.Pred), key)
		if l.index < 0 {
			return l, false
		}
		l.key = p.c.terms(terms)
		// A static atom from an index holds; a fluent one may have been deleted.
		p.placed[x.guard] = !p.c.j.preds[x.atom.f.Pred].fluent
		for _, t := range x.atom.f.Args {
			if !t.IsVar() || slices.Contains(terms, t) {
				continue
			}
			s := int32(t.Slot())
			if !p.unbound[s] {
				s = ^s // a repeated variable: compared, so that no binding comes twice
			} else {
				p.settle(s)
			}
			l.slots = append(l.slots, s)
			l.types = append(l.types, p.c.vars[t.Slot()].Type)
		}
	}
	return l, true
}

// run plans the whole block. It returns the guards of each level; those of level 0 need
// no variable of the block.
func (p *planner) run(parts [][]int32) ([]level, [][]*cond) {
	guards := [][]*cond{p.ready()}
	var levels []level
	p.cost = 1
	for i, part := range parts {
		p.current = i
		first := len(levels)
		levels, guards = p.part(part, levels, guards)
		if len(parts) > 1 && first < len(levels) {
			levels[first].cut = true
		}
	}
	return levels, guards
}

// part plans variables that share guards with each other, but with no others.
func (p *planner) part(order []int32, levels []level, guards [][]*cond) ([]level, [][]*cond) {
	p.next = 0
	for rest := max(0, len(p.unbound)-len(order)); len(p.unbound) > rest; {
		x := p.best(order)
		l, ok := p.bind(x)
		if !ok { // no room for the index: fall back to a type
			for _, v := range order {
				if p.unbound[v] {
					x = choice{gen: genType, slot: v, est: float64(len(p.c.j.prob.ObjectsOfType(p.c.vars[v].Type)))}
					break
				}
			}
			l, _ = p.bind(x)
		}
		p.cost *= max(x.est, 0.5)
		levels = append(levels, l)
		guards = append(guards, p.ready())
	}
	return levels, guards
}

// settle notes that a variable has a value.
func (p *planner) settle(s int32) {
	if !p.unbound[s] {
		return
	}
	delete(p.unbound, s)
	for _, g := range p.needs[s] {
		if p.waits[g]--; p.waits[g] == 0 {
			p.free = append(p.free, g)
		}
	}
}

// ready takes the guards whose variables are all bound, in their order.
func (p *planner) ready() []*cond {
	slices.Sort(p.free)
	var out []*cond
	for _, g := range p.free {
		if !p.placed[g] {
			p.placed[g] = true
			out = append(out, p.guards[g])
		}
	}
	p.free = p.free[:0]
	return out
}

// plan orders the variables of a block. With apart, variables that share no guard are
// searched one after another, which is only right if one binding is enough.
func (c *compiler) plan(vars []int32, guards []*cond, apart bool) ([]level, [][]*cond, float64) {
	p := &planner{c: c, unbound: map[int32]bool{}, guards: guards, placed: make([]bool, len(guards)), partOf: make([]int, len(guards)), apart: apart, long: len(vars) > planAtMost}
	for _, v := range vars {
		p.unbound[v] = true
	}
	p.waits, p.needs = make([]int, len(guards)), map[int32][]int{}
	for i, g := range guards {
		for _, s := range g.freeSlots() {
			if p.unbound[s] {
				p.waits[i]++
				p.needs[s] = append(p.needs[s], i)
			}
		}
		if p.waits[i] == 0 {
			p.free = append(p.free, i)
		}
	}
	parts := [][]int32{vars}
	if apart {
		parts = p.parts(vars)
	}
	levels, placed := p.run(parts)
	return levels, placed, p.cost
}

// parts divides variables into those that share guards, directly or through others.
// Variables without guards come last, each by itself.
func (p *planner) parts(vars []int32) [][]int32 {
	var parts, single [][]int32
	seen := map[int32]bool{}
	met := make([]bool, len(p.guards))
	place := map[int32]int{} // in the text
	for i, v := range vars {
		place[v] = i
	}
	for _, v := range vars {
		if seen[v] {
			continue
		}
		seen[v] = true
		part := []int32{v}
		for i := 0; i < len(part); i++ {
			for _, g := range p.needs[part[i]] {
				if met[g] {
					continue
				}
				met[g], p.partOf[g] = true, len(parts)
				for _, s := range p.guards[g].freeSlots() {
					if p.unbound[s] && !seen[s] {
						seen[s] = true
						part = append(part, s)
					}
				}
			}
		}
		if len(p.needs[v]) == 0 {
			single = append(single, part)
			continue
		}
		slices.SortFunc(part, func(a, b int32) int { return place[a] - place[b] })
		parts = append(parts, part)
	}
	return append(parts, single...)
}

// block compiles a quantifier over vars whose body is the conjunction of guards.
func (c *compiler) block(vars []int32, guards []*cond, effect int32) int32 {
	levels, placed, _ := c.plan(vars, guards, effect < 0)
	emit := func(gs []*cond) span {
		ids := make([]int32, len(gs))
		for i, g := range gs {
			ids[i] = c.emit(g)
		}
		return c.list(ids)
	}
	b := block{pre: emit(placed[0]), slots: vars, effect: effect}
	for i := range levels {
		levels[i].guards = emit(placed[i+1])
	}
	b.levels.from = int32(len(c.j.levels))
	c.j.levels = append(c.j.levels, levels...)
	b.levels.to = int32(len(c.j.levels))
	c.j.blocks = append(c.j.blocks, b)
	return int32(len(c.j.blocks) - 1)
}

// Distributing a quantifier over a disjunction only pays if it narrows the search, and
// must not inflate the code.
const (
	distributeAtMost = 8
	distributeDeep   = 2
	distributeFrom   = 8  // fewer bindings leave nothing to gain
	distributeShared = 32 // nodes that may be copied into each part
)

// distribute rewrites "some binding satisfies A and (B or C)" as "some binding
// satisfies A and B, or some binding satisfies A and C" if the parts bind their
// variables from smaller relations. It returns nil if that does not pay.
func (c *compiler) distribute(x *cond) *cond {
	or := -1
	for i, k := range x.kids {
		if k.op == opOr && len(k.kids) <= distributeAtMost {
			or = i
			break
		}
	}
	if or < 0 || x.body != nil || x.split >= distributeDeep {
		return nil
	}
	shared := distributeShared
	for i, k := range x.kids {
		if i != or && !k.smaller(&shared) {
			return nil
		}
	}
	_, _, whole := c.plan(x.vars, x.kids, false)
	if whole < distributeFrom {
		return nil
	}
	y := &cond{op: opOr, f: x.f, pol: x.pol}
	if x.neg {
		y.op = opAnd
	}
	sum := 0.0
	for _, alt := range x.kids[or].kids {
		part := &cond{op: opExists, neg: x.neg, pol: x.pol, f: x.f, vars: x.vars, split: x.split + 1}
		part.kids = append(part.kids, x.kids[:or]...)
		if alt.op == opAnd {
			part.kids = append(part.kids, alt.kids...)
		} else {
			part.kids = append(part.kids, alt)
		}
		part.kids = append(part.kids, x.kids[or+1:]...)
		_, _, cost := c.plan(part.vars, part.kids, false)
		sum += cost
		y.kids = append(y.kids, part)
	}
	if sum*2 > whole {
		return nil
	}
	return y
}

// smaller counts the nodes of x down from n and reports whether any are left.
func (x *cond) smaller(n *int) bool {
	*n--
	for _, k := range x.kids {
		if *n < 0 {
			return false
		}
		k.smaller(n)
	}
	return *n >= 0
}
