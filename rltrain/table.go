package rltrain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"planproof/grounder"
	"planproof/pddl"
	"planproof/search"
)

// distanceTable holds h*, the exact number of steps to the nearest goal state, for
// every reachable state of a task. It is read-only once made.
type distanceTable struct{ table *search.Table }

// errUnsolvable is why a task without a plan has no distances to reward.
var errUnsolvable = errors.New("the goal cannot be reached from the initial state: there are no distances")

// madeTable is a table or why there is none.
type madeTable struct {
	table *distanceTable
	err   error
}

// tableSize estimates the memory of a table, its ground task and names included.
func tableSize(_ taskKey, m madeTable) int64 {
	if m.table == nil {
		return 1 << 10
	}
	g := m.table.table.Task()
	return m.table.table.Bytes() + 400*int64(len(g.Operators)+len(g.Variables)+len(g.Axioms))
}

// distances returns the table of a task, made when it is first asked for. What
// went wrong then is remembered, too.
func (o *Oracle) distances(ctx context.Context, t *task) (*distanceTable, error) {
	m := o.tables.get(t.key, func() (m madeTable) {
		defer func() {
			if r := recover(); r != nil {
				m.err = fmt.Errorf("internal error while making the distance table: %v\n%s", r, debug.Stack())
			}
		}()
		m.table, m.err = newDistanceTable(ctx, t.problem, o.opt.Limits, o.opt.TableDir)
		return m
	})
	if m.err != nil && ctx.Err() != nil {
		o.tables.drop(t.key) // it was given up, not refused
	}
	return m.table, m.err
}

func newDistanceTable(ctx context.Context, problem *pddl.Problem, lim Limits, dir string) (*distanceTable, error) {
	unit := *problem
	unit.Metric = nil // steps are wanted, whatever they cost
	g, err := grounder.Ground(ctx, &unit, grounder.Options{})
	if err != nil {
		var diags pddl.Diagnostics
		if errors.As(err, &diags) {
			err = firstError(diags)
		}
		return nil, fmt.Errorf("cannot ground the task: %w", err)
	}
	table, err := loadOrExhaust(ctx, g, lim, dir)
	var limit *search.LimitError
	switch {
	case errors.Is(err, search.ErrNoStateSpace):
		return nil, errUnsolvable
	case errors.As(err, &limit) && limit.Status == search.Nodeout:
		return nil, fmt.Errorf("the task has more than %d reachable states", lim.TableStates)
	case errors.As(err, &limit) && limit.Status == search.Memout:
		return nil, fmt.Errorf("the task's state space takes more than %d bytes", lim.TableBytes)
	case err != nil:
		return nil, err
	case table.InitialDistance().DeadEnd:
		return nil, errUnsolvable
	}
	return &distanceTable{table}, nil
}

// loadOrExhaust reads the table of a ground task from dir, where its name is the
// task's hash. What is not there, or cannot be used, is made and kept there; a table
// that cannot be kept is made again next time.
func loadOrExhaust(ctx context.Context, g *grounder.Task, lim Limits, dir string) (*search.Table, error) {
	limits := search.Limits{Nodes: lim.TableStates, Memory: lim.TableBytes}
	if dir == "" || g.Unsolvable {
		return search.Exhaust(ctx, g, limits)
	}
	path := filepath.Join(dir, fmt.Sprintf("%x.table", search.TaskHash(g)))
	if info, err := os.Stat(path); err == nil && info.Size() <= lim.TableBytes {
		if table, err := search.LoadTable(path, g); err == nil {
			return table, nil
		}
	}
	table, err := search.Exhaust(ctx, g, limits)
	if err == nil && os.MkdirAll(dir, 0o777) == nil {
		table.Save(path) // see above for the error
	}
	return table, err
}

// progress tells where a sequence of steps leads that the judge has found
// applicable. A step that the ground task does not know or cannot apply is one that
// grounding has removed since it changes nothing that the goal depends on; were it
// otherwise, judge and table would differ on whether the goal is reached, which
// the caller checks.
func (d *distanceTable) progress(steps []string) (*Progress, error) {
	s := d.table.Initial()
	for _, step := range steps {
		next, _, err := d.table.Apply(s, step)
		switch {
		case errors.Is(err, search.ErrUnknownAction), errors.Is(err, search.ErrInapplicable):
		case err != nil:
			return nil, err
		default:
			s = next
		}
	}
	reached, ok := d.table.Distance(s)
	if !ok {
		return nil, errors.New("an applicable plan leads out of the reachable state space")
	}
	p := &Progress{Initial: d.table.InitialDistance().Steps, Reached: reached.Steps, Applied: int64(len(steps))}
	if reached.DeadEnd {
		p.Reached = -1
	}
	return p, nil
}
