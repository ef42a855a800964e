package oracle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/rows"
)

// TestTaskEnds: reading and compiling a task end at each look at the context of the one who asks. Nothing is kept then,
// and the status says that it can be asked again.
func TestTaskEnds(t *testing.T) {
	var actions, objects strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&actions, " (:action a%d :parameters (?x) :precondition (and (p ?x) (q ?x)) :effect (not (p ?x)))\n", i)
		fmt.Fprintf(&objects, " o%d", i)
	}
	ref := taskref.Ref{
		DomainText:  "(define (domain d) (:predicates (p ?x) (q ?x))\n" + actions.String() + ")",
		ProblemText: "(define (problem x) (:domain d) (:objects" + objects.String() + ") (:init (p o1) (q o1)) (:goal (q o1)))",
	}
	testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
		o, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if tk := o.task(ctx, ref); !errors.Is(tk.err, errTaskInterrupted) {
			return true, tk.err
		}
		if n := o.tasks.Count(); n != 0 {
			t.Errorf("%d tasks are kept", n)
		}
		return false, context.DeadlineExceeded
	})
	o, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if a := o.Mask(gone, &rows.MaskQuestion{Task: ref}); a.Status != rows.StatusTimeout {
		t.Errorf("a mask after the end: %+v", a)
	}
	if s := o.Score(t.Context(), &rows.Item{Task: ref, Response: "<plan>\n</plan>"}, "valid"); s.Status != rows.StatusValid {
		t.Errorf("the next call: %+v", s)
	}
}
