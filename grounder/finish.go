package grounder

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// finish builds the Task from the ground task.
func (g *grounder) finish() {
	s := &g.sas
	t := g.newTask()
	t.Init, t.Goal, t.Operators, t.Axioms = s.init, s.goal, s.ops, s.axioms
	t.Variables = make([]Variable, len(s.init))
	for v := range t.Variables {
		t.Variables[v].Layer = s.layer[v]
		if s.layer[v] >= 0 {
			t.Variables[v].Default = s.init[v]
		}
	}
	g.nameValues(t)
	g.sortFacts(t)
	for _, group := range g.groups {
		var m MutexGroup
		several := false
		g.work(len(group))
		for _, a := range group {
			if f := s.rename.of(g.vars.fact[a]); f.Var >= 0 {
				several = several || len(m) > 0 && m[0].Var != f.Var
				m = append(m, f)
			}
		}
		if several {
			slices.SortFunc(m, compareFacts)
			t.Mutexes = append(t.Mutexes, m)
		}
	}
	if g.hopeless {
		t.Unsolvable = true
		t.Goal = []Fact{{Var: int32(len(t.Variables)), Val: 1}}
	}
	if g.hopeless || len(t.Variables) == 0 { // a task has at least one variable
		t.Variables = append(t.Variables, dummyVariable())
		t.Init = append(t.Init, 0)
	}
	g.scaleCosts(t)
	g.finishNumeric(t)
	g.task = t
}

// sortFacts sorts the facts of conditions, the effects of operators, and the axioms.
func (g *grounder) sortFacts(t *Task) {
	ops := &t.Operators
	g.spread(ops.Len(), g.threads(ops.Len(), g.limits.piece), func(own *grounder, _, from, to int) {
		for i := from; i < to; i++ {
			sortCondition(ops.Pre(i))
			sortChanges(ops.own(i))
			own.tick()
		}
	})
	for _, effects := range ops.effects {
		for _, e := range effects {
			sortCondition(e.Cond)
		}
		slices.SortStableFunc(effects, func(a, b Effect) int { return int(a.Var) - int(b.Var) })
		g.work(1 + len(effects))
	}
	for _, costs := range ops.conds {
		for _, c := range costs {
			sortCondition(c.Cond)
		}
		g.tick()
	}
	slices.SortFunc(t.Goal, compareFacts)
	for _, a := range t.Axioms {
		slices.SortFunc(a.Body, compareFacts)
		g.tick()
	}
	slices.SortStableFunc(t.Axioms, func(a, b Axiom) int {
		g.tick()
		if a.Head.Var != b.Head.Var {
			return int(a.Head.Var) - int(b.Head.Var)
		}
		return slices.CompareFunc(a.Body, b.Body, compareFacts)
	})
}

// sortCondition sorts facts, most of which are few and sorted.
func sortCondition(facts []Fact) {
	for i := 1; i < len(facts); i++ {
		if facts[i].Var < facts[i-1].Var {
			slices.SortFunc(facts, compareFacts)
			return
		}
	}
}

// sortChanges sorts facts that become true by variable only: the last one of a variable counts.
func sortChanges(facts []Fact) {
	byVariable := func(a, b Fact) int { return int(a.Var) - int(b.Var) }
	if !slices.IsSortedFunc(facts, byVariable) {
		slices.SortStableFunc(facts, byVariable)
	}
}

// dummyVariable never changes.
func dummyVariable() Variable {
	return Variable{Layer: -1, Auxiliary: true, Values: []string{"Atom dummy(val1)", "Atom dummy(val2)"}}
}

func (g *grounder) newTask() *Task {
	t := &Task{Name: g.dom.Name + "/" + g.prob.Name, CostUnit: pddl.Int(1), CostBase: g.num.constant, Metric: g.num.metric}
	for _, a := range g.dom.Actions {
		t.SchemaNames = append(t.SchemaNames, a.Name)
	}
	for i := range g.prob.Objects {
		t.ObjectNames = append(t.ObjectNames, g.prob.Objects[i].Name)
	}
	return t
}

// nameValues names the remaining values.
func (g *grounder) nameValues(t *Task) {
	s := &g.sas
	var b strings.Builder
	for v, members := range g.vars.members {
		auxiliary := g.atomPred[members[0]] >= int32(g.ownPreds)
		for k := range g.vars.size(int32(v)) {
			f := s.rename.of(Fact{Var: int32(v), Val: k})
			if f.Var < 0 {
				continue
			}
			g.tick()
			b.Reset()
			switch {
			case int(k) < len(members):
				b.WriteString("Atom ")
				g.spell(&b, members[k])
			case len(members) == 1:
				b.WriteString("NegatedAtom ")
				g.spell(&b, members[0])
			default:
				b.WriteString("<none of those>")
			}
			t.Variables[f.Var].Auxiliary = auxiliary
			t.Variables[f.Var].Values = append(t.Variables[f.Var].Values, b.String())
		}
	}
}

// spell writes an atom in lower case, "on(a, b)", or a comparison, "(>= (fuel t) 3)".
func (g *grounder) spell(b *strings.Builder, atom int32) {
	p := g.preds[g.atomPred[atom]]
	b.WriteString(strings.ToLower(p.name))
	if p.numeric {
		return
	}
	b.WriteByte('(')
	for i, o := range g.atomArgs(atom) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.ToLower(g.prob.Objects[o].Name))
	}
	b.WriteByte(')')
}

// unsolvable ends with a task that has no solution. With KeepIrrelevant it goes on with
// an empty goal instead, which finish replaces by an impossible one.
func (g *grounder) unsolvable() {
	if g.opt.KeepIrrelevant {
		g.hopeless, g.goalLits, g.sas.goal = true, nil, nil
		return
	}
	g.trivial(1)
	g.task.Unsolvable = true
}

// solved ends with a task whose initial state is a goal state.
func (g *grounder) solved() { g.trivial(0) }

func (g *grounder) trivial(goal int32) {
	t := g.newTask()
	t.Variables = []Variable{dummyVariable()}
	t.Init = []int32{0}
	t.Goal = []Fact{{Var: 0, Val: goal}}
	t.Trivial = true
	g.task, g.finished = t, true
}
