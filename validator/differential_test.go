package validator

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/secondjudge"
	"github.com/planproof/planproof/pddl"
)

// TestAgainstSecond compares the judge, with dense and with interned atoms, to the second
// judge on random tasks and plans of every level.
func TestAgainstSecond(t *testing.T) {
	for level := range levels {
		t.Run(levelNames[level], func(t *testing.T) {
			kinds := map[string]int{}
			check := func(rt *rapid.T) { compareOnce(rt, level, kinds) }
			rapid.Check(t, check)
			if os.Getenv("PLANPROOF_LONG") != "" { // 4 plans each
				for seed := 0; kinds["all"] < 100000; seed++ {
					rapid.Check(t, check)
				}
			}
			t.Logf("outcomes: %v", kinds)
		})
	}
}

// compareOnce draws a task and some plans and compares the two judges on them.
func compareOnce(rt *rapid.T, level int, kinds map[string]int) {
	g := &gen{t: rt, level: level}
	domain, problem, write := g.task()
	d, diags := pddl.ParseDomain(&pddl.Source{Name: "domain", Text: domain}, pddl.Options{})
	if d == nil {
		rt.Fatalf("%v\n%s", diags, domain)
	}
	p, diags := pddl.ParseProblem(&pddl.Source{Name: "problem", Text: problem}, d, pddl.Options{})
	if p == nil {
		if strings.Contains(diags.Errors().Error(), string(pddl.ContradictoryInit)) {
			return
		}
		rt.Fatalf("%v\n%s", diags, problem)
	}
	var scratch []*Scratch
	for _, sparse := range []bool{false, true} {
		j, err := NewJudge(p, Options{sparse: sparse, MaxWork: 1e7})
		if err != nil {
			rt.Fatalf("%v\n%s", err, domain)
		}
		scratch = append(scratch, j.NewScratch())
	}
	for range 4 {
		text := write()
		plan, diags := pddl.ParsePlan(&pddl.Source{Name: "plan", Text: text})
		if plan == nil {
			rt.Fatalf("%v\n%s", diags, text)
		}
		epsilon, _ := pddl.ParseNumber(g.oneOf("0", "0", "0.4", "0.5", "1"))
		if scratch[0].Epsilon = epsilon; !scratch[0].j.ValidateWith(plan, scratch[0]).Decided() {
			kinds["undecided"]++ // the second judge has no limit
			continue
		}
		want := secondjudge.Judge(p, plan, secondjudge.Options{Epsilon: epsilon})
		kinds["all"]++
		kinds[want.Kind]++
		for i, s := range scratch {
			s.Epsilon = epsilon
			if diff := Difference(s.j.ValidateWith(plan, s), want); diff != "" {
				rt.Fatalf("scratch %d: %s\nepsilon %s\n%s%s\n%s", i, diff, epsilon, domain, problem, text)
			}
			if v := s.j.ValidateWith(plan, s); level <= levelNumeric {
				checkVerdict(rt, v, want)
			}
		}
	}
}

// checkVerdict checks that the words of a verdict are true.
func checkVerdict(t *rapid.T, v *Verdict, want secondjudge.Outcome) {
	if v.Valid != (want.Kind == "") || v.Executed != want.Executed {
		t.Fatalf("verdict %+v, want %+v", v, want)
	}
	if v.Valid {
		return
	}
	f := v.Failure
	if string(f.Kind) != want.Kind || f.Step != want.Step || f.Message == "" || (f.Step > 0) != (f.Line > 0) {
		t.Fatalf("failure %+v, want %+v", f, want)
	}
	if (f.Kind == FailPrecondition || f.Kind == FailGoal) && len(f.Unsatisfied) == 0 {
		t.Fatalf("no reason: %+v", f)
	}
	if f.Kind == FailMutex && len(f.Unsatisfied) != 1 {
		t.Fatalf("mutex without its atom: %+v", f)
	}
}
