package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
)

// Instance is a task as its source tells it.
type Instance struct {
	ID      string
	Family  string
	Bundled string // its name if it is a bundled task as it stands, else ""
	Problem *pddl.Problem
	// The texts that the problem was read from.
	DomainText, ProblemText string
	// Gold is what the source knows of the answer; nil asks for a search.
	Gold *Gold
}

// Source gives tasks by number. It is safe for concurrent use, and gives the same task
// whenever it is asked for the same number.
type Source interface {
	Name() string
	Len() int
	// ID names task i.
	ID(i int) string
	// Task makes task i. An error is a task that cannot be read.
	Task(i int) (*Instance, error)
}

// Entry is a task of a list: its name and what reads its texts.
type Entry struct {
	ID      string
	Bundled string
	Load    func() (dom, prob *pddl.Source, err error)
}

// NewList makes a source of entries. The family of a task is the name of its bundled kind,
// else of its domain.
func NewList(name string, entries []Entry) Source {
	return &list{name: name, entries: entries, domains: taskref.NewResolver(taskref.Options{CacheBytes: maxDomainBytes})}
}

// NewBundled makes a source of tasks of a bundled kind (domains.Generate).
func NewBundled(kind string, opt domains.GenerateOptions, name string) (Source, error) {
	tasks, err := domains.Generate(kind, opt)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(tasks))
	for i, t := range tasks {
		entries[i] = bundledEntry(t.Name)
		entries[i].Load = func() (*pddl.Source, *pddl.Source, error) { return t.Domain, t.Problem, nil }
	}
	return NewList(name, entries), nil
}

// bundledEntry is the entry of a bundled task.
func bundledEntry(name string) Entry {
	return Entry{ID: name, Bundled: name, Load: func() (*pddl.Source, *pddl.Source, error) { return domains.Load(name) }}
}

type list struct {
	name    string
	entries []Entry
	domains *taskref.Resolver // problems of one domain mostly follow each other
}

// maxDomainBytes bounds the parsed domains that a list keeps.
const maxDomainBytes = 64 << 20

// Name implements Source.
func (l *list) Name() string { return l.name }

// Len implements Source.
func (l *list) Len() int { return len(l.entries) }

// ID implements Source.
func (l *list) ID(i int) string { return l.entries[i].ID }

// Task implements Source.
func (l *list) Task(i int) (*Instance, error) {
	e := &l.entries[i]
	dom, prob, err := e.Load()
	if err != nil {
		return nil, err
	}
	p, diags := l.domains.Parse(taskref.KeyOf(dom, prob), pddl.Options{})
	if p == nil || diags.HasErrors() {
		return nil, diags
	}
	family := p.Domain.Name
	if kind, _, ok := strings.Cut(e.Bundled, ":"); ok {
		family = kind
	}
	return &Instance{ID: e.ID, Family: family, Bundled: e.Bundled, Problem: p, DomainText: utf8Text(dom.Text), ProblemText: utf8Text(prob.Text)}, nil
}

// utf8Text is a text as JSON can hold it, so that the hash of a task is that of the texts that
// its row shows. Only comments have other characters.
func utf8Text(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Sample chooses n tasks of a source by the seed, in the source's order; all if it has no
// more.
func Sample(src Source, n int, seed uint64) Source {
	if n >= src.Len() {
		return src
	}
	// Floyd's algorithm: a set of n different numbers, all sets as likely.
	rng := seeded.Rand(seed, "sample "+src.Name())
	chosen := make(map[int]bool, n)
	for k := src.Len() - n; k < src.Len(); k++ {
		i := rng.IntN(k + 1)
		if chosen[i] {
			i = k
		}
		chosen[i] = true
	}
	s := &sample{Source: src}
	for i := range chosen {
		s.at = append(s.at, i)
	}
	slices.Sort(s.at)
	return s
}

// sample is part of a source.
type sample struct {
	Source
	at []int
}

// Len implements Source.
func (s *sample) Len() int { return len(s.at) }

// ID implements Source.
func (s *sample) ID(i int) string { return s.Source.ID(s.at[i]) }

// Task implements Source.
func (s *sample) Task(i int) (*Instance, error) { return s.Source.Task(s.at[i]) }

// faultText tells an error on one line: of diagnostics the first error, and how many more
// there are.
func faultText(err error) string {
	var diags pddl.Diagnostics
	if !errors.As(err, &diags) {
		return err.Error()
	}
	first, n := "", 0
	for i := range diags {
		if diags[i].Severity == pddl.Error {
			if n++; n == 1 {
				first = diags[i].String()
			}
		}
	}
	if n > 1 {
		first += fmt.Sprintf(" (and %d more)", n-1)
	}
	return first
}
