package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertified solves a task that has a plan and one that has none.
func TestCertified(t *testing.T) {
	dir := t.TempDir()
	domain, problem := filepath.Join(dir, "domain.pddl"), filepath.Join(dir, "problem.pddl")
	for path, text := range map[string]string{
		domain: `(define (domain walk) (:predicates (at ?x) (road ?x ?y))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x)))))`,
		problem: `(define (problem island) (:domain walk) (:objects a b c) (:init (at a) (road a b) (road c b)) (:goal (at c)))`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for want, names := range map[string][]string{
		"proved: no plan costs less than 6\n": {"blocksworld:3-5"},
		"no plan exists\nproved\n":            {domain, problem},
	} {
		var out strings.Builder
		if err := certified(context.Background(), &out, names...); err != nil || !strings.HasSuffix(out.String(), want) {
			t.Errorf("%v: %v\n%s", names, err, out.String())
		}
	}
}
