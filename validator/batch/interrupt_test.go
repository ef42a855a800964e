package batch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/testkit"
)

// TestCompilingEnds: reading and compiling a row's task end at each look at the context.
func TestCompilingEnds(t *testing.T) {
	var actions, objects strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&actions, " (:action a%d :parameters (?x) :precondition (and (p ?x) (q ?x)) :effect (not (p ?x)))\n", i)
		fmt.Fprintf(&objects, " o%d", i)
	}
	key := taskref.Inline("(define (domain d) (:predicates (p ?x) (q ?x))\n"+actions.String()+")", "(define (problem x) (:domain d) (:objects"+objects.String()+") (:init (p o1)) (:goal (q o1)))")
	testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
		b := &batch{opt: Options{Tasks: &taskref.Rows{Resolver: taskref.NewResolver(taskref.Options{})}}}
		c, err := b.compile(ctx, key)
		if c != nil && c.err != nil {
			t.Fatal(c.err)
		}
		return c != nil, err
	})
}
