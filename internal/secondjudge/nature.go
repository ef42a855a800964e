package secondjudge

import (
	"math/big"
	"strconv"

	"github.com/planproof/planproof/pddl"
)

// natural is a process or an event with objects for its parameters.
type natural struct {
	a   *pddl.Action
	env []int
	id  string
}

// naturals lists every one of the actions with all objects that fit.
func (x *run) naturals(list []*pddl.Action) (out []natural) {
	for k, a := range list {
		x.bindings(a.Vars, a.NumParams, func(env []int) {
			n := natural{a, append([]int(nil), env...), strconv.Itoa(k)}
			for _, o := range env[:a.NumParams] {
				n.id += " " + strconv.Itoa(o)
			}
			out = append(out, n)
		})
	}
	return out
}

// those returns the naturals whose condition holds in a state.
func (x *run) those(list []natural, s *state) (out []natural) {
	closed := x.close(s)
	for _, n := range list {
		x.vars = n.a.Vars
		if x.eval(closed, n.a.Precondition, append([]int(nil), n.env...)) == yes {
			out = append(out, n)
		}
	}
	return out
}

// broken is the failure of a process or an event, which belongs to no step.
var broken = []Fault{{Kind: "event"}}

// pass lets time pass until a moment, with all that happens by itself before it.
func (x *run) pass(to *big.Rat) ([]Fault, *big.Rat) {
	for {
		next := to
		if len(x.flow) > 0 {
			for _, t := range x.roots(x.now, to, x.flow) {
				if t.Cmp(next) < 0 {
					next = t
				}
			}
		}
		if f, at := x.between(next); len(f) > 0 {
			return f, at
		}
		x.now = next
		if next == to {
			return nil, nil
		}
		if f := x.moment(false); len(f) > 0 {
			return f, x.now
		}
	}
}

// moment is a time at which no step happens, but perhaps events do.
func (x *run) moment(last bool) []Fault {
	x.happened = map[string]bool{}
	before := x.events
	if f := x.calm(last); len(f) > 0 {
		return f
	}
	if f := x.overAllNow(); len(f) > 0 {
		return f
	}
	if x.events > before {
		x.stages = append(x.stages, stage{x.now, x.close(x.state)})
	}
	return nil
}

// overAllNow tests the conditions over all at this very time.
func (x *run) overAllNow() (out []Fault) {
	closed := x.close(x.state)
	for _, d := range x.running {
		if k := x.lasts(closed, d); k != yes {
			out = append(out, Fault{map[truth]string{no: "invariant", unknown: "numeric"}[k], x.rank[d.step]})
		}
	}
	return out
}

// arrive lets the events of a time happen before its steps.
func (x *run) arrive() []Fault {
	x.happened, x.arrived = map[string]bool{}, nil
	return x.cascade(true)
}

// calm lets events happen until none is possible, neither now nor an instant later.
func (x *run) calm(last bool) []Fault {
	for {
		if f := x.cascade(false); len(f) > 0 {
			return f
		}
		rates, f := x.rates()
		if x.flow = rates; len(f) > 0 || last {
			return f
		}
		if f = x.processes(rates); len(f) > 0 {
			return f
		}
		due := x.those(x.naturals(x.d.Events), x.soon(x.flow))
		if len(due) == 0 {
			return nil
		}
		if !x.round(due, false) {
			return broken
		}
	}
}

func (x *run) cascade(arriving bool) []Fault {
	for {
		due := x.those(x.naturals(x.d.Events), x.state)
		if len(due) == 0 {
			return nil
		}
		if !x.round(due, arriving) {
			return broken
		}
	}
}

// round lets events happen that are possible at the same time.
func (x *run) round(due []natural, arriving bool) bool {
	closed := x.close(x.state)
	all := &change{adds: map[string]bool{}, dels: map[string]bool{}}
	var acts []*act
	for _, n := range due {
		if x.happened[n.id] {
			return false
		}
		x.happened[n.id] = true
		x.events++
		env := append([]int(nil), n.env...)
		a := &act{time: x.now, reads: map[string]bool{}, change: &change{map[string]bool{}, map[string]bool{}, nil, map[string]bool{}}}
		x.vars = n.a.Vars
		if !x.collect(closed, n.a.Effect, env, yes, a.change) || undefinedChange(x.state, a.change.nums) || merge(a.change.nums) != "" {
			return false
		}
		x.readsOf(n.a.Precondition, n.a.Vars, env, a.reads)
		x.conditionReads(n.a.Effect, n.a.Vars, env, a.reads)
		for k := range a.change.reads {
			a.reads[k] = true
		}
		for _, b := range acts {
			if interferes(b, a) {
				return false
			}
		}
		acts = append(acts, a)
		join(all, a.change)
	}
	if arriving {
		x.arrived = append(x.arrived, acts...)
	}
	x.state = carryOut(x.state, all)
	return true
}

// processes finds which processes run from now on, and adds their rates to those of steps.
func (x *run) processes(steps map[string]*big.Rat) []Fault {
	list := x.naturals(x.d.Processes)
	on := x.those(list, x.state)
	for seen := map[string]bool{}; ; {
		key := ""
		x.flow = map[string]*big.Rat{}
		for k, v := range steps {
			x.flow[k] = v
		}
		for _, n := range on {
			key += n.id + ";"
			x.vars = n.a.Vars
			if !x.changes(n.a.Effect, append([]int(nil), n.env...), x.flow) {
				return broken
			}
		}
		if seen[key] {
			return broken
		}
		seen[key] = true
		then := x.those(list, x.soon(x.flow))
		same := len(then) == len(on)
		for i := range then {
			same = same && then[i].id == on[i].id
		}
		if same {
			return nil
		}
		on = then
	}
}

// changes adds the rates of a continuous effect.
func (x *run) changes(e *pddl.Effect, env []int, rates map[string]*big.Rat) bool {
	ok := true
	if !e.Continuous {
		x.over(x.vars, e.Bound, env, func() {
			for _, k := range e.Children {
				ok = x.changes(k, env, rates) && ok
			}
		})
		return ok
	}
	key := x.key(x.d.Functions[e.Func].Name, e.Args, env)
	v := x.slope(e.Value, env)
	if v == nil || x.state.values[key] == nil {
		return false
	}
	if e.Op == pddl.OpDecrease {
		v.Neg(v)
	}
	if rates[key] != nil {
		v.Add(v, rates[key])
	}
	rates[key] = v
	return true
}

// soon is the state a little later: before any comparison changes.
func (x *run) soon(rates map[string]*big.Rat) *state {
	until := new(big.Rat).Add(x.now, big.NewRat(1, 1))
	for _, t := range x.roots(x.now, until, rates) {
		if t.Cmp(until) < 0 {
			until = t
		}
	}
	middle := new(big.Rat).Add(x.now, until)
	return x.at(rates, x.now, middle.Mul(middle, big.NewRat(1, 2)))
}

// meets reports whether a step interferes with an event of the same time.
func (x *run) meets(a *act) bool {
	for _, b := range x.arrived {
		if !a.literal && interferes(b, a) {
			return true
		}
	}
	return false
}
