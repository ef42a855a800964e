package prompt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"pgregory.net/rapid"
)

// planbenchProblems returns a problem of each domain of the PlanBench corpus.
func planbenchProblems(t testing.TB) map[string]*pddl.Problem {
	t.Helper()
	out := map[string]*pddl.Problem{}
	dirs, _ := filepath.Glob(filepath.Join(testkit.Shared(t, "data", "planbench"), "pddl", "*"))
	for _, dir := range dirs {
		dom, err := os.ReadFile(filepath.Join(dir, "domain.pddl"))
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*.pddl"))
		if strings.HasSuffix(dir, "_3") || strings.HasSuffix(dir, "_hard") || strings.HasPrefix(filepath.Base(dir), "unsolvable") {
			continue // the same domain again
		}
		for _, f := range files[:1] {
			prob, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, out[filepath.Base(dir)+"/"+filepath.Base(f)] = pddltest.Parse(t, string(dom), string(prob))
		}
	}
	return out
}

// roundTripTasks are the problems of the round-trip properties.
func roundTripTasks(t testing.TB) map[string]*pddl.Problem {
	tasks := map[string]*pddl.Problem{}
	for _, n := range pddltest.Bundled {
		tasks[n] = pddltest.Load(t, n)
	}
	_, tasks["deceptive logistics"] = pddltest.Parse(t, pddltest.DeceptiveDomain, pddltest.DeceptiveProblem)
	_, tasks["whole depots"] = pddltest.Parse(t, pddltest.WholeDepots, pddltest.WholeDepotsProblem)
	for name, k := range pddltest.Tasks {
		if name != "timed" {
			_, tasks[name] = pddltest.Parse(t, k[0], k[1])
		}
	}
	if _, err := os.Stat(filepath.Join(testkit.Root(), "..", "shared")); err == nil || os.Getenv("PLANPROOF_SHARED") != "" {
		for n, p := range planbenchProblems(t) {
			tasks[n] = p
		}
	}
	return tasks
}

// randomFacts draws any set of well-typed atoms that texts tell, reachable or not.
func randomFacts(t *rapid.T, s *extract.StateReader, prob *pddl.Problem) []string {
	facts := slices.Clone(s.Unsaid())
	for range rapid.IntRange(0, 12).Draw(t, "facts") {
		p := rapid.IntRange(0, len(prob.Domain.Predicates)-1).Draw(t, "predicate")
		args, ok := randomArgs(t, prob, prob.Domain.Predicates[p].Params)
		if !ok {
			continue
		}
		if f := strings.ToLower(prob.FormatAtom(pddl.PredicateID(p), args)); s.Says(f) {
			facts = append(facts, f)
		}
	}
	atomtext.Sort(facts)
	return slices.Compact(facts)
}

func randomArgs(t *rapid.T, prob *pddl.Problem, params []pddl.Variable) ([]pddl.ObjectID, bool) {
	args := make([]pddl.ObjectID, len(params))
	for i, v := range params {
		objs := prob.ObjectsOfType(v.Type)
		if len(objs) == 0 {
			return nil, false
		}
		args[i] = objs[rapid.IntRange(0, len(objs)-1).Draw(t, "argument")]
	}
	return args, true
}

// TestStateRoundTrip: what is told about a state is read as that state, for any set
// of facts of any of the domains, with and without templates, in a sentence and as
// a list.
func TestStateRoundTrip(t *testing.T) {
	for name, prob := range roundTripTasks(t) {
		for _, templates := range []string{"", NoTemplates} {
			r, _ := NewRenderer(prob, templates)
			t.Run(name+"/"+templates, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					facts := randomFacts(t, r.StateReader(), prob)
					text := r.State(facts)
					if text == "" {
						return
					}
					var list strings.Builder
					for _, f := range facts {
						if s := r.Fact(f); s != "" {
							list.WriteString("- " + strings.ToUpper(s[:1]) + s[1:] + ".\n")
						}
					}
					for _, s := range []string{text, "As initial conditions I have that, " + text + ".", "[RESULTING STATE]\n" + text + "\n", "**Final state:**\n\n" + list.String()} {
						x := r.StateReader().Read(s)
						if !slices.Equal(x.Facts, facts) || len(x.Unread)+len(x.Denied) > 0 {
							t.Fatalf("%s\nread as\n%v (unread %q, denied %q)\nwant\n%v", s, x.Facts, x.Unread, x.Denied, facts)
						}
						if z := r.StateReader().Score(&x, facts); !z.Exact || z.Precision != 1 || z.Recall != 1 {
							t.Fatalf("score %+v", z)
						}
					}
				})
			})
		}
	}
}

// TestPlanRoundTrip: what is told about a plan is read as that plan.
func TestPlanRoundTrip(t *testing.T) {
	for name, prob := range roundTripTasks(t) {
		for _, templates := range []string{"", NoTemplates} {
			r, _ := NewRenderer(prob, templates)
			t.Run(name+"/"+templates, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					var plan []string
					for range rapid.IntRange(0, 8).Draw(t, "steps") {
						a := prob.Domain.Actions[rapid.IntRange(0, len(prob.Domain.Actions)-1).Draw(t, "action")]
						if args, ok := randomArgs(t, prob, a.Vars[:a.NumParams]); ok {
							step := "(" + strings.ToLower(a.Name)
							for _, o := range args {
								step += " " + strings.ToLower(prob.Objects[o].Name)
							}
							plan = append(plan, step+")")
						}
					}
					text := r.Plan(plan)
					for _, s := range []string{"[PLAN]\n" + text + "[PLAN END]\n", text + "[PLAN END]\n"} {
						x := r.PlanReader().Extract(s)
						if x.Status != extract.StatusPlan || len(x.Malformed) > 0 || !slices.Equal(x.Plan, plan) {
							t.Fatalf("%s\nread as %s %v, malformed %v\nwant %v", s, x.Status, x.Plan, x.Malformed, plan)
						}
					}
				})
			})
		}
	}
}
