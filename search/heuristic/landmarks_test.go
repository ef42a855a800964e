package heuristic

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
)

func drawTask(t *rapid.T) *grounder.Task {
	return tasktest.Random(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }, randomsas.Options{
		Axioms:             rapid.Bool().Draw(t, "axioms"),
		ConditionalEffects: rapid.Bool().Draw(t, "conditional effects"),
		MaxCost:            rapid.IntRange(0, 4).Draw(t, "cost"),
	})
}

// reachedWithout computes which facts the relaxation reaches when fact l can never hold.
func reachedWithout(k *factLandmarks, t *grounder.Task, l int32) []bool {
	in := make([]bool, k.facts)
	for v := range t.Variables {
		f := k.factBase[v] + t.Init[v]
		if t.Variables[v].Layer >= 0 {
			f = k.factBase[v] + t.Variables[v].Default
		}
		in[f] = f != l
	}
	for changed := true; changed; {
		changed = false
	next:
		for i := range k.parts {
			for _, p := range k.parts[i].pre {
				if !in[p] {
					continue next
				}
			}
			for _, e := range k.parts[i].eff {
				if e != l && !in[e] {
					in[e], changed = true, true
				}
			}
		}
	}
	return in
}

// TestFactLandmarksFollowTheirDefinition compares with what is out of reach without a fact.
func TestFactLandmarksFollowTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := drawTask(t)
		k, err := newFactLandmarks(task, nil)
		if err != nil || k == nil {
			t.Fatalf("%v, %v", k, err)
		}
		all := reachedWithout(k, task, -1)
		for l := range int32(k.facts) {
			without := reachedWithout(k, task, l)
			for f := range int32(k.facts) {
				if k.reached[f] != all[f] {
					t.Fatalf("fact %d: reached %v, want %v", f, k.reached[f], all[f])
				}
				if want := all[f] && !without[f]; k.has(f, l) != want {
					t.Fatalf("fact %d is a landmark of %d: %v, want %v", l, f, k.has(f, l), want)
				}
			}
		}
	})
}

// TestLandmarksKnowWhatARecordKnows follows paths with a record of the landmarks that have
// held: what has not held on a path to a state is to come. So the facts of the
// state tell at least as much as records of all paths to it would.
func TestLandmarksKnowWhatARecordKnows(t *testing.T) {
	ahead := 0
	rapid.Check(t, func(t *rapid.T) {
		task := drawTask(t)
		h, err := newLandmarks(task, map[string]int64{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if h.dead {
			return
		}
		for range 10 {
			ahead += checkWalk(t, task, h)
		}
	})
	if ahead < 20 {
		t.Errorf("only %d landmarks to come in all states", ahead)
	}
}

// checkWalk walks at random and returns the number of landmarks seen to come. It takes
// operators without conditions on derived variables, without their conditional effects.
func checkWalk(t *rapid.T, task *grounder.Task, h *landmarks) (ahead int) {
	held := make([]bool, len(h.kind))
	values := append([]int32(nil), task.Init...)
	for range 8 {
		h.lookAhead(values)
		for l := range h.kind {
			if h.kind[l]&landmarkDerived != 0 {
				continue
			}
			held[l] = held[l] || h.holds(int32(l), values)
			if !held[l] && h.state[l] != landmarkFirst {
				t.Fatalf("landmark %d has not held on the path to %v and is not to come", l, values)
			}
			if h.state[l] != landmarkPast && h.holds(int32(l), values) {
				t.Fatalf("landmark %d holds in %v and is to come", l, values)
			}
			ahead += boolInt(h.state[l] != landmarkPast)
		}
		var ops []int
		for o := range task.Operators.Len() {
			ok := true
			for _, p := range task.Operators.Pre(o) {
				ok = ok && task.Variables[p.Var].Layer < 0 && values[p.Var] == p.Val
			}
			if ok {
				ops = append(ops, o)
			}
		}
		if len(ops) == 0 {
			break
		}
		next := append([]int32(nil), values...)
		for _, e := range task.Operators.Effects(ops[rapid.IntRange(0, len(ops)-1).Draw(t, "operator")]) {
			if len(e.Cond) == 0 {
				next[e.Var] = e.Val
			}
		}
		values = next
	}
	return ahead
}
