// Command planproof reads PDDL, finds cost-optimal plans, judges plans (also those
// that language models write) and turns verdicts into rewards. `planproof help`
// lists the commands; docs/ and README.md tell the rest.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
