package costmodel

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

func parse(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	dom, diags := pddl.ParseDomain(&pddl.Source{Name: "domain.pddl", Text: domain}, pddl.Options{})
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	p, diags := pddl.ParseProblem(&pddl.Source{Name: "problem.pddl", Text: problem}, dom, pddl.Options{})
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// cost judges a plan and returns its cost.
func cost(t testing.TB, p *pddl.Problem, plan string) string {
	t.Helper()
	j, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, diags := j.ValidateText(&pddl.Source{Name: "plan", Text: plan}, j.NewScratch())
	if diags.HasErrors() || !v.Valid || !v.CostDefined {
		t.Fatalf("%v %+v", diags, v)
	}
	return v.Cost.String()
}

func mustSchedule(t testing.TB, text string) Schedule {
	t.Helper()
	s, err := ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestApplySumsPrices prices every shared case at random and adds up the plan's
// steps by hand.
func TestApplySumsPrices(t *testing.T) {
	for _, c := range testkit.Cases(t) {
		p := parse(t, c.Domain, c.Problem)
		rapid.Check(t, func(t *rapid.T) {
			prices := map[string]pddl.Number{}
			var entries []string
			for _, a := range p.Domain.Actions {
				n := pddl.Fraction(rapid.Int64Range(0, 1e12).Draw(t, a.Name), rapid.Int64Range(1, 12).Draw(t, "den"))
				prices[a.Name] = n
				entries = append(entries, strings.ToUpper(a.Name)+"="+n.String())
			}
			s, err := ParseSchedule(strings.Join(entries, ","))
			if err != nil {
				t.Fatal(err)
			}
			priced, err := s.Apply(p)
			if err != nil {
				t.Fatal(err)
			}
			var sum pddl.Number
			for _, step := range strings.Split(strings.TrimSpace(c.Plan), "\n") {
				name, _, _ := strings.Cut(strings.Trim(step, "()"), " ")
				sum = sum.Add(prices[name])
			}
			j, err := validator.NewJudge(priced, validator.Options{})
			if err != nil {
				t.Fatal(err)
			}
			v, _ := j.ValidateText(&pddl.Source{Name: "plan", Text: c.Plan}, j.NewScratch())
			if !v.Valid || !v.Cost.Equal(sum) {
				t.Fatalf("%s: %s, want %s", s, v.Cost, sum)
			}
		})
		if got := cost(t, p, c.Plan); got != c.Cost {
			t.Errorf("%s: the problem itself now costs %s, was %s", c.Name, got, c.Cost)
		}
	}
}

const costsDomain = `(define (domain d)
  (:requirements :adl :action-costs :numeric-fluents)
  (:predicates (p) (q) (r))
  (:functions (total-cost) (fuel))
  (:action go :parameters () :precondition (not (p))
    :effect (and (p) (increase (total-cost) 5) (when (not (q)) (increase (total-cost) 3)) (decrease (fuel) 1)))
  (:action stop :parameters () :precondition (p)
    :effect (and (q) (when (p) (and (r) (increase (total-cost) 7))))))`

const costsProblem = `(define (problem x) (:domain d) (:init (= (total-cost) 100) (= (fuel) 9))
  (:goal (and (q) (r) (= (fuel) 8))) (:metric maximize (- (fuel) (total-cost))))`

func TestApply(t *testing.T) {
	p := parse(t, costsDomain, costsProblem)
	for schedule, want := range map[string]string{
		"":                       "-107", // 8 - (100 + 5 + 3 + 7), untouched
		"go=1,stop=1":            "2",
		"go=0,stop=0":            "0",
		"GO=0.25,*=1/3":          "7/12",
		"*=99999999999999999999": "199999999999999999998",
	} {
		priced, err := mustSchedule(t, schedule).Apply(p)
		if err != nil {
			t.Fatalf("%s: %v", schedule, err)
		}
		if got := cost(t, priced, "(go) (stop)"); got != want {
			t.Errorf("%s: cost %s, want %s", schedule, got, want)
		}
		if priced != p && priced.Metric.Maximize {
			t.Errorf("%s: still maximises", schedule)
		}
	}
}

// TestApplyPrints: what a schedule makes of a task can be printed, and read again without a
// warning, with the same costs: fractions too.
func TestApplyPrints(t *testing.T) {
	d, p, err := domains.Load("blocksworld:4-17")
	if err != nil {
		t.Fatal(err)
	}
	const plan = "(unstack b c)\n(put-down b)\n(unstack c d)\n(stack c b)\n(unstack d a)\n(put-down d)\n"
	for _, text := range []string{"*=1", "put-down=0.5,*=20", "put-down=20,*=1/3", "put-down=2/7,*=1/3"} {
		priced, err := mustSchedule(t, text).Apply(parse(t, d.Text, p.Text))
		if err != nil {
			t.Fatal(err)
		}
		dom, diags := pddl.ParseDomain(pddl.NewSource("d", priced.Domain.String()), pddl.Options{Strict: true})
		if len(diags) > 0 {
			t.Errorf("%s: %v", text, diags)
			continue
		}
		again, diags := pddl.ParseProblem(pddl.NewSource("p", priced.String()), dom, pddl.Options{Strict: true})
		if len(diags) > 0 {
			t.Errorf("%s: %v", text, diags)
			continue
		}
		if got, want := prefixCost(t, again, plan), prefixCost(t, priced, plan); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// prefixCost is the cost of steps that need not reach the goal.
func prefixCost(t *testing.T, p *pddl.Problem, plan string) string {
	t.Helper()
	j, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, diags := j.ValidateText(pddl.NewSource("plan", plan), j.NewScratch())
	if diags.HasErrors() || !v.CostDefined || v.Executed == 0 {
		t.Fatalf("%v %+v", diags, v)
	}
	return v.Cost.String()
}

func TestApplyRefuses(t *testing.T) {
	p := parse(t, costsDomain, costsProblem)
	durative := parse(t, `(define (domain d) (:requirements :durative-actions) (:predicates (p))
  (:durative-action wait :parameters () :duration (= ?duration 1) :condition () :effect (at end (p))))`,
		`(define (problem x) (:domain d) (:init) (:goal (p)))`)
	for _, c := range []struct {
		p             *pddl.Problem
		schedule, err string
	}{
		{p, "go=1", "no cost for stop; name every action or give the others one with *=COST"},
		{p, "go=1,stopp=1,*=1", `no action "stopp"; did you mean "stop"?`},
		{p, "go=1,nonsense=1,*=1", `no action "nonsense"`},
		{durative, "*=1", "durative action wait"},
	} {
		if _, err := mustSchedule(t, c.schedule).Apply(c.p); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", c.schedule, err, c.err)
		}
	}
}

// TestApplyTwice shows that the last schedule counts.
func TestApplyTwice(t *testing.T) {
	for _, c := range testkit.Cases(t) {
		p := parse(t, c.Domain, c.Problem)
		once, err := mustSchedule(t, "*=7").Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := mustSchedule(t, "*=1").Apply(once)
		if err != nil {
			t.Fatal(err)
		}
		steps := strings.Count(c.Plan, "\n")
		if got := cost(t, twice, c.Plan); got != fmt.Sprint(steps) {
			t.Errorf("%s: cost %s, want %d", c.Name, got, steps)
		}
	}
}
