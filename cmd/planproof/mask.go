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
	long: `
Lists the applicable steps in the state after PREFIX (a plan file, or - for standard
input; none is the initial state), and says whether the goal holds there. A decoder that
only goes on with these steps writes plans that can be executed. planproof oracle answers
the same question again and again over a pipe; docs/GRAMMARS.md has the library call.

Exit codes: 0 answered; 1 the prefix cannot be executed; 2 bad input; 3 a limit came
first.

   planproof mask blocksworld:4-17
   planproof mask domain.pddl problem.pddl prefix.txt --json
   echo "(unstack a b)" | planproof mask blocksworld:3-1 -`,
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
