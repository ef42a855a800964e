package dataset

import (
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pddltest"
)

// TestHouseholdStructures: the household set of docs/EPISODES.md has 307 tasks of 307 structures, so a split by structure
// divides it as it likes; the other worlds repeat few.
func TestHouseholdStructures(t *testing.T) {
	for _, c := range []struct {
		kind        string
		tasks, want int
	}{{"household", 307, 307}, {"office", 100, 98}, {"robots", 100, 98}, {"trip", 100, 90}} {
		tasks, err := domains.Generate(c.kind, domains.GenerateOptions{Count: c.tasks})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[32]byte]bool{}
		for _, task := range tasks {
			structure := StructureOf(pddltest.Load(t, task.Name))
			seen[structure.Hash] = true
		}
		if len(seen) < c.want {
			t.Errorf("%s: %d structures in %d tasks, want %d", c.kind, len(seen), c.tasks, c.want)
		}
	}
}
