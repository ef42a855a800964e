package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/rltrain/server"
)

var oracleCommand = command{
	name: "oracle", usage: "reward oracle for a training run, over HTTP or a pipe", args: "",
	spec:   `stdio:bool listen files tasks prepare:bool store token-file tls-cert tls-key reader=strict +oracle +strict +schedule`,
	drains: true,
	action: func(e env) error {
		if e.Bool("list-rewards") {
			return e.listRewards()
		}
		listen := e.String("listen")
		switch {
		case e.Bool("stdio") == (listen != ""):
			return errors.New("oracle needs either --stdio or --listen ADDR")
		case listen != "" && e.String("files") != "":
			return errors.New("--files is for --stdio: a request over HTTP never names a file")
		}
		opt, err := e.oracleOptions()
		if err != nil {
			return err
		}
		if opt.Files = oracle.NoFiles(); e.String("files") != "" {
			if opt.Files, err = oracle.FilesOf(e.String("files"), maxRowFile); err != nil {
				return fmt.Errorf("--files: %w", err)
			}
		}
		opt.Version, opt.Build = version, builtFrom()
		if name := e.String("tasks"); name != "" {
			if opt.Tasks, err = oracle.LoadTasks(name); err != nil {
				return err
			}
		}
		if name := e.String("store"); name != "" {
			s, err := store.OpenReadOnly(name)
			if err != nil {
				return err
			}
			defer s.Close()
			opt.Truth = s.Source(opt.Schedule)
		}
		o, err := oracle.New(opt)
		if err != nil {
			return err
		}
		if err := e.prepareTasks(o); err != nil {
			return err
		}
		// What is kept is small beside what a batch leaves behind: docs/decisions/serving.md.
		defer cmdline.CollectAt(400)()
		if listen == "" {
			err := o.ServeStdio(e.Context.Context, e.Stdin, e.Stdout)
			if errors.Is(err, context.Canceled) {
				fmt.Fprintln(e.Stderr, "planproof: interrupted: what had been read is answered")
				return exit(exitLimit)
			}
			return err
		}
		return e.listen(o, listen)
	},
}

// maxRowFile bounds a file that a row names.
const maxRowFile = 256 << 20

// prepareTasks makes what scoring the loaded tasks needs.
func (e env) prepareTasks(o *oracle.Oracle) error {
	switch {
	case !e.Bool("prepare"):
		return nil
	case o.Tasks().Len() == 0:
		return errors.New("--prepare needs --tasks")
	}
	err := o.PrepareTasks(e.Context.Context)
	if e.Context.Context.Err() != nil {
		return e.Limited(cmdline.Interrupted, "interrupted: not all tasks are prepared")
	}
	return err
}

// listen serves HTTP until the command is interrupted.
func (e env) listen(o *oracle.Oracle, address string) (err error) {
	opt := server.Options{Log: e.Stderr}
	if name := e.String("token-file"); name != "" {
		if opt.Token, err = server.ReadToken(name); err != nil {
			return err
		}
	}
	if cert, key := e.String("tls-cert"), e.String("tls-key"); cert != "" || key != "" {
		if opt.TLS, err = server.ReadTLS(cert, key); err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
	}
	l, err := server.Listen(address)
	if err != nil {
		return err
	}
	place := server.Address(l, opt.TLS != nil)
	if err := e.PrintLine(map[string]string{"listening": place}, "listening on %s", place); err != nil {
		l.Close()
		return err
	}
	return server.New(o, opt).Serve(e.Context.Context, l)
}

var scoreCommand = command{
	name: "score", usage: "rewards for responses of language models", args: "FILE.jsonl",
	spec: `+oracle +reader +strict +schedule`,
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
		defer cmdline.CollectAt(rowGarbage)()
		var sum *oracle.Summary
		err = e.Stream(e.Args().First(), e.rows(), func(in io.Reader, out io.Writer) (err error) {
			sum, err = o.ScoreStream(e.Context.Context, in, out)
			return err
		})
		if err != nil {
			return err
		}
		if !e.Bool("json") {
			if err := sum.WriteText(e.Stderr); err != nil {
				return err
			}
		}
		return cmdline.RowsExit(nil, 0, 0, sum.Responses-sum.Scored)
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
	if opt.Reader, err = e.reader(); err != nil {
		return opt, err
	}
	spec, err := e.rewardFile()
	if err != nil {
		return opt, err
	}
	if spec != nil {
		opt.Reward, opt.Rewards = spec.Name, []*reward.Spec{spec}
	}
	opt.Schedule, err = e.Schedule()
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
	src, err := e.ReadSource(name)
	if err != nil {
		return nil, fmt.Errorf("--reward: %w", err)
	}
	spec, diags := reward.Read(src)
	return spec, e.Faults(diags.Err())
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
		if err := e.Print(r.Listing(), r.WriteText); err != nil {
			return err
		}
	}
	return nil
}
