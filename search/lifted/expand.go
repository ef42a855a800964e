package lifted

import (
	"math"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// expand takes all steps of the state in the view.
func (e *engine) expand() {
	for i, a := range e.t.actions {
		if a.never {
			continue
		}
		if p := a.plan(e.t, e.view); p != nil && e.run(p, 0, e.emits[i]) && e.halted {
			return
		}
	}
}

// instance takes the step that is bound in env. It reports whether work must end.
func (e *engine) instance(a *action) bool {
	cost, ok := e.price(a)
	if e.halted || !ok {
		return e.halted
	}
	if cost < 0 && !e.large {
		e.fault = pddl.Diagnostics{{Severity: pddl.Error, Code: grounder.NegativeActionCost, Source: e.t.dom.Source, Pos: a.costs[0].src.Pos,
			End: a.costs[0].src.Pos, Message: "action " + a.src.Name + " has a negative cost in this problem"}}
		e.halted = true
		return true
	}
	e.adds, e.dels = e.adds[:0], e.dels[:0]
	for i := range a.effects {
		f := &a.effects[i]
		if f.each == nil {
			e.change(f)
		} else if e.run(f.each, 0, func() bool { return e.change(f) }) && e.halted {
			return true
		}
	}
	if e.halted {
		return true
	}
	e.settle()
	if e.large {
		e.large = false
		e.dropped = min(e.dropped, e.cost)
		return false
	}
	return e.step(a, cost) || e.tick(1+len(e.view.ids)/32)
}

// change notes what an effect does to its atom. It reports whether work must end.
func (e *engine) change(f *effect) bool {
	e.key = e.joiner.values(e.key[:0], f.args)
	if f.neg {
		if id := e.atoms.find(f.pred, e.key); e.view.holds(id) {
			e.dels = append(e.dels, id)
		}
		return false
	}
	if !e.room(e.atoms.growBytes(len(e.key))) {
		return true
	}
	e.adds = append(e.adds, e.atoms.add(f.pred, e.key))
	return e.tick(1)
}

// settle makes adds and dels what really changes, ascending: what is added and deleted is added.
func (e *engine) settle() {
	ascending(e.adds)
	e.adds = slices.Compact(e.adds)
	if len(e.dels) > 0 {
		ascending(e.dels)
		e.dels = slices.DeleteFunc(slices.Compact(e.dels), func(id uint32) bool {
			_, added := slices.BinarySearch(e.adds, id)
			return added
		})
	}
	e.adds = slices.DeleteFunc(e.adds, e.view.holds)
}

// ascending sorts a list that is short in most cases.
func ascending(ids []uint32) {
	if len(ids) > 24 {
		slices.Sort(ids)
		return
	}
	for i := 1; i < len(ids); i++ {
		for k := i; k > 0 && ids[k-1] > ids[k]; k-- {
			ids[k-1], ids[k] = ids[k], ids[k-1]
		}
	}
}

// successor registers the state after a step. It reports whether work must end.
func (e *engine) successor(a *action, cost int64) bool {
	e.stats.Generated++
	if len(e.adds)+len(e.dels) == 0 {
		return false
	}
	total := e.cost + cost
	if total < 0 {
		e.dropped = min(e.dropped, math.MaxInt64-1, e.cost)
		return false
	}
	return e.register(e.id, total, e.unmetAfter())
}

// unmetAfter is how many literals of the goal do not hold after the step.
func (e *engine) unmetAfter() int {
	n := e.view.unmet
	for _, id := range e.adds {
		n -= int(e.atoms.goal[id])
	}
	for _, id := range e.dels {
		n += int(e.atoms.goal[id])
	}
	return n
}

// hashAfter is the hash of the state after the step.
func (e *engine) hashAfter() uint64 {
	h := e.view.hash
	for _, id := range e.adds {
		h += hashID(id)
	}
	for _, id := range e.dels {
		h -= hashID(id)
	}
	return h
}

// register files the state that adds and dels make of the one in the view. It reports whether work must end.
func (e *engine) register(parent state.StateID, cost int64, unmet int) bool {
	e.buf = e.view.child(e.buf[:0], e.adds, e.dels)
	if !e.room(e.states.growBytes(len(e.buf))) {
		return true
	}
	if e.states.n == state.MaxStates || len(e.atoms.preds) > maxAtoms-1 {
		e.finish(search.Result{Status: search.Memout})
		return true
	}
	id, fresh := e.states.insert(e.hashAfter(), e.buf)
	r := e.states.record(id)
	if !fresh && cost >= r.cost {
		return false
	}
	r.cost, r.parent = cost, parent
	switch {
	case e.open != nil:
		e.open.Push(id, cost, 0)
	case unmet == 0 && len(e.t.rest) == 0:
		e.solved(id)
		return true
	}
	return false
}

// Name is the search as it is named in answers.
const Name = "lifted()"

// named returns the task without its contents: what is needed to name and price steps.
func (t *task) named() *grounder.Task {
	out := &grounder.Task{Name: t.dom.Name + "/" + t.prob.Name, Metric: t.metric, CostBase: t.base}
	out.CostUnit, _ = pddl.Int(1).Div(t.scale)
	for _, a := range t.dom.Actions {
		out.SchemaNames = append(out.SchemaNames, a.Name)
	}
	for i := range t.prob.Objects {
		out.ObjectNames = append(out.ObjectNames, t.prob.Objects[i].Name)
	}
	return out
}

// plan finds the steps to the goal again, and appends them to the operators of own. It has none where work must end.
func (e *engine) plan(own *grounder.Task) []grounder.OperatorID {
	var path []state.StateID
	for id := e.goal; id != state.NoState; id = e.states.record(id).parent {
		path = append(path, id)
	}
	slices.Reverse(path)
	e.halted, e.lim.Memory = false, 0
	out := []grounder.OperatorID{}
	for i := range path[1:] {
		from, to := path[i], path[i+1]
		want := e.states.packed(to)
		best := grounder.Operator{Cost: -1}
		e.step = func(a *action, cost int64) bool {
			e.buf = e.view.child(e.buf[:0], e.adds, e.dels)
			if (best.Cost < 0 || cost < best.Cost) && string(e.buf) == string(want) {
				best = grounder.Operator{Schema: a.schema, Args: slices.Clone(e.env[:a.src.NumParams]), Cost: cost}
			}
			return false
		}
		e.load(from)
		if e.expand(); e.halted {
			return nil
		}
		out = append(out, grounder.OperatorID(own.Operators.Len()))
		own.Operators.Append(best)
	}
	return out
}
