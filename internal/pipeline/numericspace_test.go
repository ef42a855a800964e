package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/certificate/proof"
	"github.com/planproof/planproof/search/space"
)

// TestNumericSpaces: on random numeric tasks the state space has the optimum that a planner which
// evaluates the text finds; its certificate and that of a search hold, as the task is grounded and as
// it stands in the file; and they hold no more once a bound is raised or a number of the task changes.
func TestNumericSpaces(t *testing.T) {
	compared, certified, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "choice") }
			domain, problem := tasktest.NumericText(choose, choose(0, 2) == 0)
			want := naive.NewNumeric(domain, problem).Solve(300)
			if !want.Decided {
				continue
			}
			p := parse(t, domain, problem)
			opt := grounder.Options{KeepIrrelevant: true, ObjectFluents: true, NumericFluents: true}
			task, err := grounder.Ground(context.Background(), p, opt)
			if err != nil {
				continue // what is not linear: see TestNumericAgainstNaive
			}
			table, err := Exhaust(context.Background(), p, task, search.Limits{Nodes: 3000}, nil)
			if errors.As(err, new(*search.LimitError)) || outgrows(err) {
				continue
			}
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, domain, problem)
			}
			compared++
			s := table.Summary()
			if want.Solved != (s.OptimalCost != nil) || want.Solved && *s.OptimalCost != pddl.FromRat(want.Cost).String() {
				t.Fatalf("%+v, by definition %v %v %v\n%s\n%s", s, want.Solved, want.Cost, want.Plan, domain, problem)
			}
			cert, err := table.Certify(0)
			if err != nil {
				t.Fatal(err)
			}
			n, r := checkNumeric(t, p, task, cert)
			certified, refused = certified+n, refused+r
			n, r = certifyNumeric(t, p)
			certified, refused = certified+n, refused+r
		}
	})
	t.Logf("%d spaces, %d certificates hold, %d changed ones are refused", compared, certified, refused)
	if compared < 50 || certified < 50 || refused < 50 {
		t.Error("the random tasks are no test")
	}
}

// outgrows reports whether a search ended at a number that cannot be held: without a bound, doubling a fluent gets
// there in fewer states than the limit.
func outgrows(err error) bool {
	return err != nil && strings.Contains(err.Error(), "exceeds 63 bits")
}

// certifyNumeric solves a task and checks the certificate of the answer.
func certifyNumeric(t *rapid.T, p *pddl.Problem) (held, refused int) {
	task, err := grounder.Ground(context.Background(), p, grounder.Options{ObjectFluents: true, NumericFluents: true})
	if err != nil {
		t.Fatal(err)
	}
	limits := search.Limits{Nodes: 3000}
	a, err := Search(context.Background(), p, task, Options{Search: search.Config{Search: "astar(lmcut())", Limits: limits}})
	if outgrows(err) {
		return 0, 0
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != search.SolvedOptimally && a.Status != search.Unsolvable {
		return 0, 0
	}
	var file bytes.Buffer
	saved, err := SaveCertificate(context.Background(), p, task, a.Result, Options{Search: search.Config{Limits: limits}}, "",
		func(_ string, write func(io.Writer) error) error { return write(&file) })
	if err != nil {
		t.Fatal(err)
	}
	if saved.Error != "" {
		return 0, 0
	}
	v, err := CheckFile(context.Background(), p, bytes.NewReader(file.Bytes()), 0)
	if err != nil || !v.Holds {
		t.Fatalf("%v %+v\n%s", err, v, p)
	}
	rd, err := certificate.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if task.Trivial {
		if task, err = grounder.Ground(context.Background(), p, grounder.Options{KeepIrrelevant: true, ObjectFluents: true, NumericFluents: true}); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := rd.Read(context.Background(), task, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return checkNumeric(t, p, task, cert)
}

// checkNumeric checks a certificate that holds, by itself too, and changes of claim and task: it holds for none
// that it is wrong about.
func checkNumeric(t *rapid.T, p *pddl.Problem, task *grounder.Task, cert *certificate.Certificate) (held, refused int) {
	check := func(c *certificate.Certificate) error {
		_, err := certificate.Check(context.Background(), task, c, 1<<30)
		return err
	}
	var file bytes.Buffer
	if err := errors.Join(check(cert), certificate.Write(&file, task, cert)); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	alone := func(data []byte) error {
		rd, err := proof.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		own, err := rd.ReadTask(context.Background(), 1<<30)
		if err != nil {
			return err
		}
		c, err := rd.Read(context.Background(), own, 1<<30)
		if err == nil {
			_, err = proof.Check(context.Background(), own, c, 1<<30)
		}
		return err
	}
	if err := alone(file.Bytes()); err != nil {
		t.Fatalf("by itself: %v\n%s", err, p)
	}
	if cert.Bound < certificate.Infinite {
		higher := *cert
		higher.Plan = nil
		higher.Claim, higher.Bound = certificate.LowerBound, cert.Bound+1
		if check(&higher) == nil {
			t.Fatalf("a higher bound holds\n%s", p)
		}
		refused++
	}
	for range 3 {
		other := changedNumbers(t, task)
		c := *cert
		c.Task, c.Plan = certificate.TaskHash(other), nil
		if c.Claim == certificate.Optimal {
			c.Claim = certificate.LowerBound
		}
		if _, err := certificate.Check(context.Background(), other, &c, 1<<30); err != nil {
			refused++
			continue
		}
		table, err := space.Exhaust(context.Background(), other, search.Limits{Nodes: 10000})
		if err != nil {
			continue
		}
		if d := table.InitialDistance(); !d.DeadEnd && d.Cost < c.Bound {
			t.Fatalf("the bound %d holds after a change, and the optimum is %d\n%s", c.Bound, d.Cost, p)
		}
	}
	return 1, refused
}

// changedNumbers returns a task with another number in an initial value, an effect or a comparison.
func changedNumbers(t *rapid.T, task *grounder.Task) *grounder.Task {
	out := *task
	if task.Numeric == nil {
		return &out
	}
	n := &grounder.Numeric{Fluents: slices.Clone(task.Numeric.Fluents), Comparisons: slices.Clone(task.Numeric.Comparisons)}
	for _, changes := range task.Numeric.Changes {
		n.Changes = append(n.Changes, slices.Clone(changes))
	}
	out.Numeric = n
	by := rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(t, "by")
	switch what := rapid.IntRange(0, 2).Draw(t, "what"); {
	case what == 0 && len(n.Fluents) > 0:
		if f := &n.Fluents[rapid.IntRange(0, len(n.Fluents)-1).Draw(t, "fluent")]; f.Init != grounder.NoValue {
			f.Init += by
		}
	case what == 1 && len(n.Comparisons) > 0:
		n.Comparisons[rapid.IntRange(0, len(n.Comparisons)-1).Draw(t, "comparison")].Sum.Const += by
	case len(n.Changes) > 0:
		if changes := n.Changes[rapid.IntRange(0, len(n.Changes)-1).Draw(t, "operator")]; len(changes) > 0 {
			changes[0].Sum.Const += by
		}
	}
	return &out
}

// TestNumericTableFile: a table of a numeric task is found again by its own task, and by none with
// another number in it.
func TestNumericTableFile(t *testing.T) {
	const domain = `(define (domain d) (:requirements :numeric-fluents) (:predicates (g)) (:functions (n))
		(:action up :precondition (< (n) 5) :effect (increase (n) 0.5))
		(:action end :precondition (= (n) 3) :effect (g)))`
	ground := func(init string) *grounder.Task {
		task, err := grounder.Ground(context.Background(), read(t, domain, `(define (problem p) (:domain d) (:init (= (n) `+init+`)) (:goal (g)))`), grounder.Options{KeepIrrelevant: true, NumericFluents: true})
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	task := ground("1")
	table, err := space.Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/t"
	if err := table.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := space.LoadTable(path, task)
	if err != nil {
		t.Fatal(err)
	}
	if d, _, err := again.DistanceAfter([]string{"(up)", "(up)"}); err != nil || d.Steps != 3 {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := space.LoadTable(path, ground("2")); !errors.Is(err, space.ErrOtherTask) {
		t.Errorf("the table of another initial number: %v", err)
	}
	x, err := table.Exporter(space.JSONL)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := x.Write(context.Background(), &out, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `{"state":1,"depth":1,"goal":false,"cost":4,"steps":4,"atoms":[],"fluents":{"(n)":"1.5"},"edges":`) {
		t.Error(out.String())
	}
}
