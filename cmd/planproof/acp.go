package main

import (
	"context"
	"io"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/llmbridge/acp"
)

var acpCommand = command{
	name: "acp", usage: "questions about actions, change and planning, and grades of answers", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "generate", usage: "the eight kinds of questions of ACPBench Hard, about any task", args: "",
			spec: `batch=- kinds seed:uint64=1 nodes:int64 workers:int +limits`, action: func(e env) error { return e.acpRows(acp.GenerateRows) },
		},
		{
			name: "grade", usage: "whether responses to these questions are right", args: "",
			spec: `batch=- nodes:int64 workers:int +limits`, action: func(e env) error { return e.acpRows(acp.GradeRows) },
		},
	},
}

func (e env) acpRows(run func(context.Context, io.Reader, io.Writer, acp.Options) (acp.Totals, error)) (err error) {
	o := acp.Options{Workers: e.Int("workers"), Seed: e.Uint64("seed")}
	if o.Kinds, err = acp.ParseKinds(e.String("kinds")); err != nil {
		return err
	}
	if o.Limits, err = e.bridgeLimits(); err != nil {
		return err
	}
	var t acp.Totals
	err = e.Stream(e.String("batch"), e.Stdout, func(in io.Reader, out io.Writer) (err error) {
		t, err = run(e.Context.Context, in, out, o)
		return err
	})
	return cmdline.RowsExit(err, t.Wrong(), t.Limited, t.Errors)
}
