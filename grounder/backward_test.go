package grounder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

// backwardTask grounds a problem, with irrelevant instances dropped early or not, and returns the number of those left.
func backwardTask(t fataler, p *pddl.Problem, early bool) (string, int) {
	g := newGrounder(context.Background(), p, Options{})
	if g.limits.backward, g.limits.backwardOf = 0, 1; !early {
		g.limits.backward = maxCount
	}
	task, err := g.run()
	if err != nil {
		t.Fatalf("%v", err)
	}
	n := 0
	for _, a := range g.actions {
		n += a.count
	}
	return dumpTask(task), n
}

type fataler interface{ Fatalf(string, ...any) }

// TestDropIrrelevant: dropping irrelevant instances before they become operators leads to the same task.
func TestDropIrrelevant(t *testing.T) {
	dropped := 0
	rapid.Check(t, func(t *rapid.T) {
		domain, problem := plainTask(t)
		p := parse(t, domain, problem)
		want, all := backwardTask(t, p, false)
		got, some := backwardTask(t, p, true)
		if got != want {
			t.Fatalf("%s%s\nearly:\n%s\nlate:\n%s", domain, problem, got, want)
		}
		if some < all {
			dropped++
		}
	})
	t.Logf("instances were dropped in %d tasks", dropped)
	if dropped == 0 && !testing.Short() {
		t.Error("no instance was dropped")
	}
}

// TestCorpusDropIrrelevant is TestDropIrrelevant on the benchmark tasks.
func TestCorpusDropIrrelevant(t *testing.T) {
	dropped := 0
	for _, r := range benchRows(t) {
		if r.cpu > 1 && testing.Short() {
			continue
		}
		p := parseFiles(t, r.domain, r.problem)
		want, all := backwardTask(t, p, false)
		got, some := backwardTask(t, p, true)
		if got != want {
			t.Errorf("%s differs", r.name)
		}
		if some < all {
			dropped++
		}
	}
	t.Logf("instances were dropped in %d tasks", dropped)
	if dropped == 0 {
		t.Error("in none")
	}
}

// TestFewNeeded: of 80,000 instances the goal needs one, so no others become operators. Where it needs all of
// them, nothing is dropped.
func TestFewNeeded(t *testing.T) {
	const domain = `(define (domain d) (:predicates (r ?x ?y) (q ?x))
(:action a :parameters (?x ?y) :precondition () :effect (r ?x ?y))
(:action b :parameters (?x ?y) :precondition (r ?x ?y) :effect (q ?x)))`
	var objects, all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&all, " (q o%d)", i)
	}
	for goal, want := range map[string]int{"(r o1 o2)": 1, "(q o1)": 400, all.String(): 2 * 200 * 200} {
		p := parse(t, domain, fmt.Sprintf("(define (problem p) (:domain d) (:objects%s) (:init) (:goal (and %s)))", &objects, goal))
		g := newGrounder(context.Background(), p, Options{})
		if _, err := g.run(); err != nil {
			t.Fatal(err)
		}
		if n := g.actions[0].count + g.actions[1].count; n != want {
			t.Errorf("%.20s: %d instances are left, want %d", goal, n, want)
		}
	}
}

// TestSortedAtoms: sorting by one argument after the other gives the order of compareAtoms.
func TestSortedAtoms(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		random := &randomTask{t: rt, head: -1}
		domain, problem := random.draw()
		g := newGrounder(context.Background(), parse(rt, domain, problem), Options{ObjectFluents: true})
		if _, err := g.run(); err != nil || g.names.object == nil {
			return
		}
		order := g.sortedAtoms()
		if len(order) != g.atoms || !slices.IsSortedFunc(order, g.compareAtoms) {
			rt.Fatalf("%v of %d atoms", order, g.atoms)
		}
	})
}

// plainTask draws a small task without derived predicates, conditional effects and costs.
func plainTask(t *rapid.T) (domain, problem string) {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
	arity := []int{0, 1, 1, 2, 2} // the last is static
	atom := func(n int, term func() string) string {
		p := pick(n)
		s := fmt.Sprintf("(p%d", p)
		for range arity[p] {
			s += " " + term()
		}
		return s + ")"
	}
	object := func() string { return "o" + string(rune('0'+pick(3))) }
	var b strings.Builder
	b.WriteString("(define (domain d) (:requirements :typing :equality :negative-preconditions) (:types s - object) (:constants o0 - s o1 o2)")
	b.WriteString("(:predicates (p0) (p1 ?x) (p2 ?x) (p3 ?x ?y) (p4 ?x ?y))\n")
	for a := range 1 + pick(4) {
		params := 1 + pick(3)
		term := func() string {
			if pick(8) == 0 {
				return object()
			}
			return "?" + string(rune('a'+pick(params)))
		}
		fmt.Fprintf(&b, "(:action a%d :parameters (", a)
		for i := range params {
			b.WriteString(" ?" + string(rune('a'+i)) + []string{"", " - s"}[pick(2)])
		}
		b.WriteString(") :precondition (and")
		for range pick(3) {
			b.WriteString(" " + atom(len(arity), term))
		}
		if pick(4) == 0 {
			b.WriteString(" (not (= ?a " + term() + "))")
		}
		if pick(10) == 0 {
			b.WriteString(" (not " + atom(len(arity), term) + ")")
		}
		b.WriteString(") :effect (and")
		for range 1 + pick(3) {
			if pick(3) == 0 {
				b.WriteString(" (not " + atom(len(arity)-1, term) + ")")
			} else {
				b.WriteString(" " + atom(len(arity)-1, term))
			}
		}
		b.WriteString("))\n")
	}
	b.WriteString(")")
	problem = "(define (problem p) (:domain d) (:init"
	for range 2 + pick(6) {
		problem += " " + atom(len(arity), object)
	}
	problem += ") (:goal (and"
	for range 1 + pick(2) {
		problem += " " + atom(len(arity)-1, object)
	}
	return b.String(), problem + ")))"
}
