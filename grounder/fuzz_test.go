package grounder

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/pddl"
)

// FuzzGround: whatever the parser accepts is grounded, refused or stopped by a
// limit, and a resulting task keeps the promises of its types.
func FuzzGround(f *testing.F) {
	d, p := small(logisticsLike, logisticsProblem(4, 2))
	f.Add(d, p)
	d, p = small(`(:constants k) (:predicates (p ?x ?y) (q) (r ?x)) (:functions (total-cost) (w ?x))
		(:derived (r ?x) (or (p ?x k) (exists (?y) (and (r ?y) (p ?y ?x)))))
		(:action a :parameters (?x ?y) :precondition (and (not (= ?x k)) (forall (?z) (imply (p ?z ?x) (r ?z)))) :effect (and (p ?x ?y)
		  (forall (?z) (when (not (r ?z)) (and (not (p ?z ?z)) (increase (total-cost) (w ?z)))))))`,
		`(:objects a b) (:init (p a b) (= (w a) 0.5) (= (w b) 1e3)) (:goal (or (q) (r b))) (:metric minimize (+ (total-cost) 1))`)
	f.Add(d, p)
	d, p = small(`(:predicates (p)) (:functions (f)) (:action a :precondition (> (f) 1) :effect (and (p) (decrease (f) 1)))`, `(:init (= (f) 3)) (:goal (not (p)))`)
	f.Add(d, p)
	f.Fuzz(func(t *testing.T, domain, problem string) {
		d, _ := pddl.ParseDomain(&pddl.Source{Name: "domain.pddl", Text: domain}, pddl.Options{})
		if d == nil {
			return
		}
		p, _ := pddl.ParseProblem(&pddl.Source{Name: "problem.pddl", Text: problem}, d, pddl.Options{})
		if p == nil {
			return
		}
		task, err := Ground(context.Background(), p, Options{Time: 2 * time.Second, Memory: 1 << 30, ObjectFluents: true})
		var ds pddl.Diagnostics
		switch {
		case errors.Is(err, ErrLimit) || errors.As(err, &ds) && strings.Contains(err.Error(), "error["):
		case err != nil:
			t.Fatal(err)
		default:
			checkTask(t, task)
			_ = WriteSAS(io.Discard, task)
		}
	})
}
