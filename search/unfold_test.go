package search

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
)

// TestBidirectionalWithAxioms compares with the definition on tasks with axioms. Only those
// whose axioms depend on themselves may be refused.
func TestBidirectionalWithAxioms(t *testing.T) {
	answered, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t, randomsas.Options{
			Axioms:             true,
			ConditionalEffects: rapid.Bool().Draw(t, "conditional effects"),
			MaxCost:            rapid.IntRange(0, 3).Draw(t, "cost"),
		})
		sp := tasktest.Enumerate(task)
		for _, s := range bidirectionalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status == Unsupported {
				var no *Unregressable
				if !errors.As(r.Refusal, &no) || !strings.Contains(no.Reason, "more than") && (no.Atom == "" || !dependsOnItself(task)) {
					t.Fatalf("%s: refused: %s", s, r.Reason)
				}
				refused++
				continue
			}
			answered++
			checkResult(t, s, sp, r)
		}
	})
	if answered < refused {
		t.Errorf("%d answered, %d refused", answered, refused)
	}
}

// TestGoalOfTwoCases: not v0 = 1 is v0 = 0 or v0 = 2. All states are expanded before the case that
// holds is looked at.
func TestGoalOfTwoCases(t *testing.T) {
	task := &grounder.Task{
		Variables: []grounder.Variable{
			{Layer: -1, Values: []string{"Atom a()", "Atom b()", "Atom c()"}},
			{Layer: 0, Default: 1, Values: []string{"Atom d()", "NegatedAtom d()"}},
		},
		Init: []int32{0, 1}, Goal: []grounder.Fact{{Var: 1, Val: 1}},
		Axioms:    []grounder.Axiom{{Head: grounder.Fact{Var: 1, Val: 0}, Body: []grounder.Fact{{Var: 0, Val: 1}}}},
		Operators: grounder.NewOperators(grounder.Operator{}),
	}
	for _, s := range bidirectionalSearches {
		r, err := Run(context.Background(), task, Config{Search: s})
		if err != nil || r.Status != SolvedOptimally || r.Cost != 0 {
			t.Errorf("%s: %+v, %v", s, r, err)
		}
	}
}

// dependsOnItself reports whether a derived variable is in a cycle of axioms, by closure.
func dependsOnItself(t *grounder.Task) bool {
	n := len(t.Variables)
	reach := make([][]bool, n)
	for v := range reach {
		reach[v] = make([]bool, n)
	}
	for _, a := range t.Axioms {
		for _, f := range a.Body {
			if t.Variables[f.Var].Layer >= 0 {
				reach[a.Head.Var][f.Var] = true
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for v := range n {
		if reach[v][v] {
			return true
		}
	}
	return false
}

// TestUnfoldConditionalCosts: a cost whose condition has alternatives counts once.
func TestUnfoldConditionalCosts(t *testing.T) {
	bit := func(layer int32) grounder.Variable {
		return grounder.Variable{Layer: layer, Values: []string{"no", "yes"}}
	}
	yes := func(v int32) grounder.Fact { return grounder.Fact{Var: v, Val: 1} }
	for init, want := range map[[2]int32]int64{{0, 0}: 1, {1, 0}: 6, {0, 1}: 6, {1, 1}: 6} {
		task := &grounder.Task{
			SchemaNames: []string{"o"},
			Variables:   []grounder.Variable{bit(-1), bit(-1), bit(-1), bit(0)},
			Init:        []int32{init[0], init[1], 0, 0},
			Goal:        []grounder.Fact{yes(2)},
			Axioms:      []grounder.Axiom{{Body: []grounder.Fact{yes(0)}, Head: yes(3)}, {Body: []grounder.Fact{yes(1)}, Head: yes(3)}},
			Operators: grounder.NewOperators(grounder.Operator{Cost: 1, Effects: []grounder.Effect{{Var: 2, Val: 1}},
				CondCosts: []grounder.CondCost{{Cond: []grounder.Fact{yes(3)}, Cost: 5}}}),
		}
		for _, s := range []string{"nbs(blind(), backward=0)", "nbs(hmax())"} {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil || r.Status != SolvedOptimally || r.Cost != want {
				t.Errorf("%v, %s: %+v, %v: want cost %d", init, s, r, err, want)
			}
		}
	}
}

// TestUnfoldBounds: conditions with too many alternatives are refused by name.
func TestUnfoldBounds(t *testing.T) {
	task := &grounder.Task{SchemaNames: []string{"o"}}
	var body []grounder.Fact
	for range 24 { // (a0 or b0) and (a1 or b1) and ...
		v := int32(len(task.Variables))
		for _, layer := range []int32{-1, -1, 0} {
			task.Variables = append(task.Variables, grounder.Variable{Layer: layer, Values: []string{"no", "yes"}})
			task.Init = append(task.Init, 0)
		}
		for i := range int32(2) {
			task.Axioms = append(task.Axioms, grounder.Axiom{Body: []grounder.Fact{{Var: v + i, Val: 1}}, Head: grounder.Fact{Var: v + 2, Val: 1}})
		}
		body = append(body, grounder.Fact{Var: v + 2, Val: 1})
	}
	task.Goal = body
	_, err := unfold(task)
	var no *Unregressable
	if !errors.As(err, &no) || !no.Goal || no.Schema != -1 || !strings.Contains(err.Error(), "more than 1024 alternatives") {
		t.Errorf("the goal: %v", err)
	}
	task.Goal, task.Operators = nil, grounder.NewOperators(grounder.Operator{Pre: body})
	if _, err = unfold(task); !errors.As(err, &no) || no.Goal || no.Schema != 0 {
		t.Errorf("an operator: %v", err)
	}
}
