package rltrain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"planproof/grounder"
	"planproof/pddl"
	"planproof/search/state"
)

// distanceTable holds h*, the exact number of steps to the nearest goal state, for
// every reachable state of a task. All actions count one, whatever they cost. It is
// read-only once made.
type distanceTable struct {
	task     *grounder.Task
	packer   *state.Packer
	apply    *state.Applier
	axioms   *state.AxiomEvaluator // nil without derived variables
	states   *state.Registry
	distance []int32 // by StateID; -1 where the goal cannot be reached
	// operators by lower-case name; several when the grounder has split a
	// disjunction. An action that cannot matter to the goal has none.
	operators map[string][]grounder.OperatorID
}

// errUnsolvable is why a task without a plan has no distances to reward.
var errUnsolvable = errors.New("the goal cannot be reached from the initial state: there are no distances")

// distances returns the table of a task, made when it is first asked for. What
// went wrong then is remembered, too.
func (o *Oracle) distances(ctx context.Context, t *task) (*distanceTable, error) {
	t.tableOnce.Do(func() {
		t.table, t.tableErr = newDistanceTable(ctx, t.problem, o.opt.Limits)
	})
	return t.table, t.tableErr
}

// newDistanceTable explores the state space forwards and measures it backwards.
func newDistanceTable(ctx context.Context, problem *pddl.Problem, lim Limits) (*distanceTable, error) {
	unit := *problem
	unit.Metric = nil // every action then costs one
	g, err := grounder.Ground(ctx, &unit, grounder.Options{Memory: max(lim.TableBytes, 64<<20)})
	if err != nil {
		var diags pddl.Diagnostics
		if errors.As(err, &diags) {
			err = firstError(diags)
		}
		return nil, fmt.Errorf("cannot ground the task: %w", err)
	}
	if g.Unsolvable {
		return nil, errUnsolvable
	}
	p := state.NewPacker(g)
	d := &distanceTable{
		task: g, packer: p, apply: state.NewApplier(g, p), axioms: state.NewAxiomEvaluator(g),
		states: state.NewRegistry(p.Words(), 0), operators: map[string][]grounder.OperatorID{},
	}
	for i := range g.Operators {
		id := grounder.OperatorID(i)
		name := strings.ToLower(g.OperatorName(id))
		d.operators[name] = append(d.operators[name], id)
	}
	edges, goals, err := d.explore(ctx, lim)
	if err != nil {
		return nil, err
	}
	d.measure(edges, goals)
	if d.distance[0] < 0 {
		return nil, errUnsolvable
	}
	return d, nil
}

// graph holds the successors of state s in to[start[s]:start[s+1]].
type graph struct {
	start []uint32
	to    []state.StateID
}

// explore registers all reachable states, breadth first, and returns the edges and
// the goal states.
func (d *distanceTable) explore(ctx context.Context, lim Limits) (*graph, []state.StateID, error) {
	gen := state.NewSuccessorGenerator(d.task)
	w := d.newWalker()
	edges := &graph{start: []uint32{0}}
	var goals []state.StateID
	var ops []grounder.OperatorID
	var stack []int32
	d.packer.Pack(w.row, d.task.Init)
	d.states.Insert(w.row, d.states.Hash(w.row))
	for id := 0; id < d.states.Len(); id++ {
		if id&1023 == 0 {
			if err := d.check(ctx, edges, lim); err != nil {
				return nil, nil, err
			}
		}
		row := d.states.Row(state.StateID(id))
		w.unpack(row)
		if w.goal() {
			goals = append(goals, state.StateID(id))
		}
		ops, stack = gen.Append(ops[:0], w.values, stack)
		for _, op := range ops {
			d.apply.Apply(w.row, row, w.values, op)
			next, _ := d.states.Insert(w.row, d.states.Hash(w.row))
			edges.to = append(edges.to, next)
		}
		edges.start = append(edges.start, uint32(len(edges.to)))
	}
	return edges, goals, d.check(ctx, edges, lim)
}

// check ends an exploration that grows too large or is no longer wanted.
func (d *distanceTable) check(ctx context.Context, edges *graph, lim Limits) error {
	// Backwards, the edges are held a second time.
	bytes := d.states.Bytes() + 2*4*int64(len(edges.to)+len(edges.start))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case int64(d.states.Len()) > lim.TableStates:
		return fmt.Errorf("the task has more than %d reachable states", lim.TableStates)
	case bytes > lim.TableBytes || len(edges.to) > math.MaxUint32-1<<20:
		return fmt.Errorf("the task's state space takes more than %d bytes", lim.TableBytes)
	}
	return nil
}

// measure sets the distances by breadth-first search from the goal states against
// the edges.
func (d *distanceTable) measure(edges *graph, goals []state.StateID) {
	n := d.states.Len()
	start := make([]uint32, n+1)
	for _, s := range edges.to {
		start[s+1]++
	}
	for s := range n {
		start[s+1] += start[s]
	}
	from := make([]state.StateID, len(edges.to))
	fill := append([]uint32(nil), start[:n]...)
	for s := range n {
		for _, to := range edges.to[edges.start[s]:edges.start[s+1]] {
			from[fill[to]] = state.StateID(s)
			fill[to]++
		}
	}
	d.distance = make([]int32, n)
	for s := range d.distance {
		d.distance[s] = -1
	}
	for _, s := range goals {
		d.distance[s] = 0
	}
	for queue := goals; len(queue) > 0; {
		s := queue[0]
		queue = queue[1:]
		for _, before := range from[start[s]:start[s+1]] {
			if d.distance[before] < 0 {
				d.distance[before] = d.distance[s] + 1
				queue = append(queue, before)
			}
		}
	}
}

// walker is the working memory of one walk through the state space.
type walker struct {
	d      *distanceTable
	values []int32
	row    []uint64
	axioms state.AxiomScratch
}

func (d *distanceTable) newWalker() *walker {
	return &walker{d: d, values: make([]int32, len(d.task.Variables)), row: make([]uint64, d.packer.Words())}
}

// unpack makes row the walker's state, derived variables included.
func (w *walker) unpack(row []uint64) {
	w.d.packer.Unpack(w.values, row)
	if w.d.axioms != nil {
		w.d.axioms.Evaluate(w.values, &w.axioms)
	}
}

func (w *walker) goal() bool {
	for _, f := range w.d.task.Goal {
		if w.values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// progress tells where a sequence of steps leads that the judge has found
// applicable. A step without an applicable operator is one that the grounder has
// removed since it changes nothing that the goal depends on.
func (d *distanceTable) progress(steps []string) (*Progress, error) {
	w := d.newWalker()
	row := append([]uint64(nil), d.states.Row(0)...)
	w.unpack(row)
	for _, step := range steps {
		for _, op := range d.operators[stepKey(step)] {
			if d.apply.Applicable(w.values, op) {
				d.apply.Apply(w.row, row, w.values, op)
				copy(row, w.row)
				w.unpack(row)
				break
			}
		}
	}
	id, ok := d.states.Find(row)
	if !ok {
		return nil, errors.New("an applicable plan leads out of the reachable state space")
	}
	return &Progress{Initial: int64(d.distance[0]), Reached: int64(d.distance[id])}, nil
}

// stepKey writes a step as operators are named.
func stepKey(step string) string {
	return "(" + strings.Join(strings.Fields(strings.ToLower(strings.Trim(step, "() \t"))), " ") + ")"
}
