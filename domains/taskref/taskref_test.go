package taskref_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
)

func tinyDomain(predicate string) string {
	return fmt.Sprintf("(define (domain d) (:predicates (%s)) (:action a :parameters () :precondition (and) :effect (%s)))", predicate, predicate)
}

func tinyProblem(predicate string) string {
	return fmt.Sprintf("(define (problem p) (:domain d) (:init) (:goal (%s)))", predicate)
}

// TestOneDomain shows that a domain is parsed once for all its problems, and anew when its
// file is another.
func TestOneDomain(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	domain, one, two := file("d.pddl", tinyDomain("p")), file("1.pddl", tinyProblem("p")), file("2.pddl", tinyProblem("p"))
	r := taskref.NewResolver(taskref.Options{MaxFile: 1 << 20, CacheBytes: 1 << 20})
	read := func(problem string) (*pddl.Problem, pddl.Diagnostics) {
		key, err := r.Resolve(taskref.Ref{Domain: domain, Problem: problem}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Parse(key, pddl.Options{})
	}
	var problems [8]*pddl.Problem
	var group sync.WaitGroup
	for i := range problems {
		group.Go(func() { problems[i], _ = read([]string{one, two}[i%2]) })
	}
	group.Wait()
	for i, p := range problems {
		if p == nil || p.Domain != problems[0].Domain {
			t.Fatalf("problem %d: %v", i, p)
		}
	}
	asked := time.Now()
	file("d.pddl", tinyDomain("q"))
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(domain, later, later); err != nil {
		t.Fatal(err)
	}
	if _, diags := read(one); !diags.HasErrors() {
		t.Error("the changed domain was not read")
	}
	if p, diags := read(file("3.pddl", tinyProblem("q"))); p == nil {
		t.Error(diags)
	}
	// Who asks for files as they were at a time is not made to look again.
	if err := os.Remove(one); err != nil {
		t.Fatal(err)
	}
	ref := taskref.Ref{Domain: domain, Problem: one}
	if _, err := r.Resolve(ref, asked); err != nil {
		t.Error(err)
	}
	var part *taskref.PartError
	if _, err := r.Resolve(ref, time.Time{}); !errors.As(err, &part) || part.Part != "problem" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestResolve lists what a reference may say.
func TestResolve(t *testing.T) {
	r := taskref.NewResolver(taskref.Options{MaxFile: 10, CacheBytes: 1 << 20, Dir: t.TempDir()})
	for _, c := range []struct {
		ref  taskref.Ref
		want string // of the names of the texts, or of the error
	}{
		{taskref.Ref{Task: "gripper:1"}, "gripper/domain.pddl"},
		{taskref.Ref{Domain: "gripper:1"}, "gripper/domain.pddl"},
		{taskref.Ref{DomainText: "d", ProblemText: "p", Task: "gripper:1"}, "domain_text problem_text"},
		{taskref.Ref{}, "no task: "},
		{taskref.Ref{Task: "griper:1"}, `did you mean "gripper"`},
		{taskref.Ref{DomainText: "d"}, "no problem"},
		{taskref.Ref{DomainText: "d", Problem: "."}, "problem "},
	} {
		key, err := r.Resolve(c.ref, time.Time{})
		got := key.DomainName + " " + key.ProblemName
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %s", c.ref, got, c.want)
		}
	}
	if a, b := taskref.Sum("a", "bc"), taskref.Sum("ab", "c"); a == b {
		t.Error("the hash does not tell where the domain ends")
	}
}

func ExampleResolver() {
	r := taskref.NewResolver(taskref.Options{MaxFile: 1 << 20, CacheBytes: 64 << 20})
	key, err := r.Resolve(taskref.Ref{Task: "blocksworld:4-17"}, time.Time{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := r.Parse(key, pddl.Options{})
	fmt.Println(p.Domain.Name, len(p.Objects), key.Sum()[:19])
	// Output: blocksworld 4 sha256:f3999f7bc568
}
