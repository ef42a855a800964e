package main

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/features"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

// models opens the models that the flags name. The caller closes them.
func (e env) models() (*model.Set, error) {
	specs := &model.Specs{
		Models: e.StringSlice("model"), Prices: e.StringSlice("price"), Transcript: e.String("transcript"), Replay: e.String("replay"),
		Client: model.Options{
			BaseURL: e.String("base-url"), KeyEnv: e.String("key-env"), Concurrency: e.Int("concurrency"), Tries: e.Int("tries"),
			Timeout: e.Duration("request-time"), Deadline: e.Duration("answer-time"), Stream: e.Bool("stream"),
		},
		Log: func(text string) { fmt.Fprintf(e.Stderr, "planproof: %s\n", text) },
	}
	if err := specs.Check(); err != nil {
		return nil, err
	}
	return model.Open(e.Context.Context, specs)
}

// printModelCapabilities is capabilities --model: what a server was found to do.
func (e env) printModelCapabilities() error {
	b, err := e.models()
	if err != nil {
		return err
	}
	defer b.Close()
	for _, m := range b.Models {
		caps := m.Capabilities()
		if err := e.Print(caps.JSON(m.Name()), func(w io.Writer) error { return caps.WriteText(w, m.Name()) }); err != nil {
			return err
		}
	}
	return nil
}

var capabilitiesCommand = command{
	name: "capabilities", usage: "which language features each stage supports, or what a model server can do",
	spec: `+model`,
	action: func(e env) error {
		if len(e.StringSlice("model")) > 0 || e.String("replay") != "" {
			return e.printModelCapabilities()
		}
		rows, err := features.Measure(e.Context.Context)
		if err != nil {
			return err
		}
		table := map[string]any{"stages": features.Stages(), "features": rows, "searches": search.Searches, "heuristics": heuristic.Catalogue}
		return e.Print(table, func(w io.Writer) error { return features.WriteTable(w, rows) })
	},
}
