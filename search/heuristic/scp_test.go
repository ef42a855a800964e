package heuristic

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
)

// TestPartitionsReachEveryPart: the estimate is at least the distance in each abstraction
// under full costs, and the orders together raise some.
func TestPartitionsReachEveryPart(t *testing.T) {
	raised, cartesian := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		task := drawTask(t)
		if rapid.Bool().Draw(t, "grid") {
			task = grid(rapid.Int32Range(2, 4).Draw(t, "size"))
		}
		settings := map[string]int64{"states": 100, "total": 1000, "cartesian": 60, "orders": rapid.Int64Range(1, 4).Draw(t, "orders"), "work": 10, "perim": rapid.Int64Range(0, 1).Draw(t, "perim")}
		p := &partitioner{abstractions: &abstractions{first: []int32{0}, orders: []int32{0}}, t: task, budget: &Budget{}, most: 1e7, q: &queue[int64]{}}
		p.addPatterns(settings["states"], settings["total"])
		if err := p.addCartesian(settings["cartesian"]); err != nil {
			t.Fatal(err)
		}
		cartesian += len(p.cartesian)
		full := make([]int64, task.Operators.Len())
		for o := range full {
			full[o] = task.Operators.Cost(o)
		}
		p.index = make([]int32, len(p.graphs))
		p.left = make([]int64, len(full))
		p.distances(full)
		h, err := newCostPartitions(task, settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range sampleStates(task, 30, 10, &Budget{}) {
			p.locate(values)
			best := int64(0)
			for i, d := range p.alone {
				best = max(best, d[p.index[i]])
			}
			got := h.Estimate(values)
			if got < best {
				t.Fatalf("estimate %d, a part alone gives %d", got, best)
			}
			raised += boolInt(got > best)
		}
	})
	if raised < 5 || cartesian < 5 {
		t.Errorf("partitioning raised %d estimates, and there were %d Cartesian abstractions", raised, cartesian)
	}
}

// TestCartesianStates: every state of the region lies in the abstract state that the tree finds,
// and every operator leads along a transition or stays, so that the abstraction is one.
func TestCartesianStates(t *testing.T) {
	steps := 0
	rapid.Check(t, func(t *rapid.T) {
		task := drawTask(t)
		if rapid.Bool().Draw(t, "grid") {
			task = grid(rapid.Int32Range(2, 4).Draw(t, "size"))
		}
		for _, f := range FeaturesOf(task) {
			if f == Axioms || f == ConditionalEffects {
				return
			}
		}
		k := newCartesianTask(task, &Budget{})
		p := &partitioner{abstractions: &abstractions{}, t: task, budget: &Budget{}}
		subtasks, err := p.subtasks(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range subtasks {
			region := x.region(k)
			c := k.newCartesian(x.target, x.landmark, region, rapid.IntRange(2, 30).Draw(t, "states"), 1000, 1<<40)
			inside := func(values []int32) bool {
				return !slices.ContainsFunc(indexed(values), func(f grounder.Fact) bool { return !hasBit(region, k.factBase[f.Var]+f.Val) })
			}
			for _, values := range sampleStates(task, 20, 10, &Budget{}) {
				if !inside(values) {
					continue
				}
				steps += checkSteps(t, task, c, values, inside)
			}
		}
	})
	if steps < 20 {
		t.Errorf("only %d steps", steps)
	}
}

func indexed(values []int32) (out []grounder.Fact) {
	for v, x := range values {
		out = append(out, grounder.Fact{Var: int32(v), Val: x})
	}
	return out
}

func checkSteps(t *rapid.T, task *grounder.Task, c *cartesian, values []int32, inside func([]int32) bool) (steps int) {
	from := c.locate(values)
	if from <= 0 || from >= c.n {
		t.Fatalf("state %d of %d", from, c.n)
	}
	for o := range task.Operators.Len() {
		op := task.Operators.At(o)
		if !holdsIn(op.Pre, values) {
			continue
		}
		next := slices.Clone(values)
		for _, e := range op.Effects {
			next[e.Var] = e.Val
		}
		to := int32(0)
		if inside(next) {
			to = c.locate(next)
		}
		steps++
		if to != from && !slices.ContainsFunc(c.edges[c.start[to]:c.start[to+1]], func(e abstractEdge) bool {
			return e.from == from && slices.Contains(c.ops.of(e.class), int32(o))
		}) {
			t.Fatalf("operator %d leads from abstract state %d to %d, which no transition does", o, from, to)
		}
	}
	return steps
}
