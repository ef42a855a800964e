package grounder

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestRefusals: unsupported constructs are refused by name at their places.
func TestRefusals(t *testing.T) {
	const ok = `(:action a :effect (p))`
	for _, c := range []struct{ domain, problem, want string }{
		{`(:durative-action m :parameters () :duration (= ?duration 1) :condition () :effect (at end (p)))`, ``, "domain.pddl:3:19: error[unsupported-durative-actions]"},
		{ok, `(:constraints (always (p)))`, "problem.pddl:3:2: error[unsupported-constraints]"},
		{`(:action a :precondition (preference x (p)) :effect (p))`, ``, "domain.pddl:3:26: error[unsupported-preferences]"},
		{`(:action a :precondition (> (fuel) 1) :effect (and (p) (decrease (fuel) 1)))`, ``, "domain.pddl:3:29: error[unsupported-numeric-fluents]"},
		{`(:action a :effect (and (p) (increase (total-cost) (fuel)) (decrease (fuel) 1)))`, ``, "domain.pddl:3:52: error[unsupported-numeric-fluents]"},
		{ok, `(:metric maximize (total-cost))`, "problem.pddl:3:1: error[unsupported-maximize]"},
		{ok, `(:metric minimize (* (total-cost) (fuel)))`, "problem.pddl:3:35: error[unsupported-metric]"},
		{`(:action a :effect (and (p) (assign (total-cost) 1)))`, `(:metric minimize (total-cost))`, "domain.pddl:3:29: error[unsupported-metric]"},
		{`(:action a :effect (and (p) (increase (total-cost) (- (+ (w) (w))))))`, `(:metric minimize (total-cost))`, "domain.pddl:3:29: error[negative-action-cost]"},
		{`(:action a :effect (and (p) (when (p) (increase (total-cost) (- (+ (w) (w)))))))`, `(:metric minimize (total-cost))`, "domain.pddl:3:39: error[negative-action-cost]"},
		{`(:action a :effect (and (p) (increase (total-cost) 9223372036854775807))) (:action b :effect (and (p) (increase (total-cost) 1)))`,
			`(:metric minimize (total-cost))`, "problem.pddl:3:1: error[cost-too-large]"},
		{`(:functions (f) - object)(:action a :effect (and (p) (assign (f) undefined)))`, ``, "domain.pddl:3:54: error[unsupported-object-fluents]"},
		{`(:action a :effect (and (p) (increase (fuel) 1) (assign (fuel) 1)))`, ``, "domain.pddl:3:49: error[unsupported-numeric-fluents]"},
	} {
		domain := "(:predicates (p))"
		if !strings.HasPrefix(c.domain, "(:functions") {
			domain += "(:functions (total-cost) (fuel) (w))"
		}
		d := "(define (domain d) (:requirements :adl :fluents :durative-actions :constraints :preferences :object-fluents)\n" + domain + "\n" + c.domain + ")"
		init := "(= (w) 1) (= (fuel) 0)"
		if strings.HasPrefix(c.domain, "(:functions") {
			init = ""
		}
		p := "(define (problem p) (:domain d)\n(:init " + init + ") (:goal (p))\n" + c.problem + ")"
		_, err := Ground(context.Background(), parse(t, d, p), Options{})
		var ds pddl.Diagnostics
		if !errors.As(err, &ds) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v\nwant %s", c.domain, c.problem, err, c.want)
		}
	}
}

// TestWriteSASRefusals: costs that the format cannot express are refused.
func TestWriteSASRefusals(t *testing.T) {
	for _, c := range []struct{ effect, want string }{
		{`(increase (total-cost) 2147483649)`, "more than 32 bits"},
		{`(when (q) (increase (total-cost) 2))`, "conditional action costs"},
	} {
		task, err := groundText(t, `(:predicates (p) (q)) (:functions (total-cost)) (:action a :effect (and (p) `+c.effect+`)) (:action b :effect (and (q) (increase (total-cost) 2)))`,
			`(:init) (:goal (and (p) (q))) (:metric minimize (total-cost))`, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteSAS(&bytes.Buffer{}, task); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.effect, err)
		}
	}
}
