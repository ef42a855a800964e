package planproof_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func read(t *testing.T, name string) *planproof.Task {
	t.Helper()
	task, err := planproof.ReadTask(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// TestBadTasks: what cannot be read is an error of its kind, never a panic.
func TestBadTasks(t *testing.T) {
	for _, text := range []string{"", "(", "(define", "(define (domain d))", "\x00"} {
		var faults pddl.Diagnostics
		if _, err := planproof.ParseTask(text, text); !errors.As(err, &faults) || len(faults) == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := planproof.ReadTask("no-domain.pddl", "no-problem.pddl"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, names := range [][]string{nil, {"nowhere:1"}, {"a", "b", "c"}} {
		if _, err := planproof.ReadTask(names...); err == nil {
			t.Errorf("%v was read", names)
		}
	}
}

// TestLimits: a limit is a status and the end of the context an error; neither is an answer.
func TestLimits(t *testing.T) {
	task := read(t, "blocksworld:9-99999")
	within, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, memory := range []int64{1 << 10, 8 << 20} { // of grounding, of the search
		s, err := planproof.Solve(within, task, planproof.SolveOptions{Memory: memory, Search: "astar(blind())"})
		if err != nil || s.Status != search.Memout || s.Plan != nil {
			t.Errorf("%d bytes: %+v, %v", memory, s, err)
		}
	}
	s, err := planproof.Solve(context.Background(), task, planproof.SolveOptions{Time: time.Nanosecond})
	if err != nil || s.Status != search.Timeout || s.Plan != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err = planproof.Solve(context.Background(), task, planproof.SolveOptions{Search: "astar(magic())"}); err == nil {
		t.Error("a search that does not exist was run")
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if s, err := planproof.Solve(ended, task, planproof.SolveOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", s, err)
	}
	if v, err := planproof.Judge(ended, task, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestCertificateOfAnother: a certificate proves nothing about another task, nor when it is
// cut short.
func TestCertificateOfAnother(t *testing.T) {
	ctx := context.Background()
	task, other := read(t, "blocksworld:3-5"), read(t, "blocksworld:3-6")
	s, err := planproof.Solve(ctx, task, planproof.SolveOptions{Certificate: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		task *planproof.Task
		text []byte
	}{
		"another task": {other, s.Certificate},
		"cut":          {task, s.Certificate[:len(s.Certificate)/2]},
		"nothing":      {task, nil},
	} {
		if v, err := planproof.CheckCertificate(ctx, c.task, bytes.NewReader(c.text), 0); err == nil && v.Holds {
			t.Errorf("%s: holds", name)
		}
	}
}

// TestScoreNames refuses a reward that does not exist.
func TestScoreNames(t *testing.T) {
	if s, err := planproof.Score(context.Background(), read(t, "blocksworld:3-5"), "", planproof.ScoreOptions{Reward: "magic"}); err == nil {
		t.Errorf("%+v", s)
	}
}

// TestWarnings: what is tolerated is read, with a warning.
func TestWarnings(t *testing.T) {
	task, err := planproof.ParseTask("(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))",
		"(define (problem x) (:domain other) (:init) (:goal (p)))")
	if err != nil {
		t.Fatal(err)
	}
	if len(task.Warnings) != 1 || task.Warnings[0].Code != pddl.DomainMismatch {
		t.Errorf("warnings: %v", task.Warnings)
	}
}
