package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// ErrUnsupported is what tasks are refused with that have more than states, actions and costs.
var ErrUnsupported = errors.New("questions are made for tasks without derived predicates, numbers, durations and constraints")

// maxTuples bounds the ground atoms and actions of a task that are looked at.
const maxTuples = 1 << 20

// Space is a task with all its states. It is safe for concurrent use.
type Space struct {
	Problem *pddl.Problem

	world  *world.World
	states *space.StateSpace
	toGoal []int64 // cheapest cost from each state, space.Unreachable for none
	goals  []bool
	// holds has the facts of some reachable state, applies the actions that can be applied in one.
	holds, applies map[string]bool
	atoms, actions []string // all that are well typed, sorted
	// What many answers are compared with is computed when it is first asked for.
	unreachable, neverApplicable, landmarks, nextActions func() []string
}

// NewSpace enumerates the states of a task within the limits. The error wraps search.ErrLimit where a limit
// came first, and ErrUnsupported for tasks of other kinds.
func NewSpace(ctx context.Context, p *pddl.Problem, lim search.Limits) (*Space, error) {
	d := p.Domain
	if len(d.Durative)+len(d.Axioms) > 0 || p.Constraints != nil || len(p.Init.Timed) > 0 {
		return nil, ErrUnsupported
	}
	w, err := world.New(ctx, p, lim)
	if err != nil {
		return nil, err
	}
	lower(w)
	s := &Space{Problem: p, world: w, holds: map[string]bool{}, applies: map[string]bool{}}
	if s.states, err = space.Enumerate(ctx, w.Task, lim); err != nil {
		return nil, err
	}
	if s.atoms, err = allAtoms(p); err != nil {
		return nil, err
	}
	if s.actions, err = allActions(p); err != nil {
		return nil, err
	}
	s.unreachable = sync.OnceValue(func() []string { return missing(s.atoms, s.holds) })
	s.neverApplicable = sync.OnceValue(func() []string { return missing(s.actions, s.applies) })
	s.landmarks, s.nextActions = sync.OnceValue(s.findLandmarks), sync.OnceValue(s.findNextActions)
	return s, s.look()
}

// lower puts facts into lower case, in which answers are read: PDDL knows no case, and names keep the one of their
// declaration.
func lower(w *world.World) {
	for _, list := range append(w.Atoms, w.Fixed) {
		for i := range list {
			list[i] = strings.ToLower(list[i])
		}
	}
}

// action is the name of an operator, in lower case.
func (s *Space) action(op grounder.OperatorID) string {
	return strings.ToLower(s.world.Task.OperatorName(op))
}

// look collects what holds and what applies somewhere, and the distances to the goal.
func (s *Space) look() error {
	for _, f := range s.world.Fixed {
		s.holds[f] = true
	}
	n := s.states.Len()
	s.goals = make([]bool, n)
	var goals []state.StateID
	seen := make([][]bool, len(s.world.Atoms))
	for v := range seen {
		seen[v] = make([]bool, len(s.world.Atoms[v]))
	}
	for id := range n {
		row := s.states.Row(state.StateID(id))
		for v, k := range s.states.Values(row) {
			seen[v][k] = true
		}
		if s.goals[id] = s.states.IsGoal(row); s.goals[id] {
			goals = append(goals, state.StateID(id))
		}
	}
	for v := range seen {
		for k, is := range seen[v] {
			if f := s.world.Atoms[v][k]; is && f != "" {
				s.holds[f] = true
			}
		}
	}
	for _, op := range s.states.Out().Operator {
		s.applies[s.action(op)] = true
	}
	d := s.states.NewDistances()
	s.toGoal = d.Cost
	return d.To(goals, s.states.TaskCosts(), space.ByCost)
}

// tuples calls visit with the names of the objects of each well-typed tuple.
func tuples(p *pddl.Problem, params []pddl.Variable, budget *int, visit func(args []string)) error {
	lists := make([][]pddl.ObjectID, len(params))
	n := 1
	for i := range params {
		lists[i] = p.ObjectsOfType(params[i].Type)
		if n *= len(lists[i]); n > *budget {
			return fmt.Errorf("%w: more than %d ground atoms or actions", search.ErrLimit, maxTuples)
		}
	}
	*budget -= n
	args := make([]string, len(params))
	var fill func(i int)
	fill = func(i int) {
		if i == len(params) {
			visit(args)
			return
		}
		for _, o := range lists[i] {
			args[i] = strings.ToLower(p.Objects[o].Name)
			fill(i + 1)
		}
	}
	fill(0)
	return nil
}

func allAtoms(p *pddl.Problem) ([]string, error) {
	var list []string
	budget := maxTuples
	for i := range p.Domain.Predicates {
		pred := &p.Domain.Predicates[i]
		if pred.Name == "=" {
			continue
		}
		err := tuples(p, pred.Params, &budget, func(args []string) { list = append(list, call(pred.Name, args)) })
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return list, nil
}

func allActions(p *pddl.Problem) ([]string, error) {
	var list []string
	budget := maxTuples
	for i := range p.Domain.Actions {
		a := p.Domain.Actions[i]
		err := tuples(p, a.Vars[:a.NumParams], &budget, func(args []string) { list = append(list, call(a.Name, args)) })
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return list, nil
}

func call(name string, args []string) string {
	return "(" + strings.Join(append([]string{strings.ToLower(name)}, args...), " ") + ")"
}

// initial are the facts of the initial state.
func (s *Space) initial() []string { return s.world.Facts(s.states.Row(0)) }

// Changes reports whether some action of the domain could change atoms of the predicate of an atom.
func (s *Space) Changes(atom string) bool {
	d := s.Problem.Domain
	pred := slices.IndexFunc(d.Predicates, func(p pddl.Predicate) bool { return strings.EqualFold(p.Name, atomtext.Words(atom)[0]) })
	return slices.ContainsFunc(d.Actions, func(a *pddl.Action) bool { return a.Effect.Changes(pddl.PredicateID(pred)) })
}

// Applicable lists the actions that can be applied in the initial state, sorted.
func (s *Space) Applicable() []string { return s.applicable(0) }

func (s *Space) applicable(id state.StateID) []string {
	_, ops := s.states.Out().Of(id)
	var list []string
	for _, op := range ops {
		list = append(list, s.action(op))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// successor is the state after an action, false where it cannot be applied.
func (s *Space) successor(id state.StateID, action string) (state.StateID, bool) {
	next, ops := s.states.Out().Of(id)
	for i, op := range ops {
		if s.action(op) == action {
			return next[i], true
		}
	}
	return 0, false
}

// Progress lists the facts that an action makes true and false in the initial state.
func (s *Space) Progress(action string) (pos, neg []string, ok bool) {
	to, ok := s.successor(0, action)
	if !ok {
		return nil, nil, false
	}
	before, after := s.initial(), s.world.Facts(s.states.Row(to))
	return atomtext.Gained(before, after), atomtext.Gained(after, before), true
}

// firstInapplicable is the number, from 0, of the first action of a sequence that cannot be applied, -1 for none.
func (s *Space) firstInapplicable(steps []string) int {
	_, failed := s.follow(steps)
	return failed
}

// follow applies steps from the initial state on, up to the first, failed, that cannot be applied; -1 for none.
func (s *Space) follow(steps []string) (end state.StateID, failed int) {
	for i, step := range steps {
		next, ok := s.successor(end, step)
		if !ok {
			return end, i
		}
		end = next
	}
	return end, -1
}

// isPlan reports whether steps lead from the initial state to the goal.
func (s *Space) isPlan(steps []string) bool {
	end, failed := s.follow(steps)
	return failed < 0 && s.goals[end]
}

// Unreachable lists the well-typed atoms that hold in no reachable state.
func (s *Space) Unreachable() []string { return slices.Clone(s.unreachable()) }

// NeverApplicable lists the well-typed actions that can be applied in no reachable state.
func (s *Space) NeverApplicable() []string { return slices.Clone(s.neverApplicable()) }

func missing(all []string, there map[string]bool) []string {
	var list []string
	for _, a := range all {
		if !there[a] {
			list = append(list, a)
		}
	}
	return list
}

// Landmarks lists the facts that hold at some time on every plan, but neither in the initial state nor as a
// part of the goal. ok is false for a task without plans.
func (s *Space) Landmarks() (list []string, ok bool) {
	if s.toGoal[0] == space.Unreachable {
		return nil, false
	}
	return slices.Clone(s.landmarks()), true
}

func (s *Space) findLandmarks() (list []string) {
	skip := map[string]bool{}
	for _, f := range s.initial() {
		skip[f] = true
	}
	for _, f := range goalFacts(s.Problem) {
		skip[f] = true
	}
	for f := range s.holds {
		if !skip[f] && s.isLandmark(f) {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return list
}

// isLandmark reports whether no goal state is reached without a state in which a fact holds.
func (s *Space) isLandmark(fact string) bool {
	v, k := s.place(fact)
	if v < 0 {
		return false
	}
	seen := make([]bool, s.states.Len())
	queue := []state.StateID{0}
	seen[0] = true
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if s.goals[id] {
			return false
		}
		next, _ := s.states.Out().Of(id)
		for _, to := range next {
			if !seen[to] && int(s.states.Values(s.states.Row(to))[v]) != k {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return true
}

func (s *Space) place(fact string) (variable, value int) {
	for v, values := range s.world.Atoms {
		if k := slices.Index(values, fact); k >= 0 {
			return v, k
		}
	}
	return -1, -1
}

// NextActions lists the actions with which a cheapest plan begins. ok is false without plans, and where the
// initial state is a goal.
func (s *Space) NextActions() (list []string, ok bool) {
	if s.toGoal[0] == space.Unreachable || s.goals[0] {
		return nil, false
	}
	return slices.Clone(s.nextActions()), true
}

func (s *Space) findNextActions() (list []string) {
	for _, a := range s.applicable(0) {
		to, _ := s.successor(0, a)
		if _, cost, err := s.states.Apply(s.states.Row(0), a); err == nil && s.toGoal[to] != space.Unreachable && cost+s.toGoal[to] == s.toGoal[0] {
			list = append(list, a)
		}
	}
	return list
}

// Shorter lists the plans that are left of a plan without one action or two actions in a row.
func (s *Space) Shorter(plan []string) [][]string {
	var list [][]string
	for width := 1; width <= 2; width++ {
		for at := 0; at+width <= len(plan); at++ {
			rest := slices.Concat(plan[:at], plan[at+width:])
			if s.isPlan(rest) && !slices.ContainsFunc(list, func(x []string) bool { return slices.Equal(x, rest) }) {
				list = append(list, rest)
			}
		}
	}
	return list
}

// goalFacts lists the facts that the goal asks for, as far as it is a conjunction.
func goalFacts(p *pddl.Problem) []string {
	var list []string
	var visit func(f *pddl.Formula)
	visit = func(f *pddl.Formula) {
		switch {
		case f == nil:
		case f.Kind == pddl.FormulaAnd:
			for _, c := range f.Children {
				visit(c)
			}
		case f.Kind == pddl.FormulaAtom:
			if args, ok := groundArgs(f); ok {
				list = append(list, strings.ToLower(p.FormatAtom(f.Pred, args)))
			}
		}
	}
	visit(p.Goal.Formula)
	return list
}

func groundArgs(f *pddl.Formula) ([]pddl.ObjectID, bool) {
	var args []pddl.ObjectID
	for _, t := range f.Args {
		if t.IsVar() {
			return nil, false
		}
		args = append(args, t.Object())
	}
	return args, true
}
