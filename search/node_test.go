package search

import (
	"fmt"
	"math"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// TestNodeLayouts enters paths of all sizes into nodes of both layouts, and widens narrow ones.
func TestNodeLayouts(t *testing.T) {
	for _, operators := range []int{0, 1, 2, 255, 256, 1 << 20} {
		narrow := narrowLayout(operators)
		for _, l := range []nodeLayout{narrow, wide} {
			for _, g := range []int64{0, 1, narrow.most - 1, narrow.most, l.most} {
				for _, closed := range []uint64{0, closedBit} {
					op := max(operators-1, 0)
					for _, parent := range []state.StateID{0, 1, state.MaxStates, state.NoState} {
						node := make([]uint64, 2)
						l.set(node, g, parent, grounder.OperatorID(op))
						node[l.link] |= closed
						check := func(l nodeLayout) {
							from, by := l.from(node)
							if l.cost(node) != g || from != parent || int(by) != op || node[l.link]&closedBit != closed {
								t.Fatalf("%d operators, %+v: (%d, %d, %d, %d) reads %d, %d, %d", operators, l, g, parent, op, closed, l.cost(node), from, by)
							}
						}
						check(l)
						if l.narrow {
							l.widen(node)
							check(wide)
						}
					}
				}
			}
		}
	}
	if m := narrowLayout(math.MaxInt32).most; m != 0 {
		t.Errorf("a narrow node beside 2^31 operators has room for cost %d", m)
	}
}

// TestBlindWidens compares searches whose nodes become wide at different costs with one whose nodes are wide from the
// start.
func TestBlindWidens(t *testing.T) {
	widened := 0
	for name, task := range tasktest.SmallTasks(t) {
		if task.Unsolvable || task.Numeric != nil {
			continue
		}
		var want string
		for _, most := range []int64{-1, 0, 1, 3, 10, math.MaxInt32} {
			b := newBlindSearch(state.NewSystem(task), "blind", heuristic.NewBlind(task).Step(), Limits{Nodes: 20_000})
			narrow := b.narrow
			if most < 0 {
				b = &blindSearch{nodes: newNodes(b.System, "blind", wide.words(), Limits{Nodes: 20_000}), step: b.step, look: b.look}
			} else if narrow {
				b.most = min(most, b.most)
			}
			for !b.run(1 << 20) {
			}
			if narrow && most >= 0 && !b.narrow {
				widened++
			}
			got := fmt.Sprintf("%+v", b.end)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s, room for %d: %s, wide %s", name, most, got, want)
			}
		}
	}
	if widened < 20 {
		t.Errorf("%d searches have widened their nodes, want 20", widened)
	}
}

// TestBlindWidensWithinMemory ends a search that has no memory for wide nodes.
func TestBlindWidensWithinMemory(t *testing.T) {
	_, task := tasktest.Bundled("gripper:4")
	b := newBlindSearch(state.NewSystem(task), "blind", 1, Limits{Memory: 2 << 20})
	b.most = 5
	for !b.run(1 << 20) {
	}
	if b.end.Status != SolvedOptimally && b.end.Status != Memout {
		t.Errorf("%+v", b.end)
	}
	b = newBlindSearch(state.NewSystem(task), "blind", 1, Limits{})
	b.begin()
	b.most, b.maxBytes = 0, b.bytes()
	if !b.run(1<<20) || b.end.Status != Memout || !b.narrow {
		t.Errorf("%+v", b.end)
	}
}
