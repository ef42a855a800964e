package grounder

import (
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Invariant synthesis (Helmert 2009, section 5). An invariant is a set of atom
// patterns over common parameters, each with at most one counted position:
//
//	{ at(p, *), in(p, *) }:  for every p, the number of true atoms that match
//
// never rises. If it is one initially, the matching atoms are mutually exclusive.
// Candidates start with one pattern. An action that raises the number disproves a
// candidate, and each of its deletes that could balance the add suggests a larger one.
//
// The parts of a condition that are not literals (universal formulas, comparisons)
// count as unknown in a proof, so a candidate is rejected when in doubt.

const counted = -1

// part is one pattern: args[i] is a parameter or counted.
type part struct {
	pred    int32
	args    []int32
	omitted int // position of counted, -1 if there is none
}

func (p *part) arity() int {
	if p.omitted >= 0 {
		return len(p.args) - 1
	}
	return len(p.args)
}

type invariant struct {
	parts      []part // sorted by predicate, one each
	functional bool   // an object fluent's: at most one atom holds, whatever the initial state
}

func (v *invariant) part(pred int32) *part {
	for i := range v.parts {
		if v.parts[i].pred == pred {
			return &v.parts[i]
		}
	}
	return nil
}

// appendKey appends a canonical text of the parts.
func appendKey(b []byte, parts []part) []byte {
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(p.pred), 10)
		for _, a := range p.args {
			b = strconv.AppendInt(append(b, ' '), int64(a), 10)
		}
		b = append(b, ';')
	}
	return b
}

type balancer struct {
	g         *grounder
	actions   []balAction
	threats   [][]int32 // by predicate: actions that add to it
	constants map[pddl.ObjectID]int32
	objects   []pddl.ObjectID // by index of the constant
	sys       system
	work      int
	lits      []known // scratch of one check
	before    []known
	pairs     []pair
	slots     []int32
	checked   []int // by action: the round of its last check
	round     int
	doubts    []doubt // about the current candidate
	roots     []int32
	free      []bool

	typing typing

	queue  []*invariant
	seen   map[string]bool
	volume int // arguments in all candidates
	key    []byte
	grown  []part // scratch of refine
	parts  arena[part]
	args   arena[int32]
}

func (g *grounder) findInvariants() {
	b := &balancer{g: g, threats: make([][]int32, len(g.preds)), constants: make(map[pddl.ObjectID]int32), seen: make(map[string]bool)}
	b.sys.work, b.sys.accept = &b.work, b.wellTyped
	// Of several ways to extend a candidate, the first one found is tried: so that the
	// result does not depend on the order of the text, actions and effects are sorted.
	byName := slices.Clone(g.actions)
	slices.SortStableFunc(byName, func(x, y *action) int { return strings.Compare(x.src.Name, y.src.Name) })
	for _, a := range byName {
		if a.count > 0 {
			b.addAction(a)
		}
	}
	for p, pred := range g.preds {
		if !pred.fluent || pred.derived {
			continue
		}
		for omitted := -1; omitted < pred.arity; omitted++ {
			b.enqueue([]part{firstPart(int32(p), pred.arity, omitted)})
		}
	}
	g.functionalInvariants()
	for len(b.queue) > 0 && b.work < g.limits.unions {
		c := b.queue[0]
		b.queue = b.queue[1:]
		if b.balanced(c) {
			g.invariants = append(g.invariants, c)
		}
		g.tick()
	}
}

func firstPart(pred int32, arity, omitted int) part {
	p := part{pred: pred, args: make([]int32, arity), omitted: omitted}
	next := int32(0)
	for i := range p.args {
		if i == omitted {
			p.args[i] = counted
		} else {
			p.args[i] = next
			next++
		}
	}
	return p
}

// enqueue adds a candidate unless it was seen. The parts are copied.
func (b *balancer) enqueue(parts []part) {
	if len(b.seen) >= b.g.limits.candidates || b.volume > maxVolume {
		return
	}
	b.g.work(16 * len(parts[0].args))
	b.key = appendKey(b.key[:0], parts)
	if b.seen[string(b.key)] {
		return
	}
	b.seen[string(b.key)] = true
	v := &invariant{parts: b.parts.copy(parts)}
	for i := range v.parts {
		v.parts[i].args = b.args.copy(v.parts[i].args)
		b.volume += len(v.parts[i].args)
	}
	b.queue = append(b.queue, v)
}

// balanced reports whether no action raises the number of matching atoms; if one
// does, it enqueues the refinements that this suggests.
//
// Every balanced extension of a candidate must balance every add effect, and can do so
// only with a pattern for one of the action's deletes: refining for any one unbalanced
// effect misses nothing. If the deleted atom may be added back, however, any pattern
// that excludes this helps (that the arm holds one block proves that stacking it does
// not free the block below twice). Other effects are then better guides, and such
// doubts are refined only if nothing but doubts is left.
func (b *balancer) balanced(v *invariant) bool {
	b.round++
	b.doubts = b.doubts[:0]
	for i := range v.parts {
		threats := b.threats[v.parts[i].pred]
		for k, id := range threats {
			if b.checked[id] == b.round {
				continue
			}
			b.checked[id] = b.round
			if b.keeps(v, &b.actions[id]) {
				continue
			}
			// The action that disproves one candidate tends to disprove the next: try it first.
			copy(threats[1:k+1], threats[:k])
			threats[0] = id
			return false
		}
		b.g.tick()
	}
	for _, d := range b.doubts {
		b.refine(v, d.action, d.add)
	}
	return len(b.doubts) == 0
}

// doubt is an add effect whose balance may be added back.
type doubt struct {
	action *balAction
	add    *balEffect
}

// keeps reports whether one action does not raise the number of matching atoms,
// apart from the doubts that it records. If it does, refinements are enqueued.
func (b *balancer) keeps(v *invariant, a *balAction) bool {
	if b.tooHeavy(v, a) {
		return false
	}
	for i := range a.adds {
		if v.part(a.adds[i].pred) == nil {
			continue
		}
		switch b.balanceOf(v, a, &a.adds[i]) {
		case missing:
			b.refine(v, a, &a.adds[i])
			return false
		case doubtful:
			b.doubts = append(b.doubts, doubt{a, &a.adds[i]})
		}
	}
	return true
}

// refine enqueues the invariant with one more pattern for each delete effect of
// the action that could balance add.
func (b *balancer) refine(v *invariant, a *balAction, add *balEffect) {
	own := v.part(add.pred)
	for i := range a.dels {
		d := &a.dels[i]
		if v.part(d.pred) != nil {
			continue
		}
		b.matches(own, add, d, func(p part) {
			b.grown = append(append(b.grown[:0], v.parts...), p)
			slices.SortFunc(b.grown, func(x, y part) int { return int(x.pred) - int(y.pred) })
			b.enqueue(b.grown)
		})
	}
}

// An atom of n equal arguments has n! patterns. maxMatches bounds the arguments of
// those for one delete effect, maxMatchSteps the work to find them, and maxVolume
// the arguments of all candidates.
const (
	maxMatches    = 20_000
	maxMatchSteps = 100_000
	maxVolume     = 8_000_000
)

// matches yields the patterns for the atom of del that use every parameter of own
// exactly once, given that own's pattern matches the atom of add. The arguments of a
// pattern are valid only during the call.
func (b *balancer) matches(own *part, add, del *balEffect, yield func(part)) {
	omissions := len(del.args) - own.arity()
	if omissions != 0 && omissions != 1 {
		return
	}
	found := 0
	args := make([]int32, len(del.args))
	used := make([]bool, own.arity())
	steps := 0
	var place func(pos, omitted int)
	place = func(pos, omitted int) {
		if steps++; found*len(args) > maxMatches || steps > maxMatchSteps {
			return
		}
		if pos == len(args) {
			if omissions == 0 || omitted >= 0 {
				found++
				yield(part{pred: del.pred, args: args, omitted: omitted})
			}
			return
		}
		t := del.args[pos]
		if !containsSlot(del.vars, t) { // a quantified variable of del equals nothing
			for i, p := range own.args {
				if p != counted && !used[p] && add.args[i] == t {
					used[p] = true
					args[pos] = p
					place(pos+1, omitted)
					used[p] = false
				}
			}
		}
		if omissions == 1 && omitted < 0 {
			args[pos] = counted
			place(pos+1, pos)
		}
	}
	place(0, -1)
	b.g.work(steps)
}
