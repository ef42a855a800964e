package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/validator"
)

var capabilitiesCommand = command{
	name: "capabilities", usage: "which language features each stage supports, or what a model server can do",
	long: `
Prints a table of language features by stage: reading, judging, grounding, and each
search. The table is measured, not written: every stage is given a tiny task that
uses the feature. Refusals elsewhere use the same names.

With --model it asks a model server what it can do, by some twenty short requests:
docs/MODELS.md says how.

   planproof capabilities
   planproof capabilities --json
   planproof capabilities --model NAME --base-url http://127.0.0.1:8080/v1`,
	flags: modelFlags(),
	action: func(e env) error {
		if e.NArg() > 0 {
			return fmt.Errorf("unexpected argument %q", e.Args().First())
		}
		if len(e.StringSlice("model")) > 0 || e.String("replay") != "" {
			return e.printModelCapabilities()
		}
		rows, err := measureCapabilities(e.Context.Context)
		if err != nil {
			return err
		}
		if e.Bool("json") {
			return printJSON(e.out, map[string]any{"stages": stageNames(), "features": rows, "searches": search.Searches, "heuristics": heuristic.Catalogue})
		}
		w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprint(w, "feature")
		for _, s := range stageNames() {
			fmt.Fprintf(w, "\t%s", s)
		}
		fmt.Fprintln(w)
		for _, r := range rows {
			fmt.Fprint(w, r.Feature)
			for _, s := range stageNames() {
				mark := "-"
				if r.Supported[s] {
					mark = "yes"
				}
				fmt.Fprintf(w, "\t%s", mark)
			}
			fmt.Fprintln(w)
		}
		return w.Flush()
	},
}

// capability is one row: a feature, and which stages take a task that uses it.
type capability struct {
	Feature   string          `json:"feature"`
	Supported map[string]bool `json:"supported"`
}

// probedSearches are the search strings that have a column of their own.
var probedSearches = []string{"astar(blind())", "astar(hmax())", "astar(lmcut())", "nbs(lmcut())"}

func stageNames() []string {
	return append([]string{"read", "judge", "ground"}, probedSearches...)
}

// measureCapabilities runs every probe through every stage.
func measureCapabilities(ctx context.Context) ([]capability, error) {
	var rows []capability
	for _, p := range append([]probe{plainProbe}, probes...) {
		row := capability{Feature: p.feature, Supported: map[string]bool{}}
		rows = append(rows, row)
		domSrc, probSrc := p.sources()
		dom, diags := pddl.ParseDomain(domSrc, pddl.Options{})
		prob, more := pddl.ParseProblem(probSrc, dom, pddl.Options{})
		if diags.HasErrors() || more.HasErrors() {
			return nil, fmt.Errorf("internal error: the probe of %s has errors: %v", p.feature, append(diags, more...))
		}
		row.Supported["read"] = true
		_, err := validator.NewJudge(prob, validator.Options{})
		row.Supported["judge"] = err == nil
		task, err := grounder.Ground(ctx, prob, grounder.Options{KeepIrrelevant: true})
		if row.Supported["ground"] = err == nil; err != nil {
			continue
		}
		for _, s := range probedSearches {
			res, err := search.Run(ctx, task, search.Config{Search: s})
			row.Supported[s] = err == nil && res.Status == search.SolvedOptimally
		}
	}
	return rows, nil
}
