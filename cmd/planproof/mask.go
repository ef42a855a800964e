package main

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/pddl"
)

var maskCommand = command{
	name: "mask", usage: "the steps that can come after a prefix of a plan", args: "DOMAIN PROBLEM [PREFIX]",
	spec:      `lifted:bool +strict +limits`,
	wholeTime: true, wholeMemory: true,
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

func (e env) printMask(p *pddl.Problem, steps []string) error {
	lim, err := e.bridgeLimits()
	if err != nil {
		return err
	}
	m, err := constrain.NewMasker(e.Context.Context, p, constrain.MaskOptions{Lifted: e.Bool("lifted"), Limits: lim})
	if err != nil {
		return e.bridgeError(err)
	}
	r, err := m.Within(e.Context.Context).Report(steps)
	if err != nil {
		return e.bridgeError(err)
	}
	if !e.Bool("json") || r.Error != "" {
		r.WriteText(e.out, e.err)
	}
	if e.Bool("json") {
		err = printJSON(e.out, r)
	}
	if err == nil && r.Error != "" {
		err = exit(exitNo)
	}
	return err
}
