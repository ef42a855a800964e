package prompt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// TestRendererTellsStates: what can happen in the bundled domains is told in words,
// never in PDDL.
func TestRendererTellsStates(t *testing.T) {
	tasks := map[string]*pddl.Problem{}
	for _, name := range pddltest.Bundled {
		tasks[name] = pddltest.Load(t, name)
	}
	_, tasks["depots"] = pddltest.Parse(t, pddltest.WholeDepots, pddltest.WholeDepotsProblem)
	for name, prob := range tasks {
		w, err := world.New(context.Background(), prob, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, templates := range []string{"", NoTemplates} {
			r, _ := NewRenderer(prob, templates)
			for seed := range uint64(5) {
				st, steps := w.Walk(w.Sim.Initial(), 12, seeded.Rand(seed, "walk"))
				facts := w.Facts(st)
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
