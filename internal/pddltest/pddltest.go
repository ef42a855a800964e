// Package pddltest holds the tasks on which the packages of llmbridge are tested, and reads the
// corpora that they share.
package pddltest

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// Problems of the tests, in domains written for them.
const (
	BlocksDomain = `(define (domain blocks)
  (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
  (:action pick-up :parameters (?x)
    :precondition (and (clear ?x) (ontable ?x) (handempty))
    :effect (and (holding ?x) (not (clear ?x)) (not (ontable ?x)) (not (handempty))))
  (:action put-down :parameters (?x)
    :precondition (holding ?x)
    :effect (and (clear ?x) (ontable ?x) (handempty) (not (holding ?x))))
  (:action stack :parameters (?x ?y)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (clear ?x) (on ?x ?y) (handempty) (not (holding ?x)) (not (clear ?y))))
  (:action unstack :parameters (?x ?y)
    :precondition (and (on ?x ?y) (clear ?x) (handempty))
    :effect (and (holding ?x) (clear ?y) (not (on ?x ?y)) (not (clear ?x)) (not (handempty)))))`
	BlocksProblem = `(define (problem b) (:domain blocks) (:objects a b c d)
  (:init (handempty) (ontable a) (ontable b) (on c a) (on d b) (clear c) (clear d))
  (:goal (and (on a b))))`

	MysteryDomain = `(define (domain m)
  (:predicates (province ?x) (planet ?x) (harmony) (pain ?x) (craves ?x ?y))
  (:action attack :parameters (?x) :precondition (province ?x) :effect (pain ?x))
  (:action succumb :parameters (?x) :precondition (pain ?x) :effect (province ?x))
  (:action overcome :parameters (?x ?y) :precondition (pain ?x) :effect (craves ?x ?y))
  (:action feast :parameters (?x ?y) :precondition (craves ?x ?y) :effect (pain ?x)))`
	MysteryProblem = `(define (problem p) (:domain m) (:objects a b c) (:init (harmony) (planet a)) (:goal (craves a b)))`

	LogisticsDomain = `(define (domain l)
  (:predicates (obj ?x) (truck ?x) (airplane ?x) (location ?x) (city ?x) (at ?x ?y) (in ?x ?y) (in-city ?x ?y))
  (:action load-truck :parameters (?p ?t ?l) :precondition (at ?t ?l) :effect (in ?p ?t))
  (:action load-airplane :parameters (?p ?a ?l) :precondition (at ?a ?l) :effect (in ?p ?a))
  (:action unload-truck :parameters (?p ?t ?l) :precondition (at ?t ?l) :effect (at ?p ?l))
  (:action unload-airplane :parameters (?p ?a ?l) :precondition (at ?a ?l) :effect (at ?p ?l))
  (:action drive-truck :parameters (?t ?f ?l ?c) :precondition (at ?t ?f) :effect (at ?t ?l))
  (:action fly-airplane :parameters (?a ?f ?l) :precondition (at ?a ?f) :effect (at ?a ?l)))`
	LogisticsProblem = `(define (problem p) (:domain l) (:objects p0 p1 t0 t1 a0 l0-0 l0-1 l1-0 l1-1 c0 c1)
  (:init (truck t0) (truck t1) (airplane a0) (obj p0) (obj p1) (city c0) (city c1)
    (in-city l0-0 c0) (in-city l0-1 c0) (in-city l1-0 c1) (in-city l1-1 c1) (at t0 l0-0) (at p0 l0-0))
  (:goal (at p0 l1-1)))`

	// A domain that no template knows.
	PlainDomain = `(define (domain g) (:requirements :typing) (:types spot key)
  (:predicates (at ?s - spot) (has ?k - key) (opens ?k - key ?s - spot))
  (:action go :parameters (?f - spot ?t - spot) :precondition (at ?f) :effect (and (at ?t) (not (at ?f))))
  (:action take-key :parameters (?k - key) :effect (has ?k))
  (:action open-with-key :parameters (?k - key ?s - spot) :precondition (has ?k) :effect (opens ?k ?s))
  (:action wait :parameters ()))`
	PlainProblem = `(define (problem p) (:domain g) (:objects hall attic s-1-2 - spot k1 k2 - key) (:init (at hall)) (:goal (at attic)))`

	randomizedDomain = `(define (domain r)
  (:predicates (tv30k33pzoulql6w ?x) (b6e9q4r60gagvdcn ?x ?y))
  (:action u64y1a9apusmslxb :parameters (?x) :effect (tv30k33pzoulql6w ?x))
  (:action kip9uw781pv62umn :parameters (?x) :effect (tv30k33pzoulql6w ?x))
  (:action j4gv801gnu2it0yj :parameters (?x ?y) :effect (b6e9q4r60gagvdcn ?x ?y))
  (:action wio5amhq7814n006 :parameters (?x ?y) :effect (not (b6e9q4r60gagvdcn ?x ?y))))`
	randomizedProblem = `(define (problem p) (:domain r) (:objects o0 o1 o2) (:init (tv30k33pzoulql6w o0)) (:goal (b6e9q4r60gagvdcn o0 o1)))`

	TimedDomain = `(define (domain t) (:requirements :typing :durative-actions)
  (:predicates (at ?x) (road ?x ?y))
  (:durative-action go :parameters (?x ?y) :duration (= ?duration 2)
    :condition (at start (at ?x)) :effect (and (at start (not (at ?x))) (at end (at ?y)))))`
	TimedProblem = `(define (problem p) (:domain t) (:objects u v) (:init (at u)) (:goal (at v)))`

	depotsDomain = `(define (domain d)
  (:predicates (at ?x ?y) (on ?x ?y) (in ?x ?y))
  (:action drive :parameters (?t ?f ?p) :effect (at ?t ?p))
  (:action lift :parameters (?h ?c ?s ?p) :effect (on ?c ?h))
  (:action drop :parameters (?h ?c ?s ?p) :effect (on ?c ?s))
  (:action load :parameters (?h ?c ?t ?p) :effect (in ?c ?t))
  (:action unload :parameters (?h ?c ?t ?p) :effect (on ?c ?h)))`
	DepotsProblem = `(define (problem p) (:domain d) (:objects truck0 depot0 distributor1 hoist0 hoist1 crate0 crate1 pallet0) (:init (at truck0 depot0)) (:goal (on crate0 pallet0)))`
)

// Tasks are a domain and a problem by name, for Load.
var Tasks = map[string][2]string{
	"blocks":     {BlocksDomain, BlocksProblem},
	"mystery":    {MysteryDomain, MysteryProblem},
	"logistics":  {LogisticsDomain, LogisticsProblem},
	"plain":      {PlainDomain, PlainProblem},
	"randomized": {randomizedDomain, randomizedProblem},
	"depots":     {depotsDomain, DepotsProblem},
	"timed":      {TimedDomain, TimedProblem},
}

// Parse reads a domain and a problem, and fails the test if it cannot.
func Parse(t testing.TB, domain, problem string) (*pddl.Domain, *pddl.Problem) {
	t.Helper()
	dom, ds := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
	if dom == nil {
		t.Fatalf("domain: %v", ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("problem", problem), dom, pddl.Options{})
	if prob == nil {
		t.Fatalf("problem: %v", ds)
	}
	return dom, prob
}

// PlanBenchRow is a row of the PlanBench response corpus.
type PlanBenchRow struct {
	ID        string   `json:"id"`
	Domain    string   `json:"domain"`
	DomainF   string   `json:"domain_pddl"`
	ProblemF  string   `json:"problem_pddl"`
	Response  string   `json:"raw_response"`
	Valid     *bool    `json:"val_valid"`
	Plan      []string `json:"plan"`
	Malformed []string `json:"malformed_steps"`
	Ambiguous bool     `json:"ambiguous"`
	Note      string   `json:"extraction_note"`
	Hash      string   `json:"prompt_sha256"`
}

// PlanBenchRows reads the PlanBench response corpus. The test is skipped where there is none.
func PlanBenchRows(t testing.TB) []PlanBenchRow {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "data", "planbench"), "responses*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("no responses")
	}
	var rows []PlanBenchRow
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<26)
		for in.Scan() {
			var row PlanBenchRow
			if err := rowjson.Unmarshal(in.Bytes(), &row, false); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			rows = append(rows, row)
		}
		f.Close()
	}
	return rows
}

// Bundled are tasks of every bundled domain.
var Bundled = []string{"blocksworld:3-5", "blocksworld:6-77", "logistics:2-3-2-1", "gripper:4", "elevator:5-3-2-1", "powergrid:5-1-2-1"}

// Load reads a bundled task, "gripper:4", and fails the test if it cannot.
func Load(t testing.TB, name string) *pddl.Problem {
	t.Helper()
	d, p, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	_, prob := Parse(t, d.Text, p.Text)
	return prob
}

// Domains of PlanBench of which the corpus has no files, with a task each.
const (
	DeceptiveDomain = `(define (domain deceptive)
  (:predicates (hand ?x) (sneeze ?x) (cats ?x) (texture ?x) (stupendous ?x) (spring ?x) (next ?x ?y) (vase ?x ?y) (collect ?x ?y))
  (:action clip :parameters (?a ?b ?c) :effect (next ?a ?b))
  (:action sip :parameters (?a ?b ?c) :effect (vase ?a ?b))
  (:action tightfisted :parameters (?a ?b ?c) :effect (next ?a ?b))
  (:action paltry :parameters (?a ?b ?c) :effect (vase ?a ?b))
  (:action wretched :parameters (?a ?b ?c ?d) :effect (next ?a ?b))
  (:action memory :parameters (?a ?b ?c) :effect (collect ?a ?b)))`
	DeceptiveProblem = `(define (problem p) (:domain deceptive) (:objects o0 o1 o2 o10) (:init (hand o0) (next o0 o1)) (:goal (vase o0 o1)))`
	WholeDepots      = `(define (domain depot) (:requirements :typing)
  (:types place locatable - object depot distributor - place truck hoist surface - locatable pallet crate - surface)
  (:predicates (at ?x - locatable ?y - place) (on ?x - crate ?y - surface) (in ?x - crate ?y - truck) (lifting ?x - hoist ?y - crate) (available ?x - hoist) (clear ?x - surface))
  (:action drive :parameters (?x - truck ?y - place ?z - place) :precondition (at ?x ?y) :effect (and (not (at ?x ?y)) (at ?x ?z)))
  (:action lift :parameters (?x - hoist ?y - crate ?z - surface ?p - place) :precondition (and (at ?x ?p) (available ?x) (at ?y ?p) (on ?y ?z) (clear ?y)) :effect (and (not (at ?y ?p)) (lifting ?x ?y) (not (clear ?y)) (not (available ?x)) (clear ?z) (not (on ?y ?z))))
  (:action drop :parameters (?x - hoist ?y - crate ?z - surface ?p - place) :precondition (and (at ?x ?p) (at ?z ?p) (clear ?z) (lifting ?x ?y)) :effect (and (available ?x) (not (lifting ?x ?y)) (at ?y ?p) (not (clear ?z)) (clear ?y) (on ?y ?z)))
  (:action load :parameters (?x - hoist ?y - crate ?z - truck ?p - place) :precondition (and (at ?x ?p) (at ?z ?p) (lifting ?x ?y)) :effect (and (not (lifting ?x ?y)) (in ?y ?z) (available ?x)))
  (:action unload :parameters (?x - hoist ?y - crate ?z - truck ?p - place) :precondition (and (at ?x ?p) (at ?z ?p) (available ?x) (in ?y ?z)) :effect (and (not (in ?y ?z)) (not (available ?x)) (lifting ?x ?y))))`
	WholeDepotsProblem = `(define (problem p) (:domain depot) (:objects depot0 - depot distributor0 - distributor truck0 - truck pallet0 pallet1 - pallet crate0 crate1 - crate hoist0 hoist1 - hoist)
  (:init (at pallet0 depot0) (at pallet1 distributor0) (clear crate1) (clear pallet1) (at truck0 depot0) (at hoist0 depot0) (available hoist0) (at hoist1 distributor0) (available hoist1)
    (at crate0 depot0) (on crate0 pallet0) (at crate1 depot0) (on crate1 crate0)) (:goal (on crate1 pallet1)))`
)

const (
	// Quantifiers, disjunction, negation, conditional effects and a recursive axiom.
	ADLDomain = `(define (domain adl) (:requirements :adl :derived-predicates)
  (:types room thing) (:constants base - room)
  (:predicates (door ?a ?b - room) (in ?t - thing ?r - room) (lit ?r - room) (reach ?a ?b - room) (at ?r - room) (held ?t - thing) (wet ?t - thing))
  (:derived (reach ?a ?b - room) (or (door ?a ?b) (exists (?c - room) (and (door ?a ?c) (reach ?c ?b)))))
  (:action walk :parameters (?a ?b - room) :precondition (and (at ?a) (reach ?a ?b) (not (= ?a ?b)))
    :effect (and (at ?b) (not (at ?a)) (forall (?t - thing) (when (held ?t) (and (in ?t ?b) (not (in ?t ?a)))))))
  (:action grab :parameters (?t - thing ?r - room) :precondition (and (at ?r) (in ?t ?r) (or (lit ?r) (not (wet ?t))))
    :effect (held ?t))
  (:action drop-all :parameters () :precondition (exists (?t - thing) (held ?t)) :effect (forall (?t - thing) (not (held ?t))))
  (:action build :parameters (?a ?b - room) :precondition (and (at ?a) (not (door ?a ?b)) (forall (?t - thing) (imply (wet ?t) (held ?t))))
    :effect (and (door ?a ?b) (door ?b ?a)))
  (:action light :parameters (?r - room) :precondition (at ?r) :effect (and (when (lit ?r) (not (lit ?r))) (when (not (lit ?r)) (lit ?r))))
  (:action rain :parameters () :precondition (at base) :effect (forall (?t - thing) (when (in ?t base) (wet ?t)))))`
	ADLProblem = `(define (problem adl) (:domain adl) (:objects r1 r2 r3 - room box cup - thing)
  (:init (at base) (door base r1) (door r1 base) (door r2 r3) (in box base) (in cup r1) (lit r2))
  (:goal (and (in box r2) (not (held box)) (reach base r2))))`

	// Numeric conditions and object fluents, which have no ground form here.
	FuelDomain = `(define (domain fuel) (:requirements :typing :fluents)
  (:types place) (:predicates (at ?p - place) (road ?a ?b - place)) (:functions (fuel) (need ?a ?b - place) (visits ?p - place))
  (:action drive :parameters (?a ?b - place)
    :precondition (and (at ?a) (road ?a ?b) (>= (fuel) (need ?a ?b)))
    :effect (and (at ?b) (not (at ?a)) (decrease (fuel) (need ?a ?b)) (increase (visits ?b) 1)))
  (:action fill :parameters (?p - place) :precondition (and (at ?p) (< (fuel) 3)) :effect (increase (fuel) 4)))`
	FuelProblem = `(define (problem fuel) (:domain fuel) (:objects a b c - place)
  (:init (at a) (road a b) (road b a) (road b c) (road c b) (= (fuel) 5) (= (need a b) 2) (= (need b a) 3) (= (need b c) 1.5) (= (need c b) 1) (= (visits a) 0) (= (visits c) 0))
  (:goal (and (at c) (>= (fuel) 4))))`
)

// JSON encodes a value. It panics where that is impossible.
func JSON(v any) string {
	b, err := rowjson.AppendValue(nil, v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Forbid restricts a task by a list of forbidden actions, "(stack a b) (stack ? c)".
func Forbid(t testing.TB, prob *pddl.Problem, text string) *pddl.Problem {
	t.Helper()
	list, ds := domains.ParseForbidden(pddl.NewSource("forbidden", text), prob)
	if ds != nil {
		t.Fatal(ds)
	}
	q, err := domains.Restrict(prob, list)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Call writes a step as a call, "stack(a, b)".
func Call(step string) string {
	w := strings.Fields(strings.Trim(step, "()"))
	return w[0] + "(" + strings.Join(w[1:], ", ") + ")"
}
