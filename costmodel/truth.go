package costmodel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"planproof/grounder"
	"planproof/search"
	"planproof/search/state"
)

// Item is one task of a set as [Truth] takes it: made by [Ground], with what a manifest
// says of it.
type Item struct {
	ID              string
	Domain, Problem string // file names or a bundled task's name, for the manifest
	Task            *grounder.Task
}

// TruthOptions of [Truth].
type TruthOptions struct {
	Schedules []Named
	// Reference is the index of the schedule whose cheapest plans give the horizon.
	Reference int
	// Limits of enumerating one space.
	Limits search.Limits
	// Workers compute goals in parallel, 0: one. The result does not depend on it.
	Workers int
	// Progress, if set, is called from several goroutines after each task.
	Progress func()
}

// Truth computes the exact costs, budgets and shift marks of a set of tasks under several
// schedules. Tasks share a state space where they differ in initial state and goal only,
// and all distances to a goal that they share. Rows are in the order of the items; that of
// an unsolvable task has no Schedules. Errors name the task; a limit is a
// [*search.LimitError].
func Truth(ctx context.Context, items []Item, opt TruthOptions) ([]TaskTruth, error) {
	rows := make([]TaskTruth, len(items))
	spaces := map[[32]byte][]*placed{}
	var all []*placed
	for i := range items {
		p, err := place(ctx, items, rows, i, spaces, opt)
		if err != nil {
			return nil, err
		}
		if p != nil {
			all = append(all, p)
		}
	}
	for _, p := range all {
		if err := p.compute(ctx, items, rows, opt); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// placed is a space with the tasks that lie in it.
type placed struct {
	space  *Space
	rounds Rounds
	prices []*Prices
	goals  []*goalGroup
	byGoal map[string]*goalGroup
}

// goalGroup is the tasks of one goal.
type goalGroup struct {
	goals    []state.StateID
	items    []int
	initials []state.StateID
}

// place puts an item into one of the spaces, or into a new one, which it returns.
func place(ctx context.Context, items []Item, rows []TaskTruth, i int, spaces map[[32]byte][]*placed, opt TruthOptions) (*placed, error) {
	t := items[i].Task
	key := SpaceKey(t)
	for _, p := range spaces[key] {
		initial, goals, ok, err := p.space.Place(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", items[i].ID, err)
		}
		if ok {
			p.add(i, initial, goals)
			return nil, nil
		}
	}
	space, err := NewSpace(ctx, t, opt.Limits)
	if errors.Is(err, search.ErrNoStateSpace) {
		rows[i] = TaskTruth{ID: items[i].ID, Domain: items[i].Domain, Problem: items[i].Problem}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", items[i].ID, err)
	}
	p := &placed{space: space, rounds: RoundsOf(t), byGoal: map[string]*goalGroup{}}
	for _, n := range opt.Schedules {
		prices, err := space.Price(n.Schedule)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", items[i].ID, err)
		}
		p.prices = append(p.prices, prices)
	}
	initial, goals, _, err := space.Place(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", items[i].ID, err)
	}
	p.add(i, initial, goals)
	spaces[key] = append(spaces[key], p)
	return p, nil
}

func (p *placed) add(item int, initial state.StateID, goals []state.StateID) {
	key := fmt.Sprint(goals)
	g := p.byGoal[key]
	if g == nil {
		g = &goalGroup{goals: goals}
		p.byGoal[key] = g
		p.goals = append(p.goals, g)
	}
	g.items = append(g.items, item)
	g.initials = append(g.initials, initial)
}

// compute fills in the rows of the tasks in the space. Each worker has an analyst and takes
// every so-manieth goal.
func (p *placed) compute(ctx context.Context, items []Item, rows []TaskTruth, opt TruthOptions) error {
	workers := min(max(1, opt.Workers), len(p.goals))
	errs := make([]error, len(p.goals))
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			a := p.space.NewAnalyst()
			for k := w; k < len(p.goals); k += workers {
				if errs[k] = ctx.Err(); errs[k] == nil {
					errs[k] = p.goal(a, p.goals[k], items, rows, opt)
				}
				if errs[k] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs { // the first one, whichever worker came first
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *placed) goal(a *Analyst, g *goalGroup, items []Item, rows []TaskTruth, opt TruthOptions) error {
	if err := a.SetGoal(g.goals); err != nil {
		return fmt.Errorf("%s: %w", items[g.items[0]].ID, err)
	}
	for i := range g.items {
		item := &items[g.items[i]]
		rows[g.items[i]] = TaskTruth{ID: item.ID, Domain: item.Domain, Problem: item.Problem, Schedules: make([]ScheduleTruth, len(p.prices))}
	}
	for s, prices := range p.prices {
		slack, err := p.rounds.Slack(prices.Schedule)
		if err == nil {
			err = a.Price(prices)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", items[g.items[0]].ID, err)
		}
		for i, initial := range g.initials {
			row := &rows[g.items[i]]
			shift, err := a.Shift(initial)
			if errors.Is(err, ErrUnsolvable) {
				row.Schedules = nil
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", row.ID, err)
			}
			row.FewestSteps = shift.FewestSteps
			row.Schedules[s] = ScheduleTruth{Named: opt.Schedules[s], Budgets: Budgets{Optimal: shift.ScheduleCost, Slack: slack}, Shift: shift}
			if s == opt.Reference {
				row.Steps, row.Horizon = shift.Steps, HorizonOf(shift.Steps)
			}
		}
	}
	if opt.Progress != nil {
		for range g.items {
			opt.Progress()
		}
	}
	return nil
}
