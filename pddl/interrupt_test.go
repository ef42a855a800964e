package pddl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// endsAfter is a context that has ended when it is looked at for the n-th time, so that reading is cut off at
// every one of its looks.
type endsAfter struct {
	context.Context
	n, looks int
}

func (c *endsAfter) Err() error {
	if c.looks++; c.looks > c.n {
		return context.DeadlineExceeded
	}
	return nil
}

// TestReadingEnds: reading ends at each look at its context, with the context's error and nothing else; and it looks
// often.
func TestReadingEnds(t *testing.T) {
	const n = 20000
	var actions, objects, atoms, goal strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&actions, " (:action a%d :parameters (?x) :precondition (and (p ?x) (forall (?y) (or (q ?y) (p ?y)))) :effect (and (q ?x) (not (p ?x))))\n", i)
	}
	for i := range n {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&atoms, "(p o%d)", i)
		fmt.Fprintf(&goal, "(q o%d)", i)
	}
	domain := pddl.NewSource("domain", "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x))\n"+actions.String()+")")
	problem := pddl.NewSource("problem", "(define (problem x) (:domain d) (:objects"+objects.String()+") (:init "+atoms.String()+") (:goal (and "+goal.String()+")))")
	dom, diags := pddl.ParseDomain(domain, pddl.Options{})
	if dom == nil {
		t.Fatal(diags)
	}
	for what, read := range map[string]func(context.Context) (bool, pddl.Diagnostics, error){
		"domain": func(ctx context.Context) (bool, pddl.Diagnostics, error) {
			d, diags, err := pddl.ParseDomainContext(ctx, domain, pddl.Options{})
			return d != nil, diags, err
		},
		"problem": func(ctx context.Context) (bool, pddl.Diagnostics, error) {
			p, diags, err := pddl.ParseProblemContext(ctx, problem, dom, pddl.Options{})
			return p != nil, diags, err
		},
	} {
		whole := &endsAfter{Context: context.Background(), n: 1 << 30}
		if ok, diags, err := read(whole); !ok || len(diags) > 0 || err != nil {
			t.Fatalf("%s: %v, %v, %v", what, ok, diags, err)
		}
		if whole.looks < 10 {
			t.Errorf("%s: only %d looks at the context", what, whole.looks)
		}
		for k := range whole.looks {
			ctx := &endsAfter{Context: context.Background(), n: k}
			if ok, diags, err := read(ctx); ok || diags != nil || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, cut off at look %d of %d: %v, %d diagnostics, %v", what, k, whole.looks, ok, len(diags), err)
			}
			if ctx.looks > k+1 {
				t.Errorf("%s, cut off at look %d: %d looks", what, k, ctx.looks)
			}
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if p, _, err := pddl.ParseProblemContext(gone, problem, dom, pddl.Options{}); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v, %v", p != nil, err)
	}
}
