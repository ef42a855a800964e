package store

import (
	"context"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
)

// Source answers questions about ground truth from a store, for an oracle.
type Source struct {
	store    *Store
	schedule costmodel.Schedule
}

// Source looks rows up under a schedule, unless a question names another one.
func (s *Store) Source(schedule costmodel.Schedule) *Source { return &Source{s, schedule} }

// Truth returns the row (a *Row) of a task by its texts, under the schedule of that name or,
// for "", the source's own; nil if the store has none.
func (t *Source) Truth(_ context.Context, domain, problem, schedule string) (any, error) {
	s := t.schedule
	if schedule != "" {
		var err error
		if s, err = costmodel.ParseNamed(schedule); err != nil {
			return nil, err
		}
	}
	key, err := KeyOf(pddl.NewSource("domain", domain), pddl.NewSource("problem", problem), s)
	if err != nil {
		return nil, err
	}
	r, found, err := t.store.Lookup(key)
	if err != nil || !found {
		return nil, err
	}
	return NewRow(r, false), nil
}
