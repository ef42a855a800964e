package pipeline

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// TestConfirm hands the guard before printing what a broken search would find: a plan that
// does not work, and one that is priced wrong. Neither may get through.
func TestConfirm(t *testing.T) {
	prob, task := tasktest.Bundled("blocksworld:3-1")
	found, err := search.Run(context.Background(), task, search.Config{})
	if err != nil || found.Status != search.SolvedOptimally {
		t.Fatal(found, err)
	}
	a, err := Confirm(prob, task, found, nil)
	if err != nil || !a.Verdict.Valid || len(a.Plan) != len(found.Plan) {
		t.Errorf("a right plan: %+v, %v", a, err)
	}
	short, wrong := *found, *found
	short.Plan = found.Plan[1:]
	wrong.Cost++
	for name, r := range map[string]*search.Result{"a plan without its first step": &short, "a wrong cost": &wrong} {
		var no *Disagreement
		if a, err := Confirm(prob, task, r, nil); a != nil || !errors.As(err, &no) || !strings.Contains(err.Error(), "the judge refuses or prices otherwise") {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

// TestConfirmTable: a table of another cost than the problem has is refused, and so are its
// plans.
func TestConfirmTable(t *testing.T) {
	ctx := context.Background()
	prob, task := tasktest.Bundled("blocksworld:3-1")
	if _, err := Exhaust(ctx, prob, task, search.Limits{}, nil); err != nil {
		t.Fatal(err)
	}
	wrong := *task
	wrong.Operators = append([]grounder.Operator(nil), task.Operators...)
	for o := range wrong.Operators {
		wrong.Operators[o].Cost = 2
	}
	var no *Disagreement
	if _, err := Exhaust(ctx, prob, &wrong, search.Limits{}, nil); !errors.As(err, &no) {
		t.Errorf("operators that cost twice as much: %v", err)
	}
	table, err := space.Exhaust(ctx, &wrong, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := NewPlans(ctx, prob, table, search.Limits{}, space.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := plans.Next(); !errors.As(err, &no) {
		t.Errorf("a plan of that table: %+v, %v", a, err)
	}
}
