package dataset_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

func bundled(t testing.TB, name string) *pddl.Problem {
	t.Helper()
	dom, prob, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := pddl.ParseDomain(dom, pddl.Options{})
	p, ds := pddl.ParseProblem(prob, d, pddl.Options{})
	if p == nil {
		t.Fatal(ds)
	}
	return p
}

// filtered is the cheapest cost of a task over the plans that do nothing forbidden, by
// enumeration of the unrestricted task; false if there is no such plan.
func filtered(t interface{ Fatal(...any) }, p *pddl.Problem, forbidden []domains.Forbidden) (pddl.Number, bool) {
	task, err := grounder.Ground(context.Background(), p, grounder.Options{KeepIrrelevant: true})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := space.NewSimulator(task)
	if err != nil {
		t.Fatal(err)
	}
	key := func(st space.State) string {
		b := make([]byte, 0, 4*len(st))
		for _, v := range sim.Values(st) {
			b = append(b, byte(v), byte(v>>8))
		}
		return string(b)
	}
	// Dijkstra's algorithm with the open states in a list: the tasks are tiny.
	type open struct {
		st   space.State
		cost int64
	}
	queue, done := []open{{sim.Initial(), 0}}, map[string]bool{}
	for len(queue) > 0 {
		best := 0
		for i := range queue {
			if queue[i].cost < queue[best].cost {
				best = i
			}
		}
		now := queue[best]
		queue = slices.Delete(queue, best, best+1)
		if done[key(now.st)] {
			continue
		}
		done[key(now.st)] = true
		if sim.IsGoal(now.st) {
			return task.CostBase.Add(task.CostUnit.Mul(pddl.Int(now.cost))), true
		}
		for _, op := range sim.Applicable(now.st, nil) {
			step := task.OperatorName(op)
			if matchesAny(forbidden, step) {
				continue
			}
			next, c, err := sim.Apply(now.st, step)
			if err != nil {
				t.Fatal(err)
			}
			if !done[key(next)] {
				queue = append(queue, open{next, now.cost + c})
			}
		}
	}
	return pddl.Number{}, false
}

func matchesAny(forbidden []domains.Forbidden, step string) bool {
	w := strings.Fields(strings.Trim(strings.ToLower(step), "()"))
	return slices.ContainsFunc(forbidden, func(f domains.Forbidden) bool { return f.Matches(w[0], w[1:]) })
}

// TestRestrictedOptimum: the optimal cost of a restricted task, and whether there is a
// plan at all, are those of the plans of the unrestricted task that do nothing forbidden.
func TestRestrictedOptimum(t *testing.T) {
	for _, name := range []string{"blocksworld:3-77", "gripper:2", "logistics:1-3-1-1", "elevator:3-2-1-1", "powergrid:4-1-1-1"} {
		p := bundled(t, name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var forbidden []domains.Forbidden
				for range rapid.IntRange(1, 4).Draw(t, "n") {
					a := p.Domain.Actions[rapid.IntRange(0, len(p.Domain.Actions)-1).Draw(t, "action")]
					f := domains.Forbidden{Action: strings.ToLower(a.Name)}
					for _, v := range a.Vars[:a.NumParams] {
						objs := p.ObjectsOfType(v.Type)
						if k := rapid.IntRange(-1, len(objs)-1).Draw(t, "object"); k >= 0 {
							f.Args = append(f.Args, strings.ToLower(p.Objects[objs[k]].Name))
						} else {
							f.Args = append(f.Args, domains.AnyObject)
						}
					}
					forbidden = append(forbidden, f)
				}
				q, err := domains.Restrict(p, forbidden)
				if err != nil {
					t.Fatal(err)
				}
				want, solvable := filtered(t, p, forbidden)
				task, err := grounder.Ground(context.Background(), q, grounder.Options{})
				if err != nil {
					t.Fatal(err)
				}
				r, err := search.Run(context.Background(), task, search.Config{})
				if err != nil {
					t.Fatal(err)
				}
				if !solvable {
					if r.Status != search.Unsolvable {
						t.Fatalf("%v: %s, but no plan is left", forbidden, r.Status)
					}
					return
				}
				got := task.CostBase.Add(task.CostUnit.Mul(pddl.Int(r.Cost)))
				if r.Status != search.SolvedOptimally || !got.Equal(want) {
					t.Fatalf("%v: %s at cost %s, want %s", forbidden, r.Status, got, want)
				}
			})
		})
	}
}

// TestSampleRestrictions: what is drawn binds and leaves the task solvable, is the same
// for the same seed, and the plan is a cheapest one.
func TestSampleRestrictions(t *testing.T) {
	drawn := map[string]bool{}
	for _, name := range []string{"blocksworld:4-17", "gripper:2", "logistics:2-2-1-1", "elevator:3-2-1-1", "powergrid:5-1-2-1"} {
		p := bundled(t, name)
		for seed := range uint64(6) {
			o := dataset.RestrictOptions{Count: 1 + int(seed)%2, Seed: seed, Patterns: seed%3 == 0, Dearer: seed == 4}
			got, err := dataset.SampleRestrictions(context.Background(), p, o)
			if errors.Is(err, dataset.ErrNoRestriction) {
				continue
			}
			if err != nil {
				t.Fatalf("%s, %d: %v", name, seed, err)
			}
			if len(got.Forbidden) != o.Count || len(domains.Restrictions(got.Problem)) != o.Count {
				t.Fatalf("%s, %d: drew %v", name, seed, got.Forbidden)
			}
			drawn[name+got.Forbidden[0].String()] = true
			judge, err := validator.NewJudge(got.Problem, validator.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ok, _ := judge.ValidateText(pddl.NewSource("plan", strings.Join(got.Plan, "\n")), judge.NewScratch())
			broken, _ := judge.ValidateText(pddl.NewSource("plan", strings.Join(got.FreePlan, "\n")), judge.NewScratch())
			if !ok.Valid || broken.Valid || !slices.ContainsFunc(got.FreePlan, func(s string) bool { return matchesAny(got.Forbidden[:1], s) }) {
				t.Errorf("%s, %d: %v does not bind", name, seed, got.Forbidden)
			}
			want, solvable := filtered(t, p, got.Forbidden)
			if !solvable || !want.Equal(got.Cost) || o.Dearer && got.Cost.Cmp(got.FreeCost) <= 0 {
				t.Errorf("%s, %d: cost %s with %v, want %s", name, seed, got.Cost, got.Forbidden, want)
			}
			again, err := dataset.SampleRestrictions(context.Background(), p, o)
			if err != nil || again.Problem.String() != got.Problem.String() || again.Problem.Domain.String() != got.Problem.Domain.String() {
				t.Errorf("%s, %d: drawn twice, differently", name, seed)
			}
		}
	}
	if len(drawn) < 12 {
		t.Errorf("only %d different first restrictions: %v", len(drawn), drawn)
	}
}

// TestSampleRestrictionsOfNone: tasks that cannot be restricted, and limits, have errors of
// their own.
func TestSampleRestrictionsOfNone(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		o    dataset.RestrictOptions
		want error
	}{
		// Three blocks leave no room: of every plan to a complete goal each step is needed.
		{"blocksworld:3-77", dataset.RestrictOptions{Patterns: true}, dataset.ErrNoRestriction},
		{"blocksworld:7-123", dataset.RestrictOptions{Search: search.Limits{Nodes: 2}}, dataset.ErrRestrictLimit},
	} {
		if _, err := dataset.SampleRestrictions(ctx, bundled(t, c.name), c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	p := bundled(t, "blocksworld:3-77")
	list, _ := domains.ParseForbidden(pddl.NewSource("f", "(pick-up ?) (unstack ? ?)"), p)
	stuck, err := domains.Restrict(p, list)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.SampleRestrictions(ctx, stuck, dataset.RestrictOptions{}); !errors.Is(err, dataset.ErrRestrictTask) {
		t.Error(err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := dataset.SampleRestrictions(stopped, p, dataset.RestrictOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := dataset.SampleRestrictions(ctx, p, dataset.RestrictOptions{Count: 5000}); err == nil {
		t.Error("5000 restrictions are drawn")
	}
}
