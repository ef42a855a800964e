package validator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestTraceAtoms: what the changes of a plan say about atoms is what its replay says.
func TestTraceAtoms(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	traced := 0
	for range 300 {
		traced += checkTraced(t, r, toggles(r))
	}
	if traced < 200 {
		t.Errorf("only %d atoms were changed by a step", traced)
	}
}

// toggles writes a task whose actions need, add and delete a few of four atoms, at times the same one.
func toggles(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("(define (domain d) (:predicates (p ?x)) (:constants o0 o1 o2 o3)")
	some := func(sign string) (out string) {
		for i := range 4 {
			if r.IntN(3) == 0 {
				out += fmt.Sprintf(strings.ReplaceAll(" ("+sign+")", "X", "(p o%d)"), i)
			}
		}
		return out
	}
	for i := range 4 {
		fmt.Fprintf(&b, "\n(:action a%d :parameters () :precondition (and%s%s) :effect (and%s%s))", i, some("and X"), some("not X"), some("and X"), some("not X"))
	}
	return b.String() + ")"
}

// checkTraced compares both ways on plans for a domain, and counts the conditions that a step made false.
func checkTraced(t *testing.T, r *rand.Rand, text string) (traced int) {
	dom, diags := pddl.ParseDomain(&pddl.Source{Name: "domain", Text: text}, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	prob, diags := pddl.ParseProblem(&pddl.Source{Name: "problem", Text: "(define (problem x) (:domain d) (:init (p o0) (p o2)) (:goal (and (p o0) (p o1) (not (p o2)))))"}, dom, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	j, err := NewJudge(prob, Options{sparse: r.IntN(2) == 0})
	if err != nil {
		t.Fatal(err)
	}
	s := j.NewScratch()
	for n := range 20 {
		plan, time := "", 0
		for range 8 {
			if n%2 == 0 {
				plan += fmt.Sprintf("%d: ", time)
				time += r.IntN(3)
			}
			plan += fmt.Sprintf("(a%d)\n", r.IntN(4))
		}
		p, _ := pddl.ParsePlan(&pddl.Source{Name: "plan", Text: plan})
		v := j.ValidateWith(p, s)
		if len(v.Reasons) == 0 {
			continue
		}
		list, again := slices.Clone(v.Reasons), slices.Clone(v.Reasons)
		if !s.traceAtoms(p, list) {
			t.Fatalf("%s\n%s: not traced", text, plan)
		}
		s.replay(p, again)
		for i := range list {
			a, b := &list[i], &again[i]
			if a.Because != b.Because || a.held != b.held || (a.changedBy == nil) != (b.changedBy == nil) || a.changedBy != nil && *a.changedBy != *b.changedBy {
				t.Fatalf("%s\n%s: %q %v %v, replayed %q %v %v", text, plan, a.Because, a.held, a.changedBy, b.Because, b.held, b.changedBy)
			}
			if a.held {
				traced++
			}
		}
	}
	return traced
}
