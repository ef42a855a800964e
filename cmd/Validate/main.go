// Validate takes the arguments of VAL's Validate and prints its phrases. See package validator/val.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/planproof/planproof/validator/val"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := val.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
