package search

import (
	"math"

	"github.com/planproof/planproof/grounder"
)

// stubborn computes strong stubborn sets (Alkhazraji et al., ECAI 2012; Wehrle and Helmert, ICAPS 2014): a set of
// operators such that, whatever cheapest plan there is from a state, one of the same cost begins with an
// applicable operator of the set. The others need not be tried there.
//
// The set begins with all achievers of one open goal. For an operator in it that is not applicable, all achievers
// of one open precondition are added; for one that is, all that may interfere: disable it, be disabled by it,
// or leave another state in another order. Which do is looked up by fact, as in Röger et al. (ICAPS 2020), not by pairs of
// operators, so that computing a set takes at most the size of the task:
//
//	o changes v from p to d    all with precondition v=p, and all that set v without a precondition on it
//	o needs v=p and keeps it   all that change v from p, and all that set v to another value without one
//	o sets v=d without one     all with precondition v=x, x≠d; all that change v from d; all that set v≠d without one
//
// Two operators that need different values of a variable are never applicable together, so the order of these does not
// matter.
type stubborn struct {
	t     *grounder.Task
	base  []int32 // of a variable: its first fact
	owner []int32 // of a fact: its variable
	ops   []stubbornOp

	// By fact: the operators that make it true, those that need it, those that need it and change it, and those
	// that make it true and do not mind the value before.
	achieve, need, change, set [][]grounder.OperatorID

	mark  []uint32 // by operator: round in which it was added last
	added [4][]uint32
	round uint32
	queue []grounder.OperatorID
	work  int64

	states, before, after int64 // sets computed, operators applicable and kept
	off                   bool
}

// stubbornOp is an operator by the variables that it changes.
type stubbornOp struct {
	from, to []int32 // facts; from is -1 where it has no precondition on the variable
	keep     []int32 // preconditions that stay true
}

// Indices of stubborn.added: one for each list of operators by fact.
const (
	addedAchieve = iota
	addedNeed
	addedChange
	addedSet
)

const (
	// stubbornTrial is how many states are expanded before a search knows whether sets pay.
	stubbornTrial = 1000
	// stubbornLeast is how much of 100 operators they must save.
	stubbornLeast = 5
)

// newStubborn returns nil for tasks with axioms, numbers, conditional effects or costs.
func newStubborn(t *grounder.Task) *stubborn {
	s := &stubborn{t: t, base: make([]int32, len(t.Variables)+1), ops: make([]stubbornOp, t.Operators.Len())}
	for v := range t.Variables {
		if t.Variables[v].Layer >= 0 {
			return nil
		}
		s.base[v+1] = s.base[v] + int32(t.Variables[v].Size())
		for range t.Variables[v].Values {
			s.owner = append(s.owner, int32(v))
		}
	}
	if t.Numeric != nil {
		return nil
	}
	facts := s.base[len(t.Variables)]
	for _, l := range []*[][]grounder.OperatorID{&s.achieve, &s.need, &s.change, &s.set} {
		*l = make([][]grounder.OperatorID, facts)
	}
	for i := range s.added {
		s.added[i] = make([]uint32, facts)
	}
	s.mark = make([]uint32, t.Operators.Len())
	for o := range s.ops {
		if !s.compile(grounder.OperatorID(o)) {
			return nil
		}
	}
	return s
}

// compile enters an operator into the lists. It reports false for one with conditional effects or costs.
func (s *stubborn) compile(o grounder.OperatorID) bool {
	op, c := s.t.Operators.At(int(o)), &s.ops[o]
	if len(op.CondCosts) > 0 {
		return false
	}
	value := map[int32]int32{}
	var changed []int32
	for _, e := range op.Effects {
		if len(e.Cond) > 0 {
			return false
		}
		if _, ok := value[e.Var]; !ok {
			changed = append(changed, e.Var)
		}
		value[e.Var] = e.Val // of two effects on one variable the later wins
	}
	before := map[int32]int32{}
	for _, f := range op.Pre {
		before[f.Var] = f.Val
		fact := s.base[f.Var] + f.Val
		s.need[fact] = append(s.need[fact], o)
		if x, ok := value[f.Var]; !ok || x == f.Val {
			c.keep = append(c.keep, fact)
		}
	}
	for _, v := range changed {
		x, ok := before[v]
		to := s.base[v] + value[v]
		switch {
		case !ok:
			c.from = append(c.from, -1)
			s.set[to] = append(s.set[to], o)
		case x == value[v]:
			continue
		default:
			c.from = append(c.from, s.base[v]+x)
			s.change[s.base[v]+x] = append(s.change[s.base[v]+x], o)
		}
		c.to = append(c.to, to)
		s.achieve[to] = append(s.achieve[to], o)
	}
	return true
}

// prune removes operators that are not in a stubborn set from those applicable in a state that is no goal.
func (s *stubborn) prune(values []int32, ops []grounder.OperatorID) []grounder.OperatorID {
	if s.off || len(ops) < 2 {
		return ops
	}
	s.compute(values)
	kept := ops[:0]
	for _, o := range ops {
		if s.mark[o] == s.round {
			kept = append(kept, o)
		}
	}
	s.states++
	s.before += int64(len(ops))
	s.after += int64(len(kept))
	s.work += int64(len(ops))
	if s.states == stubbornTrial && (s.before-s.after)*100 < s.before*stubbornLeast {
		s.off = true
	}
	return kept
}

// compute marks a stubborn set.
func (s *stubborn) compute(values []int32) {
	if s.round++; s.round == math.MaxUint32 {
		s.round = 1
		clear(s.mark)
		for i := range s.added {
			clear(s.added[i])
		}
	}
	s.queue = s.queue[:0]
	s.achieveOne(values, s.t.Goal)
	for len(s.queue) > 0 {
		o := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.work += 4
		if !s.achieveOne(values, s.t.Operators.Pre(int(o))) {
			s.interfering(o)
		}
	}
}

// achieveOne adds all achievers of one of the facts that do not hold: one whose achievers have been
// added, else one with the fewest. It reports false where all hold.
func (s *stubborn) achieveOne(values []int32, facts []grounder.Fact) bool {
	best := int32(-1)
	for _, f := range facts {
		if values[f.Var] == f.Val {
			continue
		}
		x := s.base[f.Var] + f.Val
		if s.added[addedAchieve][x] == s.round {
			return true
		}
		if best < 0 || len(s.achieve[x]) < len(s.achieve[best]) {
			best = x
		}
	}
	if best >= 0 {
		s.add(addedAchieve, s.achieve, best)
	}
	return best >= 0
}

// interfering adds the operators that may interfere with an applicable one.
func (s *stubborn) interfering(o grounder.OperatorID) {
	c := &s.ops[o]
	for _, p := range c.keep {
		s.add(addedChange, s.change, p)
		s.others(p)
	}
	for i, from := range c.from {
		to := c.to[i]
		if from >= 0 {
			s.add(addedNeed, s.need, from)
			s.add(addedSet, s.set, to)
			s.others(to)
			continue
		}
		s.add(addedChange, s.change, to)
		s.others(to)
		first, end := s.domain(to)
		for x := first; x < end; x++ {
			if x != to {
				s.add(addedNeed, s.need, x)
			}
		}
	}
}

// others adds the operators that set the variable of a fact to another value, without a precondition on it.
func (s *stubborn) others(f int32) {
	first, end := s.domain(f)
	for x := first; x < end; x++ {
		if x != f {
			s.add(addedSet, s.set, x)
		}
	}
}

// domain returns the facts of a fact's variable.
func (s *stubborn) domain(f int32) (first, end int32) {
	v := s.owner[f]
	return s.base[v], s.base[v+1]
}

// add adds a fact's list, once in a round.
func (s *stubborn) add(kind int, lists [][]grounder.OperatorID, f int32) {
	if s.added[kind][f] == s.round {
		return
	}
	s.added[kind][f] = s.round
	s.work += int64(len(lists[f])) + 1
	for _, o := range lists[f] {
		if s.mark[o] != s.round {
			s.mark[o] = s.round
			s.queue = append(s.queue, o)
		}
	}
}

// bytes is the memory held.
func (s *stubborn) bytes() int64 {
	n := int64(len(s.base)+len(s.mark)+len(s.queue)) * 4
	for f := range s.need {
		n += 4*24 + 20 + 4*int64(len(s.achieve[f])+len(s.need[f])+len(s.change[f])+len(s.set[f]))
	}
	for o := range s.ops {
		n += 72 + 4*int64(len(s.ops[o].keep)+2*len(s.ops[o].to))
	}
	return n
}
