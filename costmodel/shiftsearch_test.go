package costmodel

import (
	"context"
	"errors"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/search"
)

// TestShiftBySearchAgreesWithTruth: what searches decide is what the state space says.
func TestShiftBySearchAgreesWithTruth(t *testing.T) {
	testkit.Long(t)
	schedules := append(PaperSchedules()[:4:4], Named{"free", mustSchedule(t, "pick-up=1/3,unstack=0,put-down=2.5,stack=0")}, Named{"none", mustSchedule(t, "*=0")}, Named{"unit", Unit()})
	names := append(budgetNames(111), "blocksworld:4-17", "blocksworld:3-1", "blocksworld:2-1", "blocksworld:2-2")
	rows, err := Truth(context.Background(), items(t, names...), TruthOptions{Schedules: schedules})
	if err != nil {
		t.Fatal(err)
	}
	certain, possible, undecided := 0, 0, 0
	for i, name := range names {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		problem := parse(t, d.Text, p.Text)
		for k, n := range schedules {
			got, ties, err := ShiftBySearch(context.Background(), problem, n.Schedule, grounder.Options{}, search.Config{})
			want := rows[i].Schedules[k].Shift
			switch {
			case errors.Is(err, ErrUndecided):
				undecided++
				if want.Certain {
					t.Errorf("%s under %s: undecided, but certain", name, n.Name)
				}
				continue
			case err != nil:
				t.Fatal(err)
			case got.Certain:
				certain++
			default:
				possible++
				if ties {
					t.Errorf("%s under %s: the tie-breaks of a shift that is not certain are known", name, n.Name)
				}
				got.Under = want.Under
			}
			if !got.UnitCost.Equal(want.UnitCost) || !got.ScheduleCost.Equal(want.ScheduleCost) {
				t.Errorf("%s under %s: costs %s and %s, want %s and %s", name, n.Name, got.UnitCost, got.ScheduleCost, want.UnitCost, want.ScheduleCost)
			}
			got.UnitCost, got.ScheduleCost = want.UnitCost, want.ScheduleCost
			if got != want {
				t.Errorf("%s under %s: %+v, want %+v", name, n.Name, got, want)
			}
		}
	}
	t.Logf("%d certain, %d possible, %d undecided", certain, possible, undecided)
	if certain == 0 || possible == 0 || undecided == 0 {
		t.Error("not every answer occurs")
	}
}

func TestShiftBySearchEnds(t *testing.T) {
	problem := parse(t, `(define (domain d) (:requirements :negative-preconditions) (:predicates (p) (q)) (:action go :parameters () :precondition (not (q)) :effect (p)))`,
		`(define (problem x) (:domain d) (:init (q)) (:goal (p)))`)
	if _, _, err := ShiftBySearch(context.Background(), problem, Unit(), grounder.Options{}, search.Config{}); !errors.Is(err, ErrUnsolvable) {
		t.Errorf("unsolvable: %v", err)
	}
	d, p, err := domains.Load("blocksworld:7-3")
	if err != nil {
		t.Fatal(err)
	}
	problem = parse(t, d.Text, p.Text)
	var limit *search.LimitError
	_, _, err = ShiftBySearch(context.Background(), problem, Unit(), grounder.Options{}, search.Config{Limits: search.Limits{Nodes: 1}, Search: "astar(blind())"})
	if !errors.As(err, &limit) || limit.Status != search.Nodeout {
		t.Errorf("a limit: %v", err)
	}
	if _, _, err := ShiftBySearch(context.Background(), problem, mustSchedule(t, "pick-up=4611686018427387904,*=1"), grounder.Options{}, search.Config{}); err == nil {
		t.Error("costs beyond 62 bits are added up")
	}
}
