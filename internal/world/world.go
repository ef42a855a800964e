package world

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// World is a problem that can be run: its states as sets of facts, and what can be done in them.
type World struct {
	Prob *pddl.Problem
	Task *grounder.Task
	Sim  *space.Simulator
	// Fixed are the facts that hold in every reachable state, without those that only forbid
	// actions. Atoms[v][k] is the fact of value k of variable v, "" for none.
	Fixed []string
	Atoms [][]string
}

// New grounds a problem as a whole, the parts that do not matter to its goal included. The error
// wraps search.ErrLimit when a limit came first.
func New(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*World, error) {
	task, err := GroundAll(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	sim, err := space.NewSimulator(task)
	if err != nil {
		return nil, err
	}
	return FromTask(prob, task, sim), nil
}

// FromTask makes the World of a problem that GroundAll has grounded.
func FromTask(prob *pddl.Problem, task *grounder.Task, sim *space.Simulator) *World {
	w := &World{Prob: prob, Task: task, Sim: sim}
	atoms, varies := AtomsOf(task)
	w.Atoms = atoms
	forbids := domains.RestrictionPredicates(prob)
	for _, f := range atomtext.Initial(prob) {
		if _, is := forbids[atomtext.Words(f)[0]]; !is && !varies[f] {
			w.Fixed = append(w.Fixed, f)
		}
	}
	return w
}

// AtomsOf returns the fact of each value of each variable, "" for derived and auxiliary variables and for
// values about no fact, and the set of facts that the variables are about.
func AtomsOf(task *grounder.Task) (atoms [][]string, varies map[string]bool) {
	atoms, varies = make([][]string, len(task.Variables)), map[string]bool{}
	for i := range task.Variables {
		v := &task.Variables[i]
		atoms[i] = make([]string, len(v.Values))
		if v.Auxiliary {
			continue
		}
		for k, name := range v.Values {
			fact, holds := atomtext.OfValue(name)
			if varies[fact] = true; holds && v.Layer < 0 {
				atoms[i][k] = fact
			}
		}
	}
	return atoms, varies
}

// GroundAll grounds a problem with all actions that can ever be applied, whether they matter to
// the goal or not. The error wraps search.ErrLimit when a limit came first.
func GroundAll(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*grounder.Task, error) {
	return ground(ctx, prob, grounder.Options{Time: lim.Wall, Memory: lim.Memory, KeepIrrelevant: true})
}

// GroundNumbers is GroundAll for callers that support numeric fluents.
func GroundNumbers(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*grounder.Task, error) {
	return ground(ctx, prob, grounder.Options{Time: lim.Wall, Memory: lim.Memory, KeepIrrelevant: true, NumericFluents: true})
}

func ground(ctx context.Context, prob *pddl.Problem, opt grounder.Options) (*grounder.Task, error) {
	task, err := grounder.Ground(ctx, prob, opt)
	if err != nil {
		return nil, groundingError(err)
	}
	return task, nil
}

func groundingError(err error) error {
	if errors.Is(err, grounder.ErrLimit) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("grounding: %w (%w)", search.ErrLimit, err)
	}
	return err
}

// Facts lists what holds in a state, derived atoms aside, sorted.
func (w *World) Facts(st space.State) []string {
	out := slices.Clone(w.Fixed)
	for i, v := range w.Sim.Values(st) {
		if f := w.Atoms[i][v]; f != "" {
			out = append(out, f)
		}
	}
	atomtext.Sort(out)
	return slices.Compact(out)
}

// After returns the state after the steps of a plan.
func (w *World) After(steps []string) (space.State, error) {
	st, _, _, err := w.Sim.Replay(steps)
	return st, err
}

// applicable lists the operators that can be applied in a state, in the task's order.
func (w *World) applicable(st space.State) []grounder.OperatorID {
	values := w.Sim.Values(st)
	var out []grounder.OperatorID
	for i := range w.Task.Operators.Len() {
		ok := true
		for _, f := range w.Task.Operators.Pre(i) {
			if values[f.Var] != f.Val {
				ok = false
				break
			}
		}
		if ok {
			out = append(out, grounder.OperatorID(i))
		}
	}
	return out
}

// Needs lists the facts that a step needs in a state, static ones aside. Of several operators
// with the step's name, the first that can be applied counts.
func (w *World) Needs(st space.State, step string) []string {
	var out []string
	for _, op := range w.applicable(st) {
		if w.Task.OperatorName(op) != step {
			continue
		}
		for _, f := range w.Task.Operators.Pre(int(op)) {
			if a := w.Atoms[f.Var][f.Val]; a != "" {
				out = append(out, a)
			}
		}
		break
	}
	atomtext.Sort(out)
	return out
}

// Fluents lists the facts of a state that do not hold in every reachable state.
func (w *World) Fluents(st space.State) []string { return atomtext.Gained(w.Fixed, w.Facts(st)) }

// Walk goes up to n random steps from a state; fewer where no action can be applied. It returns
// the state it comes to and the steps.
func (w *World) Walk(st space.State, n int, rng *rand.Rand) (space.State, []string) {
	var steps []string
	for range n {
		ops := w.applicable(st)
		if len(ops) == 0 {
			break
		}
		step := w.Task.OperatorName(ops[rng.IntN(len(ops))])
		next, _, err := w.Sim.Apply(st, step)
		if err != nil {
			break // an operator of that name with another precondition was meant
		}
		st, steps = next, append(steps, step)
	}
	return st, steps
}

// Solution is the outcome of a search for a cheapest plan.
type Solution struct {
	Solvable bool
	Plan     []string
	Cost     string // exact
}

// Solve finds a cheapest plan, judged by the validator, or proves that there is none. The error
// wraps search.ErrLimit when a limit came first.
func Solve(ctx context.Context, prob *pddl.Problem, lim search.Limits) (*Solution, error) {
	res, err := pipeline.Solve(ctx, prob, pipeline.Options{
		Ground: grounder.Options{Time: lim.Wall, Memory: lim.Memory},
		Search: search.Config{Limits: lim},
	})
	if err != nil {
		return nil, groundingError(err)
	}
	switch res.Status {
	case search.SolvedOptimally:
	case search.Unsolvable:
		return &Solution{}, nil
	case search.Unsupported:
		return nil, fmt.Errorf("the search does not support this task: %s", res.Reason)
	default:
		return nil, fmt.Errorf("searching for a plan: %w", &search.LimitError{Status: res.Status, States: res.States})
	}
	return &Solution{Solvable: true, Plan: res.Plan, Cost: res.Cost.String()}, nil
}

// Judge judges a plan given as steps.
func Judge(prob *pddl.Problem, steps []string) (*validator.Verdict, error) {
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		return nil, err
	}
	v, _ := judge.ValidateText(pddl.NewSource("plan", strings.Join(steps, "\n")+"\n"), judge.NewScratch())
	return v, nil
}

// WithState returns the problem with other initial facts. Facts that forbid actions stay as they
// are. The result is read from its own text, so that it has the positions of that text.
func WithState(prob *pddl.Problem, facts []string) (*pddl.Problem, error) {
	p := *prob
	p.Init.Atoms = pddl.AtomTable{Start: []uint32{0}}
	t := &p.Init.Atoms
	if forbids := domains.RestrictionPredicates(prob); forbids != nil {
		facts = slices.Clone(facts)
		for _, f := range atomtext.Initial(prob) {
			if _, is := forbids[atomtext.Words(f)[0]]; is {
				facts = append(facts, f)
			}
		}
	}
	for _, f := range facts {
		pred, args, err := lookUp(prob, f)
		if err != nil {
			return nil, err
		}
		t.Pred = append(t.Pred, pred)
		t.Args = append(t.Args, args...)
		t.Start = append(t.Start, uint32(len(t.Args)))
		t.Pos = append(t.Pos, 1) // 0 stands for facts of the domain, which are not printed
	}
	return reread(&p)
}

// WithGoal returns the problem with a conjunction of facts as its goal, read from its own text.
func WithGoal(prob *pddl.Problem, facts []string) (*pddl.Problem, error) {
	p := *prob
	goal := &pddl.Formula{Kind: pddl.FormulaAnd}
	for _, f := range facts {
		pred, args, err := lookUp(prob, f)
		if err != nil {
			return nil, err
		}
		atom := &pddl.Formula{Kind: pddl.FormulaAtom, Pred: pred}
		for _, a := range args {
			atom.Args = append(atom.Args, pddl.ObjectTerm(a))
		}
		goal.Children = append(goal.Children, atom)
	}
	p.Goal = pddl.GoalSchema{Formula: goal}
	return reread(&p)
}

func reread(p *pddl.Problem) (*pddl.Problem, error) {
	out, ds := pddl.ParseProblem(pddl.NewSource(p.Source.Name, p.String()), p.Domain, pddl.Options{})
	if out == nil {
		return nil, fmt.Errorf("internal error: a problem made for a prompt cannot be read: %w", ds.Err())
	}
	return out, nil
}

// lookUp returns the ids of a fact's predicate and objects.
func lookUp(prob *pddl.Problem, fact string) (pddl.PredicateID, []pddl.ObjectID, error) {
	words := atomtext.Words(fact)
	pred, ok := prob.Domain.PredicateByName(words[0])
	if !ok {
		return 0, nil, fmt.Errorf("no predicate %q", words[0])
	}
	var args []pddl.ObjectID
	for _, w := range words[1:] {
		o, ok := prob.ObjectByName(w)
		if !ok {
			return 0, nil, fmt.Errorf("no object %q", w)
		}
		args = append(args, o)
	}
	return pred, args, nil
}
