package main

import (
	"fmt"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/lsp"
)

var lspCommand = command{
	name: "lsp", usage: "a language server for editors, over standard input and output", args: "",
	spec: `stdio:bool time=60s memory=1GB`,
	action: func(e env) (err error) {
		opt := lsp.Options{Log: e.Stderr}
		if opt.Time, err = cmdline.ParseDuration("time", e.String("time")); err != nil {
			return err
		}
		if opt.Memory, err = cmdline.ParseSize(e.String("memory")); err != nil {
			return fmt.Errorf("--memory: %w", err)
		}
		if err := lsp.Serve(e.Context.Context, e.Stdin, e.Stdout, opt); err != nil {
			fmt.Fprintln(e.Stderr, "planproof lsp:", err)
			return exit(exitNo) // as the protocol wants
		}
		return nil
	},
}
