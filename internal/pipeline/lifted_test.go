package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
)

// tokens is a task of three tokens on a row of places: they move by one place, or swap places all at once. Each of n³
// ways to swap them is a ground action for each order of the tokens.
func tokens(n int) (domain, problem string) {
	domain = `(define (domain tokens) (:requirements :strips :typing :equality) (:types token place)
 (:predicates (at ?t - token ?p - place) (next ?p ?q - place))
 (:action step :parameters (?t - token ?p ?q - place) :precondition (and (at ?t ?p) (next ?p ?q)) :effect (and (at ?t ?q) (not (at ?t ?p))))
 (:action rotate :parameters (?t ?u ?v - token ?p ?q ?r - place)
  :precondition (and (at ?t ?p) (at ?u ?q) (at ?v ?r) (not (= ?t ?u)) (not (= ?t ?v)) (not (= ?u ?v)))
  :effect (and (not (at ?t ?p)) (not (at ?u ?q)) (not (at ?v ?r)) (at ?t ?q) (at ?u ?r) (at ?v ?p))))`
	var b strings.Builder
	b.WriteString("(define (problem row) (:domain tokens) (:objects a b c - token")
	for i := range n {
		fmt.Fprintf(&b, " p%d", i)
	}
	b.WriteString(" - place) (:init (at a p0) (at b p30) (at c p60)")
	for i := range n - 1 {
		fmt.Fprintf(&b, " (next p%d p%d)", i, i+1)
	}
	return domain, b.String() + ") (:goal (and (at a p31) (at b p62) (at c p1))))"
}

// TestTooLargeToGround: what cannot be grounded within the memory is searched as it is, and judged.
func TestTooLargeToGround(t *testing.T) {
	domain, problem := tokens(70)
	p := read(t, domain, problem)
	const memory = 16 << 20
	opt := Options{Ground: grounder.Options{Memory: memory}, Search: search.Config{Limits: search.Limits{Memory: memory}}}
	opt.Search.Search = "ucs()"
	if _, err := Solve(context.Background(), p, opt); !errors.Is(err, grounder.ErrMemory) {
		t.Fatalf("another search: %v", err)
	}
	opt.Search.Search = ""
	a, err := Solve(context.Background(), p, opt)
	if err != nil || a.Status != search.SolvedOptimally || a.Cost.String() != "5" || a.Verdict == nil || !a.Verdict.Valid || a.Search != "lifted()" ||
		!strings.Contains(a.Note, "without grounding") {
		t.Fatalf("%+v, %v", a, err)
	}
	r, err := Prove(context.Background(), p, Question{Memory: memory, Certificate: true})
	if err != nil || r.Report.Note != a.Note || *r.Report.Cost != "5" || r.Saved == nil || r.Saved.Error == "" || r.Certificate != nil {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Prove(context.Background(), p, Question{Search: "lifted()", Goal: "(and (at a p50) (at a p51))", Nodes: 100})
	if err != nil || r.Report.Status != search.Nodeout || r.Report.Note != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLiftedIsNotSupported: where lifted search cannot help either, the limit of grounding is the answer.
func TestLiftedIsNotSupported(t *testing.T) {
	domain, problem := tokens(70)
	domain = strings.Replace(domain, "(:action step", "(:derived (far ?p ?q) (next ?q ?p)) (:action step", 1)
	domain = strings.Replace(domain, "(next ?p ?q - place))", "(next ?p ?q - place) (far ?p ?q - place))", 1)
	domain = strings.Replace(domain, ":equality", ":equality :derived-predicates", 1)
	p := read(t, domain, problem)
	r, err := Prove(context.Background(), p, Question{Memory: 16 << 20})
	if err != nil || r.Report.Status != search.Memout || r.Answer != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
