package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/spell"
)

// Specs name models the way a command line does.
type Specs struct {
	// Models lists NAME (a model at Client.BaseURL), NAME@URL and scripted:RULE (see [NewScripted]). With Replay
	// it picks models of the transcript; empty then means all of them.
	Models []string
	// Prices lists prices as [Prices.ParsePrice] reads them.
	Prices []string
	// Transcript is the file that records every answer, and from which known answers come; "" is none. Replay is
	// a transcript that alone answers, without a server.
	Transcript, Replay string
	// Client holds the options that all servers share. Model and Log are set for each of them.
	Client Options
	// Log gets notes for people, one sentence each. It may be nil.
	Log func(text string)
}

// Set is what [Open] made of Specs.
type Set struct {
	Models     []Model
	Prices     Prices
	clients    []*Client
	transcript *Transcript
}

// Servers counts the models that a server answers for.
func (s *Set) Servers() int { return len(s.clients) }

// Close lets go of the servers and ends the transcript.
func (s *Set) Close() error {
	for _, c := range s.clients {
		c.Close()
	}
	if s.transcript == nil {
		return nil
	}
	return s.transcript.Close()
}

// Open makes the models that specs name, and probes their servers. The caller closes the set.
func Open(ctx context.Context, specs *Specs) (*Set, error) {
	s := &Set{Prices: Prices{}}
	for _, p := range specs.Prices {
		if err := s.Prices.ParsePrice(p); err != nil {
			return nil, err
		}
	}
	if specs.Replay != "" {
		return s, s.replay(specs)
	}
	if name := specs.Transcript; name != "" {
		t, err := OpenTranscript(name)
		if err != nil {
			return nil, err
		}
		s.transcript = t
		if t.Recovered > 0 {
			specs.log("%s: its last line was torn; %s cut off", name, spell.Plural(int(t.Recovered), "byte"))
		}
	}
	for _, spec := range specs.Models {
		if err := s.add(ctx, specs, spec); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

func (specs *Specs) log(format string, args ...any) {
	if specs.Log != nil {
		specs.Log(fmt.Sprintf(format, args...))
	}
}

// add makes one model.
func (s *Set) add(ctx context.Context, specs *Specs, spec string) error {
	m, err := s.model(ctx, specs, spec)
	if err != nil {
		return err
	}
	if s.transcript != nil {
		m = Record(m, s.transcript)
	}
	if slices.ContainsFunc(s.Models, func(other Model) bool { return other.Name() == m.Name() }) {
		return fmt.Errorf("the model %s is named twice", m.Name())
	}
	s.Models = append(s.Models, m)
	return nil
}

func (s *Set) model(ctx context.Context, specs *Specs, spec string) (Model, error) {
	if rule, ok := strings.CutPrefix(spec, "scripted:"); ok {
		return NewScripted(rule)
	}
	opt := specs.Client
	name, address, ok := strings.Cut(spec, "@")
	if opt.Model = name; ok {
		opt.BaseURL = address
	}
	opt.Log = func(text string) { specs.log("%s: %s", name, text) }
	c, err := NewClient(opt)
	if err != nil {
		return nil, err
	}
	s.clients = append(s.clients, c)
	caps, err := c.Probe(ctx)
	if err != nil {
		return nil, fmt.Errorf("the model %s cannot be used: %w", c.Name(), err)
	}
	for _, d := range caps.Dropped {
		specs.log("%s: the server does not take %s; it is left out", name, d)
	}
	return c, nil
}

// replay makes the models of a transcript.
func (s *Set) replay(specs *Specs) error {
	t, err := LoadTranscript(specs.Replay)
	if err != nil {
		return err
	}
	recorded := t.models()
	names := recorded
	if len(specs.Models) > 0 {
		names = nil
		for _, spec := range specs.Models {
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
		s.Models = append(s.Models, Replay(name, t))
	}
	return nil
}

// recordedName finds the model that a spec means among those of a transcript.
func recordedName(spec string, recorded []string) (string, error) {
	if slices.Contains(recorded, spec) {
		return spec, nil
	}
	if rule, ok := strings.CutPrefix(spec, "scripted:"); ok && strings.HasPrefix(rule, "table=") {
		m, err := NewScripted(rule)
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

// Check says which of --model, --base-url, --transcript and --replay is missing or too much.
func (specs *Specs) Check() error {
	switch {
	case specs.Replay != "" && specs.Transcript != "":
		return errors.New("--replay and --transcript exclude each other: a replay records nothing")
	case specs.Replay == "" && len(specs.Models) == 0:
		return errors.New("which model? Give --model NAME with --base-url URL, --model scripted:RULE, or --replay FILE")
	}
	for _, spec := range specs.Models {
		name, address, hasAddress := strings.Cut(spec, "@")
		if !hasAddress {
			address = specs.Client.BaseURL
		}
		if specs.Replay == "" && address == "" && !strings.HasPrefix(spec, "scripted:") {
			return fmt.Errorf("where is the model %s? Give --base-url URL, for instance http://127.0.0.1:8080/v1, or --model scripted:RULE", name)
		}
	}
	return nil
}
