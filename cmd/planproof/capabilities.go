package main

import (
	"fmt"

	"github.com/planproof/planproof/internal/features"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
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
		rows, err := features.Measure(e.Context.Context)
		if err != nil {
			return err
		}
		if e.Bool("json") {
			return printJSON(e.out, map[string]any{"stages": features.Stages(), "features": rows, "searches": search.Searches, "heuristics": heuristic.Catalogue})
		}
		return features.WriteTable(e.out, rows)
	},
}
