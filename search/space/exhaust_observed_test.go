package space

import (
	"context"
	"testing"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
)

// TestExhaustObserved expects every phase, in order, with rising numbers of states.
func TestExhaustObserved(t *testing.T) {
	task := tasktest.SmallTasks(t)["blocksworld-5-3"]
	var phases []Phase
	most := int64(0)
	table, err := ExhaustObserved(context.Background(), task, search.Limits{}, func(p Phase, states int64) {
		if len(phases) == 0 || phases[len(phases)-1] != p {
			phases = append(phases, p)
		}
		if states < most {
			t.Errorf("%s: %d states after %d", p, states, most)
		}
		most = states
	})
	if err != nil || most != table.States {
		t.Fatalf("%d states told of %d, %v", most, table.States, err)
	}
	if len(phases) != 3 || phases[0] != Enumerating || phases[1] != Measuring || phases[2] != Counting {
		t.Errorf("phases %q", phases)
	}
}
