package extract

import (
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
)

func TestReadVerdict(t *testing.T) {
	dom, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	v := NewVerdictReader(dom, prob)
	for _, c := range []struct{ text, want string }{
		{"The above plan is valid.", "valid"},
		{"\nThe above plan is invalid. These are the unmet goal conditions:\nthe red block is on top of the blue block\n", "invalid goal (on a b)"},
		{"The above plan is invalid. Step 2, stack the red block on top of the blue block, cannot be executed. These preconditions are not met:\nthe blue block is clear and the hand is currently holding red block",
			"invalid precondition 2 (stack a b) (clear b) (holding a)"},
		{"**Verdict:** the plan is **not valid**.\n\nIn step 3 the precondition is not satisfied: (clear b).", "invalid precondition 3 (clear b)"},
		{"Let's check whether the plan is valid. Step 1: pick up the red block. OK.\nTherefore, the plan is not executable.", "invalid precondition"},
		{"If the plan is valid I say so. The plan is invalid: the goal is not reached.", "invalid goal"},
		{"Is the plan valid? Yes, the plan is valid.", "valid"},
		{"First I thought that the plan is invalid. But the plan is valid.", "valid medium"},
		{"The plan is a valid plan.", "valid"},
		{"The plan does not achieve the goal.", "invalid goal"},
		{"The plan isn't valid.", "invalid"},
		{"The above plan is invalid. This action at step 2 has an unmet precondition:\nstack the red block on top of the blue block\nIt is:\nthe blue block is clear\n", "invalid precondition 2 (stack a b) (clear b)"},
		{"The plan cannot be executed: at step 3, the hand is not empty.", "invalid precondition 3"},
		{"1. pick up the red block: fine\n2. stack it: fine\n\n**The plan is valid**", "valid"},
		{"{\"valid\": false, \"kind\": \"precondition\", \"step\": 2, \"action\": \"stack a b\", \"unmet\": [\"(clear b)\"]}", "invalid precondition 2 (stack a b) (clear b)"},
		{"```json\n{\"valid\": true}\n```", "valid"},
		{"invalid", "invalid"},
		{"Valid.", "valid"},
		{"Not valid", "invalid"},
		{"Yes, it reaches everything.", "valid medium"},
		{"No.", "invalid medium"},
		{"<think>The plan is valid.</think>The plan is invalid.", "invalid"},
		{"<think>The plan is invalid.", "none"},
		{"I cannot tell.", "none"},
		{"", "none"},
		{"The above plan is valid.\n[STATEMENT]\nAs initial conditions...\n[VERIFICATION]\n", "valid"},
		{"The above plan is invalid.\n[STATEMENT]\nAs initial conditions...\n[VERIFICATION]\nThe above plan is valid.\n", "invalid"},
		{"The above plan is invalid.\n\nA better one:\n[PLAN]\n(pick-up a)\n[PLAN END]\n\n[VERIFICATION]\nThe above plan is valid.\n", "invalid"},
		{"The above plan is invalid.\n\nA better one:\n[PLAN]\n(pick-up a)\n[PLAN END]\nThis plan is valid.\n", "invalid medium"},
		{"[PLAN]\n(pick-up a)\n[PLAN END]\n\n[VERIFICATION]\nThe above plan is valid.\n", "valid"},
		// A plan that was found valid is not mended but told again.
		{"The plan is valid, it seems. Once more:\n[PLAN]\n(pick-up a)\n(stack a b)\n[PLAN END]\nAt step 2 (clear b) is not true. The plan is invalid.\n", "invalid (clear b) medium"},
		{"The plan is valid.\n[PLAN]\n(pick-up a)\n[PLAN END]\nSo the plan is valid.", "valid"},
		{"The plan is valid.\n[PLAN]\n(pick-up a)\n[PLAN END]\nNo, the plan is invalid.\n[PLAN]\n(pick-up b)\n[PLAN END]\nNow the plan is valid.", "invalid medium"},
		{"The plan is valid.\n[PLAN]\n(pick-up a)\n[PLAN END]\n[VERIFICATION]\nThe above plan is invalid.", "valid medium"},
		{"The plan is valid.\n[PLAN]\n(pick-up a)\n[PLAN END]\n[STATEMENT]\nAs initial conditions...\n[VERIFICATION]\nThe above plan is invalid.", "valid"},
		{"The plan is valid.\n[PLAN]\nno more steps\n[PLAN END]\n", "valid"},
		{"I look at it again:\n[STATEMENT]\nAs initial conditions...\n[VERIFICATION]\nThe above plan is invalid.\n", "invalid"},
	} {
		x := v.Read(c.text)
		var got []string
		switch {
		case !x.Found:
			got = append(got, "none")
		case x.Valid:
			got = append(got, "valid")
		default:
			got = append(got, "invalid")
		}
		if x.Kind != "" {
			got = append(got, x.Kind)
		}
		if x.Step > 0 {
			got = append(got, string(rune('0'+x.Step)))
		}
		if x.Action != "" {
			got = append(got, x.Action)
		}
		got = append(got, x.Unmet...)
		if x.Found && x.Confidence != ConfidenceHigh {
			got = append(got, string(x.Confidence))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q\nread as %q (%s), want %q", c.text, s, x.Reading, c.want)
		}
	}
}

// TestConditionScore: of an answer about an invalid plan, the conditions that it names are
// compared with those that are unmet; what it names of a valid one is not.
func TestConditionScore(t *testing.T) {
	truth := &PlanVerdict{Kind: "precondition", Step: 2, Action: "(stack a b)", Unmet: []string{"(holding a)", "(clear b)"}}
	answer := func(v PlanVerdict) *VerdictReading { return &VerdictReading{PlanVerdict: v, Found: true} }
	for name, c := range map[string]struct {
		x    *VerdictReading
		want *PlanVerdict
		told VerdictClass
		// -1 for no score of conditions
		precision, recall, f1 float64
		missing, extra        string
	}{
		"all":         {answer(*truth), truth, ClassPrecondition, 1, 1, 1, "", ""},
		"twice":       {answer(PlanVerdict{Kind: "precondition", Unmet: []string{"(clear b)", "(clear b)"}}), truth, ClassPrecondition, 1, 0.5, 2. / 3, "(holding a)", ""},
		"one of two":  {answer(PlanVerdict{Kind: "goal", Unmet: []string{"(clear b)", "(on a b)"}}), truth, ClassGoal, 0.5, 0.5, 0.5, "(holding a)", "(on a b)"},
		"none":        {answer(PlanVerdict{}), truth, ClassInvalid, 0, 0, 0, "(clear b) (holding a)", ""},
		"wrong":       {answer(PlanVerdict{Valid: true}), truth, ClassValid, 0, 0, 0, "(clear b) (holding a)", ""},
		"no answer":   {&VerdictReading{}, truth, ClassNone, 0, 0, 0, "(clear b) (holding a)", ""},
		"valid":       {answer(PlanVerdict{Valid: true}), &PlanVerdict{Valid: true}, ClassValid, -1, -1, -1, "", ""},
		"false alarm": {answer(*truth), &PlanVerdict{Valid: true}, ClassPrecondition, -1, -1, -1, "", ""},
		"forbidden": {answer(PlanVerdict{Kind: "precondition", Forbidden: true}), &PlanVerdict{Kind: "precondition", Forbidden: true, Unmet: []string{"(clear b)"}},
			ClassForbidden, 1, 0.5, 2. / 3, "(clear b)", ""},
	} {
		s := c.x.Score(c.want)
		if s.Truth != c.want.Class() || s.Told != c.told {
			t.Errorf("%s: %s told of %s", name, s.Told, s.Truth)
		}
		got := ConditionScore{Precision: -1, Recall: -1, F1: -1}
		if s.Conditions != nil {
			got = *s.Conditions
		}
		if got.Precision != c.precision || got.Recall != c.recall || got.F1 != c.f1 || strings.Join(got.Missing, " ") != c.missing || strings.Join(got.Extra, " ") != c.extra {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzReadVerdict(f *testing.F) {
	dom, prob := pddltest.Parse(f, pddltest.BlocksDomain, pddltest.BlocksProblem)
	v := NewVerdictReader(dom, prob)
	for _, s := range []string{"The above plan is valid.", "invalid", "{\"valid\":false}", "<think>", "plan is not valid. step 3, (stack a b)", "[VERIFICATION]\n", "if plan is valid?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, y := v.Read(s), v.Read(s)
		if x.Found != y.Found || x.Valid != y.Valid || x.Reading != y.Reading || len(x.Unmet) != len(y.Unmet) {
			t.Fatal("read twice, differently")
		}
		if x.Reading == "" || x.Confidence == "" || !x.Found && (x.Valid || x.Kind != "") || x.Valid && x.Kind != "" {
			t.Fatalf("%+v", x)
		}
	})
}
