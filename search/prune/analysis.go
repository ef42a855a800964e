package prune

import "github.com/planproof/planproof/grounder"

// maxFacts bounds the facts of a task that is looked at: three relations of 8 MiB each.
const maxFacts = 1 << 13

// analysis finds the dead pairs of a task.
type analysis struct {
	t     *grounder.Task
	base  []int32 // of a variable: its first fact
	facts int
	dead  *pairs // two values of one variable, mutexes, and what explorations do not reach
	ops   []compiled
	left  int64 // work, in words of 64 facts
	stop  func() bool
	asked int64 // work left when stop was asked last
	ended bool
}

// compiled is an operator over fact numbers.
type compiled struct {
	pre, eff []int32 // eff: those that change a variable
	prevail  []int32 // facts of pre that stay
	changed  []int32 // variables of eff
	free     []int32 // those of changed without a precondition
	dead     bool
}

// newAnalysis returns nil for a task that it does not support.
func newAnalysis(t *grounder.Task, work int64, stop func() bool) *analysis {
	a := &analysis{t: t, base: make([]int32, len(t.Variables)+1), left: work, stop: stop, asked: work}
	facts := 0
	for v := range t.Variables {
		if facts += t.Variables[v].Size(); facts > maxFacts || t.Variables[v].Layer >= 0 {
			return nil
		}
		a.base[v+1] = int32(facts)
	}
	if t.Numeric != nil || t.Unsolvable {
		return nil
	}
	a.facts = facts
	a.ops = make([]compiled, t.Operators.Len())
	for o := range a.ops {
		if !a.compile(t.Operators.At(o), &a.ops[o]) {
			return nil
		}
	}
	a.dead = newPairs(facts)
	for v := range t.Variables {
		for f := a.base[v]; f < a.base[v+1]; f++ {
			for g := a.base[v]; g < a.base[v+1]; g++ {
				if f != g {
					a.dead.add(f, g)
				}
			}
		}
	}
	for _, group := range t.Mutexes {
		for _, f := range group {
			for _, g := range group {
				if f != g {
					a.dead.add(a.fact(f), a.fact(g))
				}
			}
		}
	}
	return a
}

func (a *analysis) fact(f grounder.Fact) int32 { return a.base[f.Var] + f.Val }

// compile reports false for an operator with conditional effects or costs.
func (a *analysis) compile(op grounder.Operator, c *compiled) bool {
	if len(op.CondCosts) > 0 {
		return false
	}
	value, before := map[int32]int32{}, map[int32]int32{}
	for _, f := range op.Pre {
		before[f.Var] = f.Val
	}
	for _, e := range op.Effects {
		if len(e.Cond) > 0 {
			return false
		}
		if _, ok := value[e.Var]; !ok {
			c.changed = append(c.changed, e.Var)
		}
		value[e.Var] = e.Val // of two effects on one variable the later wins
	}
	kept := c.changed[:0]
	for _, v := range c.changed {
		x, ok := before[v]
		if ok && x == value[v] {
			continue // it stays
		}
		if !ok {
			c.free = append(c.free, v)
		}
		kept = append(kept, v)
		c.eff = append(c.eff, a.base[v]+value[v])
	}
	c.changed = kept
	for _, f := range op.Pre {
		c.pre = append(c.pre, a.fact(f))
		if x, ok := value[f.Var]; !ok || x == f.Val {
			c.prevail = append(c.prevail, a.fact(f))
		}
	}
	return true
}

// spend counts work on n rows and reports whether to go on.
func (a *analysis) spend(n int) bool {
	a.left -= int64(n*a.dead.words + 8)
	if a.asked-a.left > 1<<18 {
		a.asked = a.left
		a.ended = a.ended || a.stop != nil && a.stop()
	}
	return a.left > 0 && !a.ended
}

// excluded reports whether a pair of f with one of the facts is dead.
func (a *analysis) excluded(f int32, facts []int32) bool {
	row := a.dead.row(f)
	for _, g := range facts {
		if holds(row, g) {
			return true
		}
	}
	return false
}

// consistent reports whether no pair of the facts is dead.
func (a *analysis) consistent(facts []int32) bool {
	for _, f := range facts {
		if a.excluded(f, facts) {
			return false
		}
	}
	return true
}

// run finds dead pairs in both directions until no more are found or the work is used up. It reports false when
// the initial state or the goal has a dead pair: there is no plan.
func (a *analysis) run() bool {
	first := make([]int32, len(a.t.Init))
	for v, x := range a.t.Init {
		first[v] = a.base[v] + x
	}
	goal := make([]int32, len(a.t.Goal))
	for i, f := range a.t.Goal {
		goal[i] = a.fact(f)
	}
	for {
		forward := a.explore(a.forward(), func(set []uint64) { add(set, first) })
		if !a.consistent(first) || !a.consistent(goal) {
			return false
		}
		backward := a.explore(a.backward(), func(set []uint64) {
			for f := range int32(a.facts) {
				if !a.dead.has(f, f) && !a.excluded(f, goal) {
					set[f/64] |= 1 << (f % 64)
				}
			}
		})
		if !a.consistent(first) || !a.consistent(goal) {
			return false
		}
		if !forward && !backward {
			return true
		}
	}
}

// explore marks the pairs and operators that are not reached as dead. It reports whether there were any and there
// is work left for more.
func (a *analysis) explore(ops []operator, begin func(set []uint64)) (found bool) {
	x := a.newExploration(ops)
	set := make([]uint64, a.dead.words)
	begin(set)
	x.begin(set)
	if !a.spend(a.facts) || !x.run() {
		return false
	}
	last := ^uint64(0) >> (-a.facts & 63) // the facts in the last word of a row
	for i, w := range x.reached.rows {
		if w = ^w; i%a.dead.words == a.dead.words-1 {
			w &= last
		}
		found = found || w&^a.dead.rows[i] != 0
		a.dead.rows[i] |= w
	}
	i := 0
	for o := range a.ops {
		if a.ops[o].dead {
			continue
		}
		a.ops[o].dead = !x.ops[i].used
		i++
	}
	for o := range a.ops {
		if c := &a.ops[o]; !c.dead && !(a.consistent(c.pre) && a.consistent(c.eff) && a.possible(c, x.row)) {
			c.dead, found = true, true
		}
	}
	return found && a.left > 0
}

// possible reports whether the states before and after an operator have a value for each variable.
func (a *analysis) possible(c *compiled, row []uint64) bool {
	a.spend(2*len(c.pre) + len(c.eff))
	a.left -= 2 * int64(len(a.t.Variables))
	for _, facts := range [][]int32{c.pre, append(c.prevail[:len(c.prevail):len(c.prevail)], c.eff...)} {
		a.compatible(row, facts)
		for v := range a.t.Variables {
			if _, n := anyIn(row, a.base[v], a.base[v+1]); n == 0 {
				return false
			}
		}
	}
	return true
}

// compatible sets row to the facts that are not dead together with any of the given ones.
func (a *analysis) compatible(row []uint64, facts []int32) {
	clear(row)
	for f := range int32(a.facts) {
		if !a.dead.has(f, f) {
			row[f/64] |= 1 << (f % 64)
		}
	}
	for _, f := range facts {
		for w, d := range a.dead.row(f) {
			row[w] &^= d
		}
	}
}

// forward returns the operators that are not dead.
func (a *analysis) forward() (ops []operator) {
	for o := range a.ops {
		if c := &a.ops[o]; !c.dead {
			ops = append(ops, operator{need: c.pre, lose: c.changed, gain: c.eff})
		}
	}
	return ops
}

// backward returns the operators that are not dead, reversed: each needs what it leaves.
func (a *analysis) backward() (ops []operator) {
	for o := range a.ops {
		c := &a.ops[o]
		if c.dead {
			continue
		}
		r := operator{need: append(c.prevail[:len(c.prevail):len(c.prevail)], c.eff...), lose: c.changed, free: c.free, keep: c.prevail}
		for _, f := range c.pre {
			v := a.variable(f, c.changed)
			if v >= 0 {
				r.gain = append(r.gain, f)
			}
		}
		ops = append(ops, r)
	}
	return ops
}

// variable returns which of the variables fact f is of, or -1.
func (a *analysis) variable(f int32, vars []int32) int32 {
	for _, v := range vars {
		if a.base[v] <= f && f < a.base[v+1] {
			return v
		}
	}
	return -1
}
