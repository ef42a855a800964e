package main

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
)

var groundCommand = command{
	name: "ground", usage: "compile a task to finite-domain variables, operators, axioms and mutex groups", args: "DOMAIN PROBLEM",
	spec:      `format=summary output,o=- keep-irrelevant:bool threads:int=1 +strict +schedule +limits`,
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		format := e.String("format")
		switch format {
		case "summary", "json", "sas":
		default:
			return fmt.Errorf("--format %q is none of summary, json, sas", format)
		}
		if e.Bool("json") {
			if e.IsSet("format") && format != "json" {
				return fmt.Errorf("--json and --format %s exclude each other", format)
			}
			format = "json"
		}
		g, err := e.GroundTask(true)
		if err != nil {
			return err
		}
		return e.WriteFile(e.String("output"), func(w io.Writer) error {
			switch {
			case format == "sas":
				for _, note := range grounder.SASNotes(g.Task) {
					fmt.Fprintf(e.Stderr, "planproof: %s\n", note)
				}
				return grounder.WriteSAS(w, g.Task)
			case format == "json":
				return g.Task.WriteJSON(w, g.CPU, cmdline.PeakKB())
			}
			return g.Task.WriteSummary(w)
		})
	},
}
