package space

import (
	"sort"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// inverse finds the states before a state without any list of transitions. An operator
// without conditional effects can be undone: where it has a precondition on a variable
// that it sets, the value before is known, and else any value may have been. Each choice
// is an inverse operator, applicable where all effects and the other preconditions hold. A
// state that it leads to counts if it is reachable, that is, registered.
type inverse struct {
	task    *grounder.Task // of the inverse operators
	gen     *state.SuccessorGenerator
	apply   *state.Applier
	forward []grounder.OperatorID // by inverse operator
	tested  []bool                // by operator: precondition or cost depends on more than the choice
}

// newInverse returns nil where operators change fluents or have conditional effects, or the
// choices are so many that candidates would mostly be no states.
func newInverse(s *state.System) *inverse {
	t := s.Task
	if t.Numeric != nil {
		return nil
	}
	v := &inverse{task: &grounder.Task{Variables: t.Variables}, tested: make([]bool, t.Operators.Len())}
	most := 8*t.Operators.Len() + 256
	for o := range t.Operators.Len() {
		v.tested[o] = len(t.Operators.CondCosts(o)) > 0
		if !v.invert(s, grounder.OperatorID(o), most) {
			return nil
		}
	}
	return v
}

// compile makes the inverse operators ready for use.
func (v *inverse) compile(p *state.Packer) {
	v.gen = state.NewSuccessorGenerator(v.task)
	v.apply = state.NewApplier(v.task, p)
}

// invert adds the inverse operators of o.
func (v *inverse) invert(s *state.System, o grounder.OperatorID, most int) bool {
	op := s.Task.Operators.At(int(o))
	after := map[int32]int32{} // of two effects on a variable the later one wins
	for _, e := range op.Effects {
		if len(e.Cond) > 0 {
			return false
		}
		after[e.Var] = e.Val
	}
	var pre []grounder.Fact
	var undo []grounder.Effect
	for _, f := range op.Pre {
		_, set := after[f.Var]
		switch {
		case !s.Packer.Stored(f.Var):
			v.tested[o] = true
		case set:
			undo = append(undo, grounder.Effect{Var: f.Var, Val: f.Val})
		default:
			pre = append(pre, f)
		}
	}
	known := len(undo)
	for x, val := range after {
		pre = append(pre, grounder.Fact{Var: x, Val: val})
		if !hasVar(op.Pre, x) {
			undo = append(undo, grounder.Effect{Var: x})
		}
	}
	sort.Slice(pre, func(i, j int) bool { return pre[i].Var < pre[j].Var })
	free := undo[known:]
	sort.Slice(free, func(i, j int) bool { return free[i].Var < free[j].Var })
	for {
		if len(v.forward) == most {
			return false
		}
		if changes(undo, after) {
			v.task.Operators.Append(grounder.Operator{Pre: pre, Effects: append([]grounder.Effect(nil), undo...)})
			v.forward = append(v.forward, o)
		}
		i := 0
		for ; i < len(free); i++ { // the next choice of values, counting up
			if free[i].Val++; int(free[i].Val) < s.Task.Variables[free[i].Var].Size() {
				break
			}
			free[i].Val = 0
		}
		if i == len(free) {
			return true
		}
	}
}

func hasVar(fs []grounder.Fact, v int32) bool {
	for _, f := range fs {
		if f.Var == v {
			return true
		}
	}
	return false
}

// changes reports whether the state before differs from the one after.
func changes(undo []grounder.Effect, after map[int32]int32) bool {
	for _, e := range undo {
		if after[e.Var] != e.Val {
			return true
		}
	}
	return false
}

// arrivals is a batch of states and the transitions into them, self-loops left out.
type arrivals struct {
	ids  []uint32
	end  []int32 // by state: where its transitions end
	from []uint32
	cost []int64
	err  error
}

func (p *arrivals) clear() {
	p.end, p.from, p.cost, p.err = p.end[:0], p.from[:0], p.cost[:0], nil
}

// undoer finds predecessors by inverse operators; it belongs to one goroutine.
type undoer struct {
	*inverse
	sim        *Simulator
	reg        *state.Registry
	x, before  *state.Scratch
	candidates []uint64
	hashes     []uint64
}

func (v *inverse) newUndoer(sim *Simulator, reg *state.Registry) *undoer {
	return &undoer{inverse: v, sim: sim, reg: reg, x: sim.sys.NewScratch(), before: sim.sys.NewScratch()}
}

// find fills in the batch.
func (u *undoer) find(p *arrivals) {
	p.clear()
	words := u.sim.sys.Packer.Words()
	for _, id := range p.ids {
		row := u.reg.Row(state.StateID(id))
		u.sim.sys.Packer.Unpack(u.x.Values, row)
		u.x.Ops, u.x.Stack = u.gen.Append(u.x.Ops[:0], u.x.Values, u.x.Stack)
		u.candidates, u.hashes = u.candidates[:0], u.hashes[:0]
		for _, op := range u.x.Ops { // prefetch all before looking at any: the cache misses overlap
			u.apply.Apply(u.x.Next, row, u.x.Values, op)
			u.candidates = append(u.candidates, u.x.Next...)
			h := u.reg.Hash(u.x.Next)
			u.hashes = append(u.hashes, h)
			u.reg.Prefetch(h)
		}
		for _, h := range u.hashes {
			u.reg.Meet(h)
		}
		for i, op := range u.x.Ops {
			before := u.candidates[i*words : (i+1)*words]
			if s, ok := u.reg.FindHashed(before, u.hashes[i]); ok {
				u.add(p, uint32(s), before, u.forward[op])
			}
		}
		p.end = append(p.end, int32(len(p.from)))
	}
}

// add adds the transition by o out of state s if there is one.
func (u *undoer) add(p *arrivals, s uint32, row []uint64, o grounder.OperatorID) {
	cost := u.sim.sys.Task.Operators.Cost(int(o))
	if u.tested[o] {
		u.sim.sys.Unpack(row, u.before)
		if !u.sim.sys.Applier.Applicable(u.before.Values, o) {
			return
		}
		var ok bool
		if cost, ok = u.sim.sys.Applier.Cost(u.before.Values, o); !ok {
			p.err = u.sim.costBeyond(o)
		}
	}
	p.from = append(p.from, s)
	p.cost = append(p.cost, cost)
}
