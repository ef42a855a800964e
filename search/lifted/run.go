package lifted

import (
	"context"
	"math"
	"math/bits"
	"runtime"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// Run searches for an optimal plan of a problem, without grounding it. A nil error comes with a Result, as that of
// [search.Run], and a task whose operators are the steps of its plan: they name and price them, and
// nothing else of the task is there. The error is [pddl.Diagnostics]: what lifted search does not support, each at its
// place, or a step with a negative cost.
func Run(ctx context.Context, p *pddl.Problem, lim search.Limits, o search.Observer) (*search.Result, *grounder.Task, error) {
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	clock := cpuclock.Start(ctx, lim.Wall, lim.CPU)
	t, diags := newTask(p, &meter{look: clock.Expired})
	if t == nil {
		return nil, nil, diags
	}
	if t.halted {
		return &search.Result{Status: search.Timeout, Search: Name, SearchCPUSeconds: clock.Used().Seconds()}, t.named(), nil
	}
	e := newEngine(t, lim)
	looks := 0
	e.look = func() bool {
		if looks++; o != nil && looks&63 == 0 {
			e.progress(&e.seen)
			e.seen.SearchCPUSeconds = clock.Used().Seconds()
			o(&e.seen)
		}
		return clock.Expired()
	}
	e.search()
	if e.fault != nil {
		return nil, nil, e.fault
	}
	r := e.end
	if r == nil {
		r = &search.Result{Status: search.Timeout}
	}
	e.progress(r)
	own := t.named()
	if r.Status == search.SolvedOptimally {
		r.Plan = e.plan(own)
		if len(r.Plan) == 0 && e.goal != 0 { // the clock ended it
			*r = search.Result{Status: search.Timeout}
			e.progress(r)
		} else if r.Lower = r.Cost; invariants.Enabled {
			r.Cost += invariants.PlantedCost
		}
	}
	r.SearchCPUSeconds = clock.Used().Seconds()
	return r, own, nil
}

// engine is the search.
type engine struct {
	joiner
	states *states
	atoms  *atoms
	open   *state.OpenList // nil where all steps cost the same
	lim    search.Limits

	id    state.StateID // of the expanded state
	cost  int64         // of it
	layer state.StateID // breadth first: the first state beyond those that cost as much
	emits []func() bool // by action: takes the instance in env as a step
	step  func(a *action, cost int64) bool
	adds  []uint32
	dels  []uint32
	buf   []byte

	unmet   int // literals of the goal that no state without atoms meets
	goal    state.StateID
	large   bool  // a cost exceeds 63 bits
	dropped int64 // no path that was dropped for that is cheaper
	stats   search.Result
	seen    search.Result // what the observer saw last
	end     *search.Result
	fault   pddl.Diagnostics
}

func newEngine(t *task, lim search.Limits) *engine {
	e := &engine{states: newStates(), atoms: newAtoms(t), lim: lim, dropped: math.MaxInt64}
	e.meter, e.t, e.view, e.step = t.meter, t, newView(t, e.atoms), e.successor
	slots := len(t.prob.Goal.Vars)
	for _, a := range t.actions {
		slots = max(slots, len(a.src.Vars))
		e.emits = append(e.emits, func() bool { return e.instance(a) })
	}
	e.env = make([]pddl.ObjectID, slots)
	if t.same < 0 {
		e.open = state.NewOpenList()
	}
	return e
}

func magnitude(n int) int { return bits.Len(uint(n)) }

// search runs to an end, and leaves none where the clock ended it.
func (e *engine) search() {
	if !e.begin() {
		return
	}
	for !e.halted {
		id, ok := e.next()
		if !ok {
			if e.dropped < math.MaxInt64 {
				e.finish(search.Result{Status: search.Unsupported, Reason: "path costs exceed 63 bits"})
			} else {
				e.finish(search.Result{Status: search.Unsolvable})
			}
			return
		}
		if e.lim.Nodes > 0 && e.stats.Expanded >= e.lim.Nodes {
			e.finish(search.Result{Status: search.Nodeout})
			return
		}
		e.load(id)
		if e.view.unmet == 0 && e.goalHolds() && !e.halted {
			e.solved(id)
			return
		}
		e.expand()
		e.stats.Expanded++
	}
}

// begin registers the initial state and the atoms of the goal. It reports whether there is anything to search.
func (e *engine) begin() bool {
	if e.t.hopeless {
		e.finish(search.Result{Status: search.Unsolvable})
	}
	if e.halted || !e.room(1) {
		return false
	}
	init := &e.t.prob.Init.Atoms
	for i := range init.Len() {
		if p, args := init.Atom(i); e.t.preds[p].fluent {
			if !e.room(e.atoms.growBytes(len(args))) {
				return false
			}
			e.adds = append(e.adds, e.atoms.add(int32(p), args))
		}
		if e.tick(1) {
			return false
		}
	}
	for _, c := range e.t.literals {
		id := e.atoms.add(c.pred, e.joiner.values(nil, c.args))
		sign := int8(1)
		if c.neg {
			sign = -1
		}
		switch {
		case e.atoms.goal[id] == -sign: // it must hold and must not
			e.finish(search.Result{Status: search.Unsolvable})
			return false
		case e.atoms.goal[id] == 0 && !c.neg:
			e.unmet++
		}
		e.atoms.goal[id] = sign
	}
	e.view.load(nil, e.unmet)
	e.register(state.NoState, 0, e.unmetAfter())
	return e.end == nil
}

// next takes the next state to expand; false if there is none.
func (e *engine) next() (state.StateID, bool) {
	if e.open == nil {
		id := state.StateID(e.stats.Expanded)
		if int(id) == e.states.n {
			return 0, false
		}
		if id == e.layer {
			e.layer = state.StateID(e.states.n)
			e.stats.ExpandedUntilLastJump = e.stats.Expanded
		}
		e.cost = e.states.record(id).cost
		return id, true
	}
	for e.open.Len() > 0 {
		id, f, _ := e.open.Pop()
		r := e.states.record(id)
		if r.closed || r.cost != f {
			continue
		}
		if r.closed = true; f > e.cost {
			e.stats.ExpandedUntilLastJump = e.stats.Expanded
		}
		e.cost = f
		return id, true
	}
	return 0, false
}

func (e *engine) load(id state.StateID) {
	e.id = id
	e.view.load(e.states.packed(id), e.unmet)
	e.tick(len(e.view.ids) / 4)
}

// goalHolds tests what is left of the goal beside literals.
func (e *engine) goalHolds() bool {
	for _, c := range e.t.rest {
		if !e.holds(c) {
			return false
		}
	}
	return true
}

// solved ends the search in a goal.
func (e *engine) solved(id state.StateID) {
	e.goal = id
	cost := e.states.record(id).cost
	if e.dropped < cost {
		e.finish(search.Result{Status: search.Unsupported, Reason: "path costs exceed 63 bits"})
		return
	}
	e.finish(search.Result{Status: search.SolvedOptimally, Cost: cost})
}

func (e *engine) finish(r search.Result) { e.end, e.halted = &r, true }

// room reports whether more bytes may be used, and ends the search if not.
func (e *engine) room(bytes int64) bool {
	if e.lim.Memory > 0 && bytes > 0 && e.bytes()+bytes > e.lim.Memory {
		e.finish(search.Result{Status: search.Memout})
		return false
	}
	return true
}

// bytes is the memory held.
func (e *engine) bytes() int64 {
	b := e.t.bytes() + e.states.bytes() + e.atoms.bytes() + e.view.bytes()
	if e.open != nil {
		b += e.open.Bytes()
	}
	return b
}

// progress fills in the statistics so far.
func (e *engine) progress(r *search.Result) {
	r.Search = Name
	r.Expanded, r.ExpandedUntilLastJump, r.Generated = e.stats.Expanded, e.stats.ExpandedUntilLastJump, e.stats.Generated
	r.States = int64(e.states.n)
	r.Evaluated = r.States
	if r.Lower = e.cost; e.open == nil && e.stats.Expanded > 0 && len(e.t.rest) == 0 { // the goal is tested a layer ahead
		r.Lower += e.t.same
	}
	r.Lower = min(r.Lower, e.dropped)
}
