package validator

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

// TestAgainstReference compares the judge, with dense and with interned atoms, to
// the reference on random tasks and plans.
func TestAgainstReference(t *testing.T) {
	kinds := map[FailureKind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{t: rt}
		domain, params := g.domain()
		problem := g.problem()
		d, diags := pddl.ParseDomain(&pddl.Source{Name: "domain", Text: domain}, pddl.Options{})
		if d == nil {
			rt.Fatalf("%v\n%s", diags, domain)
		}
		p, diags := pddl.ParseProblem(&pddl.Source{Name: "problem", Text: problem}, d, pddl.Options{})
		if p == nil {
			rt.Fatalf("%v\n%s", diags, problem)
		}
		ref := &reference{d: d, p: p}
		var scratch []*Scratch
		for _, sparse := range []bool{false, true} {
			j, err := NewJudge(p, Options{sparse: sparse})
			if err != nil {
				rt.Fatalf("%v\n%s", err, domain)
			}
			scratch = append(scratch, j.NewScratch())
		}
		for range 4 {
			text := g.plan(params)
			plan, diags := pddl.ParsePlan(&pddl.Source{Name: "plan", Text: text})
			if plan == nil {
				rt.Fatalf("%v\n%s", diags, text)
			}
			epsilon, _ := pddl.ParseNumber(g.oneOf("0", "0", "0.4", "0.5", "1"))
			want := ref.judge(plan, epsilon)
			kinds[want.kind]++
			for i, s := range scratch {
				s.Epsilon = epsilon
				if got := outcome(s.j.Judge(plan, s)); got != want {
					rt.Fatalf("scratch %d: got %+v, want %+v\n%s%s%s", i, got, want, domain, problem, text)
				}
				checkVerdict(rt, s.j.ValidateWith(plan, s), want)
			}
		}
	})
	t.Logf("outcomes: %v", kinds)
}

func outcome(r Result) refOutcome {
	o := refOutcome{r.Kind, r.Step, r.Executed, "undefined"}
	if r.CostDefined {
		o.cost = r.Cost.String()
	}
	return o
}

// checkVerdict checks that the words of a verdict are true.
func checkVerdict(t *rapid.T, v *Verdict, want refOutcome) {
	if v.Valid != (want.kind == "") || v.Executed != want.executed {
		t.Fatalf("verdict %+v, want %+v", v, want)
	}
	if v.Valid {
		return
	}
	f := v.Failure
	if f.Kind != want.kind || f.Step != want.step || f.Message == "" || (f.Step > 0) != (f.Line > 0) {
		t.Fatalf("failure %+v, want %+v", f, want)
	}
	if (f.Kind == FailPrecondition || f.Kind == FailGoal) && len(f.Unsatisfied) == 0 {
		t.Fatalf("no reason: %+v", f)
	}
	if f.Kind == FailMutex && len(f.Unsatisfied) != 1 {
		t.Fatalf("mutex without its atom: %+v", f)
	}
}
