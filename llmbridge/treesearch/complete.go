package treesearch

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
)

// completer adds to a partial state the facts that all reachable states of it share
// (disambiguation; Alcázar, Borrajo, Fernández and Fuentetaja, "Revisiting regression in
// planning", IJCAI 2013, section 4). A fact is excluded by another of its variable or of
// its mutex group; the last value of a variable that is not excluded holds, and so does
// the last fact of a group in which one fact always holds. More backward states become
// equal then, and bounds on them rise: in Blocksworld a goal that says where every block
// stands becomes a full state.
type completer struct {
	task *grounder.Task
	base []int32 // numbers facts: base[v]+x
	// of lists, by fact, the mutex groups that it is in; always marks the groups that have
	// a fact in every reachable state.
	of     [][]int32
	always []bool

	out     []uint32 // by fact: the epoch in which it was excluded
	epoch   uint32
	values  []int32 // by variable: how many are not excluded
	members []int32 // by group: how many are not excluded
	queue   []int32 // variables whose value is to be followed up
	p       []int32
}

func newCompleter(t *grounder.Task, base []int32) *completer {
	facts := base[len(base)-1]
	c := &completer{
		task: t, base: base, of: make([][]int32, facts), out: make([]uint32, facts),
		values: make([]int32, len(t.Variables)), members: make([]int32, len(t.Mutexes)),
	}
	for i, g := range t.Mutexes {
		for _, f := range g {
			c.of[base[f.Var]+f.Val] = append(c.of[base[f.Var]+f.Val], int32(i))
		}
	}
	c.findAlways()
	return c
}

// findAlways finds the groups with one fact in the initial state that no operator can
// leave empty: whatever may take its fact away surely adds another.
func (c *completer) findAlways() {
	t := c.task
	c.always = make([]bool, len(t.Mutexes))
	for i, g := range t.Mutexes {
		for _, f := range g {
			derived := t.Variables[f.Var].Layer >= 0
			c.always[i] = !derived && (c.always[i] || t.Init[f.Var] == f.Val)
			if derived {
				break
			}
		}
	}
	added := make([]int, len(t.Mutexes)) // by group: the operator that surely adds a fact, plus one
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		for i, e := range op.Effects {
			if len(e.Cond) > 0 || overwritten(op.Effects[i+1:], e) {
				continue
			}
			for _, g := range c.of[c.base[e.Var]+e.Val] {
				added[g] = o + 1
			}
		}
		for _, e := range op.Effects {
			for x := range t.Variables[e.Var].Size() {
				if int32(x) == e.Val || contradicts(op.Pre, e.Var, int32(x)) {
					continue
				}
				for _, g := range c.of[c.base[e.Var]+int32(x)] {
					c.always[g] = c.always[g] && added[g] == o+1
				}
			}
		}
	}
}

// overwritten reports whether a later effect may set the variable of e to another value.
func overwritten(later []grounder.Effect, e grounder.Effect) bool {
	for _, l := range later {
		if l.Var == e.Var && l.Val != e.Val {
			return true
		}
	}
	return false
}

// contradicts reports whether a precondition asks for another value than x of v.
func contradicts(pre []grounder.Fact, v, x int32) bool {
	for _, f := range pre {
		if f.Var == v {
			return f.Val != x
		}
	}
	return false
}

// complete adds the facts to p. It returns false if no reachable state satisfies p.
func (c *completer) complete(p []int32) bool {
	if len(c.task.Mutexes) == 0 {
		return true
	}
	c.epoch++
	if c.epoch == 0 { // wrapped around
		clear(c.out)
		c.epoch = 1
	}
	c.p, c.queue = p, c.queue[:0]
	for i, g := range c.task.Mutexes {
		c.members[i] = int32(len(g))
	}
	for v, x := range p {
		c.values[v] = int32(c.task.Variables[v].Size())
		if x != search.Unconstrained {
			c.queue = append(c.queue, int32(v))
		}
	}
	for len(c.queue) > 0 {
		v := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		own := grounder.Fact{Var: v, Val: p[v]}
		for x := range c.task.Variables[v].Size() {
			if f := (grounder.Fact{Var: v, Val: int32(x)}); f != own && !c.exclude(f) {
				return false
			}
		}
		for _, g := range c.of[c.base[v]+p[v]] {
			for _, f := range c.task.Mutexes[g] {
				if f != own && !c.exclude(f) {
					return false
				}
			}
		}
	}
	return true
}

// exclude notes that a fact does not hold. It returns false on a contradiction.
func (c *completer) exclude(f grounder.Fact) bool {
	k := c.base[f.Var] + f.Val
	switch {
	case c.p[f.Var] == f.Val:
		return false
	case c.out[k] == c.epoch || c.task.Variables[f.Var].Layer >= 0:
		return true
	}
	c.out[k] = c.epoch
	c.values[f.Var]--
	if c.p[f.Var] == search.Unconstrained && c.values[f.Var] == 1 {
		for x := range c.task.Variables[f.Var].Size() {
			if c.out[c.base[f.Var]+int32(x)] != c.epoch {
				c.hold(f.Var, int32(x))
			}
		}
	}
	for _, g := range c.of[k] {
		c.members[g]--
		if !c.always[g] || c.members[g] > 1 {
			continue
		}
		if c.members[g] == 0 {
			return false
		}
		for _, m := range c.task.Mutexes[g] {
			if c.out[c.base[m.Var]+m.Val] == c.epoch || c.p[m.Var] == m.Val {
				continue
			}
			if c.p[m.Var] != search.Unconstrained {
				return false
			}
			c.hold(m.Var, m.Val)
		}
	}
	return true
}

// hold adds a fact of a variable that has none.
func (c *completer) hold(v, x int32) {
	c.p[v] = x
	c.queue = append(c.queue, v)
}
