package domains

import (
	"cmp"
	"fmt"
	"math/big"
	"sync"

	"github.com/emirpasic/gods/queues/priorityqueue"
)

// BudgetTasks is the number of tasks of a set of Budget-BlocksWorld.
const BudgetTasks = 1008

// MaxBudgetSet is the largest number of a set of Budget-BlocksWorld tasks.
const MaxBudgetSet = 1_000_000_000

// budgetBlocks is the number of blocks of all its tasks.
const budgetBlocks = 6

// budgetHistogram returns the number of tasks of each length in every set. The length of
// a task is the number of steps of its shortest plan among the cheapest ones under the
// costs pick-up 1, unstack 1, put-down 20, stack 1. The counts are those of the
// Budget-BlocksWorld paper (appendix A).
func budgetHistogram() map[int]int {
	return map[int]int{
		2: 5, 4: 12, 6: 29, 8: 67, 10: 108, 12: 177, 14: 191, 16: 163,
		18: 109, 20: 78, 22: 33, 24: 20, 26: 7, 28: 6, 30: 2, 32: 1,
	}
}

// BudgetPair is one task of Budget-BlocksWorld.
type BudgetPair struct {
	Init, Goal Blocks
	// Steps is the number of steps of a shortest plan among the cheapest ones under the
	// costs pick-up 1, unstack 1, put-down 20, stack 1.
	Steps int
}

// BudgetSet returns the tasks of a set, 1 <= set <= MaxBudgetSet, by increasing length;
// set 1 is the reference set. It panics outside that range. The tasks are a uniform sample
// of the pairs of distinct hand-empty states of six blocks with a given number of tasks of
// each length: pairs are drawn by splitmix64, seeded with the number of the set, and
// skipped if they were drawn before or if there are enough of their length. Tasks of the
// same length keep the order in which they were drawn.
func BudgetSet(set int) []BudgetPair {
	if set < 1 || set > MaxBudgetSet {
		panic(fmt.Sprintf("domains: Budget-BlocksWorld has no set %d", set))
	}
	l := budgetLengths()
	open, left := budgetHistogram(), BudgetTasks
	byLength := map[int][]BudgetPair{}
	drawn := map[[2]int]bool{}
	r := newRandom(uint64(budgetBlocks), uint64(set))
	for left > 0 {
		i, j := r.intn(len(l.states)), r.intn(len(l.states))
		if i == j || drawn[[2]int{i, j}] {
			continue
		}
		drawn[[2]int{i, j}] = true
		p := BudgetPair{Init: l.states[i], Goal: l.states[j]}
		p.Steps = l.steps(p.Init, p.Goal)
		if open[p.Steps] > 0 {
			open[p.Steps]--
			left--
			byLength[p.Steps] = append(byLength[p.Steps], p)
		}
	}
	tasks := make([]BudgetPair, 0, BudgetTasks)
	for steps := 0; len(tasks) < BudgetTasks; steps++ {
		tasks = append(tasks, byLength[steps]...)
	}
	return tasks
}

// lastBudgetSet caches the last set used: tasks of a set are loaded one after another.
var lastBudgetSet struct {
	sync.Mutex
	set   int
	tasks []BudgetPair
}

func budgetProblem(name string, params []int, k *big.Int) string {
	last := &lastBudgetSet
	last.Lock()
	if last.set != params[0] {
		last.set, last.tasks = params[0], BudgetSet(params[0])
	}
	p := last.tasks[k.Int64()-1]
	last.Unlock()
	return BlocksworldProblem(name, p.Init, p.Goal)
}

// lengths holds the length of every pair of states of six blocks. Renaming the blocks does
// not change a length, so it is enough to keep the lengths to one goal of each shape; there
// are eleven, the partitions of six blocks into towers.
type lengths struct {
	states []Blocks
	index  map[[budgetBlocks]int8]int
	// toward has the length from every state to the canonical goal of a shape.
	toward map[[budgetBlocks]int8][]int32
}

var budgetLengths = sync.OnceValue(func() *lengths {
	l := &lengths{index: map[[budgetBlocks]int8]int{}, toward: map[[budgetBlocks]int8][]int32{}}
	c := newBlocksCounter(budgetBlocks)
	for i := int64(0); i < c.ways[0][budgetBlocks].Int64(); i++ {
		s := c.state(big.NewInt(i))
		l.index[pack(s)] = len(l.states)
		l.states = append(l.states, s)
	}
	for _, s := range l.states {
		shape := pack(rename(s, canonicalNames(s)))
		if l.toward[shape] == nil {
			l.toward[shape] = l.search(l.index[shape])
		}
	}
	return l
})

func pack(s Blocks) (p [budgetBlocks]int8) {
	for i, under := range s {
		p[i] = int8(under)
	}
	return p
}

// canonicalNames returns new names for the blocks of a state: numbers, from the highest
// tower to the lowest and in each tower from the bottom up.
func canonicalNames(s Blocks) []int {
	above := make([]int, len(s))
	for i := range above {
		above[i] = Table
	}
	for i, under := range s {
		if under != Table {
			above[under] = i
		}
	}
	names, next := make([]int, len(s)), 0
	for height := len(s); height > 0; height-- {
		for bottom, under := range s {
			if under != Table {
				continue
			}
			h := 0
			for b := bottom; b != Table; b = above[b] {
				h++
			}
			if h != height {
				continue
			}
			for b := bottom; b != Table; b = above[b] {
				names[b] = next
				next++
			}
		}
	}
	return names
}

func rename(s Blocks, names []int) Blocks {
	renamed := make(Blocks, len(s))
	for i, under := range s {
		if under != Table {
			under = names[under]
		}
		renamed[names[i]] = under
	}
	return renamed
}

// steps returns the length of the pair.
func (l *lengths) steps(init, goal Blocks) int {
	names := canonicalNames(goal)
	toward := l.toward[pack(rename(goal, names))]
	return int(toward[l.index[pack(rename(init, names))]])
}

// search runs Dijkstra's algorithm backwards from a goal. A cheapest plan picks up a block
// only to put it somewhere else, so plans are sequences of moves of two steps. Costs are
// compared first, then steps.
func (l *lengths) search(goal int) []int32 {
	const (
		onto   = 1 + 1  // pick-up or unstack, then stack
		toDesk = 1 + 20 // unstack, then put-down
		scale  = 1 << 10
	)
	best := make([]int64, len(l.states)) // cost * scale + steps, plus one; 0 is unknown
	done := make([]bool, len(l.states))
	steps := make([]int32, len(l.states))
	queue := priorityqueue.NewWith(func(a, b any) int { return cmp.Compare(a.(keyedState).key, b.(keyedState).key) })
	queue.Enqueue(keyedState{1, goal})
	best[goal] = 1
	for !queue.Empty() {
		first, _ := queue.Dequeue()
		top := first.(keyedState)
		if done[top.state] {
			continue
		}
		done[top.state] = true
		steps[top.state] = int32((top.key - 1) % scale)
		s := l.states[top.state]
		var covered [budgetBlocks]bool
		for _, under := range s {
			if under != Table {
				covered[under] = true
			}
		}
		for b, to := range s { // the last move brought b to where it is
			if covered[b] {
				continue
			}
			for from := Table; from < len(s); from++ {
				if from == to || from == b || from != Table && covered[from] {
					continue
				}
				cost := int64(onto)
				if to == Table {
					cost = toDesk
				}
				before := pack(s)
				before[b] = int8(from)
				i, key := l.index[before], top.key+cost*scale+2
				if best[i] == 0 || key < best[i] {
					best[i] = key
					queue.Enqueue(keyedState{key, i})
				}
			}
		}
	}
	return steps
}

type keyedState struct {
	key   int64
	state int
}
