package main

import (
	"fmt"

	"github.com/planproof/planproof/internal/features"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

var capabilitiesCommand = command{
	name: "capabilities", usage: "which language features each stage supports, or what a model server can do",
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
