package lifted

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// layers returns the number of states at each distance from the initial state, in steps; nil if there are more than most.
func layers(t testing.TB, p *pddl.Problem, most int) (out []int64) {
	t.Helper()
	task, diags := newTask(p, unlimited())
	if task == nil {
		t.Fatal(diags)
	}
	task.same, task.literals, task.hopeless = 1, nil, false // breadth first, and never at the goal
	task.rest = []*cond{{kind: condOr}}
	e := newEngine(task, search.Limits{})
	e.look = func() bool { return e.states.n > most }
	depth := []int32{0}
	step := e.step
	e.step = func(a *action, cost int64) bool {
		stop := step(a, 1)
		for len(depth) < e.states.n {
			depth = append(depth, depth[e.id]+1)
		}
		return stop
	}
	if e.search(); e.end == nil {
		return nil
	}
	for _, d := range depth {
		for int(d) >= len(out) {
			out = append(out, 0)
		}
		out[d]++
	}
	return out
}

// agree compares lifted search with grounded blind search: status, cost, and the number of states of each layer where
// there are at most most. It reports whether the states were compared.
func agree(t testing.TB, p *pddl.Problem, most int) bool {
	t.Helper()
	ctx := context.Background()
	ground, err := grounder.Ground(ctx, p, grounder.Options{KeepIrrelevant: true})
	if err != nil {
		t.Fatal(err)
	}
	lim := search.Limits{Nodes: int64(most)}
	want, err := search.Run(ctx, ground, search.Config{Search: "ucs()", Limits: lim})
	if err != nil {
		t.Fatal(err)
	}
	if want.Status == search.Nodeout {
		return false
	}
	got, own, err := Run(ctx, p, search.Limits{Nodes: 10 * int64(most)}, nil)
	if err == nil && got.Status == search.Nodeout && want.Status == search.Unsolvable {
		return false // grounding may show that without a search
	}
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != want.Status {
		t.Fatalf("%s: %s, want %s", p.Name, got.Status, want.Status)
	}
	if got.Status == search.SolvedOptimally {
		if a, b := own.PlanCost(got.Cost), ground.PlanCost(want.Cost); !a.Equal(b) || !a.Equal(judged(t, p, own, got)) {
			t.Fatalf("%s: cost %s, want %s", p.Name, a, b)
		}
	}
	table, err := space.Exhaust(ctx, ground, search.Limits{Nodes: int64(most)})
	if err != nil {
		return false
	}
	have := layers(t, p, 2*most)
	if per := table.Summary().PerDepth; len(per) != len(have) {
		t.Fatalf("%s: layers %v, want %v", p.Name, have, per)
	} else {
		for i, n := range per {
			if have[i] != n {
				t.Fatalf("%s: layers %v, want %v", p.Name, have, per)
			}
		}
	}
	return true
}

// judged has the judge execute the plan, and returns its cost.
func judged(t testing.TB, p *pddl.Problem, own *grounder.Task, r *search.Result) pddl.Number {
	t.Helper()
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, op := range r.Plan {
		text += own.OperatorName(op) + "\n"
	}
	v, _ := judge.ValidateText(pddl.NewSource("plan", text), judge.NewScratch())
	if !v.Valid {
		t.Fatalf("%s: %+v\n%s", p.Name, v.Failure, text)
	}
	return v.Cost
}

func TestBundled(t *testing.T) {
	for _, name := range pddltest.Bundled {
		t.Run(name, func(t *testing.T) {
			p := pddltest.Load(t, name)
			if len(p.Domain.Axioms) > 0 {
				_, _, err := Run(t.Context(), p, search.Limits{}, nil)
				var diags pddl.Diagnostics
				if !errors.As(err, &diags) || diags[0].Code != UnsupportedAxioms || diags[0].Pos != p.Domain.Axioms[0].Pos {
					t.Fatal(err)
				}
				return
			}
			if !agree(t, p, 20000) {
				t.Error("too large to compare")
			}
		})
	}
}

// TestCorpus compares with grounded search on the smallest tasks of all domains of the benchmarks that lifted search supports.
func TestCorpus(t *testing.T) {
	most, each := 2000, 1
	if !testing.Short() {
		most, each = 20000, 4
	}
	dirs, err := filepath.Glob(filepath.Join(testkit.Shared(t, "data", "bench"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	compared, refused := 0, 0
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.pddl"))
		slices.SortStableFunc(files, func(a, b string) int { return int(size(t, a) - size(t, b)) })
		tried := 0
		for _, file := range files {
			domain := domainOf(file)
			if domain == "" || tried == each || size(t, file) > 20000 {
				continue
			}
			p := readFiles(t, domain, file)
			if task, _ := newTask(p, unlimited()); task == nil {
				refused++
				break
			}
			if tried++; agree(t, p, most) {
				compared++
			}
		}
	}
	t.Logf("%d tasks compared with their layers, %d domains refused", compared, refused)
	if compared < 20 {
		t.Errorf("only %d tasks compared", compared)
	}
}

func size(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// domainOf returns the domain of a problem file of the benchmarks, "" of a file that is a domain.
func domainOf(file string) string {
	dir, name := filepath.Split(file)
	if strings.Contains(name, "domain") {
		return ""
	}
	number, _, _ := strings.Cut(strings.TrimSuffix(name, ".pddl"), "-")
	for _, d := range []string{"domain.pddl", "domain-" + name, number + "-domain.pddl"} {
		if _, err := os.Stat(dir + d); err == nil {
			return dir + d
		}
	}
	return ""
}

func readFiles(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	var texts [2]string
	for i, name := range []string{domain, problem} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	_, p := pddltest.Parse(t, texts[0], texts[1])
	return p
}
