package pddl

import "strings"

// axiomEdge says that the rule at pos makes a predicate depend on another one.
type axiomEdge struct {
	to       PredicateID
	negative bool
	pos      Pos
}

// checkAxioms refuses derived predicates that depend on their own negation: such
// rules have no stratification and so no least fixpoint (PDDL 2.2).
func (r *reader) checkAxioms() {
	d := r.dom
	if len(d.Axioms) == 0 {
		return
	}
	edges := make([][]axiomEdge, len(d.Predicates))
	for _, ax := range d.Axioms {
		r.axiomEdges(ax.Body, ax.Pred, false, edges)
	}
	comp := components(edges)
	for p := range edges {
		for _, e := range edges[p] {
			if e.negative && comp[p] == comp[e.to] {
				r.errorf(AxiomCycle, int(e.pos), int(e.pos)+1, "derived predicate %s depends on its own negation: %s",
					quote(d.Predicates[p].Name), r.cyclePath(edges, comp, PredicateID(p), e.to))
			}
		}
	}
}

// axiomEdges collects the derived predicates in f. Both sides of an equivalence
// count as positive and negative; `imply` has its left side negated.
func (r *reader) axiomEdges(f *Formula, from PredicateID, negated bool, edges [][]axiomEdge) {
	switch f.Kind {
	case FormulaAtom:
		if r.dom.Predicates[f.Pred].Derived {
			edges[from] = append(edges[from], axiomEdge{f.Pred, negated, f.Pos})
		}
	case FormulaNot:
		r.axiomEdges(f.Children[0], from, !negated, edges)
	case FormulaImply:
		r.axiomEdges(f.Children[0], from, !negated, edges)
		r.axiomEdges(f.Children[1], from, negated, edges)
	default:
		for _, c := range f.Children {
			r.axiomEdges(c, from, negated, edges)
		}
	}
}

// components numbers the strongly connected components (Tarjan 1972).
func components(edges [][]axiomEdge) []int {
	n := len(edges)
	comp, low, num := make([]int, n), make([]int, n), make([]int, n)
	var stack []int
	counter, comps := 0, 0
	for i := range comp {
		comp[i] = -1
	}
	var visit func(v int)
	visit = func(v int) {
		counter++
		num[v], low[v] = counter, counter
		stack = append(stack, v)
		for _, e := range edges[v] {
			w := int(e.to)
			if num[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if comp[w] < 0 {
				low[v] = min(low[v], num[w])
			}
		}
		if low[v] == num[v] {
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				comp[w] = comps
				if w == v {
					break
				}
			}
			comps++
		}
	}
	for v := range edges {
		if num[v] == 0 {
			visit(v)
		}
	}
	return comp
}

// cyclePath writes a shortest way p - to - ... - p inside p's component.
func (r *reader) cyclePath(edges [][]axiomEdge, comp []int, p, to PredicateID) string {
	back := map[PredicateID]PredicateID{to: to}
	queue := []PredicateID{to}
	for len(queue) > 0 && queue[0] != p {
		v := queue[0]
		queue = queue[1:]
		for _, e := range edges[v] {
			if _, seen := back[e.to]; !seen && comp[e.to] == comp[p] {
				back[e.to] = v
				queue = append(queue, e.to)
			}
		}
	}
	path := []string{r.dom.Predicates[p].Name}
	for v := p; v != to; {
		v = back[v]
		path = append(path, r.dom.Predicates[v].Name)
	}
	path = append(path, r.dom.Predicates[p].Name)
	for i, j := 1, len(path)-2; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	if len(path) > 10 {
		path = append(append(path[:5:5], "..."), path[len(path)-4:]...)
	}
	return strings.Join(path, " - ")
}
