package validator

import (
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestGrowingFractions: a ball that bounces ever faster makes fractions with ever more digits. The limit of work
// counts them, so that the judge gives up soon.
func TestGrowingFractions(t *testing.T) {
	domain := `(define (domain bounce) (:requirements :time :fluents)
 (:predicates (rolls))
 (:functions (x) (rate) (n))
 (:process roll :parameters () :precondition (rolls) :effect (increase (x) (* #t (rate))))
 (:event bounce :parameters () :precondition (>= (x) 1)
  :effect (and (assign (x) 0) (assign (rate) (* (rate) %s)) (increase (n) 1)))
)`
	problem := `(define (problem p) (:domain bounce) (:init (rolls) (= (x) 0) (= (rate) 1) (= (n) 0)) (:goal (>= (n) 1)))`
	for _, factor := range []string{"1.5", "(/ 1000000007 1000000006)"} {
		text := strings.Replace(domain, "%s", factor, 1)
		d, diags := pddl.ParseDomain(pddl.NewSource("domain", text), pddl.Options{})
		if d == nil {
			t.Fatal(diags)
		}
		p, diags := pddl.ParseProblem(pddl.NewSource("problem", problem), d, pddl.Options{})
		if p == nil {
			t.Fatal(diags)
		}
		j, err := NewJudge(p, Options{MaxWork: 4e6})
		if err != nil {
			t.Fatal(err)
		}
		plan, diags := pddl.ParsePlan(pddl.NewSource("plan", "100000: @PlanEND"))
		if plan == nil {
			t.Fatal(diags)
		}
		began := testkit.CPUTime()
		v := j.ValidateWith(plan, j.NewScratch())
		if took := testkit.CPUTime() - began; v.Decided() || took > 5*time.Second || strings.Contains(v.Failure.Message, "  ") {
			t.Errorf("%s: %v after %v", factor, v.Failure, took)
		}
	}
}
