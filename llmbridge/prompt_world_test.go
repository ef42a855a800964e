package llmbridge

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/pddl"
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
		prob := loadTask(t, name)
		w, err := newWorld(context.Background(), prob, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		n := naive.New(d.Text, p.Text)
		for seed := range uint64(10) {
			rng := newRand(seed, "test")
			st, other := w.sim.Initial(), n.Initial()
			for range 15 {
				var got []string
				for _, op := range w.applicable(st) {
					got = append(got, w.task.OperatorName(op))
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
				if st, _, err = w.sim.Apply(st, names[i]); err != nil {
					t.Fatal(err)
				}
				other = next[i]
				key := n.Key(other)
				for _, f := range w.facts(st) {
					if !isStaticFact(w, f) && !strings.Contains(key, strings.Trim(f, "()")) {
						t.Fatalf("%s: %s is not in %s", name, f, key)
					}
				}
			}
		}
	}
}

func isStaticFact(w *world, f string) bool { return slices.Contains(w.fixed, f) }

// TestRendererTellsStates: what can happen in the bundled domains is told in words,
// never in PDDL.
func TestRendererTellsStates(t *testing.T) {
	tasks := map[string]*pddl.Problem{}
	for _, name := range bundledNames {
		tasks[name] = loadTask(t, name)
	}
	_, tasks["depots"] = parseTask(t, wholeDepots, wholeDepotsProblem)
	for name, prob := range tasks {
		w, err := newWorld(context.Background(), prob, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, templates := range []string{"", NoTemplates} {
			r, _ := NewRenderer(prob, templates)
			for seed := range uint64(5) {
				st, steps := w.walk(w.sim.Initial(), 12, newRand(seed, "walk"))
				facts := w.facts(st)
				text := r.State(facts) + r.Plan(steps)
				if strings.ContainsAny(text, "(){}") {
					t.Errorf("%s: told in PDDL: %s", name, text)
				}
				if x := r.StateReader().Read(r.State(facts)); !slices.Equal(x.Facts, facts) {
					t.Errorf("%s: %s\nis read as %v", name, r.State(facts), x.Facts)
				}
			}
		}
	}
}
