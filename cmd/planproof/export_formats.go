package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/rltrain/dataset"
)

// flagFormats says to which formats, by the beginnings of their names, a flag means
// something.
var flagFormats = []struct {
	flag     string
	prefixes []string
}{
	{"text", []string{"trl-grpo", "trl-sft", "trl-dpo", "trl-ca-dpo", "trl-kto"}},
	{"thoughts", []string{"trl-sft", "verl-sft"}},
	{"prm", []string{"trl-prm"}},
	{"responses", []string{"trl-dpo", "trl-ca-dpo", "trl-kto", "trl-prm"}},
	{"mutants", []string{"trl-dpo", "trl-ca-dpo", "trl-kto", "trl-prm"}},
	{"pairs", []string{"trl-dpo", "trl-ca-dpo"}},
	{"pairs-per-prompt", []string{"trl-dpo", "trl-ca-dpo"}},
	{"drop-lowest", []string{"trl-dpo", "trl-ca-dpo"}},
	{"keep-valid", []string{"trl-ca-dpo"}},
	{"inline-tasks", []string{"verl", "trl-grpo"}},
	{"agent-name", []string{"verl"}},
}

// trainerOptions reads the flags of exportFormatFlags for the formats that were asked for.
func (e env) trainerOptions(o *dataset.Options, formats []dataset.Format) (*dataset.TrainerOptions, error) {
	if err := e.misplacedFormatFlag(formats); err != nil {
		return nil, err
	}
	t := &dataset.TrainerOptions{
		Text: e.Bool("text"), Inline: e.Bool("inline-tasks"), AgentName: e.String("agent-name"), Mutants: e.Int("mutants"),
		Pairs:  dataset.PairOptions{Count: e.Int("pairs"), PerPrompt: e.Int("pairs-per-prompt"), DropLowest: e.Float64("drop-lowest"), KeepValid: e.Bool("keep-valid")},
		Limits: o.Limits,
	}
	var err error
	if t.Trace, err = dataset.ParseTrace(e.String("thoughts")); err != nil {
		return nil, fmt.Errorf("--thoughts: %w", err)
	}
	if t.PRM, err = dataset.ParseStepLabels(e.String("prm")); err != nil {
		return nil, fmt.Errorf("--prm: %w", err)
	}
	name := e.String("responses")
	switch {
	case t.Mutants < 1:
		return nil, errors.New("--mutants must be at least 1")
	case t.Pairs.Count < 0 || t.Pairs.PerPrompt < 0:
		return nil, errors.New("--pairs and --pairs-per-prompt must not be negative")
	case !(t.Pairs.DropLowest >= 0 && t.Pairs.DropLowest <= 1):
		return nil, errors.New("--drop-lowest is a part, from 0 to 1")
	case name != "" && e.IsSet("mutants"):
		return nil, errors.New("--responses and --mutants exclude each other")
	case name != "":
		in, err := e.open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if t.Responses, err = dataset.ReadResponses(in, name); err != nil {
			return nil, err
		}
		t.Mutants = 0
	case t.Mutants == dataset.DefaultMutants:
		t.Mutants = 0
	}
	return t, nil
}

// misplacedFormatFlag refuses flags that mean nothing to any of the formats.
func (e env) misplacedFormatFlag(formats []dataset.Format) error {
	for _, x := range flagFormats {
		if !e.IsSet(x.flag) {
			continue
		}
		used := false
		for _, f := range formats {
			for _, p := range x.prefixes {
				used = used || strings.HasPrefix(f.Name, p)
			}
		}
		if !used {
			return fmt.Errorf("--%s means nothing to the formats asked for; it is for %s", x.flag, strings.Join(x.prefixes, ", "))
		}
	}
	return nil
}
