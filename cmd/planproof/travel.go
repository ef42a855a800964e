package main

import (
	"context"
	"io"

	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/rltrain/itineraries"
	"github.com/planproof/planproof/rltrain/reward"
)

var travelCommand = command{
	name: "travel", usage: "judge itineraries, and find the cheapest ones", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "judge", usage: "which rules each plan violates, and what it costs", args: "",
			spec: `batch=- world details:bool optimum:bool upstream:bool totals:bool workers:int`,
			action: func(e env) error {
				return e.travelRows(travel.JudgeRows, func(t *travel.Totals) (int, error) {
					return t.Plans - t.Final, t.Write(e.Stdout, e.Stderr, e.Bool("json"), e.Bool("totals"))
				})
			},
		},
		{
			name: "prompt", usage: "the prompts of queries, with and without their constraints", args: "",
			spec: `batch=- world workers:int`,
			action: func(e env) error {
				return e.travelRows(travel.PromptRows, func(*travel.Totals) (int, error) { return 0, nil })
			},
		},
		{
			name: "score", usage: "rewards of answers that are itineraries", args: "",
			spec: `batch=- world reward=staged-dense workers:int`, action: travelScore,
		},
		{
			name: "optimum", usage: "the cheapest plan that keeps every rule, over the route of each plan or any", args: "",
			spec: `batch=- world free:bool details:bool workers:int`,
			action: func(e env) error {
				return e.travelRows(travel.OptimumRows, func(t *travel.Totals) (int, error) { return t.Unsolved, nil })
			},
		},
	},
}

type travelRunner = func(ctx context.Context, in io.Reader, out io.Writer, o travel.Options) (travel.Totals, error)

// travelRows answers the rows of --batch. end says how many answers are no.
func (e env) travelRows(run travelRunner, end func(*travel.Totals) (int, error)) error {
	o := travel.Options{
		JSON: e.Bool("json"), Details: e.Bool("details"), Upstream: e.Bool("upstream"), Optimum: e.Bool("optimum"), Free: e.Bool("free"), Workers: e.Int("workers"),
	}
	var totals travel.Totals
	var err error
	if o.World, err = e.travelWorld(); err != nil {
		return err
	}
	out := e.Stdout
	if e.Bool("totals") {
		out = io.Discard
	}
	err = e.Stream(e.String("batch"), out, func(in io.Reader, out io.Writer) (err error) {
		totals, err = run(e.Context.Context, in, out, o)
		return err
	})
	if err != nil {
		return err
	}
	no, err := end(&totals)
	return cmdline.RowsExit(err, no, 0, totals.Errors)
}

// travelWorld reads --world, nil without the flag.
func (e env) travelWorld() (*travel.World, error) {
	name := e.String("world")
	if name == "" {
		return nil, nil
	}
	src, err := e.ReadSource(name)
	if err != nil {
		return nil, err
	}
	return travel.ReadWorld(cmdline.InputName(name), []byte(src.Text))
}

func travelScore(e env) error {
	world, err := e.travelWorld()
	if err != nil {
		return err
	}
	return e.ruleRewards(itineraries.Score, world)
}

// ruleRewards scores the rows of --batch where an environment judges by rules, or by executing calls.
func (e env) ruleRewards(score func(context.Context, io.Reader, io.Writer, itineraries.Options) (rows, faults int, err error), world *travel.World) error {
	spec, err := e.rewardFile()
	if err == nil && spec == nil {
		spec, err = reward.Find(e.String("reward"), nil)
	}
	if err == nil {
		err = itineraries.Check(spec)
	}
	if err != nil {
		return err
	}
	faults := 0
	err = e.Stream(e.String("batch"), e.Stdout, func(in io.Reader, out io.Writer) (err error) {
		_, faults, err = score(e.Context.Context, in, out, itineraries.Options{World: world, Reward: spec, Workers: e.Int("workers")})
		return err
	})
	return cmdline.RowsExit(err, 0, 0, faults)
}

// generateRows makes tasks that are rows: trips for travel judge, tasks of tools for tools reward.
func generateRows[Size any](e env, o Size, err error, generate func(ctx context.Context, w io.Writer, o Size, seed uint64, count int, asJSON bool, done func(int)) error) error {
	if err != nil {
		return err
	}
	bar := e.CountProgress(e.Int("count"), "tasks")
	defer bar.Done()
	write := func(asJSON bool) func(io.Writer) error {
		return func(w io.Writer) error {
			return generate(e.Context.Context, w, o, e.Uint64("seed"), e.Int("count"), asJSON, bar.Set)
		}
	}
	if name := e.String("output"); name != "" {
		return e.WriteFile(name, write(true))
	}
	return write(e.Bool("json"))(e.Stdout)
}
