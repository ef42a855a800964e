// Command planproof reads PDDL, finds cost-optimal plans, judges plans (also those
// that language models write) and turns verdicts into rewards. `planproof help`
// lists the commands; docs/ and README.md tell the rest.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/trim"
	_ "github.com/planproof/planproof/internal/trim/again"
)

// grace is how long a command may take to end by itself after a signal.
const grace = 5 * time.Second

func main() {
	trim.Program()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
		time.Sleep(grace)
		fmt.Fprintln(os.Stderr, "planproof: interrupted")
		outfile.RemoveUnfinished()
		os.Exit(exitLimit)
	}()
	os.Exit(run(ctx, os.Args[1:], streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
