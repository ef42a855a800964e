package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/reward"
)

var scoreCommand = command{
	name: "score", usage: "rewards for responses of language models", args: "FILE.jsonl",
	spec: `+oracle +strict +schedule`,
	action: func(e env) error {
		if e.Bool("list-rewards") {
			return e.listRewards()
		}
		if e.NArg() != 1 {
			return errors.New("score needs one file of JSON Lines, or - for standard input")
		}
		o, err := e.oracle()
		if err != nil {
			return err
		}
		defer collectAt(rowGarbage)()
		var sum *oracle.Summary
		err = e.stream(e.Args().First(), e.rows(), func(in io.Reader, out io.Writer) (err error) {
			sum, err = o.ScoreStream(e.Context.Context, in, out)
			return err
		})
		if err != nil {
			return err
		}
		if !e.Bool("json") {
			if err := sum.WriteText(e.err); err != nil {
				return err
			}
		}
		if sum.Scored < sum.Responses {
			return exit(exitBad)
		}
		return nil
	},
}

func (e env) oracle() (*oracle.Oracle, error) {
	opt, err := e.oracleOptions()
	if err != nil {
		return nil, err
	}
	return oracle.New(opt)
}

func (e env) oracleOptions() (opt oracle.Options, err error) {
	opt = oracle.Options{
		Reward: e.String("reward"), TableDir: e.String("table-dir"), Workers: e.Int("workers"), Strict: e.Bool("strict"),
		Task:   taskref.Ref{Task: e.String("task"), Domain: e.String("domain"), Problem: e.String("problem")},
		Limits: oracle.Limits{TableStates: e.Int64("table-states"), TableTime: e.Duration("table-time")},
	}
	spec, err := e.rewardFile()
	if err != nil {
		return opt, err
	}
	if spec != nil {
		opt.Reward, opt.Rewards = spec.Name, []*reward.Spec{spec}
	}
	opt.Schedule, err = e.schedule()
	return opt, err
}

// rewardFile reads the file that --reward names; nil when it is the name of a reward. A
// file has a name with a dot or a slash, which no reward has. Its faults are printed; the
// error then sets code 2.
func (e env) rewardFile() (*reward.Spec, error) {
	name := e.String("reward")
	if !strings.ContainsAny(name, "./") {
		return nil, nil
	}
	src, err := e.readSource(name)
	if err != nil {
		return nil, fmt.Errorf("--reward: %w", err)
	}
	spec, diags := reward.Read(src)
	return spec, e.faults(diags.Err())
}

func (e env) listRewards() error {
	rewards := reward.Builtin()
	spec, err := e.rewardFile()
	if err != nil {
		return err
	}
	if spec != nil {
		rewards = append(slices.Clone(rewards), spec)
	}
	for _, r := range rewards {
		err := e.print(r.Listing(), func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%-12s %g to %g. %s\n", r.Name, r.Min, r.Max, r.Doc)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
