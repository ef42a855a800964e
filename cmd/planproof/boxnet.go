package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
)

var boxnetCommand = command{
	name: "boxnet", usage: "several robot arms in one map: judge, solve, generate", args: "check ...",
	subs: []command{boxnetCheckCommand},
}

// boxnetOptions reads --reading and the limits of each search.
func (e env) boxnetOptions() (opt joint.Options, err error) {
	if opt.Reading, err = boxnet.ParseReading(e.String("reading")); err != nil {
		return opt, fmt.Errorf("--reading: %w", err)
	}
	lim, err := e.limits()
	opt.Memory = lim.Memory
	return opt, err
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
		if err != nil {
			return err
		}
		switch {
		case stats.Errors > 0:
			return exit(exitBad)
		case stats.Limits > 0:
			return exit(exitLimit)
		case stats.No > 0:
			return exit(exitNo)
		}
		return nil
	},
}
