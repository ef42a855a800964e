package state

import (
	"slices"

	"github.com/planproof/planproof/grounder"
)

// AxiomEvaluator computes the derived variables of an unpacked state: the least fixpoint
// of the axioms, layer by layer, by counting unsatisfied body facts (Dowling and Gallier
// 1984, as Fast Downward does). Negation is negation as failure: the default value of a
// derived variable counts as true once its layer is done. Facts and axioms are numbered
// and all lists are flat. The evaluator is immutable; each goroutine brings an AxiomScratch.
type AxiomEvaluator struct {
	factBase []int32 // facts of variable v are factBase[v]+value
	start    []int32 // axioms with fact f in their body: bodyOf[start[f]:start[f+1]]
	bodyOf   []int32
	size     []int32 // body facts per axiom
	headVar  []int32
	headVal  []int32
	layers   []axiomLayer
	derived  []int32 // derived variables and their defaults
	defaults []int32
	state    []int32 // state variables and comparisons that occur in bodies
	compared []grounder.Comparison
	vars     int
}

// axiomLayer holds what becomes known at one layer: axioms with an empty body, and the
// variables whose default value some later layer's axiom asks for.
type axiomLayer struct {
	facts    []int32 // axioms
	defaults []int32 // variables
	values   []int32 // their default values
}

// AxiomScratch is the working memory of one evaluation at a time.
type AxiomScratch struct {
	left  []int32
	queue []int32
}

// NewAxiomEvaluator compiles the axioms and comparisons of t. It returns nil when t has no
// derived variable.
func NewAxiomEvaluator(t *grounder.Task) *AxiomEvaluator {
	e := &AxiomEvaluator{factBase: make([]int32, len(t.Variables)+1), vars: len(t.Variables)}
	given := make([]bool, len(t.Variables)) // known before any axiom
	for v := range t.Variables {
		given[v] = t.Variables[v].Layer < 0
	}
	if t.Numeric != nil {
		e.compared = t.Numeric.Comparisons
		for i := range e.compared {
			given[e.compared[i].Var] = true
		}
	}
	for v := range t.Variables {
		e.factBase[v+1] = e.factBase[v] + int32(t.Variables[v].Size())
		if !given[v] {
			e.derived = append(e.derived, int32(v))
			e.defaults = append(e.defaults, t.Variables[v].Default)
		}
	}
	if len(e.derived)+len(e.compared) == 0 {
		return nil
	}
	rank := layerRanks(t)
	e.layers = make([]axiomLayer, len(rank))
	e.index(t, rank, given)
	return e
}

// layerRanks numbers the layers in use from 0: a task may skip numbers.
func layerRanks(t *grounder.Task) map[int32]int {
	var used []int32
	seen := map[int32]int{}
	for v := range t.Variables {
		l := t.Variables[v].Layer
		if _, ok := seen[l]; l >= 0 && !ok {
			seen[l] = 0
			used = append(used, l)
		}
	}
	slices.Sort(used)
	for i, l := range used {
		seen[l] = i
	}
	return seen
}

func (e *AxiomEvaluator) index(t *grounder.Task, rank map[int32]int, given []bool) {
	facts := int(e.factBase[len(t.Variables)])
	count := make([]int32, facts+1)
	needsDefault := make([]bool, len(t.Variables))
	inBody := make([]bool, len(t.Variables))
	for i := range t.Axioms {
		a := &t.Axioms[i]
		for _, f := range a.Body {
			count[e.factBase[f.Var]+f.Val+1]++
			v := &t.Variables[f.Var]
			needsDefault[f.Var] = needsDefault[f.Var] || v.Layer >= 0 && v.Default == f.Val
			inBody[f.Var] = true
		}
		e.size = append(e.size, int32(len(a.Body)))
		e.headVar = append(e.headVar, a.Head.Var)
		e.headVal = append(e.headVal, a.Head.Val)
		if len(a.Body) == 0 {
			l := &e.layers[rank[t.Variables[a.Head.Var].Layer]]
			l.facts = append(l.facts, int32(i))
		}
	}
	for f := 0; f < facts; f++ {
		count[f+1] += count[f]
	}
	e.start = append([]int32(nil), count...)
	e.bodyOf = make([]int32, count[facts])
	for i := range t.Axioms {
		for _, f := range t.Axioms[i].Body {
			k := e.factBase[f.Var] + f.Val
			e.bodyOf[count[k]] = int32(i)
			count[k]++
		}
	}
	for v := range t.Variables {
		switch l := t.Variables[v].Layer; {
		case given[v] && inBody[v]:
			e.state = append(e.state, int32(v))
		case !given[v] && needsDefault[v]:
			r := &e.layers[rank[l]]
			r.defaults = append(r.defaults, int32(v))
			r.values = append(r.values, t.Variables[v].Default)
		}
	}
}

// Evaluate overwrites the derived variables in values.
func (e *AxiomEvaluator) Evaluate(values []int32, s *AxiomScratch) {
	for i, v := range e.derived {
		values[v] = e.defaults[i]
	}
	if e.compared != nil {
		e.compare(values)
	}
	s.left = append(s.left[:0], e.size...)
	q := s.queue[:0]
	for _, v := range e.state {
		q = append(q, e.factBase[v]+values[v])
	}
	for l := range e.layers {
		layer := &e.layers[l]
		for _, a := range layer.facts {
			q = e.fire(a, values, q)
		}
		for len(q) > 0 {
			f := q[len(q)-1]
			q = q[:len(q)-1]
			for _, a := range e.bodyOf[e.start[f]:e.start[f+1]] {
				s.left[a]--
				if s.left[a] == 0 {
					q = e.fire(a, values, q)
				}
			}
		}
		if l+1 < len(e.layers) {
			for i, v := range layer.defaults {
				if val := layer.values[i]; values[v] == val {
					q = append(q, e.factBase[v]+val)
				}
			}
		}
	}
	s.queue = q[:0]
}

// fire makes the head of axiom a true.
func (e *AxiomEvaluator) fire(a int32, values []int32, q []int32) []int32 {
	v, val := e.headVar[a], e.headVal[a]
	if values[v] == val {
		return q
	}
	values[v] = val
	return append(q, e.factBase[v]+val)
}
