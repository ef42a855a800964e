package dataset

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
)

// Arguments makes sources of words, as on the command line of planproof export:
//
//	blocksworld blocks=3..5      a bundled kind and its parameters: Count tasks for each value
//	blocksworld:4-1..200         bundled tasks by their names
//	domain.pddl p01.pddl ...     a domain and its problems
//	anything else                what Inputs makes of it
type Arguments struct {
	Exhaustive []string // "blocksworld=N" or "blocksworld=N..M": all tasks of so many blocks
	Exclude    []string // words of the data sets that are left out
	// Count tasks of a bundled kind are made, from number First on.
	Count int
	First uint64
	// Read reads a PDDL file.
	Read func(file string) (*pddl.Source, error)
	// Inputs lists the tasks of a folder or of a file of JSON Lines.
	Inputs func(name string) ([]Entry, error)
}

// Fill gives a data set its sources: the exhaustive ones, those of the words, a sample of each
// if o.Sample asks for it, and what is excluded.
func (a *Arguments) Fill(ctx context.Context, o *Options, words []string) error {
	for _, text := range a.Exhaustive {
		kind, numbers, _ := strings.Cut(text, "=")
		from, to, ok := ParseRange(numbers)
		if kind != "blocksworld" || !ok {
			return fmt.Errorf("--exhaustive %q: it takes blocksworld=N or blocksworld=N..M", text)
		}
		for n := from; n <= to; n++ {
			src, err := NewExhaustive(ctx, n, o.Dedup == DedupIsomorphic, o.Seed)
			if err != nil {
				return err
			}
			o.Sources = append(o.Sources, src)
		}
	}
	named, err := a.sources(words)
	if err != nil {
		return err
	}
	o.Sources = append(o.Sources, named...)
	if o.Sample > 0 {
		for i := range o.Sources {
			o.Sources[i] = Sample(o.Sources[i], o.Sample, o.Seed)
		}
	}
	for _, name := range a.Exclude {
		sources, err := a.sources([]string{name})
		if err != nil {
			return err
		}
		o.Exclude = append(o.Exclude, sources...)
	}
	return nil
}

// sources makes sources of all words.
func (a *Arguments) sources(words []string) (sources []Source, err error) {
	for len(words) > 0 {
		var part []Source
		if part, words, err = a.source(words); err != nil {
			return nil, err
		}
		sources = append(sources, part...)
	}
	return sources, nil
}

// source takes a source off the front of the words.
func (a *Arguments) source(words []string) (sources []Source, rest []string, err error) {
	name, n := words[0], 1
	_, statErr := os.Stat(name)
	switch {
	case statErr != nil && domains.IsName(name) && !strings.Contains(name, ":"):
		for n < len(words) && strings.Contains(words[n], "=") {
			n++
		}
		sources, err = a.kind(name, words[1:n])
		return sources, words[n:], err
	case taskref.IsBundled(name):
		src, err := bundledRange(name)
		return []Source{src}, words[1:], err
	case isPDDL(name):
		for n < len(words) && isPDDL(words[n]) {
			n++
		}
		src, err := a.files(words[:n])
		return []Source{src}, words[n:], err
	}
	entries, err := a.Inputs(name)
	return []Source{NewList(name, entries)}, words[1:], err
}

func isPDDL(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".pddl") }

// bundledRange is the source of blocksworld:4-17 or blocksworld:4-1..200.
func bundledRange(text string) (Source, error) {
	names, err := domains.Range(text)
	if err != nil {
		return nil, err
	}
	if _, _, err := domains.Load(names[0]); err != nil {
		return nil, err
	}
	var entries []Entry
	for _, n := range names {
		entries = append(entries, bundledEntry(n))
	}
	return NewList(text, entries), nil
}

// files is the source of a domain file and problem files.
func (a *Arguments) files(files []string) (Source, error) {
	if len(files) < 2 {
		return nil, fmt.Errorf("%s needs problems after it: DOMAIN PROBLEM", files[0])
	}
	var entries []Entry
	for _, f := range files[1:] {
		if _, err := os.Stat(f); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{ID: strings.TrimSuffix(f, ".pddl"), Load: func() (domain, problem *pddl.Source, err error) {
			if domain, err = a.Read(files[0]); err == nil {
				problem, err = a.Read(f)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", strings.TrimSuffix(f, ".pddl"), err)
			}
			return domain, problem, err
		}})
	}
	return NewList(files[0], entries), nil
}

// kind makes sources of a bundled kind: one for each combination of the values of its
// parameters, "name=number" or "name=from..to".
func (a *Arguments) kind(kind string, words []string) ([]Source, error) {
	all := []map[string]int{{}}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		from, to, ok := ParseRange(value)
		if !ok {
			return nil, fmt.Errorf("%q is not a parameter of the form name=number or name=from..to", w)
		}
		if _, twice := all[0][name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		var next []map[string]int
		for _, params := range all {
			for n := from; n <= to; n++ {
				p := maps.Clone(params)
				p[name] = n
				next = append(next, p)
			}
		}
		all = next
	}
	count := a.Count
	for _, k := range domains.List() {
		if k.Name == kind && k.Last == "" { // gripper: one task for given parameters
			count = 1
		}
	}
	var sources []Source
	for _, params := range all {
		label := kind
		for _, w := range words {
			name, _, _ := strings.Cut(w, "=")
			label += fmt.Sprintf(" %s=%d", name, params[name])
		}
		src, err := NewBundled(kind, domains.GenerateOptions{Params: params, Seed: a.First, Count: count}, label)
		if err != nil {
			return nil, err
		}
		sources = append(sources, src)
	}
	return sources, nil
}

// ParseRange reads "N" or "N..M", at most 1001 numbers.
func ParseRange(text string) (from, to int, ok bool) {
	low, high, isRange := strings.Cut(text, "..")
	if !isRange {
		high = low
	}
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	return from, to, err1 == nil && err2 == nil && from <= to && to-from <= 1000
}
