package main

import (
	"fmt"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/rltrain/groups"
	"github.com/planproof/planproof/rltrain/oracle"
)

var groupCommand = command{
	name: "group", usage: "advantages of scored responses in their groups, with CARL's term", args: "FILE.jsonl",
	spec: fmt.Sprintf(`baseline=mean no-std:bool sample-std:bool epsilon:float estimator=%v placement=%v
		alpha:float=0.001 gate=%v drop-lowest:float`, groups.LowVarKL, groups.InLoss, groups.GateNone),
	action: func(e env) error {
		in, name, err := e.OneFile("one file of JSON Lines")
		if err != nil {
			return err
		}
		defer in.Close()
		opt, err := e.groupOptions(name)
		if err != nil {
			return err
		}
		sum, err := groups.Rows(in, e.Stdout, opt)
		if err == nil && !e.Bool("json") {
			fmt.Fprintln(e.Stderr, sum)
		}
		return err
	},
}

func (e env) groupOptions(input string) (groups.Options, error) {
	opt := groups.Options{
		Name:      input,
		Advantage: groups.AdvantageOptions{NoStd: e.Bool("no-std"), Sample: e.Bool("sample-std"), Epsilon: e.Float64("epsilon")},
		Estimator: groups.Estimator(e.String("estimator")), Placement: groups.Placement(e.String("placement")),
		Alpha: e.Float64("alpha"), Gate: groups.Gate(e.String("gate")), DropLowest: e.Float64("drop-lowest"),
	}
	baseline := e.String("baseline")
	opt.Advantage.LeaveOneOut = baseline == "leave-one-out"
	if baseline != "mean" && !opt.Advantage.LeaveOneOut {
		return opt, fmt.Errorf("--baseline %q is neither mean nor leave-one-out", baseline)
	}
	if err := opt.Check(); err != nil {
		return opt, fmt.Errorf("--%w", err)
	}
	if w := opt.Estimator.Warning(); w != "" {
		fmt.Fprintf(e.Stderr, "planproof: warning: %s\n", w)
	}
	return opt, nil
}

var pairsCommand = command{
	name: "pairs", usage: "preference pairs of judged responses, for DPO and CA-DPO", args: "FILE.jsonl",
	spec: fmt.Sprintf(`rule=%v count:int per-prompt:int seed:uint64 drop-lowest:float keep-valid:bool task domain
		problem workers:int +reader +schedule`, groups.DPO),
	action: func(e env) error {
		in, name, err := e.OneFile("one file of JSON Lines")
		if err != nil {
			return err
		}
		defer in.Close()
		rule := groups.PairRule(e.String("rule"))
		if err := rule.Check(); err != nil {
			return fmt.Errorf("--rule %w", err)
		}
		schedule, err := e.Schedule()
		if err != nil {
			return err
		}
		reader, err := e.reader()
		if err != nil {
			return err
		}
		o, err := oracle.New(oracle.Options{
			Reader: reader, Workers: e.Int("workers"), Schedule: schedule,
			Task: taskref.Ref{Task: e.String("task"), Domain: e.String("domain"), Problem: e.String("problem")},
		})
		if err != nil {
			return err
		}
		n, counts, err := o.PairRows(e.Context.Context, in, e.Stdout, groups.PairOptions{
			Name: name, Rule: rule, Count: e.Int("count"), PerPrompt: e.Int("per-prompt"),
			Seed: e.Uint64("seed"), DropLowest: e.Float64("drop-lowest"), KeepValid: e.Bool("keep-valid"),
		})
		if err == nil && !e.Bool("json") {
			counts.WriteText(e.Stderr, n)
		}
		return e.OrInterrupted(err, "interrupted before all responses were judged: nothing was printed")
	},
}
