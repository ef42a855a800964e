package heuristic

import (
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// cartesian is an abstraction whose states are products of sets of values, one set for each
// variable (Seipp and Helmert, "Counterexample-Guided Cartesian Abstraction Refinement for
// Classical Planning", JAIR 62, 2018). It is about one fact, its target, within a region of
// states; state 0 stands for all states outside, at distance 0. The region is
//
//   - for a goal: the states in which it does not hold;
//   - for a landmark: the states whose facts are all reached without it, so that it is still
//     to come (factLandmarks).
//
// Only the target leads out of the region: no operator that can be applied in it adds another
// fact that is not reached without the target.
type cartesian struct {
	abstractGraph
	target   grounder.Fact
	landmark int32 // whose region it is, -1 for that of a goal
	tree     []splitNode
}

// splitNode sends states with the value to node yes, others to node no. A leaf has variable
// -1, and yes is its abstract state.
type splitNode struct{ variable, value, yes, no int32 }

// locate returns the abstract state of a state in the region.
func (c *cartesian) locate(values []int32) int32 {
	at := int32(0)
	for {
		n := &c.tree[at]
		switch {
		case n.variable < 0:
			return n.yes
		case values[n.variable] == n.value:
			at = n.yes
		default:
			at = n.no
		}
	}
}

// cartesianTask is what all Cartesian abstractions of a task share.
type cartesianTask struct {
	t        *grounder.Task
	factBase []int32
	words    int
	changes  [][]int32 // by variable: operators with an effect on it
	budget   *Budget
}

func newCartesianTask(t *grounder.Task, b *Budget) *cartesianTask {
	k := &cartesianTask{t: t, factBase: make([]int32, len(t.Variables)+1), changes: make([][]int32, len(t.Variables)), budget: b}
	for v := range t.Variables {
		k.factBase[v+1] = k.factBase[v] + int32(t.Variables[v].Size())
	}
	k.words = (int(k.factBase[len(t.Variables)]) + 63) / 64
	for o := range t.Operators.Len() {
		effects := t.Operators.Effects(o)
		for i, e := range effects {
			if i == 0 || effects[i-1].Var != e.Var {
				k.changes[e.Var] = append(k.changes[e.Var], int32(o))
			}
		}
		b.spend(operatorTicks + len(effects))
	}
	return k
}

// refinement is a Cartesian abstraction under construction. States are numbered from 1.
type refinement struct {
	*cartesianTask
	c       *cartesian
	sets    []uint64       // by state, words each: its facts
	in, out [][]abstractOf // by state: transitions that change the state
	leaf    []int32        // by state: its node
	allowed []bool         // by operator: it can be applied in the region and stays in it
	edges   int
	held    int64

	// The search for an abstract plan.
	bound   []int64 // by state: a lower bound of its distance
	g       []int64
	via     []abstractOf // the last step of the cheapest way found, and where it comes from
	seen    []uint32
	round   uint32
	closed  []int32
	q       *queue[int64]
	path    []abstractOf
	initial []int32
}

// abstractOf is a transition by op from or to state other.
type abstractOf struct{ op, other int32 }

func (r *refinement) set(s int32) []uint64 { return r.sets[int(s)*r.words : (int(s)+1)*r.words] }

func (r *refinement) in1(s int32, f grounder.Fact) bool {
	return hasBit(r.set(s), r.factBase[f.Var]+f.Val)
}

// newCartesian refines the abstraction of k's task for the target, whose region is the facts in
// region, until its plan is one of the task, or it has maxStates states or maxEdges transitions,
// or the budget's work reaches until. It returns nil if the initial state is outside the
// region or the budget ends.
func (k *cartesianTask) newCartesian(target grounder.Fact, landmark int32, region []uint64, maxStates, maxEdges int, until int64) *cartesian {
	r := &refinement{cartesianTask: k, initial: k.t.Init}
	r.c = &cartesian{target: target, landmark: landmark, tree: []splitNode{{variable: -1, yes: 1}}}
	for v, x := range k.t.Init {
		if !hasBit(region, k.factBase[v]+x) {
			return nil
		}
	}
	r.start(region)
	for len(r.leaf) < maxStates && r.edges < maxEdges && k.budget.done < until && k.budget.err == nil {
		if !r.findPath() || !r.refine() {
			break
		}
	}
	if k.budget.err == nil {
		r.finish()
	}
	k.budget.hold(-r.held)
	if k.budget.err != nil {
		return nil
	}
	return r.c
}

// start makes state 0 and the region, state 1.
func (r *refinement) start(region []uint64) {
	r.sets = append(make([]uint64, r.words), region...)
	r.in, r.out = make([][]abstractOf, 2), make([][]abstractOf, 2)
	r.leaf = []int32{-1, 0}
	r.bound, r.g, r.via, r.seen = make([]int64, 2), make([]int64, 2), make([]abstractOf, 2), make([]uint32, 2)
	r.allowed = make([]bool, r.t.Operators.Len())
	most := int64(0)
	for o := range r.t.Operators.Len() {
		op := r.t.Operators.At(o)
		most = max(most, op.Cost)
		r.budget.spend(len(op.Pre) + len(op.Effects))
		if slices.ContainsFunc(op.Pre, func(f grounder.Fact) bool { return !r.in1(1, f) }) {
			continue
		}
		if slices.ContainsFunc(op.Effects, func(e grounder.Effect) bool { return !r.in1(1, grounder.Fact{Var: e.Var, Val: e.Val}) }) {
			r.connect(1, int32(o), 0)
		} else {
			r.allowed[o] = true
		}
	}
	r.q = &queue[int64]{heap: most > maxBucketCost}
}

func (r *refinement) connect(from, op, to int32) {
	r.out[from] = append(r.out[from], abstractOf{op, to})
	if to > 0 { // state 0 is never split
		r.in[to] = append(r.in[to], abstractOf{op, from})
	}
	r.edges++
}

// findPath finds a cheapest abstract plan from the initial state by A* and raises the bounds of
// the states that it expands. It reports false if there is none.
func (r *refinement) findPath() bool {
	r.round++
	r.q.clear()
	first := r.c.locate(r.initial)
	r.reach(first, 0, abstractOf{-1, -1})
	r.closed = r.closed[:0]
	for r.q.n > 0 {
		s, f := r.q.pop()
		if f != satAdd(r.g[s], r.bound[s]) {
			continue
		}
		if s == 0 {
			r.trace(f)
			return true
		}
		r.closed = append(r.closed, s)
		r.budget.spend(8 + 2*len(r.out[s]))
		for _, x := range r.out[s] {
			r.reach(x.other, satAdd(r.g[s], r.t.Operators.Cost(int(x.op))), abstractOf{x.op, s})
		}
	}
	return false
}

// reach enters state s, reached at cost g.
func (r *refinement) reach(s int32, g int64, via abstractOf) {
	if r.seen[s] == r.round && r.g[s] <= g {
		return
	}
	r.seen[s], r.g[s], r.via[s] = r.round, g, via
	r.q.push(s, satAdd(g, r.bound[s]))
}

// trace lists the plan found, of cost f, from its start, and raises bounds.
func (r *refinement) trace(f int64) {
	for _, s := range r.closed {
		r.bound[s] = max(r.bound[s], f-r.g[s])
	}
	r.path = r.path[:0]
	for s := int32(0); r.via[s].op >= 0; s = r.via[s].other {
		r.path = append(r.path, abstractOf{r.via[s].op, s})
	}
	slices.Reverse(r.path)
}

// refine follows the abstract plan in the task and splits the first state in which it goes
// wrong. It reports false if the plan is one of the task.
func (r *refinement) refine() bool {
	at := r.c.locate(r.initial)
	values := slices.Clone(r.initial)
	wanted := make([]uint64, r.words)
	for _, x := range r.path {
		op := r.t.Operators.At(int(x.op))
		r.budget.spend(len(values) + len(op.Pre))
		variable := int32(-1)
		for _, f := range op.Pre {
			if values[f.Var] != f.Val && (variable < 0 || r.moreRefined(at, f.Var, variable)) {
				variable = f.Var
			}
		}
		if variable >= 0 {
			for _, f := range op.Pre {
				if f.Var == variable {
					i := r.factBase[f.Var] + f.Val
					wanted[i>>6] |= 1 << (i & 63)
				}
			}
			r.split(at, variable, wanted)
			return true
		}
		if x.other == 0 {
			return false
		}
		for _, e := range op.Effects {
			values[e.Var] = e.Val
		}
		for v, val := range values {
			if !r.in1(x.other, grounder.Fact{Var: int32(v), Val: val}) && (variable < 0 || r.moreRefined(at, int32(v), variable)) {
				variable = int32(v)
			}
		}
		if variable >= 0 {
			for f := r.factBase[variable]; f < r.factBase[variable+1]; f++ {
				if hasBit(r.set(at), f) && hasBit(r.set(x.other), f) {
					wanted[f>>6] |= 1 << (f & 63)
				}
			}
			r.split(at, variable, wanted)
			return true
		}
		at = x.other
	}
	return false
}

// moreRefined reports whether state s has a smaller share of the values of v than of w.
func (r *refinement) moreRefined(s, v, w int32) bool {
	return r.count(s, v)*r.t.Variables[w].Size() < r.count(s, w)*r.t.Variables[v].Size()
}

// count returns the number of values of v in state s.
func (r *refinement) count(s, v int32) int {
	row, n := r.set(s), 0
	for f := r.factBase[v]; f < r.factBase[v+1]; {
		if f&63 == 0 && f+64 <= r.factBase[v+1] {
			n += bits.OnesCount64(row[f>>6])
			f += 64
			continue
		}
		n += int(row[f>>6] >> (f & 63) & 1)
		f++
	}
	return n
}

// finish turns the refinement into the abstraction.
func (r *refinement) finish() {
	c := r.c
	c.n, c.goals = int32(len(r.leaf)), []int32{0}
	class := make([]int32, r.t.Operators.Len())
	for o := range class {
		class[o] = -1
	}
	c.start = make([]int32, c.n+1)
	for _, list := range r.out {
		for _, x := range list {
			c.start[x.other+1]++
			if class[x.op] < 0 {
				class[x.op] = int32(len(c.loops))
				c.ops.add([]int32{x.op})
				c.loops = append(c.loops, true)
			}
		}
	}
	for s := range c.n {
		c.start[s+1] += c.start[s]
	}
	c.edges = make([]abstractEdge, c.start[c.n])
	next := slices.Clone(c.start)
	for s, list := range r.out {
		for _, x := range list {
			c.edges[next[x.other]] = abstractEdge{int32(s), class[x.op]}
			next[x.other]++
		}
	}
	if c.ops.start == nil {
		c.ops.start = []int32{0}
	}
	r.budget.spend(len(c.edges))
	r.budget.hold(int64(len(c.edges)+len(c.tree)*2) * 8)
}
