package timeline

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	shed = `(define (domain shed) (:predicates (lit) (mended ?f) (day)) (:functions (heat) (tools))
		(:durative-action strike :parameters () :duration (= ?duration 5)
			:effect (and (at start (lit)) (at end (not (lit))) (increase (heat) (* #t 2))))
		(:durative-action mend :parameters (?f) :duration (and (>= ?duration 3) (<= ?duration 8))
			:condition (over all (lit)) :effect (and (at start (decrease (tools) 1)) (at end (mended ?f)) (at end (increase (tools) 1))))
		(:action cool :parameters () :effect (assign (heat) 0.5)))`
	task = `(define (problem one) (:domain shed) (:objects f g) (:init (= (heat) 0) (= (tools) 2) (day) (at 6 (not (day))) (at 2 (= (tools) 3)))
		(:goal (and (mended f) (mended g))))`
)

// TestGolden compares pictures with the files in testdata; -update rewrites them.
func TestGolden(t *testing.T) {
	_, prob := pddltest.Parse(t, shed, task)
	j, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string]string{
		"valid":     "0: (strike) [5]\n1: (mend f) [3]\n1.5: (mend g) [3]\n7: (cool)",
		"invariant": "0: (strike) [5]\n0.5: (mend f) [3]\n2.5: (mend g) [3]\n7: (cool)",
		"empty":     "",
	} {
		p, diags := pddl.ParsePlan(pddl.NewSource("plan", plan))
		if diags.HasErrors() {
			t.Fatal(diags.Err())
		}
		for ending, write := range map[string]func(*Picture, *bytes.Buffer) error{
			"svg": func(p *Picture, b *bytes.Buffer) error { return p.WriteSVG(b) },
			"txt": func(p *Picture, b *bytes.Buffer) error { return p.WriteText(b) },
		} {
			var got bytes.Buffer
			if err := write(New(j, p, j.NewScratch()), &got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+"."+ending)
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(want, got.Bytes()) {
				t.Errorf("%s is not as in the file (%v):\n%s", file, err, got.Bytes())
			}
		}
	}
}
