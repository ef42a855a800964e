package domains

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/pddl"
	"pgregory.net/rapid"
)

// TestInvented reads and solves invented tasks: 20 domains, with PLANPROOF_LONG 1,000.
func TestInvented(t *testing.T) {
	each := 4 // of each shape
	if os.Getenv("PLANPROOF_LONG") != "" {
		each = 200
	}
	lengths := map[int]int{}
	for shape := shapeChain; shape <= shapeMixed; shape++ {
		for domain := 1; domain <= each; domain++ {
			name := fmt.Sprintf("invented:%d-%d-%d-2-1", 3+domain%4, shape, 1+domain/4)
			d, p, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			dom, ds := pddl.ParseDomain(d, pddl.Options{Strict: true})
			if dom == nil || len(ds) > 0 {
				t.Fatalf("%s: %v\n%s", name, ds, d.Text)
			}
			if prob, ds := pddl.ParseProblem(p, dom, pddl.Options{Strict: true}); prob == nil || len(ds) > 0 {
				t.Fatalf("%s: %v\n%s", name, ds, p.Text)
			}
			sol, ok := naive.New(d.Text, p.Text).Solve(200_000)
			if !ok || len(sol.Plan) == 0 {
				t.Errorf("%s: solvable %v, plan %v", name, ok, sol.Plan)
			}
			lengths[len(sol.Plan)]++
		}
	}
	if len(lengths) < 4 {
		t.Errorf("the tasks hardly differ in length: %v", lengths)
	}
}

// TestInventedGoals: no goal is empty or holds already, also where a walk leads nowhere.
func TestInventedGoals(t *testing.T) {
	for domain := 1; domain <= 100; domain++ {
		for seed := 1; seed <= 4; seed++ {
			_, p, err := Load(fmt.Sprintf("invented:4-%d-%d-1-%d", 1+domain%5, domain, seed))
			if err != nil {
				t.Fatal(err)
			}
			begin, goal, ok := strings.Cut(p.Text, "(:goal (and")
			atom := strings.TrimSpace(strings.Split(goal, "\n")[1])
			if atom = strings.TrimRight(atom, ")") + ")"; !ok || strings.Count(goal, "(") == 0 || strings.Contains(begin, atom) {
				t.Errorf("%s: the first goal %s:\n%s", p.Name, atom, p.Text)
			}
		}
	}
}

// TestInventedShapes holds what the actions of written domains ask for against the shape.
func TestInventedShapes(t *testing.T) {
	for domain := 1; domain <= 50; domain++ {
		for shape, fits := range map[int]func(i, j, n int) bool{
			shapeChain: func(i, j, _ int) bool { return j == i-1 },
			shapeFork:  func(i, j, _ int) bool { return j == 0 },
			shapeJoin:  func(i, j, n int) bool { return i == n-1 },
			shapeCycle: func(i, j, n int) bool { return j == (i+n-1)%n || i == (j+n-1)%n },
		} {
			v := inventedOf([]int{8, shape, domain})
			dom, _ := pddl.ParseDomain(&pddl.Source{Text: v.domainText()}, pddl.Options{})
			family := map[string]int{} // by predicate
			for i, f := range v.families {
				for _, p := range f.stages {
					family[v.preds[p].name] = i
				}
			}
			for k, a := range dom.Actions {
				own := slices.IndexFunc(v.families, func(f inventedFamily) bool { return slices.Contains(f.actions, k) })
				asks := false
				for _, c := range a.Precondition.Children {
					j, fluent := family[dom.Predicates[c.Pred].Name]
					if !fluent || j == own {
						continue
					}
					if asks = true; !fits(own, j, len(v.families)) {
						t.Errorf("shape %d, domain %d: family %d asks for %d", shape, domain, own, j)
					}
				}
				if parents := len(v.families[own].parents) > 0; asks != parents {
					t.Errorf("shape %d, domain %d: %s asks for another family: %v, and has parents: %v", shape, domain, a.Name, asks, parents)
				}
			}
		}
	}
}

// TestInventedAcrossShapes: of 1,000 domains of all shapes and several sizes no two are isomorphic.
func TestInventedAcrossShapes(t *testing.T) {
	seen := map[uint64][]int{}
	for actions := 4; actions <= 7; actions++ {
		for shape := shapeChain; shape <= shapeMixed; shape++ {
			for domain := 1; domain <= 50; domain++ {
				params := []int{actions, shape, domain}
				v, have := inventedDomainOf(params)
				if v == nil {
					t.Fatalf("%v: there are only %d", params, have)
				}
				d := v.structure()
				if old := seen[d]; old != nil {
					t.Errorf("%v and %v are isomorphic", old, params)
				}
				seen[d] = params
			}
		}
	}
}

// TestInventedStructure: names and the order in which things are written play no part in the
// structure, so domains with different ones are not isomorphic.
func TestInventedStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := []int{rapid.IntRange(4, 9).Draw(t, "actions"), rapid.IntRange(1, 5).Draw(t, "shape"), rapid.IntRange(1, 20).Draw(t, "domain")}
		v := inventedOf(params)
		want := v.structure()
		other := inventedOf([]int{params[0], params[1], params[2] + 1})
		if other.structure() == want {
			t.Fatal("two domains of one structure")
		}
		types := rapid.Permutation(numbers(len(v.types))).Draw(t, "types")
		preds := rapid.Permutation(numbers(len(v.preds))).Draw(t, "predicates")
		shuffled := &invention{types: make([]string, len(types)), preds: make([]inventedPredicate, len(preds))}
		for i, p := range v.preds {
			p.name = "" // names are none of its business
			p.types = renumbered(p.types, types)
			shuffled.preds[preds[i]] = p
		}
		for _, k := range rapid.Permutation(numbers(len(v.actions))).Draw(t, "actions") {
			a := v.actions[k]
			order := rapid.Permutation(numbers(len(a.params))).Draw(t, "parameters")
			b := inventedAction{params: make([]int, len(order))}
			for i, typ := range a.params {
				b.params[order[i]] = types[typ]
			}
			for from, to := range map[*[]inventedLiteral]*[]inventedLiteral{&a.pre: &b.pre, &a.add: &b.add, &a.del: &b.del} {
				for _, l := range *from {
					*to = slices.Insert(*to, 0, inventedLiteral{preds[l.pred], renumbered(l.args, order)})
				}
			}
			shuffled.actions = append(shuffled.actions, b)
		}
		if got := shuffled.structure(); got != want {
			t.Fatalf("%x under other names, %x before", got, want)
		}
	})
}

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func renumbered(xs, to []int) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = to[x]
	}
	return out
}

// TestInventedRefuses: small sizes have few domains, and the error says how many.
func TestInventedRefuses(t *testing.T) {
	_, _, err := Load("invented:2-1-10000-2-1")
	if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "there are 9 invented domains") {
		t.Errorf("domain 10,000 of 9: %v", err)
	}
	if _, err := Generate("invented", GenerateOptions{Params: map[string]int{"actions": 2, "shape": 1, "domain": 10}}); !errors.Is(err, ErrParameter) {
		t.Errorf("domain 10 of 9: %v", err)
	}
	a, _, _ := Load("invented:5-5-3-2-1")
	b, _, _ := Load("invented:5-5-3-4-9")
	if a.Text != b.Text || a.Name != b.Name {
		t.Error("tasks of one domain have two")
	}
}

func BenchmarkInvented(b *testing.B) {
	for i := range b.N {
		if _, _, err := Load(fmt.Sprintf("invented:6-5-%d-4-%d", 1+i%200, 1+i)); err != nil {
			b.Fatal(err)
		}
	}
}
