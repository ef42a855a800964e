package dataset

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// Numbers of blocks that Exhaustive takes.
const (
	MinExhaustive = 2
	MaxExhaustive = 6
)

// exhaustive is every ordered pair of distinct hand-empty states of n blocks.
type exhaustive struct {
	name   string
	n      int
	pairs  *domains.BlocksworldPairs
	states []domains.Blocks
	// only lists the tasks, by their numbers from 1; nil for all in order.
	only   []int32
	domain *pddl.Domain
	text   string // of the domain
	slack  string

	space *space.StateSpace
	at    []state.StateID // by state of states
	steps []string        // by operator
	// far[goal*space.Len()+s] is the number of steps from state s of the space.
	far []uint8
}

// NewExhaustive makes the source of all Blocksworld tasks of n blocks with complete goals
// (Chawla, section 3.2.2): tasks blocksworld:n-1 and so on. With oneOfEach it has one task
// of each structure, whose blocks are named by the seed. Gold plans come from tables of
// the distances between all states, made here.
func NewExhaustive(ctx context.Context, n int, oneOfEach bool, seed uint64) (Source, error) {
	if n < MinExhaustive || n > MaxExhaustive {
		return nil, fmt.Errorf("exhaustive sets have %d to %d blocks, not %d", MinExhaustive, MaxExhaustive, n)
	}
	src, err := domains.Domain("blocksworld")
	if err != nil {
		return nil, err
	}
	x := &exhaustive{name: fmt.Sprintf("blocksworld=%d", n), n: n, pairs: domains.NewBlocksworldPairs(n), text: src.Text}
	for i := range x.pairs.States {
		x.states = append(x.states, domains.BlocksworldState(n, big.NewInt(int64(i))))
	}
	var diags pddl.Diagnostics
	if x.domain, diags = pddl.ParseDomain(src, pddl.Options{}); diags.HasErrors() {
		return nil, diags
	}
	if err := x.measure(ctx); err != nil {
		return nil, err
	}
	if oneOfEach {
		err = x.choose(ctx, seed)
	}
	return x, err
}

// problem reads the task of two states.
func (x *exhaustive) problem(name string, init, goal int) (*pddl.Problem, string, error) {
	text := domains.BlocksworldProblem(name, x.states[init], x.states[goal])
	p, diags := pddl.ParseProblem(pddl.NewSource(name, text), x.domain, pddl.Options{})
	if p == nil || diags.HasErrors() {
		return nil, "", fmt.Errorf("internal error: a bundled problem cannot be read: %w", diags.Err())
	}
	return p, text, nil
}

// measure lists the states and computes the distances between all of them.
func (x *exhaustive) measure(ctx context.Context) error {
	p, _, err := x.problem("space", 0, 1)
	if err != nil {
		return err
	}
	task, err := costmodel.Ground(ctx, p, grounder.Options{})
	if err != nil {
		return err
	}
	slack, err := costmodel.RoundsOf(task).Slack(costmodel.Unit())
	if err != nil {
		return err
	}
	x.slack = slack.String()
	if x.space, err = space.Enumerate(ctx, task, search.Limits{}); err != nil {
		return err
	}
	for o := range task.Operators.Len() {
		x.steps = append(x.steps, strings.ToLower(task.OperatorName(grounder.OperatorID(o))))
	}
	if err := x.locate(task); err != nil {
		return err
	}
	size := x.space.Len()
	x.far = make([]uint8, len(x.states)*size)
	d, unit := x.space.NewDistances(), x.space.Steps()
	for goal, id := range x.at {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.To([]state.StateID{id}, unit, space.ByCost); err != nil {
			return err
		}
		for s, far := range d.Cost {
			if far > 255 {
				return fmt.Errorf("internal error: a Blocksworld state is %d steps away", far)
			}
			x.far[goal*size+s] = uint8(far)
		}
	}
	return nil
}

// locate finds the hand-empty states in the space.
func (x *exhaustive) locate(task *grounder.Task) error {
	number := map[string]int{}
	for i, s := range x.states {
		number[fmt.Sprint(s)] = i
	}
	block := map[string]int{}
	for i, name := range domains.BlockNames(x.n) {
		block[name] = i
	}
	type place struct {
		block, under int
		held         bool
	}
	places := make([][]*place, len(task.Variables))
	for v := range task.Variables {
		places[v] = make([]*place, len(task.Variables[v].Values))
		for val, atom := range task.Variables[v].Values {
			words := strings.FieldsFunc(atom, func(r rune) bool { return strings.ContainsRune("(), ", r) })
			switch { // "Atom on(a, b)"
			case words[0] != "Atom" || len(words) < 3:
			case words[1] == "on":
				places[v][val] = &place{block: block[words[2]], under: block[words[3]]}
			case words[1] == "ontable":
				places[v][val] = &place{block: block[words[2]], under: domains.Table}
			case words[1] == "holding":
				places[v][val] = &place{held: true}
			}
		}
	}
	x.at = make([]state.StateID, len(x.states))
	found := 0
	for id := range x.space.Len() {
		s := make(domains.Blocks, x.n)
		held := false
		for v, val := range x.space.Values(x.space.Row(state.StateID(id))) {
			if p := places[v][val]; p != nil && p.held {
				held = true
			} else if p != nil {
				s[p.block] = p.under
			}
		}
		if held {
			continue
		}
		i, ok := number[fmt.Sprint(s)]
		if !ok {
			return fmt.Errorf("internal error: %v is a state of the space and of no tower", s)
		}
		x.at[i] = state.StateID(id)
		found++
	}
	if found != len(x.states) {
		return fmt.Errorf("internal error: the space has %d of %d states", found, len(x.states))
	}
	return nil
}

// choose keeps one task of each structure. Every structure has a task whose initial state
// is the first of its shape; which one of the structure is kept is up to the seed.
func (x *exhaustive) choose(ctx context.Context, seed uint64) error {
	sum := hashText(domainKeyText(x.domain))
	rng := seeded.Rand(seed, x.name)
	seen := map[[32]byte]bool{}
	shapes := map[string]bool{}
	for init, s := range x.states {
		if shape := shapeOf(s); shapes[shape] {
			continue
		} else {
			shapes[shape] = true
		}
		for goal := range x.states {
			if err := ctx.Err(); err != nil {
				return err
			}
			if goal == init {
				continue
			}
			p, _, err := x.problem("choose", init, goal)
			if err != nil {
				return err
			}
			st := structureOf(p, sum, 0)
			if seen[st.Hash] {
				continue
			}
			seen[st.Hash] = true
			perm := rng.Perm(x.n)
			k, err := domains.BlocksworldNumber(renamed(x.states[init], perm), renamed(x.states[goal], perm))
			if err != nil {
				return err
			}
			x.only = append(x.only, int32(k.Int64()))
		}
	}
	slices.Sort(x.only)
	return nil
}

// shapeOf tells the heights of the towers.
func shapeOf(s domains.Blocks) string {
	height := make([]int, len(s))
	for b := range s {
		at := b
		for ; s[at] != domains.Table; at = s[at] {
		}
		height[at]++
	}
	slices.Sort(height)
	return fmt.Sprint(height)
}

// renamed returns the state in which block perm[b] is where b was.
func renamed(old domains.Blocks, perm []int) domains.Blocks {
	s := make(domains.Blocks, len(old))
	for b, under := range old {
		if under != domains.Table {
			under = perm[under]
		}
		s[perm[b]] = under
	}
	return s
}

// Name implements Source.
func (x *exhaustive) Name() string { return x.name }

// Len implements Source.
func (x *exhaustive) Len() int {
	if x.only != nil {
		return len(x.only)
	}
	return x.pairs.Len
}

// task is the number of task i in the name of the bundled task.
func (x *exhaustive) task(i int) int {
	if x.only != nil {
		return int(x.only[i])
	}
	return i + 1
}

// ID implements Source.
func (x *exhaustive) ID(i int) string { return fmt.Sprintf("blocksworld:%d-%d", x.n, x.task(i)) }

// Task implements Source.
func (x *exhaustive) Task(i int) (*Instance, error) {
	init, goal := x.pairs.At(x.task(i))
	p, text, err := x.problem(fmt.Sprintf("blocksworld-%d-%d", x.n, x.task(i)), init, goal)
	if err != nil {
		return nil, err
	}
	id := x.ID(i)
	return &Instance{
		ID: id, Family: "blocksworld", Bundled: id, Problem: p, DomainText: x.text, ProblemText: text, Gold: x.gold(init, goal),
	}, nil
}

// gold walks down the distances to the goal, the first action first.
func (x *exhaustive) gold(init, goal int) *Gold {
	far := x.far[goal*x.space.Len():][:x.space.Len()]
	s := x.at[init]
	g := &Gold{Steps: int(far[s]), Cost: fmt.Sprint(far[s]), Optimal: true, Slack: x.slack}
	for far[s] > 0 {
		to, ops := x.space.Out().Of(s)
		for k := range to {
			if far[to[k]] < far[s] {
				g.Plan = append(g.Plan, x.steps[ops[k]])
				s = to[k]
				break
			}
		}
	}
	return g
}
