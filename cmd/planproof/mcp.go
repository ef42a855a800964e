package main

import (
	"fmt"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/loopback"
	"github.com/planproof/planproof/llmbridge/mcpserver"
	"github.com/planproof/planproof/rltrain/oracle"
)

var mcpCommand = command{
	name: "mcp", usage: "tools for agents, in the Model Context Protocol, over a pipe or HTTP", args: "",
	spec: `listen files slots:int time=60s memory=1GB`,
	action: func(e env) (err error) {
		opt := mcpserver.Options{Slots: e.Int("slots"), Log: e.Stderr}
		if opt.Time, err = cmdline.ParseDuration("time", e.String("time")); err != nil {
			return err
		}
		if opt.Memory, err = cmdline.ParseSize(e.String("memory")); err != nil {
			return fmt.Errorf("--memory: %w", err)
		}
		if dir := e.String("files"); dir != "" {
			if opt.Files, err = oracle.FilesOf(dir, maxRowFile); err != nil {
				return fmt.Errorf("--files: %w", err)
			}
		}
		defer cmdline.CollectAt(400)() // little is kept beside what the calls leave behind
		s := mcpserver.New(opt)
		ctx, address := e.Context.Context, e.String("listen")
		if address == "" {
			return s.Pipe(ctx, e.Stdin, e.Stdout)
		}
		l, err := loopback.Listen(address)
		if err != nil {
			return err
		}
		place := "http://" + l.Addr().String() + mcpserver.Path
		if err := e.PrintLine(map[string]string{"listening": place}, "listening on %s", place); err != nil {
			l.Close()
			return err
		}
		return s.Serve(ctx, l)
	},
}
