package grounder

import (
	"sync/atomic"

	"github.com/planproof/planproof/pddl"
)

func (g *grounder) groundOperators() {
	b := g.newBuilder()
	split := make([]int, len(g.dom.Actions))
	for _, a := range g.actions {
		split[a.schema]++
	}
	for _, a := range g.actions {
		b.begin(a)
		// Different values of existential variables and different alternatives of
		// disjunctions may yield the same operator.
		if len(a.params) > a.src.NumParams || split[a.schema] > 1 {
			b.dedup = make(map[string]bool)
		}
		g.sas.share = newSharing(g.limits.sharing)
		r := &room{g: g, first: g.sas.ops.mark(), count: a.count}
		from := 0
		if b.dedup == nil && a.apart() && g.num.apart() {
			from = g.build(a, r)
		}
		for t := from; t < a.count; t++ {
			r.made(t, nil)
			b.tuple = a.tuples.at(t)
			b.instance()
			g.tick()
		}
		a.tuples = tuples{}
	}
	g.padChanges()
	g.translateAxioms(&b.assign)
	g.translateGoal(&b.assign)
}

func (g *grounder) newBuilder() *opBuilder {
	b := &opBuilder{g: g}
	b.emitOperator = b.operator
	b.assign.init(g)
	return b
}

// begin makes a builder ready for the instances of an action.
func (b *opBuilder) begin(a *action) {
	b.a, b.dedup = a, nil
	b.env = make([]pddl.ObjectID, len(a.types))
}

// room makes room for the operators of an action once it is known how many its instances become.
type room struct {
	g        *grounder
	first    mark
	from     int // the instance at first
	count    int // instances of the action
	reserved bool
	own      bool        // operators have effects of their own since first
	off      atomic.Bool // what share.off was last, for workers
}

// roomAfter is after how many instances room is made.
const roomAfter = 1 << 12

// made is called now and then when the first t instances have become operators. It calls settle before it moves them.
func (r *room) made(t int, settle func()) {
	s := &r.g.sas
	if !r.own && s.share.off {
		r.first, r.from, r.reserved, r.own = s.ops.mark(), t, false, true
	}
	if n := t - r.from; !r.reserved && n >= roomAfter { // as many of the other instances become operators as of those
		if settle != nil {
			settle()
		}
		s.ops.reserve(r.first, float64(r.count-t)/float64(n)*33/32, r.g)
		r.reserved = true
	}
}
