package domains

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

var errandKinds = []string{"household", "office", "robots", "trip"}

func readErrand(t *testing.T, name string) *pddl.Problem {
	t.Helper()
	d, p, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	dom, diags := pddl.ParseDomain(d, pddl.Options{})
	if diags.HasErrors() {
		t.Fatalf("%s: %v", name, diags)
	}
	prob, diags := pddl.ParseProblem(p, dom, pddl.Options{})
	if diags.HasErrors() {
		t.Fatalf("%s: %v", name, diags)
	}
	return prob
}

// TestErrandWords: every tool of a world has a cost and attributes of its domain, every job follows another or is a
// shortcut, and every name is in the templates.
func TestErrandWords(t *testing.T) {
	for _, world := range errandKinds {
		w := errandWorld(world)
		dom := readErrand(t, world).Domain
		e := &errands{words: w}
		names := slices.Concat(w.Places, w.Extras)
		for _, f := range w.Families {
			names = append(names, f.Things...)
			for _, j := range f.Jobs {
				for _, tool := range j.Tools {
					names = append(names, tool)
					if w.Tools[tool] == "" {
						t.Fatalf("%s: %s has no attributes", world, tool)
					}
					list, cost := e.attributes(tool)
					for _, a := range list {
						if _, ok := dom.PredicateByName(a); !ok {
							t.Errorf("%s: %s is %s, which the domain does not know", world, tool, a)
						}
					}
					if cost < 1 {
						t.Errorf("%s: %s costs %d", world, tool, cost)
					}
				}
			}
		}
		for _, suffix := range []string{"", "_second", "_third"} {
			tp := templatesNamed(world + suffix)
			if tp == nil {
				t.Fatalf("%s%s: no templates", world, suffix)
			}
			for _, n := range names {
				if _, ok := tp.Objects[0].NameOf(n); !ok && world != "trip" {
					t.Errorf("%s%s does not name %s", world, suffix, n)
				}
			}
		}
	}
}

// TestErrandParaphrases: the three wordings of a world tell different sentences, of the same facts and actions.
func TestErrandParaphrases(t *testing.T) {
	for _, world := range errandKinds {
		first := templatesNamed(world)
		for _, suffix := range []string{"_second", "_third"} {
			other := templatesNamed(world + suffix)
			if len(other.Facts) != len(first.Facts) || len(other.Actions) != len(first.Actions) || other.Intro == first.Intro {
				t.Errorf("%s%s: %d facts, %d actions", world, suffix, len(other.Facts), len(other.Actions))
			}
			same := 0
			for name, a := range other.Actions {
				if first.Actions[name].Say == a.Say {
					same++
				}
			}
			if same > 0 {
				t.Errorf("%s%s: %d actions have the same sentence", world, suffix, same)
			}
		}
	}
}

// TestErrandsInRange: every number of things and tools gives a task that reads, with as many goals as things at least.
func TestErrandsInRange(t *testing.T) {
	for _, world := range errandKinds {
		for things := 1; things <= maxErrandThings; things++ {
			for _, tools := range []int{1, 3, 6} {
				for seed := 1; seed <= 3; seed++ {
					name := fmt.Sprintf("%s:%d-%d-%d", world, things, tools, seed)
					text := readErrand(t, name).String()
					_, goal, _ := strings.Cut(text, "(:goal")
					if strings.Count(goal, "(is ") != things {
						t.Errorf("%s: %s", name, goal)
					}
				}
			}
		}
	}
}
