package heuristic

import (
	"testing"

	"github.com/planproof/planproof/grounder"
)

// grid is the task of visiting every cell of a grid of n by n, from a corner.
func grid(n int32) *grounder.Task {
	at := grounder.Variable{Layer: -1, Values: make([]string, n*n)}
	t := &grounder.Task{Name: "grid", Variables: []grounder.Variable{at}, Init: []int32{0}, SchemaNames: []string{"move"}}
	for c := int32(1); c < n*n; c++ {
		t.Variables = append(t.Variables, grounder.Variable{Layer: -1, Values: make([]string, 2)})
		t.Init = append(t.Init, 0)
		t.Goal = append(t.Goal, grounder.Fact{Var: c, Val: 1})
	}
	for from := range n * n {
		for _, step := range [][2]int32{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			x, y := from%n+step[0], from/n+step[1]
			if x < 0 || y < 0 || x >= n || y >= n {
				continue
			}
			op := grounder.Operator{Cost: 1, Pre: []grounder.Fact{{Var: 0, Val: from}}}
			op.Effects = []grounder.Effect{{Var: 0, Val: y*n + x}}
			if y*n+x > 0 {
				op.Effects = append(op.Effects, grounder.Effect{Var: y*n + x, Val: 1})
			}
			t.Operators.Append(op)
		}
	}
	return t
}

// TestLMCutSparesWhatHasPaid: among goals that cost the same, LM-cut turns to those that no
// operator of an earlier cut achieves. In a grid with every cell to visit, the cuts are then
// the moves into one cell each, and all of them count; if the goal with the fewest achievers always came
// first, two thirds of them would be lost.
func TestLMCutSparesWhatHasPaid(t *testing.T) {
	for n := int32(2); n <= 6; n++ {
		h, err := NewLMCut(grid(n))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := h.Estimate(grid(n).Init), int64(n*n-1); got != want {
			t.Errorf("%d by %d: %d, want %d", n, n, got, want)
		}
	}
}
