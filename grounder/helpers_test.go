package grounder

import (
	"fmt"
	"strings"
	"testing"
)

// dumpTask writes a task as text, for comparison.
func dumpTask(t *Task) string {
	var b strings.Builder
	for i, v := range t.Variables {
		fmt.Fprintf(&b, "var %d layer %d", i, v.Layer)
		if v.Layer >= 0 {
			fmt.Fprintf(&b, " default %d", v.Default)
		}
		fmt.Fprintf(&b, ": %s\n", strings.Join(v.Values, " | "))
	}
	for _, m := range t.Mutexes {
		fmt.Fprintf(&b, "mutex %v\n", []Fact(m))
	}
	fmt.Fprintf(&b, "init %v\ngoal %v\n", t.Init, t.Goal)
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		fmt.Fprintf(&b, "%s cost %d pre %v\n", t.OperatorName(OperatorID(i)), op.Cost, op.Pre)
		for _, e := range op.Effects {
			fmt.Fprintf(&b, "  %v -> {%d %d}\n", e.Cond, e.Var, e.Val)
		}
		for _, c := range op.CondCosts {
			fmt.Fprintf(&b, "  %v costs %d\n", c.Cond, c.Cost)
		}
	}
	for _, a := range t.Axioms {
		fmt.Fprintf(&b, "axiom %v -> %v\n", a.Body, a.Head)
	}
	return b.String()
}

// checkTask reports violations of the promises in Task's comments.
func checkTask(t *testing.T, task *Task) {
	t.Helper()
	fact := func(what string, f Fact) {
		if f.Var < 0 || int(f.Var) >= len(task.Variables) || f.Val < 0 || int(f.Val) >= task.Variables[f.Var].Size() {
			t.Fatalf("%s: no such fact %v", what, f)
		}
	}
	cond := func(what string, facts []Fact) {
		for i, f := range facts {
			fact(what, f)
			if i > 0 && facts[i-1].Var >= f.Var {
				t.Fatalf("%s: not sorted with one value a variable: %v", what, facts)
			}
		}
	}
	if len(task.Init) != len(task.Variables) {
		t.Fatalf("%d initial values for %d variables", len(task.Init), len(task.Variables))
	}
	for i, v := range task.Variables {
		fact("init", Fact{Var: int32(i), Val: task.Init[i]})
		if v.Layer >= 0 && (v.Size() != 2 || v.Default != task.Init[i]) {
			t.Fatalf("derived variable %d: %+v", i, v)
		}
	}
	cond("goal", task.Goal)
	for _, m := range task.Mutexes {
		for _, f := range m {
			fact("mutex group", f)
		}
	}
	for i := range task.Operators.Len() {
		op := task.Operators.At(i)
		name := task.OperatorName(OperatorID(i))
		cond(name, op.Pre)
		for _, e := range op.Effects {
			cond(name, e.Cond)
			fact(name, Fact{Var: e.Var, Val: e.Val})
			if task.Variables[e.Var].Layer >= 0 {
				t.Fatalf("%s changes derived variable %d", name, e.Var)
			}
		}
		if op.Cost < 0 || op.Cost > MaxCost || !task.Metric && op.Cost != 1 {
			t.Fatalf("%s costs %d", name, op.Cost)
		}
		for _, c := range op.CondCosts {
			cond(name, c.Cond)
			if c.Cost <= 0 || c.Cost > MaxCost {
				t.Fatalf("%s: conditional cost %d", name, c.Cost)
			}
		}
	}
	for _, a := range task.Axioms {
		cond("axiom", a.Body)
		fact("axiom", a.Head)
		h := &task.Variables[a.Head.Var]
		if h.Layer < 0 || a.Head.Val == h.Default {
			t.Fatalf("axiom head %v", a.Head)
		}
		for _, f := range a.Body {
			v := &task.Variables[f.Var]
			if v.Layer > h.Layer || v.Layer >= 0 && v.Layer == h.Layer && f.Val == v.Default {
				t.Fatalf("axiom %v reads %v too early", a, f)
			}
		}
	}
}
