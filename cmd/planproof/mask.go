package main

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/pddl"

	"github.com/urfave/cli/v2"
)

var maskCommand = command{
	name: "mask", usage: "the steps that can come after a prefix of a plan", args: "DOMAIN PROBLEM [PREFIX]",
	flags: append([]cli.Flag{
		&cli.BoolFlag{Name: "lifted", Usage: "let the judge try every step of the right types instead of grounding"},
		strictFlag,
	}, limitFlags()...),
	action: func(e env) error {
		p, rest, err := e.task()
		if err != nil {
			return err
		}
		if len(rest) > 1 {
			return fmt.Errorf("unexpected argument %q", rest[1])
		}
		var steps []string
		if len(rest) == 1 {
			src, err := e.readSource(rest[0])
			if err != nil {
				return err
			}
			plan, diags := pddl.ParsePlan(src)
			diags.Format(e.err)
			if diags.HasErrors() {
				return e.refuse(diags)
			}
			for i := range plan.Steps {
				steps = append(steps, plan.Steps[i].String())
			}
		}
		return e.printMask(p, steps)
	},
}

// maskReport is what mask --json prints.
type maskReport struct {
	Executed int      `json:"executed"`
	Goal     *bool    `json:"goal"`
	Actions  []string `json:"actions"`
	Error    string   `json:"error,omitempty"`
}

func (e env) printMask(p *pddl.Problem, steps []string) error {
	lim, err := e.bridgeLimits()
	if err != nil {
		return err
	}
	m, err := constrain.NewMasker(e.Context.Context, p, constrain.MaskOptions{Lifted: e.Bool("lifted"), Limits: lim})
	if err != nil {
		return e.bridgeError(err)
	}
	st, done, err := m.After(steps)
	if errors.Is(err, constrain.ErrStep) {
		fmt.Fprintf(e.err, "step %d: %v\n", done+1, err)
		if e.Bool("json") {
			if err := printJSON(e.out, maskReport{Executed: done, Error: fmt.Sprintf("step %d: %v", done+1, err)}); err != nil {
				return err
			}
		}
		return exit(exitNo)
	}
	var goal bool
	var actions []string
	if err == nil {
		goal, err = m.GoalHolds(st)
	}
	if err == nil {
		actions, err = m.Actions(st)
	}
	if err != nil {
		return e.bridgeError(err)
	}
	if e.Bool("json") {
		return printJSON(e.out, maskReport{Executed: done, Goal: &goal, Actions: actions})
	}
	for _, a := range actions {
		fmt.Fprintln(e.out, a)
	}
	holds := "does not hold"
	if goal {
		holds = "holds"
	}
	fmt.Fprintf(e.err, "%s applicable after %s; the goal %s\n", plural(len(actions), "step"), plural(done, "step"), holds)
	return nil
}
