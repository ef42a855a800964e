package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
)

// exportSources reads the arguments of export, and --exhaustive and --sample.
func (e env) exportSources(o *dataset.Settings) ([]dataset.Source, error) {
	args := e.Args().Slice()
	if len(args)+len(e.StringSlice("exhaustive")) == 0 {
		return nil, errors.New("export needs tasks: a bundled kind, bundled names, a folder, DOMAIN PROBLEM..., a file of JSON Lines, or --exhaustive; see planproof export --help")
	}
	sources, err := e.exhaustiveSources(o)
	if err != nil {
		return nil, err
	}
	for len(args) > 0 {
		var part []dataset.Source
		var err error
		if part, args, err = e.exportSource(args); err != nil {
			return nil, err
		}
		sources = append(sources, part...)
	}
	if o.Sample > 0 {
		for i := range sources {
			sources[i] = dataset.Sample(sources[i], o.Sample, o.Seed)
		}
	}
	return sources, nil
}

// exhaustiveSources reads --exhaustive.
func (e env) exhaustiveSources(o *dataset.Settings) ([]dataset.Source, error) {
	var sources []dataset.Source
	for _, text := range e.StringSlice("exhaustive") {
		kind, numbers, _ := strings.Cut(text, "=")
		from, to, ok := numberRange(numbers)
		if kind != "blocksworld" || !ok {
			return nil, fmt.Errorf("--exhaustive %q: it takes blocksworld=N or blocksworld=N..M", text)
		}
		for n := from; n <= to; n++ {
			src, err := dataset.NewExhaustive(e.Context.Context, n, o.Dedup == dataset.DedupIsomorphic, o.Seed)
			if err != nil {
				return nil, err
			}
			sources = append(sources, src)
		}
	}
	return sources, nil
}

// numberRange reads N or N..M.
func numberRange(text string) (from, to int, ok bool) {
	low, high, isRange := strings.Cut(text, "..")
	if !isRange {
		high = low
	}
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	return from, to, err1 == nil && err2 == nil && from <= to && to-from <= 1000
}

// exportSource takes a source off the front of the arguments.
func (e env) exportSource(args []string) (sources []dataset.Source, rest []string, err error) {
	name := args[0]
	_, statErr := os.Stat(name)
	switch {
	case statErr != nil && domains.IsName(name) && !strings.Contains(name, ":"):
		n := 1
		for n < len(args) && strings.Contains(args[n], "=") {
			n++
		}
		sources, err = e.kindSources(name, args[1:n])
		return sources, args[n:], err
	case statErr != nil && isBundled(name):
		var entries []dataset.Entry
		names, err := domains.Range(name)
		if err != nil {
			return nil, nil, err
		}
		if _, _, err := domains.Load(names[0]); err != nil {
			return nil, nil, err
		}
		for _, n := range names {
			entries = append(entries, dataset.BundledEntry(n))
		}
		return []dataset.Source{dataset.NewList(name, entries)}, args[1:], nil
	case strings.HasSuffix(strings.ToLower(name), ".pddl"):
		n := 1
		for n < len(args) && strings.HasSuffix(strings.ToLower(args[n]), ".pddl") {
			n++
		}
		src, err := e.fileSource(args[:n])
		return []dataset.Source{src}, args[n:], err
	}
	in, err := e.opener().Inputs(args[0])
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	var entries []dataset.Entry
	for t := range in.Tasks {
		entries = append(entries, e.inputEntry(t))
	}
	return []dataset.Source{dataset.NewList(name, entries)}, args[1:], nil
}

func (e env) inputEntry(in store.Input) dataset.Entry {
	return dataset.Entry{ID: in.Name, Load: func() (domain, problem *pddl.Source, err error) {
		if domain, problem, err = in.Sources(e.readSource); err != nil && in.Err == nil {
			err = fmt.Errorf("%s: %w", in.Name, err)
		}
		return domain, problem, err
	}}
}

// fileSource makes a source of a domain file and problem files.
func (e env) fileSource(files []string) (dataset.Source, error) {
	if len(files) < 2 {
		return nil, fmt.Errorf("%s needs problems after it: DOMAIN PROBLEM", files[0])
	}
	var entries []dataset.Entry
	for _, f := range files[1:] {
		if _, err := os.Stat(f); err != nil {
			return nil, err
		}
		entries = append(entries, e.inputEntry(store.Input{Name: strings.TrimSuffix(f, ".pddl"), DomainFile: files[0], ProblemFile: f}))
	}
	return dataset.NewList(files[0], entries), nil
}

// kindSources makes sources of a bundled kind: one for each value of a parameter that is
// given as a range.
func (e env) kindSources(kind string, words []string) ([]dataset.Source, error) {
	if e.Int("count") < 1 {
		return nil, errors.New("--count must be at least 1")
	}
	all := []map[string]int{{}}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		from, to, ok := numberRange(value)
		if !ok {
			return nil, fmt.Errorf("%q is not a parameter of the form name=number or name=from..to", w)
		}
		if _, twice := all[0][name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		var next []map[string]int
		for _, params := range all {
			for n := from; n <= to; n++ {
				p := map[string]int{name: n}
				for k, v := range params {
					p[k] = v
				}
				next = append(next, p)
			}
		}
		all = next
	}
	count := e.Int("count")
	if kindHasOne(kind) { // gripper
		count = 1
	}
	var sources []dataset.Source
	for _, params := range all {
		label := kind
		for _, w := range words {
			name, _, _ := strings.Cut(w, "=")
			label += fmt.Sprintf(" %s=%d", name, params[name])
		}
		src, err := dataset.NewBundled(kind, domains.GenerateOptions{Params: params, Seed: e.Uint64("first"), Count: count}, label)
		if err != nil {
			return nil, err
		}
		sources = append(sources, src)
	}
	return sources, nil
}

// kindHasOne tells whether a kind has one task for given parameters.
func kindHasOne(kind string) bool {
	for _, k := range domains.List() {
		if k.Name == kind {
			return k.Last == ""
		}
	}
	return false
}
