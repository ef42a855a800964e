package heuristic

import (
	"github.com/planproof/planproof/grounder"
)

// pairCosts is the critical-path heuristic h² (Haslum and Geffner, AIPS 2000) from the
// initial state: the cost of the most expensive pair of facts of the partial state, computed
// once for all pairs. It is at least h-max, and DeadEnd for facts that h² proves mutually
// exclusive. It is consistent, by the argument of factCosts for pairs.
type pairCosts struct {
	factBase []int32
	facts    int
	cost     []int64 // of facts f and g at f*facts+g; of one fact on the diagonal
	chosen   []int32 // scratch: the facts of a partial state
}

// Bounds of pairCosts: facts, and steps of its computation.
const (
	maxPairFacts = 1 << 11
	maxPairSteps = 1 << 28
)

// NewPairCosts returns h² from the initial state of a task without axioms, or h-max if
// the task has conditional effects or more facts and operators than h² can be computed for
// in a fraction of a second. The error is that the budget, which may be nil, does not suffice.
func NewPairCosts(t *grounder.Task, b *Budget) (Backward, error) {
	p := &pairCosts{factBase: make([]int32, len(t.Variables)+1)}
	for v := range t.Variables {
		p.factBase[v+1] = p.factBase[v] + int32(t.Variables[v].Size())
	}
	p.facts = int(p.factBase[len(t.Variables)])
	if p.facts > maxPairFacts || !p.compute(t, b) {
		return NewFactCosts(t, b)
	}
	return p, nil
}

// pairOperator is an operator over fact numbers.
type pairOperator struct {
	pre, eff []int32
	touched  []int32 // variables
	cost     int64
	seen     int // pass in which it was applied last
}

// compute fills in the table by value iteration and reports false when it gives up.
func (p *pairCosts) compute(t *grounder.Task, b *Budget) bool {
	n := p.facts
	p.cost = make([]int64, n*n)
	for i := range p.cost {
		p.cost[i] = DeadEnd
	}
	for v, x := range t.Init {
		for w, y := range t.Init {
			p.cost[int(p.factBase[v]+x)*n+int(p.factBase[w]+y)] = 0
		}
	}
	ops := make([]pairOperator, t.Operators.Len())
	for o := range ops {
		if !p.compile(t.Operators.At(o), &ops[o]) {
			return false
		}
	}
	changed := make([]int, n) // pass in which a row changed last
	for f := range changed {
		changed[f] = 1
	}
	row := make([]int64, n)
	steps := 0
	for pass := 1; ; pass++ {
		again := false
		for o := range ops {
			op := &ops[o]
			due := len(op.pre) == 0
			for _, f := range op.pre {
				due = due || changed[f] >= op.seen
			}
			op.seen = pass
			if !due || !p.before(op, row) {
				continue
			}
			did := n * (len(op.pre) + len(op.eff))
			if steps += did; steps > maxPairSteps || !b.spend(did) {
				return false
			}
			if p.after(op, row, changed, pass) {
				again = true
			}
		}
		if !again {
			return true
		}
	}
}

func (p *pairCosts) compile(op grounder.Operator, c *pairOperator) bool {
	c.cost = op.Cost
	for _, f := range op.Pre {
		c.pre = append(c.pre, p.factBase[f.Var]+f.Val)
	}
	value := map[int32]int32{}
	for _, e := range op.Effects {
		if len(e.Cond) > 0 {
			return false
		}
		if _, ok := value[e.Var]; !ok {
			c.touched = append(c.touched, e.Var)
		}
		value[e.Var] = e.Val // of two effects on one variable the later wins
	}
	for _, v := range c.touched {
		c.eff = append(c.eff, p.factBase[v]+value[v])
	}
	return true
}

// before sets row[r] to the cost of the preconditions of op together with fact r. It
// reports false when the preconditions are out of reach.
func (p *pairCosts) before(op *pairOperator, row []int64) bool {
	n := p.facts
	least := int64(0)
	for i, f := range op.pre {
		for _, g := range op.pre[i:] {
			least = max(least, p.cost[int(f)*n+int(g)])
		}
	}
	if least == DeadEnd {
		return false
	}
	for r := range row {
		row[r] = max(least, p.cost[r*n+r])
	}
	for _, f := range op.pre {
		for r, c := range p.cost[int(f)*n : int(f)*n+n] {
			row[r] = max(row[r], c)
		}
	}
	for _, v := range op.touched {
		for r := p.factBase[v]; r < p.factBase[v+1]; r++ {
			row[r] = DeadEnd // does not stay
		}
	}
	for _, e := range op.eff {
		row[e] = least // achieved together
	}
	return true
}

// after lowers the costs of the pairs that op achieves one or both facts of.
func (p *pairCosts) after(op *pairOperator, row []int64, changed []int, pass int) bool {
	n := p.facts
	any := false
	for _, e := range op.eff {
		line := p.cost[int(e)*n : int(e)*n+n]
		for r, c := range row {
			if c == DeadEnd {
				continue
			}
			if c += op.cost; c < 0 || c == DeadEnd {
				c = DeadEnd - 1
			}
			if c < line[r] {
				line[r], p.cost[r*n+int(e)] = c, c
				changed[e], changed[r] = pass, pass
				any = true
			}
		}
	}
	return any
}

// Estimate implements Backward.
func (p *pairCosts) Estimate(partial []int32) int64 {
	h := int64(0)
	p.chosen = p.chosen[:0]
	for v, x := range partial {
		if x < 0 {
			continue
		}
		f := p.factBase[v] + x
		line := p.cost[int(f)*p.facts : int(f+1)*p.facts]
		h = max(h, line[f])
		for _, g := range p.chosen {
			h = max(h, line[g])
		}
		if h == DeadEnd {
			return h
		}
		p.chosen = append(p.chosen, f)
	}
	return h
}

// Bytes implements Backward.
func (p *pairCosts) Bytes() int64 { return int64(len(p.cost)) * 8 }

// EachExclusive implements Excluding.
func (p *pairCosts) EachExclusive(visit func(a, b grounder.Fact)) {
	last := len(p.factBase) - 1
	for v := range last {
		for x := p.factBase[v]; x < p.factBase[v+1]; x++ {
			line := p.cost[int(x)*p.facts : int(x+1)*p.facts]
			for w := range last {
				for y := p.factBase[w]; w != v && y < p.factBase[w+1]; y++ {
					if line[y] == DeadEnd {
						visit(grounder.Fact{Var: int32(v), Val: x - p.factBase[v]}, grounder.Fact{Var: int32(w), Val: y - p.factBase[w]})
					}
				}
			}
		}
	}
}
