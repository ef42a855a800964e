// Command certified solves a task, proves that no plan is cheaper, and checks the proof
// with code that shares nothing with the search.
//
//	go run ./examples/certified blocksworld:4-17
//	go run ./examples/certified domain.pddl problem.pddl
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/search"
)

func certified(ctx context.Context, out io.Writer, names ...string) error {
	task, err := planproof.ReadTask(names...)
	if err != nil {
		return err
	}
	solution, err := planproof.Solve(ctx, task, planproof.SolveOptions{Time: time.Minute, Memory: 4 << 30, Certificate: true})
	if err != nil {
		return err
	}
	switch solution.Status {
	case search.SolvedOptimally:
		for _, step := range solution.Plan {
			fmt.Fprintln(out, step)
		}
	case search.Unsolvable:
		fmt.Fprintln(out, "no plan exists")
	default:
		return fmt.Errorf("no answer: %s", solution.Status)
	}
	if solution.Certificate == nil {
		return fmt.Errorf("the limits left no room for a certificate")
	}
	proof, err := planproof.CheckCertificate(ctx, task, bytes.NewReader(solution.Certificate), 0)
	switch {
	case err != nil:
		return err
	case !proof.Holds:
		return fmt.Errorf("the certificate proves nothing: %s", proof.Reason)
	case proof.Cost != nil:
		fmt.Fprintf(out, "proved: no plan costs less than %s\n", *proof.Cost)
	default:
		fmt.Fprintln(out, "proved")
	}
	return nil
}

func main() {
	if err := certified(context.Background(), os.Stdout, os.Args[1:]...); err != nil {
		log.Fatal(err)
	}
}
