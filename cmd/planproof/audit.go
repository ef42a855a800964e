package main

import (
	"errors"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/llmbridge/audit"
)

var auditCommand = command{
	name: "audit", usage: "grade again what a benchmark's repository records", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "planbench", usage: "verdicts, gold answers and leaderboard of PlanBench", args: "CHECKOUT",
			spec: `markdown`, action: func(e env) error { return e.audit(audit.PlanBench) },
		},
		{
			name: "acpbench-hard", usage: "gold answers of ACPBench Hard", args: "CHECKOUT",
			spec: `markdown`, action: func(e env) error { return e.audit(audit.ACPBenchHard) },
		},
		{
			name: "travelplanner", usage: "plans, evaluator and rates of TravelPlanner", args: "CHECKOUT",
			spec: `markdown`, action: func(e env) error { return e.audit(audit.TravelPlanner) },
		},
	},
}

func (e env) audit(run audit.Run) error {
	if e.NArg() != 1 {
		return errors.New("audit needs one argument: a checkout of the benchmark's repository")
	}
	bar := e.RowProgress()
	rep, err := run(e.Context.Context, e.Args().First(), bar.Add)
	bar.Done()
	if err != nil {
		return e.OrInterrupted(err, "interrupted")
	}
	if name := e.String("markdown"); name != "" {
		if err := e.WriteFile(name, rep.WriteMarkdown); err != nil {
			return err
		}
	}
	return cmdline.RowsExit(e.Print(rep, rep.WriteText), rep.Wrong(), 0, rep.NotGraded())
}
