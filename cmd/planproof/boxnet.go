package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/data"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/internal/cmdline"
)

var boxnetCommand = command{
	name: "boxnet", usage: "several robot arms in one map: judge, solve, generate", args: "check|solve|generate ...",
	subs: []command{boxnetCheckCommand, boxnetSolveCommand, boxnetCertificateCommand, boxnetGenerateCommand, boxnetCompareCommand, boxnetPDDLCommand},
}

// boxnetOptions reads --reading, --second and the limits of each search.
func (e env) boxnetOptions() (opt joint.Options, err error) {
	if opt.Reading, err = boxnet.ParseReading(e.String("reading")); err != nil {
		return opt, fmt.Errorf("--reading: %w", err)
	}
	if opt.Second, err = joint.ParseObjective(e.String("second")); err != nil {
		return opt, fmt.Errorf("--second: %w", err)
	}
	lim, err := e.limits()
	opt.Memory = lim.Memory
	return opt, err
}

// exitCounts is the exit code for rows answered with no, not within the limits, or not at all.
func exitCounts(no, limits, bad int) error {
	switch {
	case bad > 0:
		return exit(exitBad)
	case limits > 0:
		return exit(exitLimit)
	case no > 0:
		return exit(exitNo)
	}
	return nil
}

// oneInput is the file of rows that the arguments name.
func (e env) oneInput() (string, error) {
	if e.NArg() != 1 {
		return "", fmt.Errorf("boxnet %s needs one file of rows; - is standard input", e.Command.Name)
	}
	return e.Args().First(), nil
}

var boxnetCheckCommand = command{
	name: "check", usage: "judge steps and plans, and find the optima of instances", args: "",
	spec:      `batch reading=default workers:int +limits`,
	wholeTime: true,
	action: func(e env) error {
		if !e.IsSet("batch") {
			return errors.New("boxnet check needs --batch FILE; - is standard input")
		}
		opt, err := e.boxnetOptions()
		if err != nil {
			return err
		}
		var stats boxnet.BatchStats
		err = e.Stream(e.String("batch"), e.Stdout, func(in io.Reader, out io.Writer) (err error) {
			stats, err = joint.CheckBatch(e.Context.Context, in, out, boxnet.BatchOptions{Reading: opt.Reading, JSON: e.Bool("json"), Workers: e.Int("workers")}, opt)
			return err
		})
		return cmp.Or(err, exitCounts(stats.No, stats.Limits, stats.Errors))
	},
}

var boxnetSolveCommand = command{
	name: "solve", usage: "find plans with the fewest steps, with proof", args: "FILE",
	spec:      `reading=default second=moves certificates workers:int +limits`,
	wholeTime: true,
	action: func(e env) error {
		name, err := e.oneInput()
		if err != nil {
			return err
		}
		opt := data.SolveOptions{JSON: e.Bool("json"), Workers: e.Int("workers"), Certificates: e.String("certificates")}
		if opt.Options, err = e.boxnetOptions(); err != nil {
			return err
		}
		var stats data.Stats
		err = e.Stream(name, e.Stdout, func(in io.Reader, out io.Writer) (err error) {
			stats, err = data.Solve(e.Context.Context, in, out, opt)
			return err
		})
		return cmp.Or(err, exitCounts(stats.Unsolvable, stats.Limits, stats.Errors))
	},
}

var boxnetCertificateCommand = command{
	name: "check-certificate", usage: "check that a plan is legal and has the fewest steps", args: "FILE...",
	spec: `+limits`, wholeTime: true,
	action: func(e env) error {
		if e.NArg() == 0 {
			return errors.New("boxnet check-certificate needs a certificate; - is standard input")
		}
		for _, name := range e.Args().Slice() {
			in, err := e.Open(name)
			if err != nil {
				return err
			}
			cert, err := proof.Read(in)
			in.Close()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			rep, err := proof.Check(e.Context.Context, cert)
			switch {
			case e.Context.Context.Err() != nil:
				return e.Limited("timeout", name+": a limit came before the end of the check")
			case err != nil:
				return e.Ended(exitNo, "refused", name+": "+err.Error())
			}
			if err := e.PrintLine(rep, "%s: optimal: %d steps (%s), %d lemmas checked", name, rep.Steps, rep.Reading, rep.Lemmas); err != nil {
				return err
			}
		}
		return nil
	},
}

var boxnetGenerateCommand = command{
	name: "generate", usage: "generate tasks with proved optima", args: "",
	spec:      `width=2..6 height objects=1..5 square:bool layout=interior newcoord:bool count:int=10 seed:uint64=1 output,o=- reading=default second=moves +limits`,
	wholeTime: true,
	action: func(e env) (err error) {
		opt := data.GenerateOptions{Square: e.Bool("square"), NewCoord: e.Bool("newcoord"), Count: e.Int("count"), Seed: e.Uint64("seed")}
		if opt.Layout, err = boxnet.ParseLayout(e.String("layout")); err != nil {
			return fmt.Errorf("--layout: %w", err)
		}
		for flag, to := range map[string]*[2]int{"width": &opt.Widths, "height": &opt.Heights, "objects": &opt.Objects} {
			if *to, err = cmdline.ParseRange("--"+flag, cmp.Or(e.String(flag), e.String("width"))); err != nil {
				return err
			}
		}
		if opt.Options, err = e.boxnetOptions(); err != nil {
			return err
		}
		return e.WriteFile(e.String("output"), func(w io.Writer) error {
			_, err := data.Generate(e.Context.Context, w, opt)
			return err
		})
	},
}

var boxnetCompareCommand = command{
	name: "compare", usage: "measure the paper's truncated A* against the optimum", args: "FILE",
	spec:      `reading=default weights=1,10 workers:int +limits`,
	wholeTime: true,
	action: func(e env) error {
		name, err := e.oneInput()
		if err != nil {
			return err
		}
		opt := data.CompareOptions{Workers: e.Int("workers")}
		if opt.Options, err = e.boxnetOptions(); err != nil {
			return err
		}
		if opt.Weights, err = cmdline.ParseNumbers("--weights", e.String("weights")); err != nil {
			return err
		}
		var table *data.Comparison
		bad := 0
		err = e.Stream(name, io.Discard, func(in io.Reader, _ io.Writer) (err error) {
			table, bad, err = data.Compare(e.Context.Context, in, e.Stderr, opt)
			return err
		})
		if err == nil {
			err = e.Print(table.Table(), table.WriteText)
		}
		return cmp.Or(err, exitCounts(0, 0, bad))
	},
}

var boxnetPDDLCommand = command{
	name: "pddl", usage: "write a task as a domain and a problem with the same optimum", args: "FILE",
	spec: `id reading=default output,o=.`,
	action: func(e env) error {
		name, err := e.oneInput()
		if err != nil {
			return err
		}
		reading, err := boxnet.ParseReading(e.String("reading"))
		if err != nil {
			return fmt.Errorf("--reading: %w", err)
		}
		in, err := e.Open(name)
		if err != nil {
			return err
		}
		defer in.Close()
		task, err := data.Find(in, e.String("id"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		domain, problem, err := joint.PDDL(task, reading)
		if err != nil {
			return err
		}
		dir := e.String("output")
		return cmp.Or(os.MkdirAll(dir, 0o777), e.WriteText(filepath.Join(dir, "domain.pddl"), domain), e.WriteText(filepath.Join(dir, "problem.pddl"), problem))
	},
}
