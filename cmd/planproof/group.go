package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/rltrain/groups"
	"github.com/planproof/planproof/rltrain/oracle"
)

var groupCommand = command{
	name: "group", usage: "advantages of scored responses in their groups, with CARL's term", args: "FILE.jsonl",
	spec: fmt.Sprintf(`baseline=mean no-std:bool sample-std:bool epsilon:float estimator=%v placement=%v
		alpha:float=0.001 gate=%v drop-lowest:float`, groups.LowVarKL, groups.InLoss, groups.GateNone),
	action: func(e env) error {
		if e.NArg() != 1 {
			return errors.New("group needs one file of JSON Lines, or - for standard input")
		}
		opt, err := e.groupOptions()
		if err != nil {
			return err
		}
		in, err := e.Open(e.Args().First())
		if err != nil {
			return err
		}
		defer in.Close()
		opt.Name = cmdline.InputName(e.Args().First())
		sum, err := groups.Rows(in, e.Stdout, opt)
		if err != nil {
			return err
		}
		if !e.Bool("json") {
			fmt.Fprintf(e.Stderr, "%s in %s, %d of them degenerate; %s without a reward\n",
				plural(sum.Rows, "row"), plural(sum.Groups, "group"), sum.Degenerate, plural(sum.Unscored, "row"))
		}
		return nil
	},
}

func (e env) groupOptions() (groups.Options, error) {
	opt := groups.Options{
		Advantage: groups.AdvantageOptions{NoStd: e.Bool("no-std"), Sample: e.Bool("sample-std"), Epsilon: e.Float64("epsilon")},
		Estimator: groups.Estimator(e.String("estimator")), Placement: groups.Placement(e.String("placement")),
		Alpha: e.Float64("alpha"), Gate: groups.Gate(e.String("gate")), DropLowest: e.Float64("drop-lowest"),
	}
	baseline := e.String("baseline")
	opt.Advantage.LeaveOneOut = baseline == "leave-one-out"
	inRange := func(x, most float64) bool { return x >= 0 && x <= most }
	switch {
	case baseline != "mean" && !opt.Advantage.LeaveOneOut:
		return opt, fmt.Errorf("--baseline %q is neither mean nor leave-one-out", baseline)
	case !slices.Contains([]groups.Gate{groups.GateNone, groups.GateParsed, groups.GateValid}, opt.Gate):
		return opt, fmt.Errorf("--gate %q is none of none, parsed, valid", opt.Gate)
	case !inRange(opt.Advantage.Epsilon, 1e9), !inRange(opt.Alpha, 1e9):
		return opt, errors.New("--epsilon and --alpha are numbers that are not negative")
	case !inRange(opt.DropLowest, 1):
		return opt, errors.New("--drop-lowest is a part, from 0 to 1")
	case opt.Advantage.NoStd && (opt.Advantage.Sample || opt.Advantage.Epsilon > 0):
		return opt, errors.New("--no-std leaves --sample-std and --epsilon without a meaning")
	}
	if err := opt.Estimator.Check(); err != nil {
		return opt, fmt.Errorf("--estimator: %w", err)
	}
	if w := opt.Estimator.Warning(); w != "" {
		fmt.Fprintf(e.Stderr, "planproof: warning: %s\n", w)
	}
	// What no group could have is refused at once.
	if _, err := groups.ConstraintAdvantages(nil, nil, nil, opt.Alpha, opt.Placement, opt.Advantage); err != nil {
		return opt, fmt.Errorf("--placement: %w", err)
	}
	return opt, nil
}

var pairsCommand = command{
	name: "pairs", usage: "preference pairs of judged responses, for DPO and CA-DPO", args: "FILE.jsonl",
	spec: fmt.Sprintf(`rule=%v count:int per-prompt:int seed:uint64 drop-lowest:float keep-valid:bool task domain
		problem workers:int +reader +schedule`, groups.DPO),
	action: func(e env) error {
		if e.NArg() != 1 {
			return errors.New("pairs needs one file of JSON Lines, or - for standard input")
		}
		if rule := groups.PairRule(e.String("rule")); rule != groups.DPO && rule != groups.ConstraintAwareDPO {
			return fmt.Errorf("--rule %q: there are %s and %s", rule, groups.DPO, groups.ConstraintAwareDPO)
		}
		schedule, err := e.schedule()
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
		in, err := e.Open(e.Args().First())
		if err != nil {
			return err
		}
		defer in.Close()
		n, counts, err := o.PairRows(e.Context.Context, in, e.Stdout, groups.PairOptions{
			Name: cmdline.InputName(e.Args().First()), Rule: groups.PairRule(e.String("rule")), Count: e.Int("count"), PerPrompt: e.Int("per-prompt"),
			Seed: e.Uint64("seed"), DropLowest: e.Float64("drop-lowest"), KeepValid: e.Bool("keep-valid"),
		})
		if errors.Is(err, context.Canceled) {
			return e.Limited(cmdline.Interrupted, "interrupted before all responses were judged: nothing was printed")
		}
		if err != nil {
			return err
		}
		if !e.Bool("json") {
			fmt.Fprintf(e.Stderr, "%s of %s; without a valid response: %d, without one to reject: %d\n", plural(n, "pair"), plural(counts.Prompts, "prompt"), counts.NoChosen, counts.NoRejected)
			fmt.Fprintf(e.Stderr, "left out: %d repeated texts, %d rejected ones that are valid, %d pairs by divergence\n", counts.Duplicates, counts.ValidRejected, counts.Dropped)
		}
		return nil
	},
}
