package costmodel

import (
	"context"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
)

// TestSolveAgreesWithTruth: two searches on one task find what the state space says.
func TestSolveAgreesWithTruth(t *testing.T) {
	schedules := []Named{PaperSchedules()[2], PaperSchedules()[7], {"fractions", mustSchedule(t, "pick-up=1/3,unstack=0,put-down=2.5,stack=0")}, {"unit", Unit()}}
	names := append(budgetNames(251), "blocksworld:4-17", "blocksworld:3-1")
	rows, err := Truth(context.Background(), items(t, names...), TruthOptions{Schedules: schedules})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		problem := parse(t, d.Text, p.Text)
		for k, n := range schedules {
			s, err := Solve(context.Background(), problem, n.Schedule, grounder.Options{}, search.Config{})
			if err != nil {
				t.Fatal(err)
			}
			want := rows[i].Schedules[k].Shift
			if s.Status != search.SolvedOptimally || !s.Cost.Equal(want.ScheduleCost) || int64(len(s.Plan)) != want.Steps {
				t.Errorf("%s under %s: %s in %d steps (%s), want %s in %d", name, n.Name, s.Cost, len(s.Plan), s.Status, want.ScheduleCost, want.Steps)
			}
		}
	}
}

func TestSolveStatus(t *testing.T) {
	d, p, err := domains.Load("blocksworld:7-3")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Solve(context.Background(), parse(t, d.Text, p.Text), Unit(), grounder.Options{}, search.Config{Limits: search.Limits{Nodes: 1}, Search: "astar(blind())"})
	if err != nil || s.Status != search.Nodeout {
		t.Errorf("%+v, %v", s, err)
	}
	problem := parse(t, `(define (domain d) (:predicates (p)) (:action go :parameters () :effect (p)))`, `(define (problem x) (:domain d) (:init (p)) (:goal (p)))`)
	if s, err := Solve(context.Background(), problem, Unit(), grounder.Options{}, search.Config{}); err != nil || s.Status != search.SolvedOptimally || s.Cost.Sign() != 0 || len(s.Plan) != 0 {
		t.Errorf("solved already: %+v, %v", s, err)
	}
	if _, err := Solve(context.Background(), problem, mustSchedule(t, "go=4611686018427387904,*=1"), grounder.Options{}, search.Config{}); err != nil {
		t.Errorf("a cost alone is its own unit: %v", err)
	}
}
