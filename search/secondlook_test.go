package search

import (
	"slices"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// lmcutSearch runs A* with LM-cut to its end, with or without cuts that are kept.
func lmcutSearch(tb tasktest.TB, task *grounder.Task, keep bool) *astar {
	tb.Helper()
	h, err := heuristic.NewLMCut(task)
	if err != nil {
		tb.Fatal(err)
	}
	a := newAStar(state.NewSystem(task), "", h, Limits{})
	if !keep {
		a.kept = nil
	}
	for !a.run(slice) {
	}
	return a
}

// keptTasks are tasks on which A* passes landmarks on many times.
var keptTasks = []string{"blocksworld:7-1", "logistics:3-3-4-2", "elevator:8-6-2-1"}

// TestKeptCutsSaveWork: LM-cut that begins with the cuts of predecessors takes well below the work of LM-cut anew, and
// A* expands hardly more.
func TestKeptCutsSaveWork(t *testing.T) {
	for _, name := range keptTasks {
		_, task := tasktest.Bundled(name)
		anew, kept := lmcutSearch(t, task, false), lmcutSearch(t, task, true)
		if anew.end.Cost != kept.end.Cost {
			t.Errorf("%s: cost %d, without kept cuts %d", name, kept.end.Cost, anew.end.Cost)
		}
		if kept.stats.Expanded*10 > anew.stats.Expanded*11 || kept.done()*10 > anew.done()*6 {
			t.Errorf("%s: %d states and work %d, without kept cuts %d and %d", name,
				kept.stats.Expanded, kept.done(), anew.stats.Expanded, anew.done())
		}
	}
}

// TestSecondLook: states whose landmarks are of others are evaluated anew, some of their estimates rise, and pauses do
// not matter.
func TestSecondLook(t *testing.T) {
	for _, name := range []string{"trip:4-6-2", "elevator:8-6-2-1"} {
		_, task := tasktest.Bundled(name)
		h, err := heuristic.NewLMCut(task)
		if err != nil {
			t.Fatal(err)
		}
		whole, pieces := lmcutSearch(t, task, true), newAStar(state.NewSystem(task), "", h, Limits{})
		for !pieces.run(1) {
		}
		if whole.second != pieces.second || whole.stats.Expanded != pieces.stats.Expanded || whole.end.Cost != pieces.end.Cost {
			t.Errorf("%s: %+v, in pieces %+v", name, whole.second, pieces.second)
		}
		if s := whole.second; s.rises == 0 || s.rises > s.looks || s.looks > s.asked {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestFollows: the landmarks of a state are not passed on to one that stands for its successor's orbit.
func TestFollows(t *testing.T) {
	task := tasktest.Carrier(t, 4)
	h, err := heuristic.NewLMCut(task)
	if err != nil {
		t.Fatal(err)
	}
	a := newAStar(state.NewSystem(task), "", h, Limits{})
	a.findSymmetries(true, Limits{}, Limits{}.clock(t.Context()))
	for !a.run(slice) {
	}
	replaced, x := 0, a.NewScratch()
	for id := range state.StateID(a.reg.Len()) {
		parent, op, ok := a.follows(id)
		if parent == state.NoState {
			continue
		}
		a.Unpack(a.reg.Row(parent), x)
		a.Applier.Apply(x.Next, a.reg.Row(parent), x.Values, op)
		if same := slices.Equal(x.Next, a.reg.Row(id)); same != ok {
			t.Fatalf("state %d: the same as the successor: %v, but follows says %v", id, same, ok)
		}
		if !ok {
			replaced++
		}
	}
	if replaced == 0 {
		t.Error("no state was replaced")
	}
}
