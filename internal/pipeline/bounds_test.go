package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/planproof/planproof/search"
)

// A road from a to e: direct at 9, or by way of b, c and d at 2 each, 8 in all.
const roadsDomain = `(define (domain roads) (:requirements :strips :action-costs)
 (:predicates (at ?x) (road ?x ?y)) (:functions (far ?x ?y) - number (total-cost) - number)
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
  :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (far ?x ?y)))))`

const roadsProblem = `(define (problem p) (:domain roads) (:objects a b c d e)
 (:init (at a) (road a e) (= (far a e) 9) (road a b) (road b c) (road c d) (road d e)
  (= (far a b) 2) (= (far b c) 2) (= (far c d) 2) (= (far d e) 2) (= (total-cost) 0))
 (:goal (at e)) (:metric minimize (total-cost)))`

// TestBoundsAtALimit: where a limit comes first, the answer holds the best plan known, judged,
// and what no plan costs less than.
func TestBoundsAtALimit(t *testing.T) {
	p := read(t, roadsDomain, roadsProblem)
	a, err := Solve(context.Background(), p, Options{Search: search.Config{Search: "symbolic()", Limits: search.Limits{Nodes: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	b := a.Bounds
	if a.Status != search.Nodeout || a.Verdict != nil || b == nil || b.Upper == nil || b.Upper.String() != "9" && b.Upper.String() != "8" {
		t.Fatalf("%s, bounds %+v", a.Status, b)
	}
	report := a.Report()
	text, err := json.Marshal(report)
	if err != nil || !strings.Contains(string(text), `"bounds":{"lower":"`+b.Lower.String()+`","upper":"`+b.Upper.String()+`","plan":["(go a `) {
		t.Errorf("%s, %v", text, err)
	}
	var plan, notes bytes.Buffer
	if err := a.WritePlan(&plan); err != nil || !strings.HasSuffix(plan.String(), "; cost = "+b.Upper.String()+" (general cost)\n") {
		t.Errorf("%q, %v", plan.String(), err)
	}
	report.WriteText(&notes, &notes, "")
	if want := "cost " + b.Upper.String() + ", at least " + b.Lower.String() + "; "; !strings.Contains(notes.String(), want) {
		t.Errorf("%q lacks %q", notes.String(), want)
	}
	a, err = Solve(context.Background(), p, Options{Search: search.Config{Search: "ucs()", Limits: search.Limits{Nodes: 2}}})
	if err != nil || a.Bounds == nil || a.Bounds.Upper != nil || a.Bounds.Lower.String() != "4" {
		t.Errorf("without a plan: %+v, %v", a.Bounds, err)
	}
}
