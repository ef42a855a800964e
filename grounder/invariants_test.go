package grounder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// invariantsOf returns the invariants found for a task, each as its patterns.
func invariantsOf(t *testing.T, domain, problem string) []string {
	t.Helper()
	d, p := small(domain, problem)
	return foundInvariants(t, parse(t, d, p))
}

func foundInvariants(t fatal, p *pddl.Problem) []string {
	t.Helper()
	g := newGrounder(context.Background(), p, Options{ObjectFluents: true})
	for _, s := range stages {
		s.run(g)
		if s.name == "find invariants" {
			break
		}
	}
	var out []string
	for _, v := range g.invariants {
		var parts []string
		for _, p := range v.parts {
			args := make([]string, len(p.args))
			for i, a := range p.args {
				args[i] = "*"
				if a != counted {
					args[i] = fmt.Sprint(a)
				}
			}
			parts = append(parts, g.preds[p.pred].name+"("+strings.Join(args, ",")+")")
		}
		slices.Sort(parts)
		out = append(out, strings.Join(parts, " "))
	}
	slices.Sort(out)
	return out
}

func TestInvariants(t *testing.T) {
	for _, c := range []struct {
		name, domain, problem string
		want                  []string
	}{
		{"blocks", `(:predicates (on ?x ?y) (table ?x) (clear ?x) (free) (held ?x))
			(:action grab :parameters (?x) :precondition (and (clear ?x) (table ?x) (free)) :effect (and (not (clear ?x)) (not (table ?x)) (not (free)) (held ?x)))
			(:action drop :parameters (?x) :precondition (held ?x) :effect (and (not (held ?x)) (clear ?x) (free) (table ?x)))
			(:action stack :parameters (?x ?y) :precondition (and (held ?x) (clear ?y)) :effect (and (not (held ?x)) (not (clear ?y)) (clear ?x) (free) (on ?x ?y)))
			(:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (free)) :effect (and (held ?x) (clear ?y) (not (clear ?x)) (not (free)) (not (on ?x ?y))))`,
			`(:objects a b c) (:init (free) (table a) (on b a) (on c b) (clear c)) (:goal (on a c))`,
			[]string{"clear(0) held(0) on(*,0)", "free() held(*)", "held(0) on(0,*) table(0)"}},
		{"a universal delete moves the cargo along", `(:types ship box place) (:predicates (at ?s - ship ?p - place) (in ?b - box ?s - ship) (lies ?b - box ?p - place))
			(:action sail :parameters (?s - ship ?x ?y - place) :precondition (at ?s ?x)
			  :effect (and (at ?s ?y) (not (at ?s ?x)) (forall (?b - box) (when (and (in ?b ?s) (lies ?b ?x)) (and (lies ?b ?y) (not (lies ?b ?x)))))))
			(:action load :parameters (?b - box ?s - ship ?x - place) :precondition (and (at ?s ?x) (lies ?b ?x)) :effect (in ?b ?s))`,
			`(:objects s - ship b - box x y - place) (:init (at s x) (lies b x)) (:goal (lies b y))`,
			[]string{"at(0,*)", "lies(0,*)"}},
		{"a delete that an add takes back proves nothing", `(:predicates (p ?x) (q ?x))
			(:action act :parameters (?x ?y) :precondition (p ?x) :effect (and (not (p ?x)) (p ?y) (q ?x)))`,
			`(:objects a b) (:init (p a)) (:goal (q b))`,
			[]string{"p(*)"}},
		{"a delete for objects of another type proves nothing", `(:types ta tb) (:constants k - ta c - tb) (:predicates (p ?x) (q ?x))
			(:action act :parameters (?x) :precondition (and (q k) (p k) (not (q ?x))) :effect (and (q ?x) (forall (?y - tb) (when (p ?y) (not (q k))))))
			(:action other :precondition (p k) :effect (not (p k)))`,
			`(:init (q k) (p k)) (:goal (q c))`,
			[]string{"p(*)", "p(0)"}},
		{"two adds are too heavy", `(:predicates (p ?x) (q)) (:action act :parameters (?x ?y) :precondition (q) :effect (and (p ?x) (p ?y) (not (q))))`,
			`(:objects a b) (:init (q)) (:goal (p a))`, []string{"q()"}},
	} {
		if got := invariantsOf(t, c.domain, c.problem); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
