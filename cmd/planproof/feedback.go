package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

var feedbackCommand = command{
	name: "feedback", usage: "what a model is told about its plan", args: "DOMAIN PROBLEM PLAN",
	spec:      fmt.Sprintf(`level=%v style=nl templates reveal:bool answer:bool nodes:int64=1000000 +reader +strict +schedule +limits`, feedback.LevelFirst),
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		p, rest, err := e.Scheduled()
		if err != nil {
			return err
		}
		if len(rest) != 1 {
			return errors.New("feedback needs one plan: a file, or - for standard input")
		}
		src, err := e.ReadSource(rest[0])
		if err != nil {
			return err
		}
		if e.Bool("answer") {
			reader, err := e.reader()
			if err != nil {
				return err
			}
			x := extract.NewReader(p.Domain, p, reader).Extract(src.Text)
			if x.Status != extract.StatusPlan {
				return fmt.Errorf("%s holds no plan for the %s reader (%s); planproof extract says more", rest[0], reader, x.Status)
			}
			return e.printFeedback(p, pddl.NewSource(rest[0], x.PlanText()), reader)
		} else if e.IsSet("reader") {
			return errors.New("--reader is for --answer: a plan is no answer to be read")
		}
		return e.printFeedback(p, src, "")
	},
}

// printFeedback prints what is said of a plan, which a reader found in an answer ("": it was in none).
func (e env) printFeedback(p *pddl.Problem, src *pddl.Source, reader extract.Kind) error {
	lim, err := e.bridgeLimits()
	if err != nil {
		return err
	}
	critic, err := feedback.NewCritic(e.Context.Context, p, feedback.Options{
		Level: feedback.Level(e.String("level")), Style: prompt.Style(e.String("style")),
		Templates: e.String("templates"), Reveal: e.Bool("reveal"), Limits: lim,
	})
	if err != nil {
		return e.Stopped(err)
	}
	f, err := critic.CriticiseText(e.Context.Context, src)
	if err != nil {
		return e.Stopped(err)
	}
	f.Reader = string(reader)
	if f.Hint != nil && f.Hint.Status == feedback.ProposalLimit {
		fmt.Fprintf(e.Stderr, "planproof: no hint: %s came first\n", f.Hint.Reason)
	}
	err = e.PrintLine(f, "%s", strings.TrimSpace(f.Text))
	if err != nil || f.Valid {
		return err
	}
	return exit(exitNo)
}
