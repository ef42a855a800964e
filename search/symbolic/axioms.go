package symbolic

import (
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/symbolic/bdd"
)

// deriveAll computes the states in which each derived variable holds: the least fixpoint of
// its layer's axioms, layer by layer. It reports false for an axiom that asks for the default of
// a variable of its own layer, which stratified axioms do not. It calls safe where nodes may be
// collected.
func (e *encoding) deriveAll(safe func()) bool {
	layers := map[int32][]int32{} // axioms by the layer of their head
	var used []int32
	for i := range e.task.Axioms {
		l := e.task.Variables[e.task.Axioms[i].Head.Var].Layer
		if layers[l] == nil {
			used = append(used, l)
		}
		layers[l] = append(layers[l], int32(i))
	}
	slices.Sort(used)
	for _, l := range used {
		for _, a := range layers[l] {
			for _, f := range e.task.Axioms[a].Body {
				if v := &e.task.Variables[f.Var]; v.Layer > l || v.Layer == l && f.Val == v.Default {
					return false
				}
			}
		}
		e.derive(l, layers[l], safe)
	}
	return true
}

// derive computes the fixpoint of the axioms of one layer. An axiom is applied again when
// a variable in its body has changed since.
func (e *encoding) derive(layer int32, axioms []int32, safe func()) {
	e.bodies = make([]bdd.Node, len(axioms)) // what lower layers and the state say
	var rest [][]int32                       // variables of this layer in the body
	users := map[int32][]int{}               // by variable of this layer: axioms
	for i, a := range axioms {
		var same []int32
		var fixed []grounder.Fact
		for _, f := range e.task.Axioms[a].Body {
			if e.task.Variables[f.Var].Layer == layer {
				same = append(same, f.Var)
				users[f.Var] = append(users[f.Var], i)
			} else {
				fixed = append(fixed, f)
			}
		}
		e.bodies[i] = e.all(fixed)
		rest = append(rest, same)
	}
	queue := make([]int, len(axioms))
	queued := make([]bool, len(axioms))
	for i := range queue {
		queue[i], queued[i] = i, true
	}
	for len(queue) > 0 {
		i := queue[0]
		queue, queued[i] = queue[1:], false
		b := e.bodies[i]
		for _, v := range rest[i] {
			b = e.m.And(b, e.derived[v])
		}
		head := e.task.Axioms[axioms[i]].Head.Var
		grown := e.m.Or(e.derived[head], b)
		if grown == e.derived[head] {
			continue
		}
		e.derived[head] = grown
		safe()
		for _, u := range users[head] {
			if !queued[u] {
				queue, queued[u] = append(queue, u), true
			}
		}
	}
	e.bodies = nil
}
