package validator_test

import (
	"fmt"
	"os"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

const (
	domainText = `(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (holding ?x) (handempty))
  (:action pick-up :parameters (?x)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (holding ?x) (not (clear ?x)) (not (ontable ?x)) (not (handempty))))
  (:action stack :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (handempty) (not (holding ?x)) (not (clear ?y)))))`
	problemText = `(define (problem three) (:domain blocks)
  (:objects a b c)
  (:init (ontable a) (ontable b) (ontable c) (clear a) (clear b) (clear c) (handempty))
  (:goal (and (on a b) (on b c))))`
)

func newJudge() *validator.Judge {
	dom, _ := pddl.ParseDomain(pddl.NewSource("domain.pddl", domainText), pddl.Options{})
	prob, diags := pddl.ParseProblem(pddl.NewSource("problem.pddl", problemText), dom, pddl.Options{})
	if err := diags.Err(); err != nil {
		panic(err)
	}
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		panic(err) // pddl.Diagnostics: the problem uses a construct that cannot be judged
	}
	return judge
}

// Judge the text of a plan.
func ExampleJudge_ValidateText() {
	judge := newJudge()
	scratch := judge.NewScratch() // one per goroutine, for any number of plans
	for _, plan := range []string{
		"(pick-up b) (stack b c) (pick-up a) (stack a b)",
		"(pick-up a) (stack a b) (pick-up b) (stack b c)",
	} {
		v, _ := judge.ValidateText(pddl.NewSource("plan", plan), scratch)
		if v.Valid {
			fmt.Println("valid, cost", v.Cost)
		} else {
			fmt.Printf("invalid (%s): step %d %s\n", v.Failure.Kind, v.Failure.Step, v.Failure.Action)
		}
	}
	// Output:
	// valid, cost 4
	// invalid (precondition): step 3 (pick-up b)
}

// Explain says in words what is wrong with a plan.
func ExampleExplain() {
	judge := newJudge()
	v, _ := judge.ExplainText(pddl.NewSource("plan", "(pick-up a)\n(stack a b)\n(pick-up b)"), judge.NewScratch())
	validator.Explain(v, os.Stdout)
	// Output:
	// The plan is invalid (line 3, column 1): step 3 (pick-up b): (clear b) does not hold.
	// 2 of 3 steps could be carried out at cost 2.
	// Unmet:
	//   (clear b)
	//       from (clear ?x)
	//       because step 2 (stack a b) made (clear b) false
	// Changed since the initial state:
	//   - (ontable a)
	//   - (clear b)
	//   + (on a b)
	// Facts at that point about the objects of this step:
	//   (on a b)
	//   (ontable b)
	// Goals unmet at that point:
	//   (on b c)
}
