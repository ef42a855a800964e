// Command planproof-check verifies a certificate by itself: it reads the ground task that the file has in it, and
// links of planproof only the checker. docs/CERTIFICATES.md says what is checked, and what remains to be trusted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"os"

	"github.com/planproof/planproof/search/certificate/proof"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run checks the certificate that args name, and returns the exit code: 0 it holds, 1 it is refused, 2 it cannot be
// read.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: planproof-check CERTIFICATE")
		return 2
	}
	says, err := checkFile(args[0])
	var no *proof.Refusal
	var path *fs.PathError
	switch {
	case errors.As(err, &no):
		fmt.Fprintln(stdout, "refused:", no)
		return 1
	case errors.As(err, &path) && path.Op == "open":
		fmt.Fprintln(stderr, "planproof-check:", err) // it names the file
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "planproof-check: %s: %v\n", args[0], err)
		return 2
	}
	fmt.Fprint(stdout, says)
	return 0
}

// checkFile reads a certificate and the task in it, and says what is proven.
func checkFile(name string) (string, error) {
	in, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	r, err := proof.NewReader(in)
	if err != nil {
		return "", err
	}
	ctx, h := context.Background(), &r.Header
	task, err := r.ReadTask(ctx, math.MaxInt64)
	if err != nil {
		return "", err
	}
	cert, err := r.Read(ctx, task, math.MaxInt64)
	if err != nil {
		return "", err
	}
	if _, err := proof.Check(ctx, task, cert, math.MaxInt64); err != nil {
		return "", err
	}
	cost, err := costName(task, h.Bound)
	says := "the goal can never be reached"
	switch {
	case err != nil:
		return "", err
	case h.Claim == proof.Unsolvable && h.Step != "":
		says = "the step " + h.Step + " can never be applied"
	case h.Claim == proof.Optimal:
		says = fmt.Sprintf("its plan of %d steps costs %s, and none costs less", len(cert.Plan), cost)
	case h.Claim == proof.LowerBound:
		says = "no plan costs less than " + cost
	}
	says = fmt.Sprintf("holds: %s\ntask sha256:%x\n", says, h.Task)
	for _, f := range task.Goal {
		says += fmt.Sprintf("goal %s\n", task.Variables[f.Var].Values[f.Val])
	}
	return says, nil
}

// costName turns units into the cost of a plan.
func costName(t *proof.Task, units int64) (string, error) {
	unit, ok := new(big.Rat).SetString(t.Unit)
	cost, good := new(big.Rat).SetString(t.Base)
	if !ok || !good {
		return "", &proof.Refusal{Reason: fmt.Sprintf("its costs are %q and %q, which are no numbers", t.Unit, t.Base)}
	}
	cost.Add(cost, unit.Mul(unit, new(big.Rat).SetInt64(units)))
	if digits, exact := cost.FloatPrec(); exact {
		return cost.FloatString(digits), nil
	}
	return cost.RatString(), nil
}
