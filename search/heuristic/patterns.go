package heuristic

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// choosePatterns lists patterns of state variables for t, none with more than states
// combinations of values:
//
//   - every goal variable alone;
//   - every pair of a goal variable and a variable from which an operator that changes it
//     draws a precondition, and every pair of goal variables that one operator changes
//     (the interesting patterns of size two; Pommerening, Röger and Helmert, IJCAI 2013);
//   - for every goal variable, the pattern that grows from it along the causal graph, nearest
//     variables first, as far as states allows.
//
// Goals on derived variables give no pattern. The list is short where the budget ends.
func choosePatterns(t *grounder.Task, states int64, b *Budget) [][]int32 {
	g := newCausalGraph(t, b)
	var out [][]int32
	seen := map[string]bool{}
	add := func(vars ...int32) {
		p := slices.Clone(vars)
		slices.Sort(p)
		if k := fmt.Sprint(p); !seen[k] && product(t, p) <= states {
			seen[k] = true
			out = append(out, p)
		}
	}
	var goals []int32
	for _, f := range t.Goal {
		if t.Variables[f.Var].Layer < 0 {
			goals = append(goals, f.Var)
		}
	}
	for _, v := range goals {
		if !b.spend(len(t.Variables)) {
			return nil
		}
		if p := g.grow(t, v, goals, states); len(p) > 2 {
			add(p...)
		}
	}
	for _, v := range goals {
		for _, u := range g.pre[v] {
			add(u, v)
		}
		for _, u := range g.together[v] {
			if slices.Contains(goals, u) {
				add(u, v)
			}
		}
	}
	for _, v := range goals {
		add(v)
	}
	return out
}

// product returns the number of abstract states of a pattern, cut off at 2^31.
func product(t *grounder.Task, vars []int32) int64 {
	n := int64(1)
	for _, v := range vars {
		n = min(n*int64(t.Variables[v].Size()), 1<<31)
	}
	return n
}

// causalGraph lists, for each state variable, the state variables in preconditions (and
// conditions) of operators that change it, and those that change with it, sorted.
type causalGraph struct {
	pre, together [][]int32
}

func newCausalGraph(t *grounder.Task, b *Budget) *causalGraph {
	g := &causalGraph{pre: make([][]int32, len(t.Variables)), together: make([][]int32, len(t.Variables))}
	arc := func(list [][]int32, from, to int32) {
		if from != to && t.Variables[from].Layer < 0 && len(list[to]) < maxArcs {
			if i, ok := slices.BinarySearch(list[to], from); !ok {
				list[to] = slices.Insert(list[to], i, from)
			}
		}
	}
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		for i := range op.Effects {
			e := &op.Effects[i]
			if !b.spend(len(op.Pre) + len(e.Cond) + len(op.Effects)) {
				return g
			}
			for _, f := range op.Pre {
				arc(g.pre, f.Var, e.Var)
			}
			for _, f := range e.Cond {
				arc(g.pre, f.Var, e.Var)
			}
			for j := range op.Effects {
				arc(g.together, op.Effects[j].Var, e.Var)
			}
		}
	}
	return g
}

// maxArcs bounds the neighbours of a variable that are looked at.
const maxArcs = 64

// grow extends the pattern {v} along the causal graph, nearest variables first (goal
// variables before others, then by index) while it has at most states abstract states.
func (g *causalGraph) grow(t *grounder.Task, v int32, goals []int32, states int64) []int32 {
	pattern := []int32{v}
	n := product(t, pattern)
	in := map[int32]bool{v: true}
	for frontier := []int32{v}; len(frontier) > 0; {
		var next []int32
		for _, x := range frontier {
			for _, list := range [][]int32{g.pre[x], g.together[x]} {
				for _, u := range list {
					if !in[u] {
						in[u] = true
						next = append(next, u)
					}
				}
			}
		}
		slices.SortStableFunc(next, func(a, b int32) int {
			return boolInt(!slices.Contains(goals, a)) - boolInt(!slices.Contains(goals, b))
		})
		frontier = frontier[:0]
		for _, u := range next {
			if size := int64(t.Variables[u].Size()); n*size <= states {
				n *= size
				pattern = append(pattern, u)
				frontier = append(frontier, u)
			}
		}
	}
	return pattern
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
