package constraints

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

func load(t testing.TB, name string) *pddl.Problem {
	d, p, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	prob, err := read(d.Text, p.Text)
	if err != nil {
		t.Fatal(err)
	}
	return prob
}

func parse(t testing.TB, prob *pddl.Problem, text string) []Constraint {
	list, diags := Parse(pddl.NewSource("c", text), prob)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return list
}

// course is the states and steps of a plan, for judging by definition.
type course struct {
	states []map[string]bool // from the initial one
	steps  []string
}

func (c *course) count(match func(string) bool, until int) (n int) {
	for _, s := range c.steps[:min(until, len(c.steps))] {
		if match(s) {
			n++
		}
	}
	return n
}

func (c *course) ever(f string, until int) bool {
	return slices.ContainsFunc(c.states[:until], func(s map[string]bool) bool { return s[f] })
}

func starts(prefix string) func(string) bool {
	return func(s string) bool { return strings.HasPrefix(s, prefix) }
}

// definitions judge constraints by their definitions.
var definitions = map[string]func(*course) bool{
	"(always (not (on a b)))": func(c *course) bool { return !c.ever("(on a b)", len(c.states)) },
	"(sometime (holding c))":  func(c *course) bool { return c.ever("(holding c)", len(c.states)) },
	"(at-most-once (clear b))": func(c *course) bool {
		begins, before := 0, false
		for _, s := range c.states {
			if s["(clear b)"] && !before {
				begins++
			}
			before = s["(clear b)"]
		}
		return begins <= 1
	},
	"(sometime-before (holding a) (holding c))": func(c *course) bool {
		for i, s := range c.states {
			if s["(holding a)"] && !c.ever("(holding c)", i) {
				return false
			}
		}
		return true
	},
	"(sometime-after (holding a) (clear c))": func(c *course) bool {
		for i, s := range c.states {
			if s["(holding a)"] && !slices.ContainsFunc(c.states[i:], func(s map[string]bool) bool { return s["(clear c)"] }) {
				return false
			}
		}
		return true
	},
	"(at-end (handempty))":    func(c *course) bool { return c.states[len(c.states)-1]["(handempty)"] },
	"(forbidden (stack a ?))": func(c *course) bool { return c.count(starts("(stack a "), 99) == 0 },
	"(missing b)": func(c *course) bool {
		return c.count(func(s string) bool { return strings.Contains(s, " b") }, 99) == 0
	},
	"(unavailable put-down)":    func(c *course) bool { return c.count(starts("(put-down "), 99) == 0 },
	"(at-most 1 (pick-up ?))":   func(c *course) bool { return c.count(starts("(pick-up "), 99) <= 1 },
	"(at-most 0 (pick-up a))":   func(c *course) bool { return c.count(starts("(pick-up a)"), 99) == 0 },
	"(at-least 2 (put-down ?))": func(c *course) bool { return c.count(starts("(put-down "), 99) >= 2 },
	"(cost-limit 7/2)":          func(c *course) bool { return len(c.steps) <= 3 },
	"(within 3)":                func(c *course) bool { return len(c.steps) <= 3 },
	"(within 2 (put-down ?))":   func(c *course) bool { return c.count(starts("(put-down "), 2) > 0 },
	"(before (put-down ?) (stack ? ?))": func(c *course) bool {
		for i, s := range c.steps {
			if strings.HasPrefix(s, "(stack ") && c.count(starts("(put-down "), i) == 0 {
				return false
			}
		}
		return true
	},
	"(capacity 1 (on-table ?))": func(c *course) bool {
		for _, s := range c.states {
			n := 0
			for f := range s {
				if strings.HasPrefix(f, "(on-table ") {
					n++
				}
			}
			if n > 1 {
				return false
			}
		}
		return true
	},
}

// TestDefinitions walks at random, and compares the compiled judge and the compiled task with the definitions.
func TestDefinitions(t *testing.T) {
	walks := 60
	if testing.Short() {
		walks = 25
	}
	for _, name := range []string{"blocksworld:3-5", "blocksworld:3-77", "blocksworld:3-123"} {
		prob := load(t, name)
		free, err := withGoal(prob, "(and)")
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.New(t.Context(), free, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		predicate := "ontable"
		if _, ok := prob.Domain.PredicateByName("on-table"); ok {
			predicate = "on-table"
		}
		for text, holds := range definitions {
			list := parse(t, prob, strings.Replace(text, "on-table", predicate, 1))
			j, err := NewJudge(prob, list)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			compiled, err := Compile(free, list)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			yes := 0
			for seed := range uint64(walks) {
				rng := rand.New(rand.NewPCG(seed, 7))
				_, steps := w.Walk(w.Sim.Initial(), rng.IntN(9), rng)
				c := &course{steps: steps}
				for i := range len(steps) + 1 {
					st, err := w.After(steps[:i])
					if err != nil {
						t.Fatal(err)
					}
					facts := map[string]bool{}
					for _, f := range w.Facts(st) {
						facts[strings.Replace(f, "(ontable ", "(on-table ", 1)] = true
					}
					c.states = append(c.states, facts)
				}
				want := holds(c)
				if want {
					yes++
				}
				violations, err := j.Violations(pddl.NewSource("plan", strings.Join(steps, "\n")))
				if err != nil || (len(violations) == 0) != want {
					t.Fatalf("%s, %s: %v, %v, by definition %v\n%s", name, text, violations, err, want, strings.Join(steps, "\n"))
				}
				v, err := world.Judge(compiled, steps)
				if err != nil || v.Valid != want {
					t.Fatalf("%s, %s: %+v, %v, by definition %v", name, text, v, err, want)
				}
			}
			if yes == walks && strings.HasPrefix(text, "(sometime ") {
				t.Errorf("%s: always so", text)
			}
		}
	}
}

// TestOptimum: the optimum under constraints is that of all plans that keep them, found by going through all short ones.
func TestOptimum(t *testing.T) {
	prob := load(t, "blocksworld:3-5")
	base, err := pipeline.Solve(t.Context(), prob, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"(at-most 1 (pick-up ?))", "(within 5)", "(sometime (holding c)) (always (not (on a b)))", "(before (put-down ?) (stack ? ?))", "(within 1)"} {
		list := parse(t, prob, text)
		compiled, err := Compile(prob, list)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := pipeline.Solve(t.Context(), compiled, pipeline.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := shortest(t, prob, list, 8)
		if want < 0 && got.Verdict != nil || want >= 0 && (got.Verdict == nil || got.Verdict.Steps != want) {
			t.Errorf("%s: %+v, by enumeration %d steps (without constraints %d)", text, got.Verdict, want, base.Verdict.Steps)
		}
	}
}

// shortest is the least number of steps of a plan that keeps the constraints, -1 for none of up to most steps.
func shortest(t *testing.T, prob *pddl.Problem, list []Constraint, most int) int {
	j, err := NewJudge(prob, list)
	if err != nil {
		t.Fatal(err)
	}
	goal, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(t.Context(), prob, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	layer := [][]string{nil}
	for n := 0; n <= most; n++ {
		var next [][]string
		for _, steps := range layer {
			src := pddl.NewSource("plan", strings.Join(steps, "\n"))
			plan, _ := pddl.ParsePlan(src)
			if goal.Validate(plan).Valid {
				if v, err := j.Violations(src); err == nil && len(v) == 0 {
					return n
				}
			}
			st, err := w.After(steps)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range w.Sim.Applicable(st, nil) {
				next = append(next, append(slices.Clone(steps), w.Task.OperatorName(id)))
			}
		}
		layer = next
	}
	return -1
}

// TestWorldAndAttributes: bans on objects with an attribute, and other initial facts, in a task with types.
func TestWorldAndAttributes(t *testing.T) {
	prob, err := read(`(define (domain kitchen) (:requirements :strips :typing) (:types tool food)
  (:predicates (sharp ?t - tool) (cut ?f - food) (clean ?t - tool))
  (:action cut :parameters (?t - tool ?f - food) :precondition (clean ?t) :effect (and (cut ?f) (not (clean ?t)))))`,
		`(define (problem p) (:domain kitchen) (:objects knife spoon - tool apple pear - food) (:init (sharp knife) (clean knife) (clean spoon))
  (:goal (and (cut apple) (cut pear))))`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"": true, "(avoid sharp)": false, "(missing spoon)": false, "(initially (not (clean knife)))": false, "(initially (clean knife))": true,
		"(capacity 0 (clean ?))": false, "(capacity 1 (cut ?))": false, "(capacity 2 (cut ?))": true,
		"(sometime-before (cut apple) (cut pear))": true, "(always (or (clean knife) (cut pear)))": true, "(at-end (forall (?t - tool) (not (clean ?t))))": true,
	} {
		p, err := Compile(prob, parse(t, prob, text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := pipeline.Solve(t.Context(), p, pipeline.Options{})
		if err != nil || (got.Verdict != nil) != want {
			t.Errorf("%q: %+v, %v, want a plan: %v", text, got, err, want)
		}
		if again, err := Compile(p, parse(t, p, "(within 2)")); err != nil {
			t.Errorf("%q, compiled twice: %v", text, err)
		} else if got, err := pipeline.Solve(t.Context(), again, pipeline.Options{}); err != nil || (got.Verdict != nil) != want {
			t.Errorf("%q, compiled twice: %+v, %v", text, got, err)
		}
	}
	j, err := NewJudge(prob, parse(t, prob, "(avoid sharp) (missing pear) (cost-limit 1) (at-end (clean spoon)) (always (clean spoon)) (always (clean knife)) (always (cut pear))"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := j.Violations(pddl.NewSource("plan", "(cut spoon apple)\n(cut knife pear)"))
	var said []string
	for i := range list {
		said = append(said, list[i].String())
	}
	want := []string{"step 2 (cut knife pear): Use nothing that is sharp.", "step 2 (cut knife pear): There is no pear.", "step 2 (cut knife pear): Spend at most 1.", "at the end: In the end it holds that (clean spoon).",
		"step 1 (cut spoon apple): It always holds that (clean spoon).", "step 2 (cut knife pear): It always holds that (clean knife).", "from the beginning: It always holds that (cut pear)."}
	if err != nil || !slices.Equal(said, want) {
		t.Errorf("%v, %q", err, said)
	}
}

func TestSentences(t *testing.T) {
	prob := load(t, "blocksworld:3-5")
	var all []string
	for text := range definitions {
		all = append(all, text)
	}
	all = append(all, "(cost-limit 20)", "(initially (on a b))", "(initially (not (clear a)))", "(within 4 (stack a b))")
	for _, text := range all {
		if _, ok := prob.Domain.PredicateByName("on-table"); !ok {
			text = strings.ReplaceAll(text, "on-table", "ontable")
		}
		c := parse(t, prob, text)[0]
		again, err := ReadSentences(pddl.NewSource("s", c.Sentence()), prob)
		if err != nil || len(again) != 1 || again[0].String() != c.String() || c.String() != text {
			t.Errorf("%s becomes the sentence %q, which is read as %v, %v", text, c.Sentence(), again, err)
		}
	}
	if _, err := ReadSentences(pddl.NewSource("s", "\nBe quick."), prob); err == nil || !strings.Contains(err.Error(), "s:2") {
		t.Errorf("%v", err)
	}
}

func TestFaults(t *testing.T) {
	prob := load(t, "blocksworld:3-5")
	for text, want := range map[string]string{
		"(alway (clear a))":        "c:1:2: error[unknown-constraint]",
		"(always)":                 "c:1:1: error[bad-constraint]",
		"(at-most -1 (pick-up ?))": "c:1:10: error[bad-constraint]",
		"(at-most 2\n (pickup ?))": "c:2:3: error[unknown-action]",
		"(always (clear z))":       "c:1:9: error[bad-constraint]",
		"(missing z)":              "c:1:10: error[undeclared-object]",
		"(avoid clear)":            "c:1:8: error[bad-constraint]",
		"(always (clear a)":        "error[unclosed-parenthesis]",
		"always":                   "c:1:1",
		"(initially (on a))":       "error[wrong-arity]",
		"(capacity 1 (in ? a))":    "error[undeclared-predicate]",
		"(unavailable fly)":        "error[unknown-action]",
		"(cost-limit much)":        "c:1:13",
	} {
		_, diags := Parse(pddl.NewSource("c", text), prob)
		if !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: %v, want %s", text, diags, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for text := range definitions {
		f.Add(text)
	}
	f.Add("(initially (not (on a b))) ; x\n(capacity 2 (on ? ?)) (cost-limit 1/2)")
	prob := load(f, "blocksworld:3-5")
	f.Fuzz(func(t *testing.T, text string) {
		list, diags := Parse(pddl.NewSource("c", text), prob)
		for i := range list {
			again, faults := Parse(pddl.NewSource("c", list[i].String()), prob)
			if faults.HasErrors() || len(again) != 1 || again[0].String() != list[i].String() {
				t.Fatalf("%q: %s is read as %v, %v", text, &list[i], again, faults)
			}
		}
		_ = diags.Error()
		if len(list) > 0 && len(list) < 4 {
			if _, err := NewJudge(prob, list); err != nil && strings.Contains(err.Error(), "cannot be read") {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}
