package validator

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestNestedQuantifiers compiles and judges conditions that nest and widen
// quantifiers as hostile text could: time and memory must stay in proportion.
func TestNestedQuantifiers(t *testing.T) {
	nest := func(d int, open func(i int) string, closing string) string {
		var b strings.Builder
		for i := range d {
			b.WriteString(open(i))
		}
		return b.String() + "(p a)" + strings.Repeat(closing, d)
	}
	forms := []struct {
		name string
		make func(d int) string
	}{
		{"forall over or", func(d int) string {
			return nest(d, func(i int) string { return fmt.Sprintf("(forall (?v%d) (or (p ?v%d) ", i, i) }, "))")
		}},
		{"alternating", func(d int) string {
			return nest(d, func(i int) string {
				return fmt.Sprintf("(%s (?v%d) (and (p ?v%d) (or (p ?v%d) (p a)) ", [2]string{"exists", "forall"}[i%2], i, i, max(0, i-1))
			}, "))")
		}},
		{"negated, with disjunctions to distribute", func(d int) string {
			return nest(d, func(i int) string {
				return fmt.Sprintf("(not (exists (?v%d) (and (or (q ?v%d a) (q a ?v%d) (q ?v%d b) (q ?v%d c)) ", i, i, i, i, i)
			}, ")))")
		}},
		{"chain", func(d int) string {
			return nest(d, func(i int) string { return fmt.Sprintf("(exists (?v%d) (and (q ?v%d ?v%d) ", i, i, max(0, i-1)) }, "))")
		}},
		{"wide bodies", func(d int) string {
			return nest(d, func(i int) string {
				s := fmt.Sprintf("(forall (?v%d) (or ", i)
				for k := 0; k <= i && k < 40; k++ {
					s += fmt.Sprintf("(q ?v%d ?v%d)", k, i)
				}
				return s
			}, "))")
		}},
		{"one wide quantifier", func(d int) string {
			vars, body := "", ""
			for i := range d {
				vars += fmt.Sprintf(" ?v%d", i)
				body += fmt.Sprintf(" (q ?v%d ?v%d) (p ?v%d)", i, (i*7)%d, i)
			}
			return "(forall (" + vars + ") (or" + body + "))"
		}},
	}
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			within(t, 30*time.Second, func() {
				for _, d := range []int{1, 30, 1000} {
					j, err := NewJudge(parse(t,
						"(define (domain d) (:requirements :adl) (:constants a b c) (:predicates (p ?x) (q ?x ?y)) (:action a :parameters () :precondition "+form.make(d)+" :effect (forall (?z) (when (p ?z) (not (p ?z))))))",
						"(define (problem p) (:domain d) (:objects d e f g h i j k l m n) (:init (p a) (q a b)) (:goal (and)))"), Options{MaxWork: 1e7})
					if err != nil {
						t.Fatal(err)
					}
					if v := j.Validate(parsePlan(t, "(a)")); !v.Decided() && d == 1 {
						t.Errorf("depth %d: %s", d, message(v))
					}
					if n := len(j.nodes); n > 2000*d+2000 {
						t.Errorf("depth %d compiles to %d nodes", d, n)
					}
				}
			})
		})
	}
}
