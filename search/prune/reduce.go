package prune

import (
	"sort"

	"github.com/planproof/planproof/grounder"
)

// Reduced is a task without what no plan needs.
type Reduced struct {
	// Task is the smaller task, nil if nothing was removed. Its mutex groups also say which facts no state of a
	// plan has together: they hold in the states from which the goal can be reached.
	Task *grounder.Task
	// Operators are, for those of Task, the operators of the original.
	Operators []grounder.OperatorID
	// Values are, by variable and value of the original, the values in Task: -1 for those that no plan needs.
	Values [][]int32
	// Unsolvable is true if the task has no plan.
	Unsolvable bool
	// Work is what it took, in words of 64 facts.
	Work int64
}

// Reduce removes facts and operators from t, with an amount of work, in words of 64 facts (some two billion in a
// second). Tasks with axioms, conditional effects or costs, numbers, or more than 8,192 facts are left as they are.
// It ends early when stop, which may be nil, reports that time is up.
func Reduce(t *grounder.Task, work int64, stop func() bool) *Reduced {
	a := newAnalysis(t, work, stop)
	if a == nil {
		return &Reduced{}
	}
	r := &Reduced{Unsolvable: !a.run()}
	r.Work = work - a.left
	if r.Unsolvable {
		return r
	}
	a.build(r)
	return r
}

// Bytes estimates the memory that Reduce takes: five relations over the facts, and the operators twice.
func Bytes(t *grounder.Task) int64 {
	facts := int64(0)
	for v := range t.Variables {
		facts += int64(t.Variables[v].Size())
	}
	if facts > maxFacts {
		return 0 // it is not looked at
	}
	return 5*facts*((facts+63)/64)*8 + 2*t.Bytes()
}

// build makes the reduced task, if it is smaller.
func (a *analysis) build(r *Reduced) {
	value := make([]int32, a.facts) // by fact: its value in the reduced task, -1 if it is dead
	vars := make([]grounder.Variable, len(a.t.Variables))
	for v := range vars {
		vars[v] = a.t.Variables[v]
		vars[v].Values = nil
		for x, name := range a.t.Variables[v].Values {
			f := a.base[v] + int32(x)
			value[f] = -1
			if !a.dead.has(f, f) {
				value[f] = int32(len(vars[v].Values))
				vars[v].Values = append(vars[v].Values, name)
			}
		}
	}
	t := *a.t
	t.Variables, t.Operators, t.Init = vars, grounder.Operators{}, nil
	for v, x := range a.t.Init {
		t.Init = append(t.Init, value[a.base[v]+x])
	}
	m := mapper{a: a, value: value, vars: vars, row: make([]uint64, a.dead.words)}
	t.Goal = m.facts(a.t.Goal)
	for o := range a.ops {
		if op, ok := m.operator(o); ok {
			t.Operators.Append(op)
			r.Operators = append(r.Operators, grounder.OperatorID(o))
		}
	}
	if t.Operators.Len() == len(a.ops) && !m.smaller {
		r.Operators = nil
		return
	}
	t.Mutexes = m.mutexes()
	r.Task = &t
	for v := range vars {
		r.Values = append(r.Values, value[a.base[v]:a.base[v+1]])
	}
}

// mapper turns parts of the task into those of the reduced one.
type mapper struct {
	a       *analysis
	value   []int32
	vars    []grounder.Variable
	row     []uint64
	smaller bool // something has been left out or added
}

// facts maps facts, without those of variables that have one value.
func (m *mapper) facts(facts []grounder.Fact) (out []grounder.Fact) {
	for _, f := range facts {
		if m.vars[f.Var].Size() > 1 {
			out = append(out, grounder.Fact{Var: f.Var, Val: m.value[m.a.fact(f)]})
		}
	}
	m.smaller = m.smaller || len(out) < len(facts)
	return out
}

// operator maps an operator. What it changes gets a precondition where only one value is possible before. It reports
// false for an operator that is dead or has no effect.
func (m *mapper) operator(o int) (grounder.Operator, bool) {
	c := &m.a.ops[o]
	if c.dead || len(c.eff) == 0 {
		return grounder.Operator{}, false
	}
	op := m.a.t.Operators.At(o)
	pre := m.facts(op.Pre)
	op.Effects = nil
	if len(c.free) > 0 {
		m.a.compatible(m.row, c.pre)
		for _, v := range c.free {
			if f, n := anyIn(m.row, m.a.base[v], m.a.base[v+1]); n == 1 && m.vars[v].Size() > 1 {
				pre = append(pre, grounder.Fact{Var: v, Val: m.value[f]})
				m.smaller = true
			}
		}
	}
	sort.Slice(pre, func(i, j int) bool { return pre[i].Var < pre[j].Var })
	op.Pre = pre
	before := map[int32]int32{}
	for _, f := range pre {
		before[f.Var] = f.Val
	}
	for i, v := range c.changed {
		if x, ok := before[v]; m.vars[v].Size() > 1 && !(ok && x == m.value[c.eff[i]]) {
			op.Effects = append(op.Effects, grounder.Effect{Var: v, Val: m.value[c.eff[i]]})
		}
	}
	return op, len(op.Effects) > 0
}
