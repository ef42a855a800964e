package prompt

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
)

// TestPromptsOfRicherTasks: what the search does not support can be told all the same,
// trajectory constraints are constraints by place, and a record without a gold answer
// can be had.
func TestPromptsOfRicherTasks(t *testing.T) {
	_, prob := pddltest.Parse(t, `(define (domain t) (:requirements :typing :durative-actions :numeric-fluents :constraints :preferences)
  (:types place) (:predicates (at ?x - place) (road ?x ?y - place)) (:functions (len ?x ?y - place) (fuel))
  (:durative-action go :parameters (?x ?y - place) :duration (= ?duration (len ?x ?y))
    :condition (and (at start (at ?x)) (over all (road ?x ?y)) (at start (>= (fuel) 1)))
    :effect (and (at start (not (at ?x))) (at end (at ?y)) (at end (decrease (fuel) 1)))))`,
		`(define (problem p) (:domain t) (:objects u v w - place)
  (:init (at u) (road u v) (road v w) (= (len u v) 2) (= (len v w) 3.5) (= (fuel) 5)) (:goal (and (at w) (not (at u))))
  (:constraints (and (always (not (at v))) (sometime-before (at w) (at v)) (preference q (within 5 (at w))))) (:metric minimize (total-time)))`)
	task := Task{ID: "t", Problem: prob}
	rec, err := Make(context.Background(), task, Options{NoGold: true})
	if err != nil {
		t.Fatal(err)
	}
	checkSpans(t, &rec.Prompt)
	for _, s := range []string{
		"only if at the start at place X, all the time road place X place Y and at the start the value of fuel is at least 1.",
		"at its end the value of fuel falls by 1", "len u v is 2", "at w and it is not the case that at u",
		"in every state on the way it is not the case that at v", "whenever at w, then at some earlier time at v", "preferably, within 5 from the start at w", "START: ACTION [DURATION]",
	} {
		if !strings.Contains(rec.Prompt.Text, s) {
			t.Errorf("no %q in\n%s", s, rec.Prompt.Text)
		}
	}
	got, masked := Mask{Constraints: true, Percent: 100}.Apply(&rec.Prompt)
	if strings.Contains(got.Text, "on the way") || strings.Contains(got.Text, "only if") || len(masked) != 5 {
		t.Errorf("%d spans masked:\n%s", len(masked), got.Text)
	}
	rec, err = Make(context.Background(), task, Options{Style: StylePDDL, NoGold: true, Without: Mask{Constraints: true, Goal: true, Percent: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{":condition", "(:constraints", "(:goal"} {
		if strings.Contains(rec.Prompt.Text, s) || !strings.Contains(rec.Full.Text, s) {
			t.Errorf("%s: masked\n%s\nfull\n%s", s, rec.Prompt.Text, rec.Full.Text)
		}
	}
	var diags pddl.Diagnostics
	if _, err := Make(context.Background(), task, Options{}); !errors.As(err, &diags) {
		t.Errorf("a gold answer for a task that the search does not support: %v", err)
	}
}

// TestPromptsTellTheProblemOnly: comments, which may hold answers, stay out of prompts.
func TestPromptsTellTheProblemOnly(t *testing.T) {
	dom, ds := pddl.ParseDomain(pddl.NewSource("d", "; secret one\n"+pddltest.BlocksDomain), pddl.Options{})
	if dom == nil {
		t.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("secret three", "; secret two\n"+pddltest.BlocksProblem+"\n; cost = 6"), dom, pddl.Options{})
	if prob == nil {
		t.Fatal(ds)
	}
	for _, style := range []Style{StyleNL, StylePDDL} {
		rec, err := Make(context.Background(), Task{Problem: prob}, Options{Style: style, Shots: 1})
		if err != nil {
			t.Fatal(err)
		}
		if text := rec.Prompt.Text; strings.Contains(text, "secret") || strings.Contains(text, "cost =") || strings.Contains(rec.Problem, "secret") {
			t.Errorf("%s", text)
		}
	}
}
