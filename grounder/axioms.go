package grounder

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/pddl"
)

// axiomTable collects ground axioms: heads[i] holds when bodies[i] does.
type axiomTable struct {
	heads      []int32
	bodies     [][]glit
	lits       arena[glit]
	universals []*instances
	constant   []truth // by atom: derived atoms that do not depend on the state
}

func (t *axiomTable) add(head int32, body []glit) {
	sorted := t.lits.copy(body)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1].negated() {
			return // contradictory
		}
	}
	if _, found := slices.BinarySearch(sorted, newLit(head, false)); found {
		return // derives what it needs
	}
	t.heads = append(t.heads, head)
	t.bodies = append(t.bodies, sorted)
}

// groundAxioms instantiates the rules and the universal formulas of actions and
// simplifies the resulting axioms.
func (g *grounder) groundAxioms() {
	var buf []glit
	for _, r := range g.rules {
		env := make([]pddl.ObjectID, len(r.types))
		for t := range r.count {
			bind(env, r.vars, r.tuples.at(t))
			g.tick()
			var ok bool
			if buf, ok = g.conjunction(buf[:0], &r.body, env); ok {
				g.axioms.add(g.lookup(r.pred, r.args, env), buf)
			}
		}
		r.tuples = tuples{}
	}
	for _, a := range g.actions {
		if a.hasUniv {
			g.expandUniversals(a)
		}
	}
	g.foldConstants()
	g.dropDominated()
}

func bind(env []pddl.ObjectID, slots []int32, objs []pddl.ObjectID) {
	for i, s := range slots {
		env[s] = objs[i]
	}
}

// expandUniversals fills the cache of universal formulas for all instances of an
// action, so that their axioms are simplified with the others.
func (g *grounder) expandUniversals(a *action) {
	env := make([]pddl.ObjectID, len(a.types))
	each := func(c *conj, j *join) {
		if len(c.univ) == 0 {
			return
		}
		run := func(env []pddl.ObjectID) {
			for _, u := range c.univ {
				g.universal(u, env)
			}
		}
		if j == nil {
			run(env)
			return
		}
		copy(j.env, env)
		j.each(func() bool { run(j.env); return false })
	}
	for t := range a.count {
		bind(env, a.params, a.tuples.at(t))
		g.tick()
		each(&a.pre, nil)
		for i := range a.effects {
			each(&a.effects[i].cond, a.effects[i].join)
		}
		for i := range a.costs {
			each(&a.costs[i].cond, a.costs[i].join)
		}
	}
}

// foldConstants finds derived atoms that are always or never true and removes them
// from bodies. Two fixpoints alternate until nothing changes: an atom that no chain of
// axioms can derive is never true; a body whose literals are all constantly true makes
// its head always true.
func (g *grounder) foldConstants() {
	t := &g.axioms
	t.constant = make([]truth, g.atoms)
	derived := func(a int32) bool { p := g.preds[g.atomPred[a]]; return p.derived && !p.numeric }
	for {
		possible := g.possibleHeads(derived)
		changed := false
		for a := range int32(g.atoms) {
			if derived(a) && !possible[a] && t.constant[a] == open {
				t.constant[a], changed = never, true
			}
		}
		n := 0
		for i, body := range t.bodies {
			if t.constant[t.heads[i]] != open {
				continue
			}
			body, ok := g.settleBody(body)
			if !ok {
				changed = true
				continue
			}
			if len(body) == 0 {
				t.constant[t.heads[i]], changed = always, true
				continue
			}
			t.heads[n], t.bodies[n] = t.heads[i], body
			n++
		}
		t.heads, t.bodies = t.heads[:n], t.bodies[:n]
		if !changed {
			return
		}
	}
}

// settleBody removes constant literals in place. It reports false if one is never true.
func (g *grounder) settleBody(body []glit) ([]glit, bool) {
	kept := body[:0]
	for _, l := range body {
		l, t := g.settled(l)
		if t == never {
			return nil, false
		}
		if t == open {
			kept = append(kept, l)
		}
	}
	return kept, true
}

// possibleHeads computes which derived atoms a chain of axioms can derive, assuming
// that every literal except positive derived atoms can hold.
func (g *grounder) possibleHeads(derived func(int32) bool) []bool {
	t := &g.axioms
	possible := make([]bool, g.atoms)
	missing := make([]int32, len(t.bodies))
	waiting := make(map[int32][]int32)
	var queue []int32
	reached := func(a int32) {
		if !possible[a] {
			possible[a] = true
			queue = append(queue, a)
		}
	}
	for a, c := range t.constant {
		if c == always {
			possible[a] = true
		}
	}
	for i, body := range t.bodies {
		for _, l := range body {
			if a := l.atom(); !l.neg() && derived(a) && !possible[a] {
				missing[i]++
				waiting[a] = append(waiting[a], int32(i))
			}
		}
	}
	for i := range t.bodies {
		if missing[i] == 0 {
			reached(t.heads[i])
		}
	}
	for len(queue) > 0 {
		a := queue[0]
		queue = queue[1:]
		for _, i := range waiting[a] {
			if missing[i]--; missing[i] == 0 {
				reached(t.heads[i])
			}
		}
	}
	return possible
}

// dropDominated removes axioms whose body contains the body of another axiom of
// the same head.
func (g *grounder) dropDominated() {
	t := &g.axioms
	order := make([]int32, len(t.heads))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		if t.heads[a] != t.heads[b] {
			return int(t.heads[a]) - int(t.heads[b])
		}
		return len(t.bodies[a]) - len(t.bodies[b])
	})
	var heads []int32
	var bodies [][]glit
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && t.heads[order[to]] == t.heads[order[from]] {
			to++
		}
		for _, body := range g.undominated(order[from:to]) {
			heads, bodies = append(heads, t.heads[order[from]]), append(bodies, body)
		}
		from = to
	}
	t.heads, t.bodies = heads, bodies
}

// undominated returns the minimal bodies of axioms with the same head, which come by
// increasing length. Each kept body is filed under its rarest literal, so that a body
// is compared with few others.
func (g *grounder) undominated(axioms []int32) [][]glit {
	t := &g.axioms
	if len(axioms) == 1 {
		return [][]glit{t.bodies[axioms[0]]}
	}
	count := make(map[glit]int)
	for _, id := range axioms {
		for _, l := range t.bodies[id] {
			count[l]++
		}
	}
	var kept [][]glit
	filed := make(map[glit][]int32)
next:
	for _, id := range axioms {
		body := t.bodies[id]
		rarest := body[0]
		for _, l := range body {
			for _, k := range filed[l] {
				g.tick()
				if subset(kept[k], body) {
					continue next
				}
			}
			if count[l] < count[rarest] {
				rarest = l
			}
		}
		filed[rarest] = append(filed[rarest], int32(len(kept)))
		kept = append(kept, body)
	}
	return kept
}

// subset reports whether sorted a is contained in sorted b.
func subset(a, b []glit) bool {
	i := 0
	for _, l := range b {
		if i < len(a) && a[i] == l {
			i++
		}
	}
	return i == len(a)
}

// layers assigns each derived variable the lowest layer that its axioms allow: at least
// that of the variables a body needs derived, above those it needs not derived. A
// cycle through a negation has no meaning and is reported. State variables have layer
// -1.
func (g *grounder) layers() []int32 {
	axioms := g.sas.axioms
	n := len(g.vars.members)
	derived := make([]bool, n)
	for v, m := range g.vars.members {
		derived[v] = g.preds[g.atomPred[m[0]]].derived
	}
	if len(axioms) == 0 && !slices.Contains(derived, true) {
		return slices.Repeat([]int32{-1}, n)
	}
	needs := make([][]Fact, n) // derived facts in the bodies of a variable's axioms
	for _, a := range axioms {
		for _, f := range a.Body {
			if derived[f.Var] {
				needs[a.Head.Var] = append(needs[a.Head.Var], f)
			}
		}
	}
	component := stronglyConnected(g, needs, func(f Fact) int32 { return f.Var })
	layer := make([]int32, n)
	for id, comp := range component.list {
		depth := int32(0)
		for _, v := range comp {
			for _, f := range needs[v] {
				switch {
				case component.of[f.Var] != int32(id):
					depth = max(depth, layer[f.Var]+f.Val) // value 1 is the default: one above
				case f.Val == 1:
					g.refuse(g.dom.Source, g.dom.NamePos, NegativeAxiomCycle,
						fmt.Sprintf("axioms derive %s from its own negation", g.preds[g.atomPred[g.vars.members[v][0]]].name))
					g.sortDiagnostics()
					panic(bailout{g.diags})
				}
			}
		}
		for _, v := range comp {
			layer[v] = depth
		}
	}
	for v := range layer {
		if !derived[v] {
			layer[v] = -1
		}
	}
	return layer
}
