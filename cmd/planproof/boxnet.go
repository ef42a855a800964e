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
	"github.com/planproof/planproof/rltrain/multirobot"
)

var boxnetCommand = command{
	name: "boxnet", usage: "several robot arms in one map: judge, solve, generate", args: "check|judge|solve|generate ...",
	subs: []command{
		boxnetRows("check", "judge steps and plans, and find the optima of instances", `batch`, func(e env, opt joint.Options, in io.Reader, out io.Writer) (boxnetCounts, error) {
			s, err := joint.CheckBatch(e.Context.Context, in, out, boxnet.BatchOptions{Reading: opt.Reading, JSON: e.Bool("json"), Workers: e.Int("workers")}, opt)
			return boxnetCounts{s.No, s.Limits, s.Errors}, err
		}),
		boxnetJudgeCommand,
		boxnetRows("solve", "find plans with the fewest steps, with proof", `second=moves certificates astar:float`, func(e env, opt joint.Options, in io.Reader, out io.Writer) (boxnetCounts, error) {
			s, err := data.Solve(e.Context.Context, in, out, data.SolveOptions{Options: opt, JSON: e.Bool("json"), Workers: e.Int("workers"), Certificates: e.String("certificates"), AStar: e.Float64("astar")})
			return boxnetCounts{s.Unsolvable, s.Limits, s.Errors}, err
		}),
		boxnetCertificateCommand, boxnetGenerateCommand,
		boxnetRows("compare", "measure the paper's truncated A* against the optimum", `second=moves weights=1,10`, func(e env, opt joint.Options, in io.Reader, out io.Writer) (c boxnetCounts, err error) {
			weights, err := cmdline.ParseNumbers("--weights", e.String("weights"))
			if err != nil {
				return c, err
			}
			table, bad, err := data.Compare(e.Context.Context, in, e.Stderr, data.CompareOptions{Options: opt, Weights: weights, Workers: e.Int("workers")})
			if err == nil {
				err = e.Print(table.Table(), table.WriteText)
			}
			return boxnetCounts{bad: bad}, err
		}),
		boxnetRows("trace", "write training examples: thoughts of verified facts, and an optimal plan", `second=moves replan:bool`, func(e env, opt joint.Options, in io.Reader, out io.Writer) (boxnetCounts, error) {
			bad, err := data.Traces(e.Context.Context, in, out, data.TraceOptions{Options: opt, Replan: e.Bool("replan"), Workers: e.Int("workers")})
			return boxnetCounts{bad: bad}, err
		}),
		boxnetRows("score", "compute rewards for answers, and the paper's metrics", `summary:bool`, func(e env, opt joint.Options, in io.Reader, out io.Writer) (boxnetCounts, error) {
			if e.Bool("summary") {
				out = io.Discard
			}
			s, err := multirobot.Run(e.Context.Context, in, out, multirobot.Options{Reading: opt.Reading, Workers: e.Int("workers")})
			if err != nil {
				return boxnetCounts{}, err
			}
			if s.Finish(); e.Bool("summary") {
				err = e.Print(s, s.WriteText)
			}
			return boxnetCounts{bad: s.Errors}, err
		}),
		boxnetOne("prompt", "write the prompt for a task", `id replan:bool`, func(e env, t *data.Task, _ boxnet.Reading) error {
			_, err := io.WriteString(e.Stdout, t.Prompt(e.Bool("replan")))
			return err
		}),
		boxnetOne("draw", "draw a task, or its plan as a moving picture", `id still:bool output,o=- reading=default`, func(e env, t *data.Task, reading boxnet.Reading) error {
			return e.WriteFile(e.String("output"), func(w io.Writer) error { return t.Draw(w, reading, e.Bool("still")) })
		}),
		boxnetOne("pddl", "write a task as a domain and a problem with the same optimum", `id reading=default output,o=.`, func(e env, t *data.Task, reading boxnet.Reading) error {
			domain, problem, err := joint.PDDL(t.Instance, reading)
			if err != nil {
				return err
			}
			dir := e.String("output")
			return cmp.Or(os.MkdirAll(dir, 0o777), e.WriteText(filepath.Join(dir, "domain.pddl"), domain), e.WriteText(filepath.Join(dir, "problem.pddl"), problem))
		}),
	},
}

// boxnetCounts are rows answered with no, not within the limits, or not at all.
type boxnetCounts struct{ no, limits, bad int }

// boxnetOptions reads --reading, --second and the limits of each search.
func (e env) boxnetOptions() (opt joint.Options, err error) {
	if opt.Reading, err = boxnet.ParseReading(e.String("reading")); err != nil {
		return opt, fmt.Errorf("--reading: %w", err)
	}
	if opt.Second, err = joint.ParseObjective(e.String("second")); err != nil {
		return opt, fmt.Errorf("--second: %w", err)
	}
	lim, err := e.Limits()
	opt.Memory = lim.Memory
	return opt, err
}

// boxnetRows is a command that reads rows: those of --batch if it has that flag, else of its one argument.
func boxnetRows(name, usage, spec string, run func(env, joint.Options, io.Reader, io.Writer) (boxnetCounts, error)) command {
	c, want := command{name: name, usage: usage, args: "FILE", spec: spec + ` reading=default workers:int +limits`, wholeTime: true}, "one file of rows"
	if spec == `batch` {
		c.args, want = "", "--batch FILE"
	}
	c.action = func(e env) error {
		file := e.String("batch")
		if c.args != "" && e.NArg() == 1 {
			file = e.Args().First()
		}
		if file == "" {
			return fmt.Errorf("boxnet %s needs %s; - is standard input", name, want)
		}
		opt, err := e.boxnetOptions()
		if err != nil {
			return err
		}
		var counts boxnetCounts
		err = e.Stream(file, e.Stdout, func(in io.Reader, out io.Writer) (err error) {
			counts, err = run(e, opt, in, out)
			return err
		})
		return cmdline.RowsExit(err, counts.no, counts.limits, counts.bad)
	}
	return c
}

// boxnetTask finds the task of a file of rows that --id names.
func (e env) boxnetTask() (*data.Task, boxnet.Reading, error) {
	reading, err := boxnet.ParseReading(e.String("reading"))
	if err != nil || e.NArg() == 0 {
		return nil, "", cmp.Or(err, fmt.Errorf("boxnet %s needs a file of rows; - is standard input", e.Command.Name))
	}
	in, err := e.Open(e.Args().First())
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	t, err := data.Find(in, e.String("id"))
	return t, reading, err
}

// boxnetOne is a command about one task.
func boxnetOne(name, usage, spec string, run func(env, *data.Task, boxnet.Reading) error) command {
	return command{name: name, usage: usage, args: "FILE", spec: spec, action: func(e env) error {
		t, reading, err := e.boxnetTask()
		if err != nil {
			return err
		}
		return run(e, t, reading)
	}}
}

var boxnetJudgeCommand = command{
	name: "judge", usage: "judge plans or answers for a task", args: "FILE PLAN...",
	spec: `id level repair:bool second=moves reading=default +limits`, wholeTime: true,
	action: func(e env) error {
		t, _, err := e.boxnetTask()
		if err != nil {
			return err
		}
		opt := data.JudgeOptions{Repair: e.Bool("repair")}
		if opt.Options, err = e.boxnetOptions(); err != nil {
			return err
		}
		if opt.Level, err = joint.ParseLevel(cmp.Or(e.String("level"), string(joint.LevelFirst))); err != nil {
			return fmt.Errorf("--level: %w", err)
		}
		if e.NArg() < 2 {
			return errors.New("boxnet judge needs a plan: a file, or - for standard input")
		}
		code := exitYes
		for _, name := range e.Args().Slice()[1:] {
			src, err := e.ReadSource(name)
			if err != nil {
				return err
			}
			d, err := data.Judge(e.Context.Context, name, t.Instance, src.Text, opt)
			if err := cmp.Or(err, e.Print(d, d.WriteText)); err != nil {
				return err
			}
			if !d.Verdict.Valid {
				code = exitNo
			}
		}
		return exit(code)
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
	spec:      `dimensions:int=2 obstacles:int width height objects square:bool layout=interior newcoord:bool count:int=10 seed:uint64=1 output,o=- reading=default second=moves +limits`,
	wholeTime: true,
	action: func(e env) (err error) {
		opt := data.GenerateOptions{Square: e.Bool("square"), NewCoord: e.Bool("newcoord"), Count: e.Int("count"), Seed: e.Uint64("seed")}
		if opt.Layout, err = boxnet.ParseLayout(e.String("layout")); err != nil {
			return fmt.Errorf("--layout: %w", err)
		}
		opt.Dimensions, opt.Obstacles = e.Int("dimensions"), e.Int("obstacles")
		width, objects := data.Ranges(opt.Dimensions)
		for i, to := range []*[2]int{&opt.Widths, &opt.Heights, &opt.Objects} {
			flag := []string{"width", "height", "objects"}[i]
			usual := []string{width, cmp.Or(e.String("width"), width), objects}[i]
			if *to, err = cmdline.ParseRange("--"+flag, cmp.Or(e.String(flag), usual)); err != nil {
				return err
			}
		}
		if opt.Options, err = e.boxnetOptions(); err != nil {
			return err
		}
		return e.writeBoxnet(e.String("output"), opt)
	},
}

func (e env) writeBoxnet(file string, opt data.GenerateOptions) error {
	return e.WriteFile(file, func(w io.Writer) error {
		_, err := data.Generate(e.Context.Context, w, opt)
		return err
	})
}
