package main

import (
	"fmt"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/loopback"
	"github.com/planproof/planproof/llmbridge/debugger"
)

var serveCommand = command{
	name: "serve", usage: "the plan debugger as a local web page", args: "",
	spec: `listen=127.0.0.1:8017 time=20s memory=512MB`,
	action: func(e env) (err error) {
		opt := debugger.Options{Log: e.Stderr}
		if opt.Time, err = cmdline.ParseDuration("time", e.String("time")); err != nil {
			return err
		}
		if opt.Memory, err = cmdline.ParseSize(e.String("memory")); err != nil {
			return fmt.Errorf("--memory: %w", err)
		}
		l, err := loopback.Listen(e.String("listen"))
		if err != nil {
			return err
		}
		place := "http://" + l.Addr().String() + "/"
		if err := e.PrintLine(map[string]string{"listening": place}, "the plan debugger is at %s", place); err != nil {
			l.Close()
			return err
		}
		return debugger.New(opt).Serve(e.Context.Context, l)
	},
}
