package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/features"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"

	"github.com/urfave/cli/v2"
)

// modelFlags say which model to ask, and how. Every command that asks models has them.
func modelFlags() []cli.Flag {
	const category = "model"
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "model", Usage: "ask the model `NAME` at --base-url, NAME@URL, or scripted:RULE (optimal, uniform, careless, silent, down, distance, table=FILE)", Category: category},
		&cli.StringFlag{Name: "base-url", Usage: "address `URL` of an OpenAI-compatible server, with its /v1", EnvVars: []string{"OPENAI_BASE_URL"}, Category: category},
		&cli.StringFlag{Name: "key-env", Usage: "the API key is in the environment variable `NAME`", Value: "OPENAI_API_KEY", Category: category},
		&cli.StringFlag{Name: "transcript", Usage: "record every answer in `FILE` (JSON Lines), and do not ask again for what stands there", Category: category},
		&cli.StringFlag{Name: "replay", Usage: "answer from the transcript `FILE` alone, without a server", Category: category},
		&cli.Float64Flag{Name: "temperature", Usage: "sample at temperature `T`; 0 is greedy", Category: category},
		&cli.Float64Flag{Name: "top-p", Usage: "sample from the likeliest tokens of mass `P`", Value: 1, Category: category},
		&cli.IntFlag{Name: "max-tokens", Usage: "end an answer after `N` tokens", Value: 2048, Category: category},
		&cli.IntFlag{Name: "concurrency", Usage: "at most `N` requests at a time", Value: 4, Category: category},
		&cli.IntFlag{Name: "tries", Usage: "ask at most `N` times for one answer", Value: 6, Category: category},
		&cli.DurationFlag{Name: "request-time", Usage: "give one try `DURATION`", Value: 10 * time.Minute, Category: category},
		&cli.DurationFlag{Name: "answer-time", Usage: "give all tries for one answer `DURATION`", Value: 30 * time.Minute, Category: category},
		&cli.BoolFlag{Name: "stream", Usage: "let answers stream in, so that a silent server is noticed early", Category: category},
		&cli.StringSliceFlag{Name: "price", Usage: "`NAME=IN/OUT`: what a million tokens of a model cost (repeatable)", Category: category},
	}
}

// models opens the models that the flags name. The caller closes them.
func (e env) models() (*model.Set, error) {
	specs := &model.Specs{
		Models: e.StringSlice("model"), Prices: e.StringSlice("price"), Transcript: e.String("transcript"), Replay: e.String("replay"),
		Client: model.Options{
			BaseURL: e.String("base-url"), KeyEnv: e.String("key-env"), Concurrency: e.Int("concurrency"), Tries: e.Int("tries"),
			Timeout: e.Duration("request-time"), Deadline: e.Duration("answer-time"), Stream: e.Bool("stream"),
		},
		Log: func(text string) { fmt.Fprintf(e.err, "planproof: %s\n", text) },
	}
	switch {
	case specs.Replay != "" && specs.Transcript != "":
		return nil, errors.New("--replay and --transcript exclude each other: a replay records nothing")
	case specs.Replay == "" && len(specs.Models) == 0:
		return nil, errors.New("which model? Give --model NAME with --base-url URL, --model scripted:RULE, or --replay FILE")
	}
	for _, spec := range specs.Models {
		name, address, hasAddress := strings.Cut(spec, "@")
		if !hasAddress {
			address = specs.Client.BaseURL
		}
		if specs.Replay == "" && address == "" && !strings.HasPrefix(spec, "scripted:") {
			return nil, fmt.Errorf("where is the model %s? Give --base-url URL, for instance http://127.0.0.1:8080/v1, or --model scripted:RULE", name)
		}
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
		if e.Bool("json") {
			if err := printJSON(e.out, struct {
				Name string `json:"name"`
				model.Capabilities
			}{m.Name(), caps}); err != nil {
				return err
			}
			continue
		}
		if err := caps.WriteText(e.out, m.Name()); err != nil {
			return err
		}
	}
	return nil
}

var capabilitiesCommand = command{
	name: "capabilities", usage: "which language features each stage supports, or what a model server can do",
	flags: modelFlags(),
	action: func(e env) error {
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
