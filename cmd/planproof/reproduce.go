package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/planproof/planproof/internal/reproduce"
	"github.com/planproof/planproof/internal/rowjson"
)

var reproduceCommand = command{
	name: "reproduce", usage: "make the tables and figures of a paper, beside its numbers", args: "PAPER",
	spec:   `output,o items smoke:bool list:bool seed:uint64=1 jobs,j:int +model`,
	action: reproducePaper,
}

func reproducePaper(e env) error {
	if e.Bool("list") {
		return reproduce.List(e.Stdout)
	}
	if e.NArg() != 1 || e.String("output") == "" {
		return errors.New("reproduce needs the name of a paper and --output DIR; reproduce --list shows the papers")
	}
	p, err := reproduce.Find(e.Args().First())
	if err != nil {
		return err
	}
	o := &reproduce.Options{
		Smoke: e.Bool("smoke"), Seed: e.Uint64("seed"), Jobs: e.Int("jobs"), Items: strings.FieldsFunc(e.String("items"), func(r rune) bool { return r == ',' }),
		Temperature: e.Float64("temperature"), MaxTokens: e.Int("max-tokens"),
	}
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if len(e.StringSlice("model")) > 0 || e.String("replay") != "" {
		m, closeIt, err := e.oneModel()
		if err != nil {
			return err
		}
		defer closeIt()
		o.Model = m
	}
	bar := e.LiveLine()
	o.Begun = bar.Show
	results, err := p.Make(e.Context.Context, e.String("output"), o)
	bar.Done()
	if err != nil {
		return e.OrInterrupted(err, "interrupted; the same command continues")
	}
	for _, r := range results {
		if !e.Bool("json") {
			fmt.Fprintf(e.Stdout, "%-18s %-13s %s\n", r.ID, r.Status, r.Title)
		} else if err := rowjson.WriteLine(e.Stdout, r); err != nil {
			return err
		}
	}
	return nil
}
