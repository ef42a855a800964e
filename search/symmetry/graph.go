package symmetry

import (
	"cmp"
	"maps"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// graph is the coloured graph of a task. Its vertices are facts, then variables, operators, conditional effects,
// conditional costs and axioms. Automorphisms that keep colours and labels of edges are symmetries of the task.
type graph struct {
	facts  int32
	start  []int32 // edges of vertex v: to[start[v]:start[v+1]]
	to     []int32
	label  []uint8
	colour []int32 // by vertex; those of facts come first
}

// The labels of edges. An edge is stored at both ends, at the second with label+1.
const (
	edgeValue  = 2 * iota // variable, fact
	edgeNeeds             // operator, precondition
	edgeSets              // operator or conditional effect, fact
	edgeEffect            // operator, conditional effect
	edgeCost              // operator, conditional cost
	edgeBody              // conditional effect or cost, or axiom; fact of its condition
	edgeHead              // axiom, fact
	edgeLabels
)

// The kinds of vertices, in the order of their colours.
const (
	vertexFact = iota
	vertexVariable
	vertexOperator
	vertexEffect
	vertexCost
	vertexAxiom
)

// vertexColour tells vertices apart that no symmetry exchanges.
type vertexColour struct{ kind, first, second int64 }

// graphBuilder collects vertices and edges.
type graphBuilder struct {
	t      *grounder.Task
	base   []int32
	colour []vertexColour
	edges  []graphEdge
}

type graphEdge struct {
	from, to int32
	label    uint8
}

// factBase numbers facts: those of variable v begin at base[v].
func factBase(t *grounder.Task) []int32 {
	base := make([]int32, len(t.Variables)+1)
	for v := range t.Variables {
		base[v+1] = base[v] + int32(t.Variables[v].Size())
	}
	return base
}

// newGraph builds the graph of a task. With fixed, symmetries must keep the initial state.
func newGraph(t *grounder.Task, fixed bool) *graph {
	b := &graphBuilder{t: t, base: factBase(t)}
	b.factVertices(fixed)
	for v := range t.Variables {
		x := b.vertex(vertexVariable, 0, 0)
		for f := b.base[v]; f < b.base[v+1]; f++ {
			b.edge(x, f, edgeValue)
		}
	}
	for o := range t.Operators.Len() {
		b.operator(t.Operators.At(o))
	}
	for i := range t.Axioms {
		x := b.vertex(vertexAxiom, 0, 0)
		b.conditions(x, t.Axioms[i].Body, edgeBody)
		b.edge(x, b.fact(t.Axioms[i].Head), edgeHead)
	}
	return b.graph()
}

func (b *graphBuilder) factVertices(fixed bool) {
	for v := range b.t.Variables {
		x := &b.t.Variables[v]
		for val := range x.Size() {
			mark := int64(0)
			switch {
			case x.Layer >= 0 && int32(val) == x.Default, x.Layer < 0 && fixed && int32(val) == b.t.Init[v]:
				mark = 1
			}
			b.vertex(vertexFact, int64(x.Layer), mark)
		}
	}
	for _, f := range b.t.Goal {
		b.colour[b.fact(f)].second += 2
	}
}

func (b *graphBuilder) operator(op grounder.Operator) {
	x := b.vertex(vertexOperator, op.Cost, 0)
	b.conditions(x, op.Pre, edgeNeeds)
	for _, e := range effectsOf(op) {
		y, label := x, uint8(edgeSets)
		if e.rank >= 0 {
			y = b.vertex(vertexEffect, int64(e.rank), 0)
			b.edge(x, y, edgeEffect)
			b.conditions(y, e.Cond, edgeBody)
		}
		b.edge(y, b.fact(grounder.Fact{Var: e.Var, Val: e.Val}), label)
	}
	for _, c := range op.CondCosts {
		y := b.vertex(vertexCost, c.Cost, 0)
		b.edge(x, y, edgeCost)
		b.conditions(y, c.Cond, edgeBody)
	}
}

// effect is an effect with its place among those on the same variable, as the last of two wins. In operators without
// conditional effects only the last on each variable is left, with place -1.
type effect struct {
	grounder.Effect
	rank int
}

func effectsOf(op grounder.Operator) (list []effect) {
	conditional := false
	for i := range op.Effects {
		conditional = conditional || len(op.Effects[i].Cond) > 0
	}
	for i, e := range op.Effects {
		before, after := 0, 0
		for j := range op.Effects {
			switch {
			case op.Effects[j].Var != e.Var:
			case j < i:
				before++
			case j > i:
				after++
			}
		}
		switch {
		case conditional:
			list = append(list, effect{e, before})
		case after == 0:
			list = append(list, effect{e, -1})
		}
	}
	return list
}

func (b *graphBuilder) fact(f grounder.Fact) int32 { return b.base[f.Var] + f.Val }

func (b *graphBuilder) vertex(kind int, first, second int64) int32 {
	b.colour = append(b.colour, vertexColour{int64(kind), first, second})
	return int32(len(b.colour) - 1)
}

func (b *graphBuilder) edge(from, to int32, label uint8) {
	b.edges = append(b.edges, graphEdge{from, to, label})
}

func (b *graphBuilder) conditions(x int32, facts []grounder.Fact, label uint8) {
	for _, f := range facts {
		b.edge(x, b.fact(f), label)
	}
}

// graph lays the edges out by vertex and numbers the colours.
func (b *graphBuilder) graph() *graph {
	n := len(b.colour)
	g := &graph{
		facts: b.base[len(b.base)-1], start: make([]int32, n+1), colour: make([]int32, n),
		to: make([]int32, 2*len(b.edges)), label: make([]uint8, 2*len(b.edges)),
	}
	for _, e := range b.edges {
		g.start[e.from+1]++
		g.start[e.to+1]++
	}
	for v := range n {
		g.start[v+1] += g.start[v]
	}
	next := slices.Clone(g.start)
	for _, e := range b.edges {
		g.to[next[e.from]], g.label[next[e.from]] = e.to, e.label
		g.to[next[e.to]], g.label[next[e.to]] = e.from, e.label+1
		next[e.from]++
		next[e.to]++
	}
	rank := map[vertexColour]int32{}
	for _, c := range b.colour {
		rank[c] = 0
	}
	for i, c := range slices.SortedFunc(maps.Keys(rank), vertexColour.compare) {
		rank[c] = int32(i)
	}
	for v, c := range b.colour {
		g.colour[v] = rank[c]
	}
	return g
}

func (c vertexColour) compare(d vertexColour) int {
	return cmp.Or(cmp.Compare(c.kind, d.kind), cmp.Compare(c.first, d.first), cmp.Compare(c.second, d.second))
}

// size bounds the vertices and edges of a task's graph, without building it.
func size(t *grounder.Task) int64 {
	n := 2 * int64(len(t.Variables))
	for v := range t.Variables {
		n += 2 * int64(t.Variables[v].Size())
	}
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		n += 1 + int64(len(op.Pre)) + 3*int64(len(op.Effects)) + 2*int64(len(op.CondCosts))
		for i := range op.Effects {
			n += int64(len(op.Effects[i].Cond))
		}
		for i := range op.CondCosts {
			n += int64(len(op.CondCosts[i].Cond))
		}
	}
	for i := range t.Axioms {
		n += 2 + int64(len(t.Axioms[i].Body))
	}
	return n
}
