package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/planproof/planproof/llmbridge/model"

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

// bridge is what a command asks models through.
type bridge struct {
	models     []model.Model
	prices     model.Prices
	transcript *model.Transcript
	clients    []*model.Client
}

// Close ends the transcript.
func (b *bridge) Close() error {
	for _, c := range b.clients {
		c.Close()
	}
	if b.transcript == nil {
		return nil
	}
	return b.transcript.Close()
}

// bridge makes the models that the flags name, and probes their servers.
func (e env) bridge(ctx context.Context) (*bridge, error) {
	b := &bridge{prices: model.Prices{}}
	for _, p := range e.StringSlice("price") {
		if err := b.prices.ParsePrice(p); err != nil {
			return nil, err
		}
	}
	if e.String("replay") != "" {
		return b, e.replayed(b)
	}
	if len(e.StringSlice("model")) == 0 {
		return nil, errors.New("which model? Give --model NAME with --base-url URL, --model scripted:RULE, or --replay FILE")
	}
	if name := e.String("transcript"); name != "" {
		t, err := model.OpenTranscript(name)
		if err != nil {
			return nil, err
		}
		b.transcript = t
		if t.Recovered > 0 {
			fmt.Fprintf(e.err, "planproof: %s: its last line was torn; %s cut off\n", name, plural(int(t.Recovered), "byte"))
		}
	}
	for _, spec := range e.StringSlice("model") {
		m, err := e.model(ctx, b, spec)
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		if b.transcript != nil {
			m = model.Record(m, b.transcript)
		}
		for _, other := range b.models {
			if other.Name() == m.Name() {
				return nil, errors.Join(fmt.Errorf("the model %s is named twice", m.Name()), b.Close())
			}
		}
		b.models = append(b.models, m)
	}
	return b, nil
}

// model makes one model.
func (e env) model(ctx context.Context, b *bridge, spec string) (model.Model, error) {
	if rule, ok := strings.CutPrefix(spec, "scripted:"); ok {
		return model.NewScripted(rule)
	}
	name, address, ok := strings.Cut(spec, "@")
	if !ok {
		address = e.String("base-url")
	}
	if address == "" {
		return nil, fmt.Errorf("where is the model %s? Give --base-url URL, for instance http://127.0.0.1:8080/v1, or --model scripted:RULE", name)
	}
	opt := model.Options{
		BaseURL: address, Model: name, KeyEnv: e.String("key-env"), Concurrency: e.Int("concurrency"), Tries: e.Int("tries"),
		Timeout: e.Duration("request-time"), Deadline: e.Duration("answer-time"), Stream: e.Bool("stream"),
		Log: func(text string) { fmt.Fprintf(e.err, "planproof: %s: %s\n", name, text) },
	}
	c, err := model.NewClient(opt)
	if err != nil {
		return nil, err
	}
	b.clients = append(b.clients, c)
	caps, err := c.Probe(ctx)
	if err != nil {
		return nil, fmt.Errorf("the model %s cannot be used: %w", c.Name(), err)
	}
	for _, d := range caps.Dropped {
		fmt.Fprintf(e.err, "planproof: %s: the server does not take %s; it is left out\n", name, d)
	}
	return c, nil
}

// replayed makes the models of a transcript: those that --model names, or all.
func (e env) replayed(b *bridge) error {
	if e.String("transcript") != "" {
		return errors.New("--replay and --transcript exclude each other: a replay records nothing")
	}
	t, err := model.LoadTranscript(e.String("replay"))
	if err != nil {
		return err
	}
	recorded := t.Models()
	names := recorded
	if specs := e.StringSlice("model"); len(specs) > 0 {
		names = nil
		for _, spec := range specs {
			name, err := recordedName(spec, recorded)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return errors.New("the transcript is empty")
	}
	for _, name := range names {
		b.models = append(b.models, model.Replay(name, t))
	}
	return nil
}

// recordedName finds the model that a --model means among those of a transcript.
func recordedName(spec string, recorded []string) (string, error) {
	if slices.Contains(recorded, spec) {
		return spec, nil
	}
	if rule, ok := strings.CutPrefix(spec, "scripted:"); ok && strings.HasPrefix(rule, "table=") {
		m, err := model.NewScripted(rule)
		if err != nil {
			return "", err
		}
		return m.Name(), nil
	}
	short, _, _ := strings.Cut(spec, "@")
	var found []string
	for _, r := range recorded {
		if name, _, _ := strings.Cut(r, "@"); name == short {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("the transcript has answers of %s, and not of one model %s", strings.Join(recorded, ", "), spec)
	}
	return found[0], nil
}

// printModelCapabilities is capabilities --model: what a server was found to do.
func (e env) printModelCapabilities() error {
	b, err := e.bridge(e.Context.Context)
	if err != nil {
		return err
	}
	defer b.Close()
	for _, m := range b.models {
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
		w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "model\t%s\nserver\t%s\n", m.Name(), caps.Server)
		for _, row := range []struct {
			name string
			has  bool
		}{{"chat", caps.Chat}, {"completions", caps.Completions}, {"several samples a call", caps.N}, {"streaming", caps.Stream}, {"token counts", caps.Usage}, {"log-probabilities", caps.Logprobs}} {
			fmt.Fprintf(w, "%s\t%s\n", row.name, map[bool]string{true: "yes", false: "-"}[row.has])
		}
		grammars := "-"
		if len(caps.Grammars) > 0 {
			grammars = strings.Trim(fmt.Sprint(caps.Grammars), "[]")
		}
		score := string(caps.Score)
		if score == "" {
			score = "-"
		}
		fmt.Fprintf(w, "alternatives to a token\t%d\nscoring\t%s\ngrammars\t%s\n", caps.TopLogprobs, score, grammars)
		if err := w.Flush(); err != nil {
			return err
		}
		for _, n := range caps.Notes {
			fmt.Fprintf(e.out, "note: %s\n", n)
		}
	}
	return nil
}
