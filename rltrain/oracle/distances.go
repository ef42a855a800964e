package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// distanceTable holds h*, the exact number of steps to the nearest goal state, for
// every reachable state of a task. It is read-only once made.
type distanceTable struct{ table *space.Table }

// shortest is the length of a shortest plan.
func (d *distanceTable) shortest() int64 { return d.table.InitialDistance().Steps }

// errUnsolvable is why a task without a plan has no distances to reward.
var errUnsolvable = errors.New("the goal cannot be reached from the initial state: there are no distances")

// madeTable is a table or why there is none.
type madeTable struct {
	table *distanceTable
	err   error
}

// tableSize estimates the memory of a table, its ground task and names included.
func tableSize(k taskref.Key, m madeTable) int64 {
	if m.table == nil {
		return 1<<10 + k.Bytes()
	}
	g := m.table.table.Task()
	return k.Bytes() + m.table.table.Bytes() + 400*int64(g.Operators.Len()+len(g.Variables)+len(g.Axioms))
}

// errTableTime and errInterrupted say that a table was not finished, errTaskInterrupted that a task was not.
var (
	errTableTime       = errors.New("the distance table was not made in time")
	errTaskInterrupted = errors.New("interrupted before the task was read")
	errInterrupted     = errors.New("interrupted before the distance table was made")
)

// distances returns the table of a task, made when it is first asked for. What
// went wrong then is remembered, too: a task that runs into a limit costs its time
// once. The end of ctx is waited for by nobody, even if the making takes notice of
// it late. A patient caller may wait for others; see makeTable.
func (o *Oracle) distances(ctx context.Context, t *task, patient bool) (*distanceTable, error) {
	m, ok := o.tables.Made(t.key)
	if !ok {
		made := make(chan madeTable, 1)
		go func() {
			m, err := o.tables.GetContext(ctx, t.key, func() (madeTable, error) { return o.makeTable(ctx, t, patient) })
			if err != nil {
				m = madeTable{err: fmt.Errorf("%w: %w", errInterrupted, err)}
			}
			made <- m
		}()
		select {
		case m = <-made:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", errInterrupted, ctx.Err())
		}
	}
	return m.table, m.err
}

// makeTable makes a table under the limits for it. The error is that of ctx.
//
// The grounder measures how the heap grows, which all makers fill together. A task that does
// not fit while others are made is therefore tried once more by itself, so that
// nobody is refused for the memory of a neighbour. Who is patient waits until no other table
// is being made, and others wait for it. Who is not waits a little, lets others begin, and if
// it does not fit then either, what is wrong is not remembered.
func (o *Oracle) makeTable(ctx context.Context, t *task, patient bool) (madeTable, error) {
	m, alone := o.makeAmongOthers(ctx, t, patient)
	if !alone && errors.Is(m.err, grounder.ErrMemory) {
		m = o.makeAlone(ctx, t, patient)
		if errors.Is(m.err, grounder.ErrMemory) && o.makersActive.Load() > 0 {
			o.tables.Drop(t.key) // others may have taken the memory
		}
	}
	if m.err != nil && ctx.Err() != nil {
		return madeTable{}, ctx.Err() // given up, not refused
	}
	return m, nil
}

// makeAmongOthers tries while others may make tables too, and reports whether none did.
func (o *Oracle) makeAmongOthers(ctx context.Context, t *task, patient bool) (m madeTable, alone bool) {
	if patient {
		o.making.RLock()
		defer o.making.RUnlock()
	} else if o.making.TryRLock() {
		defer o.making.RUnlock()
	}
	begun, others := o.makersBegun.Add(1), o.makersActive.Load()
	m = o.tryTable(ctx, t)
	return m, others == 0 && o.makersBegun.Load() == begun
}

// quietTime is how long an impatient maker waits for the others to end.
const quietTime = 2 * time.Second

// makeAlone tries while nobody else makes tables.
func (o *Oracle) makeAlone(ctx context.Context, t *task, patient bool) madeTable {
	if patient {
		o.making.Lock()
		defer o.making.Unlock()
		return o.tryTable(ctx, t)
	}
	for end := time.Now().Add(quietTime); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if o.making.TryLock() {
			defer o.making.Unlock()
			break
		}
	}
	return o.tryTable(ctx, t)
}

// tableGrace is how long a maker may take to notice that its time is up.
const tableGrace = time.Second

// tryTable makes a table within Limits.TableTime. The time is on the wall: whether
// a task is refused for it depends on the machine, but no score does.
//
// Grounding looks at the clock from time to time only, and there are steps that take
// long. Such a straggler is left behind, so that its rows, and those after them, are
// answered; as many as there are workers may go on at the same time, and the next
// one is waited for.
func (o *Oracle) tryTable(ctx context.Context, t *task) (m madeTable) {
	limited, cancel := context.WithTimeout(ctx, o.opt.Limits.TableTime)
	defer cancel()
	made := make(chan madeTable, 1)
	o.makersActive.Add(1)
	go func() {
		m := o.tableWithin(limited, t)
		o.makersActive.Add(-1)
		made <- m
	}()
	late := time.NewTimer(o.opt.Limits.TableTime + tableGrace)
	defer late.Stop()
	select {
	case m = <-made:
	case <-late.C:
		select {
		case m = <-made:
		case o.stragglers <- struct{}{}:
			go func() {
				<-made
				<-o.stragglers
			}()
			m.err = errTableTime
		}
	}
	if m.err != nil && limited.Err() != nil {
		m = madeTable{err: fmt.Errorf("%w: it takes more than %v", errTableTime, o.opt.Limits.TableTime)}
	}
	return m
}

// tableWithin makes a table until ctx ends. It does not panic.
func (o *Oracle) tableWithin(ctx context.Context, t *task) (m madeTable) {
	defer func() {
		if r := recover(); r != nil {
			m = madeTable{err: fmt.Errorf("internal error while making the distance table: %v\n%s", r, debug.Stack())}
		}
	}()
	m.table, m.err = newDistanceTable(ctx, t.problem, o.opt.Limits, o.opt.TableDir)
	return m
}

func newDistanceTable(ctx context.Context, problem *pddl.Problem, lim Limits, dir string) (*distanceTable, error) {
	unit := *problem
	unit.Metric = nil // steps are wanted, whatever they cost
	g, err := grounder.Ground(ctx, &unit, grounder.Options{Memory: lim.TableBytes})
	if err != nil {
		var diags pddl.Diagnostics
		switch {
		case errors.As(err, &diags):
			err = diags.FirstError()
		case errors.Is(err, grounder.ErrMemory):
			return nil, fmt.Errorf("%w: grounding the task takes more than %d bytes", grounder.ErrMemory, lim.TableBytes)
		}
		return nil, fmt.Errorf("cannot ground the task: %w", err)
	}
	table, err := loadOrExhaust(ctx, g, lim, dir)
	var limit *search.LimitError
	switch {
	case errors.Is(err, space.ErrNoStateSpace):
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
func loadOrExhaust(ctx context.Context, g *grounder.Task, lim Limits, dir string) (*space.Table, error) {
	limits := search.Limits{Nodes: lim.TableStates, Memory: lim.TableBytes}
	if dir == "" || g.Unsolvable {
		return space.Exhaust(ctx, g, limits)
	}
	path := filepath.Join(dir, fmt.Sprintf("%x.table", space.TaskHash(g)))
	if info, err := os.Stat(path); err == nil && info.Size() <= lim.TableBytes {
		if table, err := space.LoadTable(path, g); err == nil {
			return table, nil
		}
	}
	table, err := space.Exhaust(ctx, g, limits)
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
func (d *distanceTable) progress(steps []string) (*reward.Progress, error) {
	s := d.table.Initial()
	seen := make(visited, 1, 16)
	seen[0] = s
	revisits := int64(0)
	for _, step := range steps {
		next, _, err := d.table.Apply(s, step)
		switch {
		case errors.Is(err, space.ErrUnknownAction), errors.Is(err, space.ErrInapplicable):
		case err != nil:
			return nil, err
		default:
			s = next
			if seen.add(s) {
				revisits++
			}
		}
	}
	reached, ok := d.table.Distance(s)
	if !ok {
		return nil, errors.New("an applicable plan leads out of the reachable state space")
	}
	p := &reward.Progress{Initial: d.table.InitialDistance().Steps, Reached: reached.Steps, Applied: int64(len(steps)), Revisits: revisits}
	if reached.DeadEnd {
		p.Reached = -1
	}
	return p, nil
}

// visited are the states that a plan has been in. Plans are short: they are compared
// one by one, up to maxCompared of them, beyond which none is counted.
type visited []space.State

const maxCompared = 256

// add adds a state and reports whether it was there.
func (v *visited) add(s space.State) bool {
	for _, old := range *v {
		if slices.Equal(old, s) {
			return true
		}
	}
	if len(*v) < maxCompared {
		*v = append(*v, s)
	}
	return false
}
