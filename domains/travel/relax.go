package travel

import (
	"context"
	"errors"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Relaxed is a constraint of a query without which it can be solved, and the optimum then.
type Relaxed struct {
	Rule Rule
	Cost pddl.Number
}

// relax solves a query without each of its constraints in turn, and returns those that restore an itinerary. Each
// answer comes from an exhaustive search.
func relax(ctx context.Context, w *World, q *Query) (list []Relaxed, err error) {
	for _, rule := range q.Hard() {
		o, err := FreeOptimum(ctx, w, q.without(rule))
		if errors.Is(err, ErrNoItinerary) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, Relaxed{rule, o.Cost})
	}
	return list, nil
}

// without returns the query without some of its constraints.
func (q *Query) without(hard ...Rule) *Query {
	c := *q
	if slices.Contains(hard, H1) {
		c.HasBudget, c.Budget = false, pddl.Number{}
	}
	if slices.Contains(hard, H2) {
		c.HouseRule = ""
	}
	if slices.Contains(hard, H3) {
		c.RoomType = ""
	}
	if slices.Contains(hard, H4) {
		c.Cuisines = nil
	}
	if slices.Contains(hard, H5) {
		c.Transportation = ""
	}
	return &c
}
