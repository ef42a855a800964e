package taskref

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestParsingEnds: parsing a task ends at each look at its context, and nothing unfinished is kept.
func TestParsingEnds(t *testing.T) {
	var actions, objects strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&actions, " (:action a%d :parameters (?x) :precondition (and (p ?x) (q ?x)) :effect (not (p ?x)))\n", i)
		fmt.Fprintf(&objects, " o%d", i)
	}
	key := Inline("(define (domain d) (:predicates (p ?x) (q ?x))\n"+actions.String()+")", "(define (problem x) (:domain d) (:objects"+objects.String()+") (:init (p o1)) (:goal (q o1)))")
	testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
		p, diags, err := NewResolver(Options{}).ParseContext(ctx, key, pddl.Options{})
		return p != nil || diags != nil, err
	})
	r := NewResolver(Options{CacheBytes: 1 << 20})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.ParseContext(gone, key, pddl.Options{}); !errors.Is(err, context.Canceled) || r.domains.Count() != 0 {
		t.Errorf("%v, and %d domains are kept", err, r.domains.Count())
	}
	if p, diags := r.Parse(key, pddl.Options{}); p == nil || r.domains.Count() != 1 {
		t.Errorf("the next call: %v, %d domains", diags, r.domains.Count())
	}
}
