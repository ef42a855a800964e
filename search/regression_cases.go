package search

import (
	"slices"

	"github.com/planproof/planproof/grounder"
)

// maxCases bounds the cases that one operator may fall into, and with them the time that one
// call of Predecessors can take.
const maxCases = 1 << 14

// caseOperator is an operator with conditional effects or costs, its effects by variable.
type caseOperator struct {
	op      grounder.Operator
	touched []int32             // affected variables, ascending
	effects [][]grounder.Effect // by touched: in order of application
}

// newCaseOperator reports false if the operator may fall into more than maxCases cases.
func newCaseOperator(t *grounder.Task, op grounder.Operator) (*caseOperator, bool) {
	c := &caseOperator{op: op}
	for _, e := range op.Effects {
		if i, ok := slices.BinarySearch(c.touched, e.Var); !ok {
			c.touched = slices.Insert(c.touched, i, e.Var)
		}
	}
	c.effects = make([][]grounder.Effect, len(c.touched))
	for _, e := range op.Effects {
		i, _ := slices.BinarySearch(c.touched, e.Var)
		c.effects[i] = append(c.effects[i], e)
	}
	cases := 1
	multiply := func(n int) {
		if cases <= maxCases {
			cases *= n
		}
	}
	// fails bounds the ways in which a condition can fail.
	fails := func(cond []grounder.Fact) int {
		n := 0
		for _, f := range cond {
			n += t.Variables[f.Var].Size() - 1
		}
		return max(n, 1)
	}
	for _, effects := range c.effects {
		// Any of the effects may be the last to fire, or none may, and all others fail.
		n := 1
		for _, e := range effects {
			if len(e.Cond) > 0 {
				n = min(n*fails(e.Cond), maxCases+1)
			}
		}
		conditional := slices.ContainsFunc(effects, func(e grounder.Effect) bool { return len(e.Cond) > 0 })
		if conditional {
			n = min(n*(len(effects)+1), maxCases+1)
		}
		multiply(n)
	}
	for _, x := range op.CondCosts {
		if x.Cost != 0 {
			multiply(min(1+fails(x.Cond), maxCases+1))
		}
	}
	return c, cases <= maxCases
}

// caseSplitter regresses a partial state through operators with conditional effects and
// costs. For each variable that p constrains and the operator affects it decides which
// effect fires last, or that none does that would contradict p; for each conditional cost,
// whether it is due. Each decision adds facts to q: conditions that hold, and for a condition
// that fails another value for one of its variables, one case for each. The cases together cover
// exactly the states from which the operator leads to p, at one cost each.
type caseSplitter struct {
	r     *Regression
	p, q  PartialState
	trail []int32 // variables constrained in q since the start, to be undone
	c     *caseOperator
	id    grounder.OperatorID
	visit func(grounder.OperatorID, PartialState, int64)
}

func newCaseSplitter(r *Regression) *caseSplitter {
	return &caseSplitter{r: r, q: make(PartialState, len(r.task.Variables))}
}

func (s *caseSplitter) regress(id grounder.OperatorID, p PartialState, visit func(grounder.OperatorID, PartialState, int64)) {
	s.c, s.id, s.p, s.visit = s.r.cases[id], id, p, visit
	s.trail = s.trail[:0]
	for v := range s.q {
		s.q[v] = Unconstrained
	}
	for _, f := range s.c.op.Pre {
		s.q[f.Var] = f.Val
	}
	k := 0
	for v, x := range p {
		if k < len(s.c.touched) && s.c.touched[k] == int32(v) {
			k++
			continue
		}
		if x != Unconstrained && !s.set(int32(v), x) {
			return
		}
	}
	s.decide(0)
}

// set adds a fact to q and reports whether it agrees with what is there.
func (s *caseSplitter) set(v, x int32) bool {
	if s.q[v] == Unconstrained {
		s.q[v] = x
		s.trail = append(s.trail, v)
	}
	return s.q[v] == x
}

// undo takes back what was added since the trail had the given length.
func (s *caseSplitter) undo(mark int) {
	for _, v := range s.trail[mark:] {
		s.q[v] = Unconstrained
	}
	s.trail = s.trail[:mark]
}

// decide makes the k-th decision and those after it: first the touched variables, then
// the conditional costs.
func (s *caseSplitter) decide(k int) {
	if k >= len(s.c.touched) {
		s.decideCost(k-len(s.c.touched), s.c.op.Cost)
		return
	}
	v := s.c.touched[k]
	want := s.p[v]
	if want == Unconstrained {
		s.decide(k + 1)
		return
	}
	effects := s.c.effects[k]
	mark := len(s.trail)
	for i := len(effects) - 1; i >= 0; i-- {
		e := &effects[i]
		if e.Val == want && s.hold(e.Cond) {
			s.fail(effects[i+1:], want, func() { s.decide(k + 1) })
		}
		s.undo(mark)
		if len(e.Cond) == 0 {
			return // the effects before it, and the value before, are overwritten
		}
	}
	if s.set(v, want) {
		s.fail(effects, want, func() { s.decide(k + 1) })
	}
	s.undo(mark)
}

// hold adds the facts of a condition.
func (s *caseSplitter) hold(cond []grounder.Fact) bool {
	for _, f := range cond {
		if !s.set(f.Var, f.Val) {
			return false
		}
	}
	return true
}

// fail goes through the ways in which none of the effects fires that would not leave want.
func (s *caseSplitter) fail(effects []grounder.Effect, want int32, then func()) {
	for i := range effects {
		if effects[i].Val != want {
			s.violate(effects[i].Cond, func() { s.fail(effects[i+1:], want, then) })
			return
		}
	}
	then()
}

// violate goes through the ways in which a condition does not hold.
func (s *caseSplitter) violate(cond []grounder.Fact, then func()) {
	for _, f := range cond {
		if x := s.q[f.Var]; x != Unconstrained && x != f.Val {
			then()
			return
		}
	}
	mark := len(s.trail)
	for _, f := range cond {
		if s.q[f.Var] != Unconstrained {
			continue
		}
		for x := range int32(s.r.task.Variables[f.Var].Size()) {
			if x != f.Val && s.set(f.Var, x) {
				then()
			}
			s.undo(mark)
		}
	}
}

func (s *caseSplitter) decideCost(k int, cost int64) {
	costs := s.c.op.CondCosts
	for k < len(costs) && costs[k].Cost == 0 {
		k++
	}
	if k == len(costs) {
		s.leaf(cost)
		return
	}
	mark := len(s.trail)
	if s.hold(costs[k].Cond) {
		c := int64(-1)
		if cost >= 0 && cost+costs[k].Cost >= 0 {
			c = cost + costs[k].Cost
		}
		s.decideCost(k+1, c)
	}
	s.undo(mark)
	s.violate(costs[k].Cond, func() { s.decideCost(k+1, cost) })
}

// leaf hands on a case that is neither irrelevant nor impossible.
func (s *caseSplitter) leaf(cost int64) {
	copy(s.r.q, s.q)
	if s.r.mutexes.complete(s.r.q) && !s.p.Subsumes(s.r.q) {
		s.visit(s.r.operator(s.id), s.r.q, cost)
	}
}
