package costmodel

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// Item is one task of a set as [Truth] takes it: a problem, what [Ground] has made of it, and
// what a manifest says of it.
type Item struct {
	ID              string
	Domain, Problem string        // file names or a bundled task's name, for the manifest
	Parsed          *pddl.Problem // for the judge
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
// and all distances to a goal that they share. Only the spaces of tasks with one [spaceKey]
// are in memory at the same time. Rows are in the order of the items and do not depend on
// what else is in the set; that of an unsolvable task has no Schedules. Errors name the
// task; a limit is a [*search.LimitError].
//
// The judge confirms a plan of each cost and of each number of steps.
func Truth(ctx context.Context, items []Item, opt TruthOptions) ([]TaskTruth, error) {
	rows := make([]TaskTruth, len(items))
	var keys [][32]byte
	alike := map[[32]byte][]int{}
	for i := range items {
		key := spaceKey(items[i].Task)
		if alike[key] == nil {
			keys = append(keys, key)
		}
		alike[key] = append(alike[key], i)
	}
	for _, key := range keys {
		spaces, err := place(ctx, items, rows, alike[key], opt)
		if err != nil {
			return nil, err
		}
		for _, p := range spaces {
			if err := p.compute(ctx, items, rows, opt); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// placed is a space with the tasks that lie in it.
type placed struct {
	space  *sharedSpace
	prices []*prices
	goals  []*goalGroup
	byGoal map[string]*goalGroup

	slacks [][]pddl.Number  // by class of tasks, then by schedule
	class  map[[32]byte]int // by the digest of a task's mutex groups
}

// goalGroup is the tasks of one goal.
type goalGroup struct {
	goals    []state.StateID
	items    []int
	initials []state.StateID
	classes  []int // of placed.slacks
}

// place puts items of one key into as few spaces as their initial states allow.
func place(ctx context.Context, items []Item, rows []TaskTruth, alike []int, opt TruthOptions) ([]*placed, error) {
	var spaces []*placed
	for _, i := range alike {
		t := items[i].Task
		err := placeIn(spaces, t, i)
		if errors.Is(err, errElsewhere) {
			var made *sharedSpace
			made, err = newSharedSpace(ctx, t, opt.Limits)
			if errors.Is(err, space.ErrNoStateSpace) {
				rows[i] = TaskTruth{ID: items[i].ID, Domain: items[i].Domain, Problem: items[i].Problem}
				continue
			}
			if err == nil {
				p := &placed{space: made, byGoal: map[string]*goalGroup{}, class: map[[32]byte]int{}}
				spaces = append(spaces, p)
				if err = p.price(opt.Schedules); err == nil {
					err = placeIn(spaces[len(spaces)-1:], t, i)
				}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", items[i].ID, err)
		}
	}
	return spaces, nil
}

// errElsewhere says that no space holds the initial state of a task.
var errElsewhere = errors.New("the initial state is in no space")

// placeIn puts a task into the first space that has its initial state.
func placeIn(spaces []*placed, t *grounder.Task, item int) error {
	for _, p := range spaces {
		initial, goals, ok, err := p.space.place(t)
		if err != nil {
			return err
		}
		if ok {
			return p.add(t, item, initial, goals)
		}
	}
	return errElsewhere
}

func (p *placed) price(schedules []Named) error {
	for _, n := range schedules {
		prices, err := p.space.price(n.Schedule)
		if err != nil {
			return err
		}
		p.prices = append(p.prices, prices)
	}
	return nil
}

func (p *placed) add(t *grounder.Task, item int, initial state.StateID, goals []state.StateID) error {
	class, err := p.classOf(t)
	if err != nil {
		return err
	}
	key := fmt.Sprint(goals)
	g := p.byGoal[key]
	if g == nil {
		g = &goalGroup{goals: goals}
		p.byGoal[key] = g
		p.goals = append(p.goals, g)
	}
	g.items, g.initials, g.classes = append(g.items, item), append(g.initials, initial), append(g.classes, class)
	return nil
}

// classOf finds the slacks of a task. They depend on its mutex groups, which follow from its
// own initial state and are no part of the space.
func (p *placed) classOf(t *grounder.Task) (int, error) {
	key := sha256.Sum256(fmt.Append(nil, t.Mutexes))
	if c, known := p.class[key]; known {
		return c, nil
	}
	rounds := RoundsOf(t)
	slacks := make([]pddl.Number, len(p.prices))
	for i, prices := range p.prices {
		var err error
		if slacks[i], err = rounds.Slack(prices.Schedule); err != nil {
			return 0, err
		}
	}
	p.class[key] = len(p.slacks)
	p.slacks = append(p.slacks, slacks)
	return p.class[key], nil
}

// compute fills in the rows of the tasks in the space. Each worker has an analyst and takes
// the goals that are its own by their numbers.
func (p *placed) compute(ctx context.Context, items []Item, rows []TaskTruth, opt TruthOptions) error {
	workers := min(max(1, opt.Workers), len(p.goals))
	errs := make([]error, len(p.goals))
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			a := p.space.newAnalyst()
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

func (p *placed) goal(a *analyst, g *goalGroup, items []Item, rows []TaskTruth, opt TruthOptions) error {
	if err := a.setGoal(g.goals); err != nil {
		return fmt.Errorf("%s: %w", items[g.items[0]].ID, err)
	}
	for i := range g.items {
		item := &items[g.items[i]]
		rows[g.items[i]] = TaskTruth{ID: item.ID, Domain: item.Domain, Problem: item.Problem, Schedules: make([]ScheduleTruth, len(p.prices))}
	}
	judges := make([]witness, len(g.items))
	for i := range judges {
		judges[i].problem = items[g.items[i]].Parsed
	}
	for s, prices := range p.prices {
		if err := a.price(prices); err != nil {
			return fmt.Errorf("%s: %w", items[g.items[0]].ID, err)
		}
		for i, initial := range g.initials {
			row := &rows[g.items[i]]
			shift, err := p.confirmed(a, initial, &judges[i], prices)
			if errors.Is(err, ErrUnsolvable) {
				row.Schedules = nil
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", row.ID, err)
			}
			row.FewestSteps = shift.FewestSteps
			row.Schedules[s] = ScheduleTruth{Named: opt.Schedules[s], Budgets: Budgets{Optimal: shift.ScheduleCost, Slack: p.slacks[g.classes[i]][s]}, Shift: shift}
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

// confirmed finds the shift of a task and has the plans behind it judged.
func (p *placed) confirmed(a *analyst, initial state.StateID, w *witness, prices *prices) (Shift, error) {
	shift, err := a.shift(initial)
	if err == nil {
		err = w.confirm(p.space.Task(), a.cheapPlan, prices.Schedule, shift.ScheduleCost)
	}
	if err == nil && prices == p.prices[0] { // the same under every schedule
		err = w.confirm(p.space.Task(), a.unitPlan, Unit(), pddl.Int(shift.FewestSteps))
	}
	return shift, err
}
