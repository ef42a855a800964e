package validator

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
)

const blocksDomain, blocksProblem, blocksPlan = pddltest.BlocksDomain, pddltest.SixBlocksProblem, pddltest.SixBlocksPlan

// compile parses a task and compiles its judge.
func compile(t testing.TB, domain, problem string) *Judge {
	t.Helper()
	j, err := NewJudge(parse(t, domain, problem), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func parse(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	d, diags := pddl.ParseDomain(&pddl.Source{Name: "domain", Text: domain}, pddl.Options{})
	if d == nil {
		t.Fatalf("domain: %v", diags)
	}
	p, diags := pddl.ParseProblem(&pddl.Source{Name: "problem", Text: problem}, d, pddl.Options{})
	if p == nil {
		t.Fatalf("problem: %v", diags)
	}
	return p
}

func parsePlan(t testing.TB, text string) *pddl.Plan {
	t.Helper()
	p, diags := pddl.ParsePlan(&pddl.Source{Name: "plan", Text: text})
	if p == nil {
		t.Fatalf("plan: %v", diags)
	}
	return p
}

func BenchmarkValidate(b *testing.B) {
	j := compile(b, blocksDomain, blocksProblem)
	s := j.NewScratch()
	b.Run("parsed", func(b *testing.B) {
		plan := parsePlan(b, blocksPlan)
		b.ReportAllocs()
		for b.Loop() {
			if !j.Judge(plan, s).Valid {
				b.Fatal("invalid")
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		var r pddl.PlanReader
		var plan pddl.Plan
		src := &pddl.Source{Name: "plan", Text: blocksPlan}
		b.SetBytes(int64(len(blocksPlan)))
		b.ReportAllocs()
		for b.Loop() {
			if r.Read(src, &plan).HasErrors() || !j.Judge(&plan, s).Valid {
				b.Fatal("invalid")
			}
		}
	})
}

// BenchmarkShort judges a plan of six steps from its text, on all processors.
func BenchmarkShort(b *testing.B) {
	j := compile(b, blocksDomain, blocksProblem[:strings.Index(blocksProblem, "(:goal")]+"(:goal (and)))")
	text := strings.Join(strings.SplitAfter(blocksPlan, ")")[:6], "")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		s := j.NewScratch()
		var r pddl.PlanReader
		var plan pddl.Plan
		src := &pddl.Source{Name: "plan", Text: text}
		for pb.Next() {
			if r.Read(src, &plan).HasErrors() || !j.Judge(&plan, s).Valid || len(plan.Steps) != 6 {
				b.Fatal("invalid")
			}
		}
	})
}

// BenchmarkCorpus judges original plans of the corpus, as parsed plans, over and
// over: one plan per iteration.
func BenchmarkCorpus(b *testing.B) {
	data := sharedData(b)
	l := newLoader()
	seen := map[string]bool{}
	for _, r := range readLines[valRow](b, filepath.Join(data, "validator", "cases-dev.jsonl")) {
		folder := strings.Split(r.DomainFile, "/")[0]
		if r.Mutation != "original" || r.Status != "ok" || seen[folder] {
			continue
		}
		seen[folder] = true
		j, err := l.judge(filepath.Join(data, "bench", r.DomainFile), filepath.Join(data, "bench", r.ProblemFile))
		if err != nil {
			b.Fatal(err)
		}
		plan, s := parsePlan(b, r.Plan), j.NewScratch()
		b.Run(fmt.Sprintf("%s/%dsteps", folder, len(plan.Steps)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !j.Judge(plan, s).Valid {
					b.Fatal("invalid")
				}
			}
		})
	}
}
