package pddl

import "strings"

// orderSlots renumbers the variables of a PDDL 1.2 axiom so that the arguments of
// its head come first, in their order, and binds the other variables by a
// quantifier around the body. It reports false if the head repeats a variable or
// holds a constant.
func (r *reader) orderSlots(ax *Axiom, head *Formula) bool {
	n := len(ax.Vars)
	to := make([]int32, n)
	for i := range to {
		to[i] = -1
	}
	next := int32(0)
	for _, t := range head.Args {
		if !t.IsVar() || to[t.Slot()] >= 0 {
			return false
		}
		to[t.Slot()] = next
		next++
	}
	var free []int32
	for i := range to {
		if to[i] < 0 {
			if i < ax.NumParams {
				free = append(free, next)
			}
			to[i] = next
			next++
		}
	}
	vars := make([]Variable, n)
	for i, v := range ax.Vars {
		vars[to[i]] = v
	}
	ax.Vars, ax.NumParams = vars, len(head.Args)
	renumber(ax.Body, to)
	if len(free) > 0 {
		r.use(usesExistential, int(ax.Body.Pos))
		f := r.newFormula(FormulaExists, int(ax.Body.Pos))
		f.Bound, f.Children = free, []*Formula{ax.Body}
		ax.Body = f
	}
	return true
}

func renumberTerms(ts []Term, to []int32) {
	for i, t := range ts {
		if t.IsVar() {
			ts[i] = VarTerm(int(to[t.Slot()]))
		}
	}
}

func renumber(f *Formula, to []int32) {
	renumberTerms(f.Args, to)
	if f.Kind == FormulaObjectEqual && f.Value.IsVar() {
		f.Value = VarTerm(int(to[f.Value.Slot()]))
	}
	for i, b := range f.Bound {
		f.Bound[i] = to[b]
	}
	if f.Left != nil {
		renumberExpr(f.Left, to)
		renumberExpr(f.Right, to)
	}
	for _, c := range f.Children {
		renumber(c, to)
	}
}

func renumberExpr(e *NumExpr, to []int32) {
	renumberTerms(e.Args, to)
	for _, c := range e.Children {
		renumberExpr(c, to)
	}
}

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

// checkAddDelete warns where one effect adds and deletes the same atom under the
// same circumstances: the add wins, which is seldom what was meant.
func (r *reader) checkAddDelete(e *Effect) {
	var adds, dels [3][]*Effect // at no time, at start, at end
	var gather func(e *Effect, at int)
	gather = func(e *Effect, at int) {
		switch e.Kind {
		case EffectAdd:
			adds[at] = append(adds[at], e)
		case EffectDelete:
			dels[at] = append(dels[at], e)
		case EffectAnd:
			for _, c := range e.Children {
				gather(c, at)
			}
		case EffectAtStart:
			gather(e.Children[0], 1)
		case EffectAtEnd:
			gather(e.Children[0], 2)
		case EffectWhen, EffectForall:
			r.checkAddDelete(e.Children[0])
		}
	}
	gather(e, 0)
	for at := range adds {
		r.sameAtoms(adds[at], dels[at])
	}
}

func (r *reader) sameAtoms(adds, dels []*Effect) {
	if len(adds) == 0 || len(dels) == 0 {
		return
	}
	seen := make(map[string]*Effect, len(adds))
	for _, a := range adds {
		seen[effectKey(a)] = a
	}
	for _, d := range dels {
		if a := seen[effectKey(d)]; a != nil {
			at := max(a.Pos, d.Pos)
			r.add(Warning, AddAndDelete, int(at), int(at)+1, "",
				"an effect both adds and deletes an atom of "+quote(r.dom.Predicates[a.Pred].Name)+"; the add wins")
		}
	}
}

func effectKey(e *Effect) string {
	b := make([]byte, 0, 4+4*len(e.Args))
	put := func(v int32) { b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }
	put(int32(e.Pred))
	for _, t := range e.Args {
		put(int32(t))
	}
	return string(b)
}
