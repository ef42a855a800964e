package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/pddl"
)

func tinyDomain(predicate string) string {
	return fmt.Sprintf("(define (domain d) (:predicates (%s)) (:action a :parameters () :precondition (and) :effect (%s)))", predicate, predicate)
}

func tinyProblem(predicate string) string {
	return fmt.Sprintf("(define (problem p) (:domain d) (:init) (:goal (%s)))", predicate)
}

// TestRowDomains shows that a domain is parsed once for all its problems, and anew when its
// file is another.
func TestRowDomains(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	domain, one, two := file("d.pddl", tinyDomain("p")), file("1.pddl", tinyProblem("p")), file("2.pddl", tinyProblem("p"))
	opt := pddl.Options{}
	c := newDomainCache()
	read := func(problem string) (*pddl.Problem, pddl.Diagnostics) {
		src, err := c.read(env{}, domain)
		if err != nil {
			t.Fatal(err)
		}
		d, diags := c.parse(src, opt)
		text, err := pddl.ReadSource(problem)
		if err != nil {
			t.Fatal(err)
		}
		p, more := pddl.ParseProblem(text, d, opt)
		return p, append(diags[:len(diags):len(diags)], more...)
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
}

// TestRowDomainsAreBounded forgets domains when their texts grow too long.
func TestRowDomainsAreBounded(t *testing.T) {
	c := newDomainCache()
	filler := strings.Repeat("; comment\n", 60_000)
	for i := range 100 {
		d, diags := c.parse(pddl.NewSource("domain", fmt.Sprintf("; %d\n", i)+filler+tinyDomain("p")), pddl.Options{})
		if d == nil {
			t.Fatal(diags)
		}
		if n := len(c.parsed) * len(filler); n > maxDomainText {
			t.Fatalf("%d bytes are kept", n)
		}
	}
}
