package validator

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

const blocksDomain = `(define (domain blocks)
  (:requirements :strips)
  (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (handempty) (holding ?x))
  (:action pick-up :parameters (?x)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
  (:action put-down :parameters (?x)
    :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
  (:action stack :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
  (:action unstack :parameters (?x ?y)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))`

const blocksProblem = `(define (problem six) (:domain blocks)
  (:objects a b c d e f)
  (:init (handempty) (clear a) (on a b) (on b c) (ontable c) (clear d) (on d e) (on e f) (ontable f))
  (:goal (and (on c a) (on f c) (on d f))))`

const blocksPlan = `(unstack a b)
(put-down a)
(unstack b c)
(put-down b)
(pick-up c)
(stack c a)
(unstack d e)
(put-down d)
(unstack e f)
(put-down e)
(pick-up f)
(stack f c)
(pick-up d)
(stack d f)
`

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
