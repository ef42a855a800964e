package world

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/search"
)

// TestWorldAgainstNaive: states, applicable actions and successors along random walks
// are those of a planner that shares no code.
func TestWorldAgainstNaive(t *testing.T) {
	for _, name := range []string{"blocksworld:4-9", "logistics:2-2-2-1", "gripper:3", "elevator:4-2-1-1"} {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		prob := pddltest.Load(t, name)
		w, err := New(context.Background(), prob, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		n := naive.New(d.Text, p.Text)
		for seed := range uint64(10) {
			rng := seeded.Rand(seed, "test")
			st, other := w.Sim.Initial(), n.Initial()
			for range 15 {
				var got []string
				for _, op := range w.applicable(st) {
					got = append(got, w.Task.OperatorName(op))
				}
				names, next := n.Successors(other)
				want := slices.Clone(names)
				slices.Sort(got)
				slices.Sort(want)
				if got = slices.Compact(got); !slices.Equal(got, want) {
					t.Fatalf("%s: applicable %v, want %v", name, got, want)
				}
				if len(names) == 0 {
					break
				}
				i := rng.IntN(len(names))
				if st, _, err = w.Sim.Apply(st, names[i]); err != nil {
					t.Fatal(err)
				}
				other = next[i]
				key := n.Key(other)
				for _, f := range w.Facts(st) {
					if !isStaticFact(w, f) && !strings.Contains(key, strings.Trim(f, "()")) {
						t.Fatalf("%s: %s is not in %s", name, f, key)
					}
				}
			}
		}
	}
}

func isStaticFact(w *World, f string) bool { return slices.Contains(w.Fixed, f) }
