package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/tools"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/rltrain/toolworlds"
	"github.com/planproof/planproof/search"
)

var toolsCommand = command{
	name: "tools", usage: "score plans made of tool calls, execute them, and judge the next call", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "score", usage: "precision, recall and F1 of plans against gold plans", args: "",
			spec: `batch=- details:bool similarity threshold=0.8 no-floor:bool workers:int`, action: toolsScore,
		},
		{
			name: "judge", usage: "execute plans by what each call needs and does", args: "DOMAIN PROBLEM",
			spec: `tools batch=- workers:int +limits`, wholeTime: true, action: toolsJudge,
		},
		{
			name: "guard", usage: "allow or deny calls before they are made", args: "DOMAIN PROBLEM",
			spec: `tools batch=- memory=4GB`, action: toolsGuard,
		},
		{
			name: "reward", usage: "rewards of answers that are calls of tools", args: "",
			spec: `batch=- reward=staged-dense workers:int`, action: func(e env) error { return e.ruleRewards(toolworlds.Score, nil) },
		},
	},
}

func toolsScore(e env) error {
	o := tools.Options{JSON: e.Bool("json"), Details: e.Bool("details"), Workers: e.Int("workers")}
	var err error
	o.Compat, err = tools.ReadCompat(e.String("similarity"), e.String("threshold"), e.Bool("no-floor"), e.Open)
	if err != nil {
		return err
	}
	var totals tools.Totals
	err = e.Stream(e.String("batch"), e.Stdout, func(in io.Reader, out io.Writer) (err error) {
		totals, err = tools.ScoreRows(e.Context.Context, in, out, o)
		return err
	})
	if err == nil && !e.Bool("json") {
		err = totals.WriteText(e.Stderr)
	}
	return cmdline.RowsExit(err, 0, 0, totals.Errors)
}

// runner reads --tools and the task that says what the calls do.
func (e env) runner() (*tools.Runner, error) {
	if e.String("tools") == "" {
		return nil, errors.New("--tools FILE says which functions there are")
	}
	p, err := e.OnlyTask()
	if err != nil {
		return nil, err
	}
	src, err := e.ReadSource(e.String("tools"))
	if err != nil {
		return nil, err
	}
	set, err := tools.ReadSet(cmdline.InputName(e.String("tools")), []byte(src.Text))
	if err != nil {
		return nil, err
	}
	memory, err := cmdline.ParseSize(e.String("memory"))
	if err != nil {
		return nil, fmt.Errorf("--memory: %w", err)
	}
	r, err := tools.NewRunner(e.Context.Context, set, p, search.Limits{Memory: memory})
	return r, e.Faults(err)
}

func toolsJudge(e env) error {
	return e.runnerRows(func(r *tools.Runner, in io.Reader, out io.Writer) (no, faults int, err error) {
		_, no, faults, err = r.JudgeRows(e.Context.Context, in, out, tools.Options{JSON: e.Bool("json"), Workers: e.Int("workers")})
		return no, faults, err
	})
}

func toolsGuard(e env) error {
	return e.runnerRows(func(r *tools.Runner, in io.Reader, out io.Writer) (no, faults int, err error) {
		return r.GuardRows(e.Context.Context, in, out, e.Bool("json"))
	})
}

// runnerRows answers the rows of --batch with what executes calls.
func (e env) runnerRows(do func(r *tools.Runner, in io.Reader, out io.Writer) (no, faults int, err error)) error {
	r, err := e.runner()
	if err != nil {
		return err
	}
	var no, faults int
	err = e.Stream(e.String("batch"), e.Stdout, func(in io.Reader, out io.Writer) (err error) {
		no, faults, err = do(r, in, out)
		return err
	})
	return cmdline.RowsExit(err, no, 0, faults)
}
