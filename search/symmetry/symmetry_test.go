package symmetry

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
)

const plenty = 1 << 26

// images lists the states of an orbit, by brute force.
func images(g *Group, state []int32) [][]int32 {
	list := [][]int32{state}
	seen := map[string]bool{fmt.Sprint(state): true}
	for i := 0; i < len(list); i++ {
		for k := range g.generators {
			next := slices.Clone(list[i])
			for _, m := range g.generators[k].moves {
				next[m.to] = m.value[list[i][m.from]]
			}
			if !seen[fmt.Sprint(next)] {
				seen[fmt.Sprint(next)] = true
				list = append(list, next)
			}
		}
	}
	return list
}

// TestSymmetriesKeepDistances: all states of an orbit have the same goal distance, and the state that stands for it lies
// in it. The distances come from an enumeration of all states, also of those that cannot be reached.
func TestSymmetriesKeepDistances(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		task := tasktest.Twins(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
		fixed := rapid.Bool().Draw(t, "fixed")
		g, _ := Find(task, fixed, plenty, nil)
		if g == nil {
			return
		}
		found++
		sp := tasktest.Enumerate(task)
		if fixed && !g.Keeps(task.Init) {
			t.Fatal("the initial state is not kept")
		}
		canon := g.Canonizer()
		for i, s := range sp.States {
			orbit := images(g, s)
			if i%(1+len(sp.States)/10) == 0 { // the others for speed
				moved := *task
				moved.Init = orbit[len(orbit)-1]
				if got := tasktest.Enumerate(&moved).Cost[0]; got != sp.Cost[i] {
					t.Fatalf("%v has distance %d, its image %v %d", s, sp.Cost[i], moved.Init, got)
				}
			}
			replaced := slices.Clone(s)
			canon.Canonize(replaced)
			inOrbit := slices.ContainsFunc(orbit, func(x []int32) bool { return equalStates(task, x, replaced) })
			if !inOrbit {
				t.Fatalf("%v is replaced by %v, which is not in its orbit", s, replaced)
			}
		}
	})
	if found == 0 && !testing.Short() {
		t.Error("no symmetry was found")
	}
}

// equalStates compares state variables.
func equalStates(t *grounder.Task, x, y []int32) bool {
	for v := range t.Variables {
		if t.Variables[v].Layer < 0 && x[v] != y[v] {
			return false
		}
	}
	return true
}

// TestInterchangeableObjects: equal objects are sorted, so states that differ in their names only become one.
func TestInterchangeableObjects(t *testing.T) {
	const n = 5
	task := tasktest.Carrier(t, n)
	g, _ := Find(task, false, plenty, nil)
	if g == nil || g.Generators() != n { // of n balls in a row, and of the hands
		t.Fatalf("generators: %v", g)
	}
	sp := tasktest.Enumerate(task)
	canon := g.Canonizer()
	classes, orbits := map[string]bool{}, map[string]bool{}
	for _, s := range sp.States {
		x := slices.Clone(s)
		canon.Canonize(x)
		classes[fmt.Sprint(x)] = true
		orbits[fmt.Sprint(slices.MinFunc(images(g, s), slices.Compare))] = true
	}
	if len(classes) != len(orbits) {
		t.Errorf("%d states stand for %d orbits of %d states", len(classes), len(orbits), len(sp.States))
	}
}
