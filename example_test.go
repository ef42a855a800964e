package planproof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

func Example() {
	ctx := context.Background()
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	answer := planproof.Extract(task, "First unstack the blue block from on top of the orange block, then put down the blue block.", planproof.ExtractOptions{})
	verdict, err := planproof.Judge(ctx, task, answer.PlanText())
	if err != nil {
		panic(err)
	}
	best, err := planproof.Solve(ctx, task, planproof.SolveOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Plan)
	fmt.Println(verdict.Valid, verdict.Executed, "of", verdict.Steps)
	fmt.Println(best.Status, best.Cost)
	// Output:
	// [(unstack b c) (put-down b)]
	// false 2 of 2
	// solved-optimally 6
}

func ExampleParseTask() {
	_, err := planproof.ParseTask(
		"(define (domain d) (:predicates (at ?x)) (:action go :parameters (?x) :effect (att ?x)))",
		"(define (problem p) (:domain d) (:objects a) (:goal (at a)))")
	var faults pddl.Diagnostics
	if errors.As(err, &faults) {
		fmt.Println(len(faults), "finding(s)")
		fmt.Println(&faults[0])
	}
	// Output:
	// 2 finding(s)
	// domain:1:80: error[undeclared-predicate]: undeclared predicate 'att'
}

func ExampleSolve() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	s, err := planproof.Solve(context.Background(), task, planproof.SolveOptions{Certificate: true})
	if err != nil {
		panic(err)
	}
	proof, err := planproof.CheckCertificate(context.Background(), task, bytes.NewReader(s.Certificate), 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Plan[0], "... proved: no plan costs less than", *proof.Cost, proof.Holds)
	// Output: (unstack b c) ... proved: no plan costs less than 6 true
}

func ExampleExplain() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	v, err := planproof.Explain(context.Background(), task, "(unstack b c)\n(stack b a)\n")
	if err != nil {
		panic(err)
	}
	validator.Explain(v, os.Stdout)
	// Output:
	// The plan is invalid (line 2, column 1): step 2 (stack b a): (clear a) does not hold.
	// 1 of 2 steps could be carried out at cost 1.
	// Unmet:
	//   (clear a)
	//       from (clear ?under)
	//       because (clear a) was never true: it is not in the initial state and no earlier step adds it
	// Changed since the initial state:
	//   - (on b c)
	//   - (clear b)
	//   - (handempty)
	//   + (holding b)
	//   + (clear c)
	// Facts at that point about the objects of this step:
	//   (on c a)
	//   (ontable a)
	//   (holding b)
	// Goals unmet at that point:
	//   (on b c)
	//   (ontable c)
}

func ExampleScore() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	s, err := planproof.Score(context.Background(), task, "(unstack b c)\n(stack b a)", planproof.ScoreOptions{Reward: "process"})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Status, *s.Reward > 0, s.Verdict.Failure.Message)
	// Output: invalid true step 2 (stack b a): (clear a) does not hold
}
