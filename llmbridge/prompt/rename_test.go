package prompt

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"pgregory.net/rapid"
)

// TestRenamingIsABijection: new names are new, unique and readable, facts and steps
// come back, and the renamed task is the old one under other names.
func TestRenamingIsABijection(t *testing.T) {
	tasks := roundTripTasks(t)
	_, tasks["timed"] = pddltest.Parse(t, pddltest.TimedDomain, pddltest.TimedProblem)
	for name, prob := range tasks {
		if strings.Contains(name, "/") && !strings.HasPrefix(name, "logistics/") || name == "blocksworld:6-77" {
			continue // the same domains under other names, or a larger task
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				style := rapid.SampledFrom([]RenameStyle{RenameMystery, RenameRandom}).Draw(t, "style")
				seed := rapid.Uint64().Draw(t, "seed")
				r, err := NewRenaming(prob, style, rapid.Bool().Draw(t, "objects"), seed)
				if err != nil {
					t.Fatal(err)
				}
				old := taskNames(prob)
				seen := map[string]bool{}
				for _, m := range []map[string]string{r.Types, r.Predicates, r.Functions, r.Actions, r.Objects} {
					for _, w := range m {
						if seen[w] || slices.Contains(old, w) || reservedNames[w] {
							t.Fatalf("%s is taken", w)
						}
						seen[w] = true
					}
				}
				q, err := r.Apply(prob)
				if err != nil {
					t.Fatal(err)
				}
				again, _ := r.Apply(prob)
				if q.String() != again.String() || q.Domain.String() != again.Domain.String() {
					t.Fatal("renamed twice, differently")
				}
				for _, f := range atomtext.Initial(prob) {
					if b := r.Back(r.Fact(f)); b != f {
						t.Fatalf("%s came back as %s", f, b)
					}
				}
				var want []string
				for _, f := range atomtext.Initial(prob) {
					want = append(want, r.Fact(f))
				}
				atomtext.Sort(want)
				if got := atomtext.Initial(q); !slices.Equal(got, want) {
					t.Fatalf("initial facts %v, want %v", got, want)
				}
				back := invert(r)
				p, err := back.Apply(q)
				if err != nil {
					t.Fatal(err)
				}
				plain, err := new(Renaming).Apply(prob) // the names of variables do not come back
				if err != nil {
					t.Fatal(err)
				}
				if got, want := strings.ToLower(p.String()), strings.ToLower(plain.String()); got != want {
					t.Fatalf("came back as\n%s\nwant\n%s", got, want)
				}
				if got, want := strings.ToLower(p.Domain.String()), strings.ToLower(plain.Domain.String()); got != want {
					t.Fatalf("came back as\n%s\nwant\n%s", got, want)
				}
				// The map alone, read from JSON, brings names back too.
				var s Renaming
				text, _ := json.Marshal(r)
				if err := json.Unmarshal(text, &s); err != nil {
					t.Fatal(err)
				}
				for _, f := range want {
					if s.Back(f) != r.Back(f) {
						t.Fatalf("%s: %s from JSON, %s", f, s.Back(f), r.Back(f))
					}
				}
			})
		})
	}
}

func invert(r *Renaming) *Renaming {
	flip := func(m map[string]string) map[string]string {
		out := map[string]string{}
		for k, v := range m {
			out[v] = k
		}
		return out
	}
	return &Renaming{Types: flip(r.Types), Predicates: flip(r.Predicates), Functions: flip(r.Functions), Actions: flip(r.Actions), Objects: flip(r.Objects)}
}

// TestRenamedPlans: a plan is valid exactly when its renamed form is.
func TestRenamedPlans(t *testing.T) {
	for _, name := range []string{"blocksworld:4-17", "gripper:2", "elevator:4-2-1-1"} {
		prob := pddltest.Load(t, name)
		sol, err := world.Solve(context.Background(), prob, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			r, err := NewRenaming(prob, RenameRandom, true, seed)
			if err != nil {
				t.Fatal(err)
			}
			q, err := r.Apply(prob)
			if err != nil {
				t.Fatal(err)
			}
			var plan []string
			for i, s := range sol.Plan {
				plan = append(plan, r.Step(s))
				if r.Back(plan[i]) != s {
					t.Fatalf("%s came back as %s", s, r.Back(plan[i]))
				}
			}
			for cut := range len(plan) + 1 {
				v, err := world.Judge(q, plan[:cut])
				if err != nil {
					t.Fatal(err)
				}
				if v.Valid != (cut == len(plan)) {
					t.Errorf("%s: %d of %d steps: valid %v", name, cut, len(plan), v.Valid)
				}
			}
			// What the readers need for renamed tasks is what any domain gives them.
			rr, _ := NewRenderer(q, "")
			if x := rr.PlanReader().Extract(rr.Plan(plan)); !slices.Equal(x.Plan, plan) {
				t.Errorf("%s\nread as %v", rr.Plan(plan), x.Plan)
			}
		}
	}
}

func TestRenamingRefuses(t *testing.T) {
	_, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	if _, err := NewRenaming(prob, "pirate", true, 1); err == nil || !strings.Contains(err.Error(), "mystery or random") {
		t.Errorf("a renaming in pirate: %v", err)
	}
	// More names than there are words.
	var b strings.Builder
	b.WriteString("(define (domain many) (:predicates")
	for i := range 300 {
		b.WriteString(" (p" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + ")")
	}
	b.WriteString("))")
	dom, _ := pddl.ParseDomain(pddl.NewSource("", b.String()), pddl.Options{})
	_, prob = pddltest.Parse(t, b.String(), "(define (problem p) (:domain many) (:init) (:goal (pa)))")
	r, err := NewRenaming(prob, RenameMystery, true, 1)
	if err != nil || len(r.Predicates) != 300 || dom == nil {
		t.Fatalf("%v, %d names", err, len(r.Predicates))
	}
	if _, err := r.Apply(prob); err != nil {
		t.Error(err)
	}
}
