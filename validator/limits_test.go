package validator

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

// quantified has one step that reads, and one that changes, atoms for all bindings of four
// variables.
func quantified(t testing.TB, objects int) *Judge {
	names := make([]string, objects)
	for i := range names {
		names[i] = fmt.Sprintf("o%d", i)
	}
	return compile(t, `(define (domain d) (:requirements :adl :fluents) (:predicates (q ?a ?b ?c ?d) (done)) (:functions (w ?a) (x))
 (:action read :parameters () :precondition (forall (?a ?b ?c ?d) (> (+ (+ (w ?a) (w ?b)) (+ (w ?c) (w ?d))) 0)) :effect (done))
 (:action change :parameters () :effect (forall (?a ?b ?c ?d) (q ?a ?b ?c ?d)))
 (:action spend :parameters (?a) :effect (decrease (w ?a) 1)))`,
		"(define (problem p) (:domain d) (:objects "+strings.Join(names, " ")+") (:init (= (w "+strings.Join(names, ") 1) (= (w ")+") 1)) (:goal (done)))")
}

// TestContextEndsJudging: judging ends soon after its context, with the verdict timeout, and
// the scratch is as good as new.
func TestContextEndsJudging(t *testing.T) {
	j := quantified(t, 300)
	s := j.NewScratch()
	for _, step := range []string{"(read)", "(change)"} {
		plan := parsePlan(t, step)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		s.Context = ctx
		start := testkit.CPUTime()
		v := j.ValidateWith(plan, s)
		if used := testkit.CPUTime() - start; v.Decided() || v.Failure.Message != "step 1 "+step+": not judged: the time limit came first" || used > time.Second {
			t.Errorf("%s: %+v after %v", step, v.Failure, used)
		}
		cancel()
	}
	s.Context = context.Background()
	if v := j.ValidateWith(parsePlan(t, "(spend o1)"), s); !v.Decided() || v.Failure.Kind != FailGoal {
		t.Errorf("%+v", v)
	}
}

// TestContextChangesNothing: work is counted in portions as in one piece.
func TestContextChangesNothing(t *testing.T) {
	for _, objects := range []int{3, 12, 20} {
		j := quantified(t, objects)
		with, without := j.NewScratch(), j.NewScratch()
		with.Context = context.Background()
		for _, step := range []string{"(read)", "(change)", "(change)\n(read)", "(spend o1)\n(read)"} {
			plan := parsePlan(t, step)
			a, b := j.Judge(plan, with), j.Judge(plan, without)
			if a.Work != b.Work || a.Valid != b.Valid || a.Kind != b.Kind || a.Valid && a.Work < portion && objects > 3 {
				t.Errorf("%d objects, %q: %+v with a context, %+v without", objects, step, a, b)
			}
		}
	}
	j, err := NewJudge(quantified(t, 20).Problem(), Options{MaxWork: 3 * portion})
	if err != nil {
		t.Fatal(err)
	}
	s := j.NewScratch()
	s.Context = context.Background()
	if v := j.ValidateWith(parsePlan(t, "(read)"), s); v.Decided() || !strings.HasSuffix(v.Failure.Message, "too many evaluations") {
		t.Errorf("%+v", v.Failure)
	}
}

// allocated returns the bytes that have been allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestMaxBytes: what a plan changes is bounded by bytes, whether atoms have ids of the judge
// (few objects) or not.
func TestMaxBytes(t *testing.T) {
	for _, objects := range []int{25, 100} {
		j := quantified(t, objects)
		s := j.NewScratch()
		s.MaxBytes = 4 << 20
		plan := parsePlan(t, "(change)")
		before := allocated()
		v := j.ValidateWith(plan, s)
		if took := allocated() - before; v.Decided() || !strings.HasSuffix(v.Failure.Message, "changes too many atoms") || took > 32<<20 {
			t.Errorf("%d objects: %+v, %d bytes", objects, v.Failure, took)
		}
		if objects > 25 {
			continue
		}
		s.MaxBytes = 0
		if v := j.ValidateWith(plan, s); !v.Decided() || v.Executed != 1 {
			t.Errorf("%d objects without a bound: %+v", objects, v.Failure)
		}
	}
}
