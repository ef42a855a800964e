package pddl

import (
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	in := "\ufeff; a domain\r\n\r\n\r\n(define (domain  Ferry) ; its name\n" +
		"(:requirements :strips\n:typing)(:types car\tplace - object   ferry - object) ; types\n" +
		"(:predicates(at?c - car ?p -place)(free)\n(very-long-predicate-name-number-one ?a ?b - car)   (another-long-one ?p - place))\n\n\n" +
		"; the only action\n(:action   Board :parameters (?c - car ; what\n?p - place)\n:precondition (and (at ?c ?p)(free))\n" +
		":effect (and (not (at ?c ?p)) ; leaves\n; and\n(not (free))\n\n(forall (?x - car ?y - place) (when (and (at ?x ?y) (free)) (not (very-long-predicate-name-number-one ?c ?x))))))" +
		"(:action nothing)\n; last words\n)\n; bye"
	want := `; a domain

(define (domain Ferry) ; its name
  (:requirements :strips :typing)
  (:types car place - object ferry - object) ; types
  (:predicates
    (at ?c - car ?p -place)
    (free)
    (very-long-predicate-name-number-one ?a ?b - car)
    (another-long-one ?p - place)
  )

  ; the only action
  (:action Board
    :parameters (?c - car ; what
      ?p - place)
    :precondition (and (at ?c ?p) (free))
    :effect (and
      (not (at ?c ?p)) ; leaves
      ; and
      (not (free))

      (forall (?x - car ?y - place)
        (when
          (and (at ?x ?y) (free))
          (not (very-long-predicate-name-number-one ?c ?x)))))
  )
  (:action nothing
  )
  ; last words
)
; bye
`
	src := NewSource("domain.pddl", in)
	if got := checkFormat(t, src); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	objects := "(define (problem p) (:domain d) (:objects " + strings.Repeat("crate ", 20) + "- thing a b - (either x y) last))"
	wantObjects := `(define (problem p)
  (:domain d)
  (:objects
    crate crate crate crate crate crate crate crate crate crate crate crate
    crate crate crate crate crate crate crate crate - thing
    a b - (either x y)
    last
  )
)
`
	if got := checkFormat(t, NewSource("p", objects)); got != wantObjects {
		t.Errorf("got\n%s\nwant\n%s", got, wantObjects)
	}
}

func TestFormatGoal(t *testing.T) {
	in := "(define (problem p) (:goal (and " + strings.Repeat("(on block-number-one block-number-two) ", 3) + ")) (:metric minimize (+ " +
		strings.Repeat("(weight-of block-number-one) ", 3) + ")))"
	want := `(define (problem p)
  (:goal (and
    (on block-number-one block-number-two)
    (on block-number-one block-number-two)
    (on block-number-one block-number-two))
  )
  (:metric minimize (+
    (weight-of block-number-one)
    (weight-of block-number-one)
    (weight-of block-number-one))
  )
)
`
	if got := checkFormat(t, NewSource("p", in)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFormatFaults(t *testing.T) {
	for in, want := range map[string]string{
		"(define (domain d)":  "1:1 unclosed-parenthesis",
		"(a (b (c)\n)":        "1:1 unclosed-parenthesis",
		"(a))":                "1:4 extra-parenthesis",
		"(a)\n# A README (x)": "2:1 unexpected-token",
		"(\x00)":              "1:2 not-text",
	} {
		out, ds := Format(NewSource("f", in))
		if out != "" || codesAt(ds) != want {
			t.Errorf("%q: %q, %s; want %s", in, out, codesAt(ds), want)
		}
	}
	for in, want := range map[string]string{"": "", "\n; c\n": "; c\n", "()": "()\n", "(; c\n)": "( ; c\n)\n", "(a;c\n)": "(a ;c\n)\n"} {
		if out, ds := Format(NewSource("f", in)); out != want || ds != nil {
			t.Errorf("%q: %q, %v; want %q", in, out, ds, want)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	src := NewSource("p", generateProblem(1<<20))
	b.SetBytes(int64(len(src.Text)))
	for b.Loop() {
		if out, _ := Format(src); out == "" {
			b.Fatal("not formatted")
		}
	}
}
