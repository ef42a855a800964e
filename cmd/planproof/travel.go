package main

import (
	"context"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/internal/cmdline"
)

var travelCommand = command{
	name: "travel", usage: "judge itineraries, and find the cheapest ones", args: "SUBCOMMAND",
	subs: []command{
		{
			name: "judge", usage: "which rules each plan violates, and what it costs", args: "",
			spec: `batch=- world details:bool upstream:bool totals:bool workers:int`,
			action: func(e env) error {
				return e.travelRows(travel.JudgeRows, func(t *travel.Totals) (int, error) {
					return t.Plans - t.Final, e.travelTotals(t)
				})
			},
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
		JSON: e.Bool("json"), Details: e.Bool("details"), Upstream: e.Bool("upstream"), Free: e.Bool("free"), Workers: e.Int("workers"),
	}
	if name := e.String("world"); name != "" {
		src, err := e.readSource(name)
		if err == nil {
			o.World, err = travel.ReadWorld(cmdline.InputName(name), []byte(src.Text))
		}
		if err != nil {
			return err
		}
	}
	var totals travel.Totals
	out := e.Stdout
	if e.Bool("totals") {
		out = io.Discard
	}
	err := e.Stream(e.String("batch"), out, func(in io.Reader, out io.Writer) (err error) {
		totals, err = run(e.Context.Context, in, out, o)
		return err
	})
	if err != nil {
		return err
	}
	no, err := end(&totals)
	return rowsExit(err, no, totals.Errors)
}

// travelTotals prints the rates over all rows: with --totals instead of the rows, else for people after them.
func (e env) travelTotals(t *travel.Totals) error {
	switch {
	case e.Bool("json") && e.Bool("totals"):
		_, err := fmt.Fprintf(e.Stdout, "%s\n", t.AppendJSON(nil))
		return err
	case e.Bool("totals"):
		return t.WriteText(e.Stdout)
	case e.Bool("json"):
		return nil
	}
	return t.WriteText(e.Stderr)
}
