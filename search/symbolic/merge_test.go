package symbolic

import (
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// TestMergeTogether: operators that change the same variable are merged with each other first, in whatever order the
// task lists them.
func TestMergeTogether(t *testing.T) {
	const variables, values = 12, 8
	nodes := func(byVariable bool) (sum int) {
		task := &grounder.Task{}
		for range variables {
			task.Variables = append(task.Variables, grounder.Variable{Values: make([]string, values), Layer: -1})
			task.Init = append(task.Init, 0)
			task.Goal = append(task.Goal, grounder.Fact{Var: int32(len(task.Goal)), Val: values - 1})
		}
		for i := range variables * values {
			v, x := int32(i%variables), int32(i/variables)
			if byVariable {
				v, x = int32(i/values), int32(i%values)
			}
			next := (v + 1) % variables
			pre := []grounder.Fact{{Var: v, Val: x}, {Var: next, Val: x}}
			if next < v {
				pre[0], pre[1] = pre[1], pre[0]
			}
			task.Operators.Append(grounder.Operator{Cost: 1, Pre: pre, Effects: []grounder.Effect{{Var: v, Val: (x + 1) % values}}})
		}
		s := New(state.NewSystem(task), Options{Backward: true})
		defer s.Close()
		s.relationNodes = 200
		for len(s.backward.open) == 0 {
			s.Run(1)
		}
		for _, c := range s.classes {
			for _, r := range c.relations {
				sum += s.m.Size(r.node)
			}
		}
		return sum
	}
	if mixed, sorted := nodes(false), nodes(true); mixed != sorted {
		t.Errorf("relations have %d nodes, %d where operators are listed by the variable that they change", mixed, sorted)
	}
}
