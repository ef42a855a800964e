package costmodel

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

func TestBudgets(t *testing.T) {
	b := Budgets{Optimal: pddl.Int(14), Slack: pddl.Int(42)}
	for _, c := range []struct {
		spec, text string
		admits     string
		refuses    string
	}{
		{"tight", "tight (14)", "14", "14.001"},
		{" LOOSE ", "loose (56)", "56", "169/3"},
		{"unlimited", "unlimited", "99999999999999999999", ""},
		{"20.5", "20.5", "41/2", "20.6"},
		{"0", "0", "0", "1"},
	} {
		spec, err := ParseBudget(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		budget, err := spec.Of(b)
		if err != nil || budget.String() != c.text {
			t.Errorf("%s: %s, %v", c.spec, budget, err)
		}
		if !budget.Admits(number(t, c.admits)) || c.refuses != "" && budget.Admits(number(t, c.refuses)) {
			t.Errorf("%s admits or refuses what it should not", c.spec)
		}
	}
	if (Budget{}).Admits(pddl.Int(0)) {
		t.Error("no budget admits a plan")
	}
	for text, want := range map[string]string{
		"": "none of tight", "tigt": "none of tight", "-1": "negative", "1/0": "none of", "NaN": "none of",
		"tight,loose,tight": "tight is named twice", "1,0.5,2/2": "1 is named twice", "tight,": "none of",
	} {
		if _, err := ParseBudgets(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := b.At(Explicit); err == nil {
		t.Error("the explicit budget has no amount of its own")
	}
}

func number(t testing.TB, text string) pddl.Number {
	t.Helper()
	n, ok := pddl.ParseFraction(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return n
}

func TestEvaluate(t *testing.T) {
	for _, c := range []struct {
		name          string
		o             Outcome
		optimal       string
		budget        Budget
		limit         int64
		success       bool
		opt, eff, rel string
		regret        string
	}{
		{"optimal", Outcome{true, pddl.Int(14), 10}, "14", Budget{Tight, pddl.Int(14)}, 500, true, "0.5", "0.98", "0", "0"},
		{"dearer", Outcome{true, pddl.Int(28), 250}, "14", Budget{Level: Unlimited}, 500, true, "1/3", "0.5", "1", "14"},
		{"beyond the budget", Outcome{true, pddl.Int(15), 0}, "14", Budget{Tight, pddl.Int(14)}, 500, false, "0", "1", "1/14", "1"},
		{"no plan", Outcome{Expanded: 500}, "14", Budget{Level: Unlimited}, 500, false, "0", "0", "", ""},
		{"beyond the nodes", Outcome{true, pddl.Int(14), 501}, "14", Budget{Level: Unlimited}, 500, false, "0", "0", "0", "0"},
		{"at the last node", Outcome{true, pddl.Int(14), 500}, "14", Budget{Level: Unlimited}, 500, true, "0.5", "0", "0", "0"},
		{"nothing counted", Outcome{true, pddl.Int(14), -1}, "14", Budget{Level: Unlimited}, 500, true, "0.5", "", "0", "0"},
		{"no limit", Outcome{true, pddl.Int(14), 9}, "14", Budget{Level: Unlimited}, 0, true, "0.5", "", "0", "0"},
		{"free and optimal", Outcome{true, pddl.Int(0), 0}, "0", Budget{Tight, pddl.Int(0)}, 500, true, "0.5", "1", "0", "0"},
		{"free task, paid plan", Outcome{true, pddl.Int(3), 0}, "0", Budget{Level: Unlimited}, 500, true, "0", "1", "", "3"},
		{"fractions", Outcome{true, pddl.Fraction(1, 2), 0}, "1/3", Budget{Explicit, pddl.Fraction(1, 2)}, 500, true, "0.4", "1", "0.5", "1/6"},
	} {
		s, err := Evaluate(c.o, number(t, c.optimal), c.budget, c.limit)
		if err != nil {
			t.Fatal(c.name, err)
		}
		show := func(n pddl.Number, defined bool) string {
			if !defined {
				return ""
			}
			return n.String()
		}
		got := []string{s.Optimality.String(), show(s.Efficiency, s.EfficiencyDefined), show(s.RelativeRegret, s.RelativeRegretDefined), show(s.Regret, s.RegretDefined)}
		want := []string{number(t, c.opt).String(), c.eff, c.rel, c.regret}
		if s.Success != c.success || strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: success %v %q, want %v %q", c.name, s.Success, got, c.success, want)
		}
	}
	if _, err := Evaluate(Outcome{Valid: true, Cost: pddl.Int(13)}, pddl.Int(14), Budget{Level: Unlimited}, 0); err == nil {
		t.Error("a plan cheaper than the optimum is scored")
	}
}

// TestEvaluateProperties: regret is never negative, optimality is 1/2 for optimal plans
// only, and what success means does not depend on the unit of costs.
func TestEvaluateProperties(t *testing.T) {
	half := pddl.Fraction(1, 2)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) pddl.Number {
			return pddl.Fraction(rapid.Int64Range(0, 1e6).Draw(t, name), rapid.Int64Range(1, 100).Draw(t, name+" denominator"))
		}
		optimal := draw("optimal")
		cost := optimal.Add(draw("more"))
		o := Outcome{true, cost, rapid.Int64Range(-1, 20).Draw(t, "expanded")}
		b := Budget{Explicit, draw("budget")}
		limit := rapid.Int64Range(0, 10).Draw(t, "limit")
		s, err := Evaluate(o, optimal, b, limit)
		if err != nil {
			t.Fatal(err)
		}
		if s.Regret.Sign() < 0 || s.RelativeRegret.Sign() < 0 {
			t.Fatal("negative regret")
		}
		if s.Optimality.Cmp(half) > 0 || s.Success && s.Optimality.Equal(half) != cost.Equal(optimal) {
			t.Fatalf("optimality %s at cost %s of %s", s.Optimality, cost, optimal)
		}
		if !s.Success && s.Optimality.Sign() != 0 {
			t.Fatal("a failure has an optimality")
		}
		if s.Efficiency.Sign() < 0 || s.Efficiency.Cmp(pddl.Int(1)) > 0 {
			t.Fatal("efficiency out of range")
		}
		factor := pddl.Fraction(rapid.Int64Range(1, 1000).Draw(t, "factor"), 7)
		o.Cost, b.Limit = o.Cost.Mul(factor), b.Limit.Mul(factor)
		scaled, err := Evaluate(o, optimal.Mul(factor), b, limit)
		if err != nil {
			t.Fatal(err)
		}
		if scaled.Success != s.Success || !scaled.Optimality.Equal(s.Optimality) || !scaled.RelativeRegret.Equal(s.RelativeRegret) {
			t.Fatalf("times %s: %+v became %+v", factor, s, scaled)
		}
	})
}

func TestTally(t *testing.T) {
	var all Tally
	for _, c := range []struct {
		o       Outcome
		optimal int64
	}{
		{Outcome{true, pddl.Int(10), 100}, 10}, {Outcome{true, pddl.Int(20), 200}, 10},
		{Outcome{Expanded: 500}, 10}, {Outcome{true, pddl.Int(5), -1}, 0},
	} {
		s, err := Evaluate(c.o, pddl.Int(c.optimal), Budget{Level: Unlimited}, 500)
		if err != nil {
			t.Fatal(err)
		}
		all.Add(s)
	}
	const want = `{"tasks":4,"valid":3,"successes":3,"success_rate":0.750000,"optimality":0.208333,"efficiency":0.466667,"regret":5.000000,"relative_regret":0.500000}`
	got, err := json.Marshal(&all)
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	got, err = json.Marshal(new(Tally))
	if err != nil || !strings.Contains(string(got), `"success_rate":null`) {
		t.Errorf("%s, %v", got, err)
	}
	if _, ok := new(Tally).Optimality(); ok {
		t.Error("a mean of nothing")
	}
}

func TestHorizonOf(t *testing.T) {
	for steps, want := range map[int64]Horizon{0: Short, 8: Short, 9: Mid, 10: Mid, 14: Mid, 15: Long, 16: Long, 99: Long} {
		if got := HorizonOf(steps); got != want {
			t.Errorf("%d steps: %s, want %s", steps, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	paper := PaperSchedules()
	if len(paper) != 10 || paper[2].Name != ReferenceSchedule || paper[2].Schedule.String() != "pick-up=1,unstack=1,put-down=20,stack=1" {
		t.Errorf("%v", paper)
	}
	for text, want := range map[string]string{
		"unit": "*=1", " Unit ": "*=1", "[1, 0.5,1/3 ,2]": "pick-up=1,unstack=0.5,put-down=1/3,stack=2",
	} {
		if s, err := ParseNamed(text); err != nil || s.String() != want {
			t.Errorf("%q: %s, %v", text, s, err)
		}
	}
	for text, want := range map[string]string{
		"": "no named schedule", "units": "no named", "[1,1,1]": "3 costs", "[1,1,1,1": "no named", "[1,1,1,x]": "not a number", "[1,1,1,-1]": "negative",
	} {
		if s, err := ParseNamed(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", text, s, err)
		}
	}
}
