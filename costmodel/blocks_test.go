package costmodel

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// The reference: blocksworld as an array, enumerated and searched in a few dozen lines that
// share nothing with the code under test.

// blocks has the support of each block: another block, table or hand.
type blocks [6]int8

const (
	table int8 = -1
	hand  int8 = -2
)

// move is one action: its type is 0 pick-up, 1 unstack, 2 put-down, 3 stack.
type move struct{ kind, to int }

type blocksSpace struct {
	states []blocks
	number map[blocks]int
	moves  [][]move
	back   [][]move // moves into each state; to is where they come from
}

func newBlocksSpace() *blocksSpace {
	b := &blocksSpace{number: map[blocks]int{}}
	find := func(s blocks) int {
		if n, ok := b.number[s]; ok {
			return n
		}
		b.number[s] = len(b.states)
		b.states = append(b.states, s)
		return len(b.states) - 1
	}
	find(blocks{table, table, table, table, table, table})
	for n := 0; n < len(b.states); n++ {
		s := b.states[n]
		clear, held := [6]bool{true, true, true, true, true, true}, -1
		for i, on := range s {
			if on >= 0 {
				clear[on] = false
			}
			if on == hand {
				clear[i], held = false, i
			}
		}
		var moves []move
		put := func(block int, on int8, kind int) {
			t := s
			t[block] = on
			moves = append(moves, move{kind, find(t)})
		}
		for i := range s {
			switch {
			case held < 0 && clear[i] && s[i] == table:
				put(i, hand, 0)
			case held < 0 && clear[i]:
				put(i, hand, 1)
			case held == i:
				put(i, table, 2)
			case held >= 0 && clear[i]:
				put(held, int8(i), 3)
			}
		}
		b.moves = append(b.moves, moves)
	}
	b.back = make([][]move, len(b.states))
	for n, moves := range b.moves {
		for _, m := range moves {
			b.back[m.to] = append(b.back[m.to], move{m.kind, n})
		}
	}
	return b
}

// distances is Dijkstra's algorithm towards a goal with one bucket for each distance.
func (b *blocksSpace) distances(goal int, cost [4]int) []int {
	dist := make([]int, len(b.states))
	for i := range dist {
		dist[i] = math.MaxInt
	}
	dist[goal] = 0
	buckets := [][]int{{goal}}
	for d := 0; d < len(buckets); d++ {
		for i := 0; i < len(buckets[d]); i++ {
			s := buckets[d][i]
			if dist[s] != d {
				continue
			}
			for _, m := range b.back[s] {
				if next := d + cost[m.kind]; next < dist[m.to] {
					dist[m.to] = next
					if len(buckets) <= next {
						buckets = append(buckets, make([][]int, next+1000-len(buckets))...)
					}
					buckets[next] = append(buckets[next], m.to)
				}
			}
		}
	}
	return dist
}

// sequences lists the type sequences of all optimal plans from a state, but no more than
// two: whether there is only one is all that matters.
func (b *blocksSpace) sequences(s, goal int, dist []int, cost [4]int, memo map[int][]string) []string {
	if s == goal {
		return []string{""}
	}
	if known, ok := memo[s]; ok {
		return known
	}
	var found []string
	for _, m := range b.moves[s] {
		if dist[m.to]+cost[m.kind] != dist[s] {
			continue
		}
		for _, rest := range b.sequences(m.to, goal, dist, cost, memo) {
			seq := fmt.Sprint(m.kind) + rest
			if len(found) == 0 || len(found) == 1 && found[0] != seq {
				found = append(found, seq)
			}
		}
	}
	memo[s] = found
	return found
}

// paperCosts in the order of the types above.
func paperCosts(i int) (c [4]int) {
	for k, n := range paperSchedules[i] {
		c[k] = int(n)
	}
	return c
}

// lexicographic adds costs that count only between equals in the first ones; sums of the
// second ones are below the scale.
func lexicographic(first, second [4]int, scale int) (c [4]int) {
	for k := range c {
		c[k] = scale*first[k] + second[k]
	}
	return c
}

var unitCosts = [4]int{1, 1, 1, 1}

// budgetSpace grounds task 1 of the reference set and enumerates its space.
func budgetSpace(t testing.TB) *sharedSpace {
	t.Helper()
	d, p, err := domains.Load("budget-blocksworld:1-1")
	if err != nil {
		t.Fatal(err)
	}
	task, err := Ground(context.Background(), parse(t, d.Text, p.Text), grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSharedSpace(context.Background(), task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// placeTask finds the states of a pair in the space by reading the task's PDDL, as commands do.
func placeTask(t testing.TB, s *sharedSpace, set, number int) (state.StateID, []state.StateID) {
	t.Helper()
	d, p, err := domains.Load(fmt.Sprintf("budget-blocksworld:%d-%d", set, number))
	if err != nil {
		t.Fatal(err)
	}
	task, err := Ground(context.Background(), parse(t, d.Text, p.Text), grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if spaceKey(task) != spaceKey(s.Task()) {
		t.Fatalf("task %d has another space", number)
	}
	initial, goals, ok, err := s.place(task)
	if err != nil || !ok || len(goals) != 1 {
		t.Fatalf("task %d: %d goal states, %v, %v", number, len(goals), ok, err)
	}
	return initial, goals
}

func toBlocks(s domains.Blocks) (b blocks) {
	for i, on := range s {
		b[i] = int8(on)
	}
	return b
}

// TestShiftsAgainstEnumeration compares costs, steps and shift marks with the reference,
// for every 30th task of the reference set; for all with PLANPROOF_ALL_TASKS=1, in a minute.
func TestShiftsAgainstEnumeration(t *testing.T) {
	reference, space := newBlocksSpace(), budgetSpace(t)
	if len(reference.states) != 7057 || space.Len() != 7057 {
		t.Fatalf("%d and %d states", len(reference.states), space.Len())
	}
	pairs, stride := domains.BudgetSet(1), 30
	if os.Getenv("PLANPROOF_ALL_TASKS") != "" {
		stride = 1
	}
	var prices []*prices
	for _, n := range PaperSchedules() {
		p, err := space.price(n.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		prices = append(prices, p)
	}
	a := space.newAnalyst()
	tasks, certain, possible := 0, [10]int{}, [10]int{}
	for i := 0; i < len(pairs); i += stride {
		tasks++
		from, goal := reference.number[toBlocks(pairs[i].Init)], reference.number[toBlocks(pairs[i].Goal)]
		initial, goals := placeTask(t, space, 1, i+1)
		if err := a.setGoal(goals); err != nil {
			t.Fatal(err)
		}
		steps := reference.distances(goal, unitCosts)
		shortest := reference.sequences(from, goal, steps, unitCosts, map[int][]string{})
		for k := range prices {
			costs := paperCosts(k)
			dist := reference.distances(goal, costs)
			cheapest := reference.sequences(from, goal, dist, costs, map[int][]string{})
			unitFirst := reference.distances(goal, lexicographic(unitCosts, costs, 1000))[from]
			costFirst := reference.distances(goal, lexicographic(costs, unitCosts, 100))[from]
			isCertain := unitFirst%1000 > dist[from]
			isPossible := len(shortest) > 1 || len(cheapest) > 1 || shortest[0] != cheapest[0]
			if isCertain {
				certain[k]++
			}
			if isPossible {
				possible[k]++
			}
			if err := a.price(prices[k]); err != nil {
				t.Fatal(err)
			}
			s, err := a.shift(initial)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(s.FewestSteps, s.ScheduleCost, s.UnitCost, s.Steps, s.Certain, s.Possible)
			want := fmt.Sprint(steps[from], dist[from], unitFirst%1000, costFirst%100, isCertain, isPossible)
			if got != want {
				t.Fatalf("task %d under %v: steps, cost, cost of shortest, its steps, certain, possible are %s, want %s", i+1, costs, got, want)
			}
			if k == 2 && s.Steps != int64(pairs[i].Steps) {
				t.Fatalf("task %d has %d steps, the set says %d", i+1, s.Steps, pairs[i].Steps)
			}
		}
	}
	t.Logf("of %d tasks: certain %v, possible %v", tasks, certain, possible)
}

// TestShiftRatesOverAllPairs counts over all 16,406,550 ordered pairs of distinct hand-empty
// states: renaming blocks changes nothing, so one goal of each shape stands for all of its
// shape. It takes a minute and is for documentation; PLANPROOF_ALL_TASKS=1 runs it.
func TestShiftRatesOverAllPairs(t *testing.T) {
	if os.Getenv("PLANPROOF_ALL_TASKS") == "" {
		t.Skip("a minute; PLANPROOF_ALL_TASKS=1 runs it")
	}
	space := budgetSpace(t)
	shape := func(s domains.Blocks) string {
		var heights []int
		for i, on := range s {
			if on != domains.Table {
				continue
			}
			h := 1
			for top := i; ; h++ {
				if top = slices.Index(s, top); top < 0 {
					break
				}
			}
			heights = append(heights, h)
		}
		slices.Sort(heights)
		return fmt.Sprint(heights)
	}
	var all []domains.Blocks
	goals, weight := map[string]domains.Blocks{}, map[string]int64{}
	for i := range int64(4051) {
		s := domains.BlocksworldState(6, big.NewInt(i))
		all = append(all, s)
		goals[shape(s)] = s
		weight[shape(s)]++
	}
	ids := make([]state.StateID, len(all))
	for i, s := range all {
		ids[i], _ = placePair(t, space, domains.BudgetPair{Init: s, Goal: s})
	}
	var pairs int64
	var certain, possible [10]int64
	for name, goal := range goals {
		_, at := placePair(t, space, domains.BudgetPair{Init: goal, Goal: goal})
		pairs += weight[name] * int64(len(all)-1)
		a := space.newAnalyst()
		if err := a.setGoal(at); err != nil {
			t.Fatal(err)
		}
		for k, n := range PaperSchedules() {
			p, err := space.price(n.Schedule)
			if err == nil {
				err = a.price(p)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				s, err := a.shift(id)
				if err != nil {
					t.Fatal(err)
				}
				if s.Certain {
					certain[k] += weight[name]
				}
				if s.Possible {
					possible[k] += weight[name]
				}
			}
		}
	}
	three, seven := [2]int64{4_199_640, 13_668_960}, [2]int64{0, 12_611_040} // certain, possible
	for k, c := range paperSchedules {
		want := seven
		if k == 0 || k == 2 || k == 4 {
			want = three
		}
		if got := [2]int64{certain[k], possible[k]}; got != want || pairs != 16_406_550 {
			t.Errorf("%v: %d of %d pairs, want %d", c, got, pairs, want)
		}
	}
}
