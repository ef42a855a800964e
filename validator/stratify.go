package validator

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// stratify finds the components of the derived predicates and refuses a
// component in which a predicate depends on its own negation.
func (c *compiler) stratify() {
	j := c.j
	n := len(j.preds)
	uses := make([][]int32, n) // predicates in the bodies, derived or not
	type edge struct {
		from, to int32
		pos      pddl.Pos
	}
	var negative []edge
	fnUses := make([][]int32, n)
	for _, a := range j.dom.Axioms {
		p := int32(a.Pred)
		polarity(a.Body, false, func(f *pddl.Formula, neg bool) {
			switch f.Kind {
			case pddl.FormulaAtom:
				uses[p] = append(uses[p], int32(f.Pred))
				if neg {
					negative = append(negative, edge{p, int32(f.Pred), f.Pos})
				}
			case pddl.FormulaObjectEqual:
				fnUses[p] = append(fnUses[p], int32(f.Func))
			case pddl.FormulaCompare:
				for _, e := range []*pddl.NumExpr{f.Left, f.Right} {
					walkExpr(e, func(e *pddl.NumExpr) {
						if e.Kind == pddl.NumFluent {
							fnUses[p] = append(fnUses[p], int32(e.Func))
						}
					})
				}
			}
		})
	}
	j.scc, j.recurs = components(uses)
	for _, e := range negative {
		if j.scc[e.from] == j.scc[e.to] {
			c.fail(j.dom.Source, e.pos, pddl.AxiomCycle, fmt.Sprintf("the derived predicate %s, which depends on its own negation,", j.dom.Predicates[e.from].Name))
		}
	}
	c.affects(uses, fnUses)
}

// affects inverts the dependencies of derived predicates: it lists what to forget when
// an effect changes a predicate or function. Lists that would become too long are
// replaced by one of all derived predicates: forgetting too much is slow, but not wrong.
func (c *compiler) affects(uses, fnUses [][]int32) {
	j := c.j
	users, fnUsers := make([][]int32, len(uses)), make([][]int32, len(j.fns))
	var all []int32
	for p := range uses {
		if j.preds[p].derived {
			all = append(all, int32(p))
		}
		for _, u := range uses[p] {
			users[u] = append(users[u], int32(p))
		}
		for _, f := range fnUses[p] {
			fnUsers[f] = append(fnUsers[f], int32(p))
		}
	}
	seen := make([]int32, len(uses))
	mark, room := int32(0), affectsAtMost
	above := func(direct []int32) []int32 {
		if room <= 0 {
			return all
		}
		mark++
		var list []int32
		add := func(ps []int32) {
			room -= len(ps)
			for _, p := range ps {
				if seen[p] != mark {
					seen[p] = mark
					list = append(list, p)
				}
			}
		}
		add(direct)
		for i := 0; i < len(list) && room > 0; i++ {
			add(users[list[i]])
		}
		if room <= 0 {
			return all
		}
		slices.Sort(list)
		return list
	}
	for p := range j.preds {
		if j.preds[p].fluent && len(users[p]) > 0 {
			j.preds[p].affects = above(users[p])
		}
	}
	for f := range j.fns {
		if j.fns[f].fluent && len(fnUsers[f]) > 0 {
			j.fns[f].affects = above(fnUsers[f])
		}
	}
}

// affectsAtMost bounds the steps through the dependencies of derived predicates.
const affectsAtMost = 1 << 22

// polarity visits f and what is below it with the sign of each occurrence.
func polarity(f *pddl.Formula, neg bool, visit func(*pddl.Formula, bool)) {
	if f == nil {
		return
	}
	visit(f, neg)
	for i, k := range f.Children {
		n := neg
		if f.Kind == pddl.FormulaNot || f.Kind == pddl.FormulaImply && i == 0 {
			n = !neg
		}
		polarity(k, n, visit)
	}
}

// components numbers the strongly connected components of a graph (Tarjan's
// algorithm on an explicit stack) and reports which nodes lie on a cycle.
func components(edges [][]int32) (comp []int32, cyclic []bool) {
	n := len(edges)
	comp, cyclic = make([]int32, n), make([]bool, n)
	low, num := make([]int32, n), make([]int32, n)
	var stack, path []int32
	next := make([]int, n)
	var count, comps int32
	for root := range edges {
		if num[root] != 0 {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			v := path[len(path)-1]
			if num[v] == 0 {
				count++
				num[v], low[v], comp[v] = count, count, -1
				stack = append(stack, v)
			}
			if i := next[v]; i < len(edges[v]) {
				next[v]++
				w := edges[v][i]
				switch {
				case w == v:
					cyclic[v] = true
				case num[w] == 0:
					path = append(path, w)
				case comp[w] < 0:
					low[v] = min(low[v], num[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				u := path[len(path)-1]
				low[u] = min(low[u], low[v])
			}
			if low[v] == num[v] {
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					comp[w] = comps
					if w != v {
						cyclic[w], cyclic[v] = true, true
					} else {
						break
					}
				}
				comps++
			}
		}
	}
	return comp, cyclic
}
