package grounder_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
)

// Ground a problem and list the variables and operators of the task.
func ExampleGround() {
	dom, _ := pddl.ParseDomain(pddl.NewSource("domain.pddl", `(define (domain delivery)
  (:requirements :typing)
  (:types place parcel)
  (:predicates (van ?p - place) (at ?x - parcel ?p - place) (loaded ?x - parcel))
  (:action drive :parameters (?a ?b - place)
    :precondition (van ?a) :effect (and (van ?b) (not (van ?a))))
  (:action load :parameters (?x - parcel ?p - place)
    :precondition (and (van ?p) (at ?x ?p)) :effect (and (loaded ?x) (not (at ?x ?p))))
  (:action unload :parameters (?x - parcel ?p - place)
    :precondition (and (van ?p) (loaded ?x)) :effect (and (at ?x ?p) (not (loaded ?x)))))`), pddl.Options{})
	prob, diags := pddl.ParseProblem(pddl.NewSource("problem.pddl", `(define (problem one) (:domain delivery)
  (:objects home shop - place box - parcel)
  (:init (van home) (at box shop))
  (:goal (at box home)))`), dom, pddl.Options{})
	if err := diags.Err(); err != nil {
		fmt.Println(err)
		return
	}
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range task.Variables {
		fmt.Println(v.Values)
	}
	for i := range task.Operators.Len() {
		fmt.Println(task.OperatorName(grounder.OperatorID(i)))
	}
	// Output:
	// [Atom van(home) Atom van(shop)]
	// [Atom at(box, home) Atom at(box, shop) Atom loaded(box)]
	// (drive home shop)
	// (drive shop home)
	// (load box home)
	// (load box shop)
	// (unload box home)
	// (unload box shop)
}
