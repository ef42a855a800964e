package dataset

import (
	"context"
	"strings"
	"testing"
)

// TestGoals keeps some of the three conditions that goals of three blocks have.
func TestGoals(t *testing.T) {
	ctx := context.Background()
	for n := 1; n <= 4; n++ {
		src, err := NewExhaustive(ctx, 3, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Prepare(ctx, Options{
			Settings: Settings{Seed: 1, Dedup: DedupNone, Names: NamesOwn, Split: DefaultRatio, Style: "compact", Goals: n},
			Sources:  []Source{src},
		})
		if err != nil {
			t.Fatal(err)
		}
		// With less than the whole goal some initial states satisfy it.
		m := s.Manifest()
		if holds := m.Dropped[DropGoalHolds]; m.Rows == 0 || m.Dropped[DropBroken] > 0 || n >= 3 != (holds == 0) {
			t.Errorf("%d goals: %d rows, left out %v", n, m.Rows, m.Dropped)
		}
		if err := s.Records(ctx, Train, func(r *Record) error {
			_, goal, _ := strings.Cut(r.Prompt, "goal:")
			if got := strings.Count(strings.SplitN(goal, "\n", 2)[0], "("); got != min(n, 3) || !r.Gold.Optimal {
				t.Errorf("%s has %d goals, not %d, optimal %v:\n%s", r.ID, got, min(n, 3), r.Gold.Optimal, r.Prompt)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
