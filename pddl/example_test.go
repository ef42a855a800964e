package pddl_test

import (
	"fmt"
	"os"

	"github.com/planproof/planproof/pddl"
)

const gripperDomain = `(define (domain gripper)
  (:requirements :strips)
  (:predicates (room ?r) (at-robot ?r))
  (:action move
    :parameters (?from ?to)
    :precondition (and (room ?from) (room ?to) (at-robot ?from))
    :effect (and (at-robot ?to) (not (at-robot ?from)))))`

// Read a domain and look at its actions.
func ExampleParseDomain() {
	dom, diags := pddl.ParseDomain(pddl.NewSource("domain.pddl", gripperDomain), pddl.Options{})
	if err := diags.Err(); err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range dom.Actions {
		names := dom.Names(&a.Schema)
		fmt.Println(a.Name, names.Formula(a.Precondition))
	}
	// Output:
	// move (and (room ?from) (room ?to) (at-robot ?from))
}

// Diagnostics show the place of each error and, if there is one, a hint.
func ExampleDiagnostics_Format() {
	dom, _ := pddl.ParseDomain(pddl.NewSource("domain.pddl", gripperDomain), pddl.Options{})
	problem := `(define (problem p) (:domain gripper)
  (:objects a b)
  (:init (room a) (room b) (at-robott a))
  (:goal (at-robot b)))`
	_, diags := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), dom, pddl.Options{})
	diags.Format(os.Stdout)
	// Output:
	// problem.pddl:3:29: error[undeclared-predicate]: undeclared predicate 'at-robott'
	//     (:init (room a) (room b) (at-robott a))
	//                               ^~~~~~~~~
	//   hint: did you mean 'at-robot'?
}

// A plan is read without a domain: names are only looked up when it is judged.
func ExampleParsePlan() {
	plan, diags := pddl.ParsePlan(pddl.NewSource("plan.txt", "(move a b)\n(move b c) ; back again\n"))
	if err := diags.Err(); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range plan.Steps {
		fmt.Println(s.Name, s.Args)
	}
	// Output:
	// move [a b]
	// move [b c]
}

// Format keeps comments and changes only the layout.
func ExampleFormat() {
	text, _ := pddl.Format(pddl.NewSource("problem.pddl",
		`(define (problem p) (:domain gripper) (:objects a b) ; two rooms
(:init (room a)(room b)(at-robot a)) (:goal (at-robot b)))`))
	fmt.Print(text)
	// Output:
	// (define (problem p)
	//   (:domain gripper)
	//   (:objects a b) ; two rooms
	//   (:init (room a) (room b) (at-robot a))
	//   (:goal (at-robot b))
	// )
}
