package pddl

import "testing"

// plusDomain uses every construct of timed PDDL.
const plusDomain = `(define (domain plant) (:requirements :adl :fluents :durative-actions :duration-inequalities
  :continuous-effects :timed-initial-literals :constraints :preferences :derived-predicates :time)
 (:types tank) (:predicates (open ?t - tank) (wet) (full ?t - tank)) (:functions (level ?t - tank) (rate) (total-cost))
 (:constraints (and (always (not (wet))) (forall (?t - tank) (preference p (at-most-once (open ?t))))))
 (:derived (full ?t - tank) (>= (level ?t) 10))
 (:action open :parameters (?t - tank) :precondition (and (not (open ?t)) (preference q (not (wet)))) :effect (open ?t))
 (:durative-action pump :parameters (?t - tank) :duration (and (>= ?duration 1) (at end (<= ?duration (rate))))
  :condition (and (at start (open ?t)) (over all (not (wet))) (at end (< (level ?t) 9.5)))
  :effect (and (increase (level ?t) (* #t (rate))) (at end (not (open ?t)))
   (forall (?u - tank) (when (and (at start (open ?u)) (over all (open ?u))) (at end (wet))))))
 (:process fill :parameters (?t - tank) :precondition (open ?t) :effect (and (increase (level ?t) (* #t 2)) (decrease (rate) #t)))
 (:event spill :parameters (?t - tank) :precondition (and (full ?t) (not (wet))) :effect (and (wet) (assign (level ?t) 0))))`

const plusProblem = `(define (problem one) (:domain plant) (:objects a b - tank)
 (:init (= (level a) 0) (= (level b) 1/2) (= (rate) 2) (at 1.5 (open b)) (at 2 (not (open b))) (at 3 (= (rate) 4)))
 (:goal (and (wet) (preference g (open a))))
 (:constraints (and (within 10 (wet)) (hold-during 1 2.5 (open b)) (always-within 3 (open a) (wet)) (sometime-after (wet) (open a))))
 (:metric minimize (+ (* 2 (total-time)) (* 3 (is-violated p)) (total-cost))))`

// FuzzParseTimed reads, prints and reads again a domain, or a problem of a domain with time.
func FuzzParseTimed(f *testing.F) {
	f.Add(plusDomain)
	f.Add(plusProblem)
	dom := mustDomain(f, plusDomain)
	f.Fuzz(func(t *testing.T, text string) {
		if d, ds := ParseDomain(NewSource("d", text), Options{}); d != nil {
			checkPlaces(t, text, ds)
			first := d.String()
			if again, ds := ParseDomain(NewSource("printed", first), Options{}); again == nil || again.String() != first ||
				len(again.Processes) != len(d.Processes) || len(again.Events) != len(d.Events) || len(again.Durative) != len(d.Durative) {
				t.Fatalf("printing is not stable: %v\n%s", ds, first)
			}
		}
		p, ds := ParseProblem(NewSource("p", text), dom, Options{})
		checkPlaces(t, text, ds)
		if p == nil {
			return
		}
		first := p.String()
		again, ds := ParseProblem(NewSource("printed", first), dom, Options{})
		if again == nil || again.String() != first || len(again.Init.Timed) != len(p.Init.Timed) {
			t.Fatalf("printing is not stable: %v\n%s", ds, first)
		}
	})
}

// FuzzParseTimedPlan checks that a printed plan has the times, durations and end of the plan.
func FuzzParseTimedPlan(f *testing.F) {
	for _, text := range []string{
		"0: (a) [1]\n2.5: (B c) [3.333] ; x\r\n7: @PlanEND\n", "1e2: (a)[1/3] 5.50 : (b) [0]", "3: @planend", "0.0: (a) [0.10]",
		"0: (a)\n1: @Plan", "2: @PlanEND 3: (a)", "(a)\n2: @PlanEND", "1: @PlanEND 2: @PlanEND",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, ds := ParsePlan(NewSource("p", text))
		checkPlaces(t, text, ds)
		if p == nil {
			if !ds.HasErrors() {
				t.Fatal("neither a plan nor an error")
			}
			return
		}
		again, ds := ParsePlan(NewSource("printed", p.String()))
		if again == nil || len(again.Steps) != len(p.Steps) || again.HasEnd != p.HasEnd || !again.End.Equal(p.End) {
			t.Fatalf("another plan: %v\n%s", ds, p)
		}
		for i := range p.Steps {
			a, b := &p.Steps[i], &again.Steps[i]
			if p.Timed && !a.Time.Equal(b.Time) || a.HasDuration != b.HasDuration || a.HasDuration && (!a.Duration.Equal(b.Duration) || a.Decimals != b.Decimals) {
				t.Fatalf("another step %d:\n%s\n%s", i, p, again)
			}
		}
	})
}
