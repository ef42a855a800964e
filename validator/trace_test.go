package validator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// TestTrace: the changes of each step, applied to the initial facts, give the facts that the judge says have changed when the
// next step fails; values are those after the step.
func TestTrace(t *testing.T) {
	prob := pddltest.Load(t, "blocksworld:3-1")
	j, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := func(text string) *pddl.Plan {
		p, diags := pddl.ParsePlan(pddl.NewSource("p", text))
		if p == nil {
			t.Fatal(diags)
		}
		return p
	}
	s := j.NewScratch()
	names := []string{"a", "b", "c"}
	tried := 0
	for _, a := range names {
		for _, b := range names {
			for _, c := range names {
				text := fmt.Sprintf("(unstack %s %s)\n(put-down %s)\n(pick-up %s)\n(stack %s %s)\n(put-down nothing)\n", a, b, a, c, c, a)
				steps, r := j.Trace(plan(text), s)
				if len(steps) != r.Executed {
					t.Fatalf("%d happenings of %d steps", len(steps), r.Executed)
				}
				facts := map[string]bool{}
				first := map[string]bool{}
				for _, f := range atomtext.Initial(prob) {
					facts[f], first[f] = true, true
				}
				for i, h := range steps {
					if !slices.Equal(h.Steps, []int{i}) {
						t.Fatalf("steps %v at %d", h.Steps, i)
					}
					for _, ch := range h.Changes {
						if facts[ch[2:]] == (ch[0] == '+') {
							t.Fatalf("%s changes nothing after step %d of\n%s", ch, i, text)
						}
						facts[ch[2:]] = ch[0] == '+'
					}
				}
				var want []string
				for f, holds := range facts {
					if holds != first[f] {
						want = append(want, map[bool]string{true: "+ ", false: "- "}[holds]+f)
					}
				}
				got := slices.Clone(j.ValidateWith(plan(text), s).Changes)
				slices.Sort(got)
				slices.Sort(want)
				if tried += len(want); !slices.Equal(got, want) {
					t.Errorf("the trace leads to %q, the judge to %q", want, got)
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no step was possible")
	}
	const numeric = `(define (domain d) (:requirements :strips :numeric-fluents) (:predicates (p)) (:functions (n) (m))
		(:action a :effect (and (increase (n) 2) (assign (m) 7) (p))))`
	d, _ := pddl.ParseDomain(pddl.NewSource("d", numeric), pddl.Options{})
	p, _ := pddl.ParseProblem(pddl.NewSource("p", "(define (problem p) (:domain d) (:init (= (n) 1)) (:goal (p)))"), d, pddl.Options{})
	if j, err = validator.NewJudge(p, validator.Options{}); err != nil {
		t.Fatal(err)
	}
	steps, r := j.Trace(plan("(a)\n(a)"), j.NewScratch())
	var out strings.Builder
	for _, h := range steps {
		fmt.Fprint(&out, h.Changes)
		for _, v := range h.Values {
			fmt.Fprint(&out, v.Fluent, "=", *v.Value, " ")
		}
	}
	if got, want := out.String(), "[+ (p)](n)=3 (m)=7 [](n)=5 "; got != want || !r.Valid {
		t.Errorf("%q, want %q; %+v", got, want, r)
	}
}

// TestTraceTimed: steps begin and end, what the world does of itself has its own happening or is in that of its time, and the
// changes lead to the facts that the judge sees.
func TestTraceTimed(t *testing.T) {
	_, prob := pddltest.Parse(t, `(define (domain d) (:requirements :durative-actions :timed-initial-literals :fluents :time)
  (:predicates (on) (busy) (night) (full)) (:functions (level))
  (:durative-action fill :parameters () :duration (= ?duration 4) :condition (at start (not (busy)))
    :effect (and (at start (busy)) (at end (not (busy))) (increase (level) (* #t 2))))
  (:action turn :parameters () :precondition (night) :effect (on))
  (:event flood :parameters () :precondition (and (>= (level) 6) (not (full))) :effect (full)))`,
		`(define (problem p) (:domain d) (:init (= (level) 0) (at 1 (night))) (:goal (and (on) (full))))`)
	j, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, diags := pddl.ParsePlan(pddl.NewSource("p", "0: (fill) [4]\n2: (turn)\n"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	steps, r := j.Trace(plan, j.NewScratch())
	if !r.Valid {
		t.Fatalf("%+v", r)
	}
	var got []string
	for _, h := range steps {
		text := fmt.Sprint(h.Time, h.Steps, h.Ends, h.Changes)
		for _, v := range h.Values {
			text += " " + v.Fluent + "=" + *v.Value
		}
		got = append(got, text)
	}
	want := []string{
		"0 [0] [] [+ (busy)]",
		"1 [] [] [+ (night)] (level)=2",
		"2 [1] [] [+ (on)] (level)=4",
		"3 [] [] [+ (full)] (level)=6",
		"4 [] [0] [- (busy)] (level)=8",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
