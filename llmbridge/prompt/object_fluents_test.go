package prompt_test

import (
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/prompt"
)

const boxesDomain = `(define (domain boxes)
  (:requirements :typing :object-fluents :equality :negative-preconditions)
  (:types box room)
  (:predicates (ready ?b - box))
  (:functions (in ?b - box) - room)
  (:action move :parameters (?b - box ?r - room)
    :precondition (and (ready ?b) (not (= (in ?b) ?r)))
    :effect (assign (in ?b) ?r))
  (:action lose :parameters (?b - box) :precondition (ready ?b) :effect (assign (in ?b) undefined))
  (:action join :parameters (?a ?b - box)
    :precondition (not (= (in ?a) (in ?b)))
    :effect (assign (in ?a) (in ?b))))`

const boxesProblem = `(define (problem p) (:domain boxes)
  (:objects a b - box x y - room)
  (:init (= (in a) x) (= (in b) y) (ready a))
  (:goal (and (= (in a) (in b)) (= (in b) y))))`

// TestObjectFluentsInWords: sentences say what object fluents are, are not and become, with the
// values at the start, and nothing stands in the notation of PDDL.
func TestObjectFluentsInWords(t *testing.T) {
	_, p := pddltest.Parse(t, boxesDomain, boxesProblem)
	r, err := prompt.Make(t.Context(), prompt.Task{ID: "boxes", Problem: p}, prompt.Options{NoGold: true, Kind: prompt.KindGeneration, Style: prompt.StyleNL})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(r.Prompt.Text, "reaches my goal?", "")
	if strings.ContainsAny(strings.NewReplacer("[STATEMENT]", "", "[PLAN]", "", "[PLAN END]", "").Replace(text), "?=[") {
		t.Errorf("PDDL in\n%s", text)
	}
	for _, want := range []string{
		"the value of in box B is not room R", "the value of in box B becomes room R", "the value of in box B becomes nothing",
		"only if the value of in box A is not the value of in box B and",
		"the value of in box A becomes the value of in box B before it.",
		"the value of in a is the value of in b and",
		"in a is x and in b is y", "the value of in b is y",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
