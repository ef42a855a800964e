package costmodel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// planLister walks optimal transitions depth first and lists the type sequences of plans by
// the definition, up to a length.
type planLister struct {
	s      *sharedSpace
	dist   []int64
	by     []int64
	isGoal map[state.StateID]bool
	longer bool // there are plans beyond the length
	work   int
	seqs   map[string]bool
}

func (l *planLister) walk(s state.StateID, left int, kinds []byte) bool {
	if l.work++; l.work > 20_000 {
		return false
	}
	if l.isGoal[s] && l.dist[s] == 0 {
		l.seqs[string(kinds)] = true
	}
	next, ops := l.s.Out().Of(s)
	for k, u := range next {
		kind := l.s.schema[ops[k]]
		w := int64(1)
		if l.by != nil {
			w = l.by[kind]
		}
		if l.dist[u] == space.Unreachable || l.dist[u]+w != l.dist[s] {
			continue
		}
		if left == 0 {
			l.longer = true
			continue
		}
		if !l.walk(u, left-1, append(kinds, byte(kind))) {
			return false
		}
	}
	return true
}

// TestShiftFollowsTheDefinition: on random tasks with free actions, dead ends and axioms, an
// analyst says what listing the optimal plans says.
func TestShiftFollowsTheDefinition(t *testing.T) {
	checked, possible, zero := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := randomsas.Text(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") },
			randomsas.Options{Axioms: rapid.Bool().Draw(t, "axioms"), ConditionalEffects: rapid.Bool().Draw(t, "conditional"), MaxCost: 1})
		task, err := grounder.ReadSAS(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSharedSpace(context.Background(), task, search.Limits{})
		if err != nil {
			t.Skip(err)
		}
		var entries []string
		for i, name := range task.SchemaNames {
			entries = append(entries, fmt.Sprintf("%s=%d", name, rapid.IntRange(0, 3).Draw(t, fmt.Sprint("cost ", i))))
		}
		schedule, err := ParseSchedule(strings.Join(entries, ","))
		if err != nil {
			t.Skip(err) // names of a SAS file may hold anything
		}
		prices, err := s.price(schedule)
		if err != nil {
			t.Fatal(err)
		}
		initial, goals, ok, err := s.place(task)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		a := s.newAnalyst()
		if err := a.setGoal(goals); err != nil {
			t.Fatal(err)
		}
		if err := a.price(prices); err != nil {
			t.Fatal(err)
		}
		got, err := a.shift(initial)
		if len(goals) == 0 || errors.Is(err, ErrUnsolvable) {
			if !errors.Is(err, ErrUnsolvable) {
				t.Fatalf("%v, but no goal can be reached", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got.Certain && !got.Possible || got.Certain != (got.UnitCost.Cmp(got.ScheduleCost) > 0) {
			t.Fatalf("%+v contradicts itself", got)
		}
		// Another way to the lengths and costs: lexicographic distances.
		d := s.NewDistances()
		if err := d.To(goals, prices.costs, space.ByStepsThenCost); err != nil {
			t.Fatal(err)
		}
		if d.Steps[initial] != got.FewestSteps || !prices.number(d.Cost[initial]).Equal(got.UnitCost) {
			t.Fatalf("%+v, want %d steps of cost %d", got, d.Steps[initial], d.Cost[initial])
		}
		if err := d.To(goals, prices.costs, space.ByCostThenSteps); err != nil {
			t.Fatal(err)
		}
		if d.Steps[initial] != got.Steps || !prices.number(d.Cost[initial]).Equal(got.ScheduleCost) {
			t.Fatalf("%+v, want cost %d in %d steps", got, d.Cost[initial], d.Steps[initial])
		}
		shortest := planLister{s: s, dist: a.steps.Cost, isGoal: map[state.StateID]bool{}, seqs: map[string]bool{}}
		for _, g := range goals {
			shortest.isGoal[g] = true
		}
		cheapest := planLister{s: s, dist: a.cost.Cost, by: prices.by, isGoal: shortest.isGoal, seqs: map[string]bool{}}
		bound := int(max(got.FewestSteps, got.Steps))
		if !shortest.walk(initial, bound, nil) || !cheapest.walk(initial, bound, nil) {
			t.Skip("too many plans to list")
		}
		checked++
		differ := cheapest.longer
		for x := range shortest.seqs {
			for y := range cheapest.seqs {
				differ = differ || x != y
			}
		}
		if got.Possible != differ {
			t.Fatalf("possible is %v; shortest %v, cheapest %v, longer %v", got.Possible, shortest.seqs, cheapest.seqs, cheapest.longer)
		}
		if got.Possible {
			possible++
		}
		if slices.Contains(prices.by, 0) {
			zero++
		}
		for i, tie := range TieBreaks() {
			x, y := chosenOf(shortest.seqs, int(got.FewestSteps), tie), chosenOf(cheapest.seqs, int(got.Steps), tie)
			if got.Under[i] != (x != y) {
				t.Fatalf("%s: shifted is %v; %q and %q", tie, got.Under[i], x, y)
			}
		}
	})
	// With -short rapid draws a fifth of the tasks, too few to count.
	if !testing.Short() && (checked < 20 || possible == 0 || possible == checked || zero == 0) {
		t.Errorf("%d tasks checked, %d with a possible shift, %d with free actions: the test sees too little", checked, possible, zero)
	}
}

// chosenOf applies a tie-break to the sequences of one length.
func chosenOf(seqs map[string]bool, length int, tie TieBreak) string {
	var list []string
	for s := range seqs {
		if len(s) == length {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	if tie == LastDeclared {
		return list[len(list)-1]
	}
	return list[0]
}

// TestEquivalentSchedules: what changes the cost of all plans of a blocksworld task by the
// same amount, or by the same factor, changes no optimal plan. In every plan from a
// hand-empty state to another, pick-ups and unstacks are as many as put-downs and stacks,
// and put-downs less pick-ups is fixed.
func TestEquivalentSchedules(t *testing.T) {
	space := budgetSpace(t)
	a, b := space.newAnalyst(), space.newAnalyst()
	pairs := domains.BudgetSet(1)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(pairs)-1).Draw(t, "task")
		initial, goals := placePair(t, space, pairs[i])
		costs := make([]int, 4) // pick-up, unstack, put-down, stack
		for k := range costs {
			costs[k] = rapid.IntRange(1, 20).Draw(t, "cost")
		}
		other := slices.Clone(costs)
		round := rapid.IntRange(-min(costs[0], costs[1])+1, min(costs[2], costs[3])-1).Draw(t, "round")
		other[0], other[1], other[2], other[3] = costs[0]+round, costs[1]+round, costs[2]-round, costs[3]-round
		down := rapid.IntRange(-other[0]+1, other[2]-1).Draw(t, "down")
		other[0], other[2] = other[0]+down, other[2]-down
		factor := rapid.SampledFrom([]string{"1", "3", "1/7", "0.25"}).Draw(t, "factor")
		x := shiftOf(t, a, space, initial, goals, costs, "1")
		y := shiftOf(t, b, space, initial, goals, other, factor)
		if x.Certain != y.Certain || x.Possible != y.Possible || x.Under != y.Under || x.Steps != y.Steps || x.FewestSteps != y.FewestSteps {
			t.Fatalf("%v: %+v\n%v times %s: %+v", costs, x, other, factor, y)
		}
		if x, y := optimalEdges(a, initial), optimalEdges(b, initial); x != y {
			t.Fatalf("%v and %v times %s have different optimal plans", costs, other, factor)
		}
	})
}

// TestClassesOfThePaper: the ten schedules have three sets of optimal plans. [20,1,1,1],
// [1,1,20,1] and [20,1,20,1] share one; [1,20,1,1], [1,1,1,20] and [1,20,1,20] share one that
// is part of that of unit costs; the other four have that of unit costs.
func TestClassesOfThePaper(t *testing.T) {
	space := budgetSpace(t)
	a := space.newAnalyst()
	pairs := domains.BudgetSet(1)
	for i := 0; i < len(pairs); i += 40 {
		initial, goals := placePair(t, space, pairs[i])
		edges := make([]string, len(paperSchedules))
		for k, c := range paperSchedules {
			shiftOf(t, a, space, initial, goals, []int{int(c[0]), int(c[1]), int(c[2]), int(c[3])}, "1")
			edges[k] = optimalEdges(a, initial)
		}
		shiftOf(t, a, space, initial, goals, []int{1, 1, 1, 1}, "1")
		unit := optimalEdges(a, initial)
		for _, equal := range [][]int{{0, 2, 4}, {1, 3, 5}} {
			for _, k := range equal[1:] {
				if edges[k] != edges[equal[0]] {
					t.Errorf("task %d: %v and %v have different optimal plans", i+1, paperSchedules[equal[0]], paperSchedules[k])
				}
			}
		}
		if !contains(unit, edges[1]) {
			t.Errorf("task %d: %v has optimal plans that are none of unit costs", i+1, paperSchedules[1])
		}
		for _, k := range []int{6, 7, 8, 9} {
			if edges[k] != unit {
				t.Errorf("task %d: %v and unit costs have different optimal plans", i+1, paperSchedules[k])
			}
		}
	}
}

// contains reports whether all lines of part are in whole.
func contains(whole, part string) bool {
	have := map[string]bool{}
	for _, line := range strings.Split(whole, "\n") {
		have[line] = true
	}
	for _, line := range strings.Split(part, "\n") {
		if !have[line] {
			return false
		}
	}
	return true
}

// placePair finds the states of a pair in the space by their atoms.
func placePair(t interface{ Fatalf(string, ...any) }, s *sharedSpace, p domains.BudgetPair) (state.StateID, []state.StateID) {
	find := func(b domains.Blocks) state.StateID {
		holds := map[string]bool{"Atom handempty()": true}
		names := domains.BlockNames(len(b))
		for i := range b {
			holds["Atom clear("+names[i]+")"] = !slices.Contains(b, i)
			if b[i] == domains.Table {
				holds["Atom ontable("+names[i]+")"] = true
			} else {
				holds["Atom on("+names[i]+", "+names[b[i]]+")"] = true
			}
		}
		values := make([]int32, len(s.Task().Variables))
		for v := range values {
			variable := &s.Task().Variables[v]
			values[v] = int32(len(variable.Values) - 1) // the negated atom
			for x, name := range variable.Values {
				if holds[name] {
					values[v] = int32(x)
				}
			}
		}
		row, err := s.Pack(values)
		if err != nil {
			t.Fatalf("%v", err)
		}
		id, ok := s.ID(row)
		if !ok {
			t.Fatalf("no state %v", b)
		}
		return id
	}
	return find(p.Init), []state.StateID{find(p.Goal)}
}

func shiftOf(t interface{ Fatalf(string, ...any) }, a *analyst, s *sharedSpace, initial state.StateID, goals []state.StateID, costs []int, factor string) Shift {
	f, _ := pddl.ParseFraction(factor)
	var entries []string
	for k, name := range blocksworldActions {
		n, _ := pddl.ParseFraction(fmt.Sprint(costs[k]))
		entries = append(entries, name+"="+n.Mul(f).String())
	}
	schedule, err := ParseSchedule(strings.Join(entries, ","))
	if err != nil {
		t.Fatalf("%v", err)
	}
	prices, err := s.price(schedule)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := errors.Join(a.setGoal(goals), a.price(prices)); err != nil {
		t.Fatalf("%v", err)
	}
	shift, err := a.shift(initial)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return shift
}

// optimalEdges lists the optimal transitions that optimal plans from a state take.
func optimalEdges(a *analyst, initial state.StateID) string {
	g := optimal{dist: a.cost.Cost, by: a.prices.by}
	var lines []string
	seen, stack := map[state.StateID]bool{initial: true}, []state.StateID{initial}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		next, ops := a.space.Out().Of(s)
		for k, u := range next {
			if !g.has(s, u, a.space.schema[ops[k]]) {
				continue
			}
			lines = append(lines, fmt.Sprint(s, ops[k], u))
			if !seen[u] {
				seen[u] = true
				stack = append(stack, u)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestAnalystForgets: an analyst that has seen other goals and schedules says the same as a new
// one, also of an initial state that it knows.
func TestAnalystForgets(t *testing.T) {
	space := budgetSpace(t)
	used := space.newAnalyst()
	pairs := domains.BudgetSet(1)
	initial, _ := placePair(t, space, pairs[700])
	for i := 0; i < len(pairs); i += 50 {
		_, goals := placePair(t, space, pairs[i])
		for _, costs := range [][]int{{1, 1, 20, 1}, {1, 20, 1, 1}} {
			if x, y := shiftOf(t, used, space, initial, goals, costs, "1"), shiftOf(t, space.newAnalyst(), space, initial, goals, costs, "1"); fmt.Sprint(x) != fmt.Sprint(y) {
				t.Fatalf("goal of task %d, %v: %+v, a new analyst says %+v", i+1, costs, x, y)
			}
		}
	}
}

// TestShiftFreeLoops: where an action that changes nothing is free, plans with and without it
// are optimal, so that a shift is always possible and never certain for that.
func TestShiftFreeLoops(t *testing.T) {
	item := itemOf(t, "x", `(define (domain d) (:predicates (p) (q))
	  (:action wait :parameters () :effect (q))
	  (:action go :parameters () :effect (p)))`, `(define (problem x) (:domain d) (:init (q)) (:goal (p)))`)
	for schedule, want := range map[string]string{"go=1,wait=1": "false false", "go=1,wait=0": "false true", "go=0,wait=0": "false true"} {
		rows, err := Truth(context.Background(), []Item{item}, TruthOptions{Schedules: []Named{{"s", mustSchedule(t, schedule)}}})
		if err != nil {
			t.Fatal(err)
		}
		s := rows[0].Schedules[0].Shift
		if got := fmt.Sprint(s.Certain, s.Possible); got != want || s.Steps != 1 {
			t.Errorf("%s: certain and possible are %s, want %s; %d steps", schedule, got, want, s.Steps)
		}
	}
}

// TestShiftByOneUnit: the least difference there is makes a shift certain, also in units that
// no integer of 64 bits holds.
func TestShiftByOneUnit(t *testing.T) {
	item := itemOf(t, "x", `(define (domain d) (:requirements :negative-preconditions) (:predicates (p) (q))
	  (:action jump :parameters () :effect (p))
	  (:action step :parameters () :precondition (not (q)) :effect (q))
	  (:action last :parameters () :precondition (q) :effect (p)))`, `(define (problem x) (:domain d) (:init) (:goal (p)))`)
	for schedule, want := range map[string]string{
		"jump=3,step=1,last=1": "3 2 true true", "jump=2,step=1,last=1": "2 2 false true", "jump=1,step=1,last=1": "1 1 false false",
		"jump=3/7,step=1/7,last=1/7": "3/7 2/7 true true",
		"jump=30000000000000000000000,step=10000000000000000000000,last=10000000000000000000000": "30000000000000000000000 20000000000000000000000 true true",
	} {
		rows, err := Truth(context.Background(), []Item{item}, TruthOptions{Schedules: []Named{{"s", mustSchedule(t, schedule)}}})
		if err != nil {
			t.Fatal(err)
		}
		s := rows[0].Schedules[0].Shift
		if got := fmt.Sprint(s.UnitCost, s.ScheduleCost, s.Certain, s.Possible); got != want {
			t.Errorf("%s: %s, want %s", schedule, got, want)
		}
	}
	space, err := newSharedSpace(context.Background(), item.Task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := space.price(mustSchedule(t, "jump=0.00000000000000000001,*=1")); err == nil || !strings.Contains(err.Error(), "62 bits") {
		t.Errorf("costs of 67 bits: %v", err)
	}
}
