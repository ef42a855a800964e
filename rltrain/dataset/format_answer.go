package dataset

import (
	"context"
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// parseTask reads the task of a record again, as whoever is given the row does.
func (r *Record) parseTask() (*pddl.Problem, error) {
	dom, ds := pddl.ParseDomain(pddl.NewSource(r.ID+": domain", r.DomainText), pddl.Options{})
	if dom == nil {
		return nil, fmt.Errorf("%s: %w", r.ID, ds.Err())
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource(r.ID+": problem", r.ProblemText), dom, pddl.Options{})
	if prob == nil {
		return nil, fmt.Errorf("%s: %w", r.ID, ds.Err())
	}
	return prob, nil
}

// derived is what formats make of one record, each thing when it is first asked for.
type derived struct {
	r *Record
	m *Manifest // by whose options

	prob       once[*pddl.Problem]
	told       once[string]
	candidates once[[]candidate]
	steps      once[*stepJudge]
}

// once is something that is made at most once. It is not for several goroutines.
type once[T any] struct {
	made bool
	x    T
	err  error
}

func (o *once[T]) get(make func() (T, error)) (T, error) {
	if !o.made {
		o.x, o.err = make()
		o.made = true
	}
	return o.x, o.err
}

// derive is what formats with the options of m make of the record. The formats of a set are
// given a record one after the other.
func (r *Record) derive(m *Manifest) *derived {
	if r.shared == nil || r.shared.m != m {
		r.shared = &derived{r: r, m: m}
	}
	return r.shared
}

// task is the record's task.
func (d *derived) task() (*pddl.Problem, error) { return d.prob.get(d.r.parseTask) }

// symbolic reports whether prompts of a style write plans in PDDL.
func symbolic(style string) bool { return style != "" && style != string(prompt.StyleNL) }

// answer is what a model is to learn to say to a record's prompt.
func (m *Manifest) answer(ctx context.Context, r *Record) (string, error) {
	return r.derive(m).told.get(func() (string, error) { return m.makeAnswer(ctx, r) })
}

func (m *Manifest) makeAnswer(ctx context.Context, r *Record) (string, error) {
	o := m.trainers()
	if o.Trace == NoTrace {
		return r.Answer, nil
	}
	if reasoning := m.Options.Reasoning; reasoning == string(prompt.ReasonState) {
		return "", fmt.Errorf("prompts with --reasoning %s ask for an answer that tracks the state: leave out the reasoning text, or the option", reasoning)
	}
	if p := strings.TrimRight(r.Prompt, "\n "); strings.HasSuffix(p, "[PLAN]") || strings.HasSuffix(p, "<plan>") {
		return "", fmt.Errorf("the prompts end in the beginning of a plan and leave no room for a reasoning text: use --shots 0, --reasoning cot or --system think")
	}
	prob, err := r.derive(m).task()
	if err != nil {
		return "", err
	}
	t, err := NewTracer(ctx, prob, o.Limits, TraceOptions{
		Symbols: symbolic(m.Options.Style), Templates: m.Options.Templates, Short: o.Trace == ShortTrace, PlanTags: m.Options.PlanTags, Reader: m.Options.reader(),
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.ID, err)
	}
	text, err := t.Trace(r.Gold.Plan)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.ID, err)
	}
	return text, nil
}
