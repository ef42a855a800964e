package naive

import (
	"fmt"
	"strings"
)

// Solution is the result of Solve.
type Solution struct {
	Cost   int
	Plan   []string
	States int // expanded
}

// Solve finds a cheapest plan; ok is false if there is none. It panics after limit
// states.
func (t *Task) Solve(limit int) (solution Solution, ok bool) {
	type entry struct {
		s      state
		cost   int
		parent string
		action string
		closed bool
	}
	root := t.init.key()
	seen := map[string]*entry{root: {s: t.init}}
	buckets := [][]string{{root}}
	for cost := 0; cost < len(buckets); cost++ {
		for i := 0; i < len(buckets[cost]); i++ {
			key := buckets[cost][i]
			e := seen[key]
			if e.closed || e.cost < cost {
				continue
			}
			e.closed = true
			if solution.States++; solution.States > limit {
				panic(fmt.Sprintf("naive: more than %d states", limit))
			}
			if t.holds(t.goal, t.complete(e.s), nil) {
				solution.Cost = cost
				for key != root {
					solution.Plan = append([]string{seen[key].action}, solution.Plan...)
					key = seen[key].parent
				}
				return solution, true
			}
			for _, st := range t.steps(e.s) {
				k, c := st.next.key(), cost+st.cost
				if old := seen[k]; old == nil || c < old.cost {
					seen[k] = &entry{s: st.next, cost: c, parent: key, action: st.name}
					for len(buckets) <= c {
						buckets = append(buckets, nil)
					}
					buckets[c] = append(buckets[c], k)
				}
			}
		}
	}
	return solution, false
}

// Distances returns the cost of a cheapest plan from every reachable state, by key; states
// from which the goal is unreachable are left out. It panics after limit states.
func (t *Task) Distances(limit int) map[string]int {
	type edge struct {
		from string
		cost int
	}
	backward := map[string][]edge{}
	queue := []state{t.init}
	seen := map[string]bool{t.init.key(): true}
	buckets := [][]string{nil}
	for i := 0; i < len(queue); i++ {
		if i >= limit {
			panic(fmt.Sprintf("naive: more than %d states", limit))
		}
		key := queue[i].key()
		if t.holds(t.goal, t.complete(queue[i]), nil) {
			buckets[0] = append(buckets[0], key)
		}
		for _, st := range t.steps(queue[i]) {
			k := st.next.key()
			backward[k] = append(backward[k], edge{key, st.cost})
			if !seen[k] {
				seen[k] = true
				queue = append(queue, st.next)
			}
		}
	}
	distance := map[string]int{}
	for d := 0; d < len(buckets); d++ {
		for i := 0; i < len(buckets[d]); i++ {
			k := buckets[d][i]
			if _, done := distance[k]; done {
				continue
			}
			distance[k] = d
			for _, e := range backward[k] {
				for len(buckets) <= d+e.cost {
					buckets = append(buckets, nil)
				}
				buckets[d+e.cost] = append(buckets[d+e.cost], e.from)
			}
		}
	}
	return distance
}

// Actions lists the names of the actions.
func (t *Task) Actions() []string {
	var names []string
	for _, a := range t.actions {
		names = append(names, a.name)
	}
	return names
}

// State is a state without derived facts, for walks.
type State = state

// Initial returns the initial state.
func (t *Task) Initial() State { return t.init }

// Key names a state as Distances does.
func (t *Task) Key(s State) string { return s.key() }

// Successors returns the applicable actions and the states they lead to.
func (t *Task) Successors(s State) (names []string, next []State) {
	for _, st := range t.steps(s) {
		names, next = append(names, st.name), append(next, st.next)
	}
	return names, next
}

// Run applies the longest applicable prefix of a plan, whose steps are written as by Solve.
func (t *Task) Run(plan []string) (executed, cost int, goal bool, key string) {
	s := t.init
	for _, name := range plan {
		var found *step
		for _, st := range t.steps(s) {
			if st.name == strings.ToLower(name) {
				found = &st
				break
			}
		}
		if found == nil {
			break
		}
		s, cost = found.next, cost+found.cost
		executed++
	}
	return executed, cost, t.holds(t.goal, t.complete(s), nil), s.key()
}
