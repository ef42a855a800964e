package main

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// TestJudgeFound hands the guard before printing what a broken search would find: a
// plan that does not work, and one that is priced wrong. Neither may get through.
func TestJudgeFound(t *testing.T) {
	domSrc, probSrc, err := domains.Load("blocksworld:3-1")
	if err != nil {
		t.Fatal(err)
	}
	dom, diags := pddl.ParseDomain(domSrc, pddl.Options{})
	prob, more := pddl.ParseProblem(probSrc, dom, pddl.Options{})
	if diags = append(diags, more...); diags.HasErrors() {
		t.Fatal(diags)
	}
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &grounded{problem: prob, task: task}
	found, err := search.Run(context.Background(), task, search.Config{})
	if err != nil || found.Status != search.SolvedOptimally {
		t.Fatal(found, err)
	}
	if _, v, err := judgeFound(g, found); err != nil || !v.Valid {
		t.Errorf("a right plan: %v", err)
	}
	short, dear := *found, *found
	short.Plan = found.Plan[1:]
	dear.Cost++
	for name, r := range map[string]*search.Result{"a plan without its first step": &short, "a wrong cost": &dear} {
		if plan, _, err := judgeFound(g, r); err == nil || plan != nil || !strings.Contains(err.Error(), "the judge refuses or prices otherwise") {
			t.Errorf("%s: %v, %v", name, plan, err)
		}
	}
}
