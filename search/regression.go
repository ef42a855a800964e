package search

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/heuristic"
)

// Regression runs the operators of a task backwards over partial states (Ghallab, Nau and
// Traverso, "Automated Planning", 2004, section 4.3; for finite-domain variables Alcázar,
// Borrajo, Fernández and Fuentetaja, IJCAI 2013).
//
// It is exact for reachable states. Let P be the partial states that Predecessors gives
// for p, operator o and cost c. Every state that one of P stands for leads by o, at cost c,
// to a state that p stands for; and every reachable state from which o leads to such a
// state at cost c is in one of P, or is itself among the states of p. So the cheapest plans
// of all reachable states are found by regression from the goal alone, although predecessors
// that p subsumes, and those that stand for no reachable state, are left out.
//
// A Regression keeps scratch memory and is used by one goroutine at a time.
type Regression struct {
	task   *grounder.Task
	origin []grounder.OperatorID // see unfolded
	goals  []PartialState
	// An operator without conditional effects and costs is the list
	// entries[start[o]:start[o+1]], prevail conditions and effects alike.
	start   []int32
	entries []regressed
	cases   []*caseOperator // by operator, nil for plain ones
	// Operators that can make fact factBase[v]+x true that did not hold before:
	// achievers[achieverStart[f]:achieverStart[f+1]].
	factBase      []int32
	achieverStart []int32
	achievers     []grounder.OperatorID

	mutexes *mutexes
	seen    []uint32 // by operator: the epoch in which it was tried
	epoch   uint32
	q       PartialState
	split   *caseSplitter // nil when no operator needs it
}

// regressed says what regression through an operator does to one variable: the operator
// leaves it at value, and before the operator it was at before (Unconstrained: anything).
type regressed struct{ variable, value, before int32 }

// NewRegression compiles the operators of t. The error is a refusal that names what is not
// supported: derived variables, whose values are a function of other variables in a way
// that facts alone cannot run backwards (see newUnfolded for more), and operators whose
// conditional effects and costs fall into too many cases (see maxCases).
func NewRegression(t *grounder.Task) (*Regression, error) {
	for _, f := range heuristic.FeaturesOf(t) {
		if f == heuristic.Axioms {
			return nil, &heuristic.Refusal{Heuristic: "regression", Features: []heuristic.Feature{f}}
		}
	}
	return newRegression(&unfolded{task: t, goals: []PartialState{partial(len(t.Variables), t.Goal)}})
}

// newUnfolded is NewRegression for tasks with axioms: it runs what unfold makes of them
// backwards, whose partial states say nothing about derived variables. There may be several
// goals, or none.
func newUnfolded(t *grounder.Task) (*Regression, error) {
	if !slices.Contains(heuristic.FeaturesOf(t), heuristic.Axioms) {
		return NewRegression(t)
	}
	u, err := unfold(t)
	if err != nil {
		return nil, err
	}
	return newRegression(u)
}

func newRegression(u *unfolded) (*Regression, error) {
	t := u.task
	n := t.Operators.Len()
	r := &Regression{
		task: t, origin: u.origin, goals: u.goals, start: make([]int32, n+1), cases: make([]*caseOperator, n),
		factBase: make([]int32, len(t.Variables)+1),
		seen:     make([]uint32, n),
		q:        make(PartialState, len(t.Variables)),
	}
	for v := range t.Variables {
		r.factBase[v+1] = r.factBase[v] + int32(t.Variables[v].Size())
	}
	r.mutexes = newMutexes(t, r.factBase)
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		if plain(op) {
			r.compile(op)
		} else {
			c, ok := newCaseOperator(t, op)
			if !ok {
				return nil, &Unregressable{Schema: op.Schema, Reason: fmt.Sprintf("operators with more than %d cases of conditional effects and costs: %s",
					maxCases, t.OperatorName(grounder.OperatorID(o)))}
			}
			r.cases[o] = c
			if r.split == nil {
				r.split = newCaseSplitter(r)
			}
		}
		r.start[o+1] = int32(len(r.entries))
	}
	r.indexAchievers()
	return r, nil
}

// plain reports whether an operator does the same in all states.
func plain(op grounder.Operator) bool {
	if len(op.CondCosts) > 0 {
		return false
	}
	for i := range op.Effects {
		if len(op.Effects[i].Cond) > 0 {
			return false
		}
	}
	return true
}

// compile appends the entries of a plain operator. Of two effects on one variable the
// later wins.
func (r *Regression) compile(op grounder.Operator) {
	first := len(r.entries)
	for _, f := range op.Pre {
		r.entries = append(r.entries, regressed{f.Var, f.Val, f.Val})
	}
	for _, e := range op.Effects {
		i := slices.IndexFunc(r.entries[first:], func(x regressed) bool { return x.variable == e.Var })
		if i < 0 {
			r.entries = append(r.entries, regressed{e.Var, e.Val, Unconstrained})
		} else {
			r.entries[first+i].value = e.Val
		}
	}
}

// indexAchievers lists the operators by the facts they make true.
func (r *Regression) indexAchievers() {
	facts := r.factBase[len(r.factBase)-1]
	each := func(visit func(f int32, o grounder.OperatorID)) {
		for o := range r.task.Operators.Len() {
			id := grounder.OperatorID(o)
			if c := r.cases[o]; c != nil {
				for _, e := range r.task.Operators.Effects(o) {
					visit(r.factBase[e.Var]+e.Val, id)
				}
				continue
			}
			for _, x := range r.entries[r.start[o]:r.start[o+1]] {
				if x.value != x.before {
					visit(r.factBase[x.variable]+x.value, id)
				}
			}
		}
	}
	r.achieverStart = make([]int32, facts+1)
	each(func(f int32, _ grounder.OperatorID) { r.achieverStart[f+1]++ })
	for f := range facts {
		r.achieverStart[f+1] += r.achieverStart[f]
	}
	r.achievers = make([]grounder.OperatorID, r.achieverStart[facts])
	next := slices.Clone(r.achieverStart)
	each(func(f int32, o grounder.OperatorID) {
		r.achievers[next[f]] = o
		next[f]++
	})
}

// Goal returns the goal as a partial state. The caller may keep it.
func (r *Regression) Goal() PartialState { return slices.Clone(r.goals[0]) }

// operator is the number of an operator in the task given to the constructor.
func (r *Regression) operator(o grounder.OperatorID) grounder.OperatorID {
	if r.origin == nil {
		return o
	}
	return r.origin[o]
}

// exclude notes that two facts cannot hold together in a reachable state.
func (r *Regression) exclude(a, b grounder.Fact) {
	if r.mutexes.words > 0 && a.Var != b.Var {
		r.mutexes.add(r.factBase[a.Var]+a.Val, r.factBase[b.Var]+b.Val)
	}
}

// Complete adds to p the facts that hold in every reachable state that p stands for, as far
// as follows from the task's mutex groups (disambiguation; Alcázar et al., IJCAI 2013):
// where all values of a variable but one are mutually exclusive with facts of p, that one
// holds. It reports false when no such state exists; p must not be used then.
func (r *Regression) Complete(p PartialState) bool { return r.mutexes.complete(p) }

// Predecessors calls visit with the partial states from which an operator leads to p, and
// with what it costs there: in units of Task.CostUnit, or -1 when beyond 63 bits. It leaves
// out those that p subsumes (the operator is irrelevant: it achieves no fact of p that did
// not hold before) and those that stand for no reachable state (see Complete), and completes
// the others. q is overwritten after visit returns. An operator with conditional effects may come several
// times, once for each case, in cases that may overlap. The order depends on task and p only.
func (r *Regression) Predecessors(p PartialState, visit func(op grounder.OperatorID, q PartialState, cost int64)) {
	r.epoch++
	if r.epoch == 0 { // wrapped around
		clear(r.seen)
		r.epoch = 1
	}
	for v, x := range p {
		if x == Unconstrained {
			continue
		}
		f := r.factBase[v] + x
		for _, o := range r.achievers[r.achieverStart[f]:r.achieverStart[f+1]] {
			if r.seen[o] == r.epoch {
				continue
			}
			r.seen[o] = r.epoch
			if r.cases[o] != nil {
				r.split.regress(o, p, visit)
				continue
			}
			entries := r.entries[r.start[o]:r.start[o+1]]
			if !consistent(entries, p) {
				continue
			}
			copy(r.q, p)
			for _, e := range entries {
				r.q[e.variable] = e.before
			}
			if r.mutexes.complete(r.q) && !p.Subsumes(r.q) {
				visit(r.operator(o), r.q, r.task.Operators.Cost(int(o)))
			}
		}
	}
}

// consistent reports whether no value that the operator leaves behind contradicts p.
func consistent(entries []regressed, p PartialState) bool {
	for _, e := range entries {
		if x := p[e.variable]; x != Unconstrained && x != e.value {
			return false
		}
	}
	return true
}
