package prompt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

// restrictedTasks are tasks of every bundled domain, each with a forbidden action and,
// but for powergrid, one with a free place; the cheapest plan uses neither.
func restrictedTasks(t testing.TB) map[string][2]*pddl.Problem {
	out := map[string][2]*pddl.Problem{}
	for name, text := range map[string]string{
		"blocksworld:3-5":         "(stack a b) (put-down a) (stack ? a)",
		"budget-blocksworld:1-17": "(stack a b) (unstack ? e)",
		"logistics:2-2-2-1":       "(load-truck p0 t1 l0-1) (unload-truck p0 ? l0-1)",
		"gripper:2":               "(drop ball1 room0 left) (pick ? room1 ?)",
		"elevator:4-2-1-1":        "(ride lift0 f0 f2) (ride ? f2 f0)",
		"powergrid:4-1-1-1":       "(drive crew0 s1 s0)",
	} {
		prob := pddltest.Load(t, name)
		out[name] = [2]*pddl.Problem{prob, pddltest.Forbid(t, prob, text)}
	}
	return out
}

// TestCompactPrompt: the words of a compact prompt.
func TestCompactPrompt(t *testing.T) {
	prob := pddltest.Forbid(t, pddltest.Load(t, "blocksworld:3-5"), "(stack a b) (stack ? a)")
	for _, c := range []struct {
		o    Options
		want string
		gold string
	}{
		{Options{}, "objects: a b c\ninit: (clear b) (handempty) (on b c) (on c a) (ontable a)\nnever: (stack ? a)\nnever: (stack a b)\ngoal: (on b c) (ontable a) (ontable c)\nplan:\n",
			"[PLAN]\n(unstack b c)\n(put-down b)\n(unstack c a)\n(put-down c)\n(pick-up b)\n(stack b c)\n[PLAN END]\n"},
		{Options{Without: Mask{Constraints: true, Percent: 100}},
			"objects: a b c\ninit: (clear b) (handempty) (on b c) (on c a) (ontable a)\ngoal: (on b c) (ontable a) (ontable c)\nplan:\n", ""},
		{Options{Without: Mask{Constraints: true, Goal: true, Percent: 100}, PlanTags: true},
			"objects: a b c\ninit: (clear b) (handempty) (on b c) (on c a) (ontable a)\nplan:\n",
			"<plan>\n(unstack b c)\n(put-down b)\n(unstack c a)\n(put-down c)\n(pick-up b)\n(stack b c)\n</plan>\n"},
		{Options{Without: Mask{Constraints: true, Percent: 50}, Seed: 4},
			"objects: a b c\ninit: (clear b) (handempty) (on b c) (on c a) (ontable a)\nnever: (stack ? a)\ngoal: (on b c) (ontable a) (ontable c)\nplan:\n", ""},
		{Options{Kind: KindCostOptimal, Reasoning: ReasonCoT},
			"objects: a b c\ninit: (clear b) (handempty) (on b c) (on c a) (ontable a)\ncosts: (= (pick-up ?block) 1) (= (put-down ?block) 1) (= (stack ?block ?under) 1) (= (unstack ?block ?under) 1)\nnever: (stack ? a)\nnever: (stack a b)\ngoal: (on b c) (ontable a) (ontable c)\nFirst think the task through step by step, then give your answer.\ncheapest plan:\n", ""},
	} {
		c.o.Style = StyleCompact
		rec, err := Make(context.Background(), Task{ID: "t", Problem: prob}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		checkSpans(t, &rec.Prompt)
		if rec.Prompt.Text != c.want {
			t.Errorf("%+v:\n%swant\n%s", c.o, rec.Prompt.Text, c.want)
		}
		if c.gold != "" && rec.Gold.Text != c.gold {
			t.Errorf("%+v:\n%swant\n%s", c.o, rec.Gold.Text, c.gold)
		}
		if !slices.Equal(rec.Forbidden, []string{"(stack ? a)", "(stack a b)"}) {
			t.Errorf("forbidden: %v", rec.Forbidden)
		}
	}
}

// fromCompact makes a problem of the lines of a compact prompt, with the domain that
// the prompt leaves untold.
func fromCompact(t testing.TB, dom, text string) *pddl.Problem {
	t.Helper()
	parts := map[string]string{}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		head, rest, _ := strings.Cut(line, ":")
		parts[head] += rest
	}
	metric := ""
	if strings.Contains(dom, "(total-cost)") {
		metric = "(:metric minimize (total-cost))"
	}
	_, prob := pddltest.Parse(t, dom, "(define (problem p) (:domain "+domainName(dom)+") (:objects "+parts["objects"]+")\n(:init "+parts["init"]+parts["values"]+")\n(:goal (and "+parts["goal"]+"))"+metric+")")
	if parts["never"] != "" {
		prob = pddltest.Forbid(t, prob, parts["never"])
	}
	return prob
}

func domainName(text string) string {
	_, rest, _ := strings.Cut(text, "(domain ")
	name, _, _ := strings.Cut(rest, ")")
	return name
}

// TestCompactRoundTrip: a compact prompt tells all of a task but its domain: the problem
// made of its lines has the same objects, facts, values, goal and restrictions, and the
// same cheapest plans. The gold answer is read as the gold plan.
func TestCompactRoundTrip(t *testing.T) {
	check := func(name string, prob *pddl.Problem) {
		rec, err := Make(context.Background(), Task{ID: name, Problem: prob}, Options{Style: StyleCompact})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plain := unrestricted(prob)
		q := fromCompact(t, plain.Domain.String(), rec.Prompt.Text)
		if !slices.Equal(atomtext.Initial(q), atomtext.Initial(prob)) || !slices.Equal(initialValues(q), initialValues(prob)) || !slices.Equal(typedObjects(q), typedObjects(prob)) || !slices.Equal(goalConjuncts(q, true), goalConjuncts(prob, true)) {
			t.Errorf("%s\n%s\nis read as\n%s", name, rec.Prompt.Text, q)
		}
		x := extract.NewReader(q.Domain, q, extract.Natural).Extract(rec.Gold.Text)
		if x.Status != extract.StatusPlan || x.Reading != "last-plan-block" || !slices.Equal(x.Plan, rec.Gold.Plan) {
			t.Errorf("%s: %q is read as %+v", name, rec.Gold.Text, x)
		}
		if v, err := world.Judge(q, x.Plan); err != nil || !v.Valid {
			t.Errorf("%s: the gold plan is no plan of\n%s", name, rec.Prompt.Text)
		}
		init := rec.Prompt.Spans[1]
		s := extract.NewStateReader(prob.Domain, prob).Read(rec.Prompt.Text[init.Start:init.End])
		if init.Kind != SpanInit || !slices.Equal(s.Facts, atomtext.Initial(prob)) {
			t.Errorf("%s: the initial state is read as %v", name, s)
		}
	}
	for _, name := range pddltest.Bundled {
		check(name, pddltest.Load(t, name))
	}
	for name, p := range restrictedTasks(t) {
		check(name+" restricted", p[1])
	}
}
