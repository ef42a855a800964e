package costmodel

import (
	"context"
	"fmt"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

func groundUnit(t testing.TB, domain, problem string) *grounder.Task {
	t.Helper()
	task, err := Ground(context.Background(), parse(t, domain, problem), grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// itemOf makes a task of a set.
func itemOf(t testing.TB, id, domain, problem string) Item {
	t.Helper()
	return Item{ID: id, Parsed: parse(t, domain, problem), Task: groundUnit(t, domain, problem)}
}

func TestRounds(t *testing.T) {
	for name, want := range map[string]string{
		"blocksworld:2-1":         "[[[pick-up unstack] [put-down stack]]]",
		"budget-blocksworld:1-17": "[[[pick-up unstack] [put-down stack]]]",
		"blocksworld:9-12345":     "[[[pick-up unstack] [put-down stack]]]",
		"gripper:4":               "[[[move pick drop]]]",
		"logistics:2-2-2-1":       "[[[load-truck unload-truck load-airplane unload-airplane drive-truck fly-airplane]]]",
	} {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(RoundsOf(groundUnit(t, d.Text, p.Text)).Components); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestSlackIsThePapers: 2 x (dearest of pick-up and unstack + dearest of put-down and stack).
func TestSlackIsThePapers(t *testing.T) {
	d, p, err := domains.Load("budget-blocksworld:1-500")
	if err != nil {
		t.Fatal(err)
	}
	rounds := RoundsOf(groundUnit(t, d.Text, p.Text))
	for i, n := range PaperSchedules() {
		c := paperSchedules[i]
		want := 2 * (max(c[0], c[1]) + max(c[2], c[3]))
		if got, err := rounds.Slack(n.Schedule); err != nil || !got.Equal(pddl.Int(want)) {
			t.Errorf("%s: %s, %v, want %d", n.Name, got, err, want)
		}
	}
	if got, err := rounds.Slack(mustSchedule(t, "pick-up=1,unstack=1,put-down=20,stack=1")); err != nil || got.String() != "42" {
		t.Errorf("%s, %v, want the paper's 42", got, err)
	}
	if _, err := rounds.Slack(mustSchedule(t, "pick-up=1")); err == nil {
		t.Error("a slack although unstack has no cost")
	}
}

// TestRoundsAreSound executes action pairs: whatever follows is said to be able to.
func TestRoundsAreSound(t *testing.T) {
	derived := testkit.Case{Name: "derived", Domain: `(define (domain d)
	  (:requirements :derived-predicates :negative-preconditions :conditional-effects) (:predicates (q) (d) (g))
	  (:derived (d) (q))
	  (:action out :parameters () :precondition (d) :effect (not (q)))
	  (:action in :parameters () :precondition (not (d)) :effect (and (q) (g)))
	  (:action flip :parameters () :precondition (q) :effect (when (g) (not (q))))
	  (:action lit :parameters () :precondition (not (q)) :effect (not (g))))`,
		Problem: `(define (problem x) (:domain d) (:init (q) (g)) (:goal (g)))`}
	for _, c := range append(testkit.Cases(t), derived) {
		task := groundUnit(t, c.Domain, c.Problem)
		follows := newFollowTest(task)
		s, err := newSharedSpace(context.Background(), task, search.Limits{Nodes: 20_000})
		if err != nil {
			continue // too large
		}
		for id := range s.Len() {
			next, ops := s.Out().Of(state.StateID(id))
			for k, u := range next {
				_, after := s.Out().Of(u)
				for _, o := range after {
					if a, b := s.schema[ops[k]], s.schema[o]; !follows.may(a, b) {
						t.Fatalf("%s: %s follows %s", c.Name, task.SchemaNames[b], task.SchemaNames[a])
					}
				}
			}
		}
	}
}

func TestCyclicClasses(t *testing.T) {
	for _, c := range []struct {
		next [][]int
		want string
	}{
		{[][]int{{1}, {2}, {0}}, "[[0 1 2]] [0 1 2] 3"},
		{[][]int{{1, 2}, {0}, {0}}, "[[0 1 2]] [0 1 1] 2"},
		{[][]int{{1}, {2, 0}, {0}}, "[[0 1 2]] [0 0 0] 1"},
		{[][]int{{1}, {}}, "[[0] [1]] [0] 1"},
		{[][]int{{1}, {0, 2}, {3}, {2}}, "[[0 1] [2 3]] [0 1] 2"},
		{[][]int{{1}, {2}, {3}, {4}, {5, 1}, {0}}, "[[0 1 2 3 4 5]] [0 1 0 1 0 1] 2"},
	} {
		list := components(c.next)
		class, period := cyclicClasses(c.next, list[0])
		if got := fmt.Sprint(list, class, period); got != c.want {
			t.Errorf("%v: %s, want %s", c.next, got, c.want)
		}
	}
}
