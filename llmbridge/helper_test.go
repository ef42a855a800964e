package llmbridge

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Problems of the tests, in domains written for them.
const (
	blocksDomain = `(define (domain blocks)
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
	blocksProblem = `(define (problem b) (:domain blocks) (:objects a b c d)
  (:init (handempty) (ontable a) (ontable b) (on c a) (on d b) (clear c) (clear d))
  (:goal (and (on a b))))`

	mysteryDomain = `(define (domain m)
  (:predicates (province ?x) (planet ?x) (harmony) (pain ?x) (craves ?x ?y))
  (:action attack :parameters (?x) :precondition (province ?x) :effect (pain ?x))
  (:action succumb :parameters (?x) :precondition (pain ?x) :effect (province ?x))
  (:action overcome :parameters (?x ?y) :precondition (pain ?x) :effect (craves ?x ?y))
  (:action feast :parameters (?x ?y) :precondition (craves ?x ?y) :effect (pain ?x)))`
	mysteryProblem = `(define (problem p) (:domain m) (:objects a b c) (:init (harmony) (planet a)) (:goal (craves a b)))`

	logisticsDomain = `(define (domain l)
  (:predicates (obj ?x) (truck ?x) (airplane ?x) (location ?x) (city ?x) (at ?x ?y) (in ?x ?y) (in-city ?x ?y))
  (:action load-truck :parameters (?p ?t ?l) :precondition (at ?t ?l) :effect (in ?p ?t))
  (:action load-airplane :parameters (?p ?a ?l) :precondition (at ?a ?l) :effect (in ?p ?a))
  (:action unload-truck :parameters (?p ?t ?l) :precondition (at ?t ?l) :effect (at ?p ?l))
  (:action unload-airplane :parameters (?p ?a ?l) :precondition (at ?a ?l) :effect (at ?p ?l))
  (:action drive-truck :parameters (?t ?f ?l ?c) :precondition (at ?t ?f) :effect (at ?t ?l))
  (:action fly-airplane :parameters (?a ?f ?l) :precondition (at ?a ?f) :effect (at ?a ?l)))`
	logisticsProblem = `(define (problem p) (:domain l) (:objects p0 p1 t0 t1 a0 l0-0 l0-1 l1-0 l1-1 c0 c1)
  (:init (truck t0) (truck t1) (airplane a0) (obj p0) (obj p1) (city c0) (city c1)
    (in-city l0-0 c0) (in-city l0-1 c0) (in-city l1-0 c1) (in-city l1-1 c1) (at t0 l0-0) (at p0 l0-0))
  (:goal (at p0 l1-1)))`

	// A domain that no template knows.
	plainDomain = `(define (domain g) (:requirements :typing) (:types spot key)
  (:predicates (at ?s - spot) (has ?k - key) (opens ?k - key ?s - spot))
  (:action go :parameters (?f - spot ?t - spot) :precondition (at ?f) :effect (and (at ?t) (not (at ?f))))
  (:action take-key :parameters (?k - key) :effect (has ?k))
  (:action open-with-key :parameters (?k - key ?s - spot) :precondition (has ?k) :effect (opens ?k ?s))
  (:action wait :parameters ()))`
	plainProblem = `(define (problem p) (:domain g) (:objects hall attic s-1-2 - spot k1 k2 - key) (:init (at hall)) (:goal (at attic)))`

	randomizedDomain = `(define (domain r)
  (:predicates (tv30k33pzoulql6w ?x) (b6e9q4r60gagvdcn ?x ?y))
  (:action u64y1a9apusmslxb :parameters (?x) :effect (tv30k33pzoulql6w ?x))
  (:action kip9uw781pv62umn :parameters (?x) :effect (tv30k33pzoulql6w ?x))
  (:action j4gv801gnu2it0yj :parameters (?x ?y) :effect (b6e9q4r60gagvdcn ?x ?y))
  (:action wio5amhq7814n006 :parameters (?x ?y) :effect (not (b6e9q4r60gagvdcn ?x ?y))))`
	randomizedProblem = `(define (problem p) (:domain r) (:objects o0 o1 o2) (:init (tv30k33pzoulql6w o0)) (:goal (b6e9q4r60gagvdcn o0 o1)))`

	timedDomain = `(define (domain t) (:requirements :typing :durative-actions)
  (:predicates (at ?x) (road ?x ?y))
  (:durative-action go :parameters (?x ?y) :duration (= ?duration 2)
    :condition (at start (at ?x)) :effect (and (at start (not (at ?x))) (at end (at ?y)))))`
	timedProblem = `(define (problem p) (:domain t) (:objects u v) (:init (at u)) (:goal (at v)))`

	depotsDomain = `(define (domain d)
  (:predicates (at ?x ?y) (on ?x ?y) (in ?x ?y))
  (:action drive :parameters (?t ?f ?p) :effect (at ?t ?p))
  (:action lift :parameters (?h ?c ?s ?p) :effect (on ?c ?h))
  (:action drop :parameters (?h ?c ?s ?p) :effect (on ?c ?s))
  (:action load :parameters (?h ?c ?t ?p) :effect (in ?c ?t))
  (:action unload :parameters (?h ?c ?t ?p) :effect (on ?c ?h)))`
	depotsProblem = `(define (problem p) (:domain d) (:objects truck0 depot0 distributor1 hoist0 hoist1 crate0 crate1 pallet0) (:init (at truck0 depot0)) (:goal (on crate0 pallet0)))`
)

var testTasks = map[string][2]string{
	"blocks":     {blocksDomain, blocksProblem},
	"mystery":    {mysteryDomain, mysteryProblem},
	"logistics":  {logisticsDomain, logisticsProblem},
	"plain":      {plainDomain, plainProblem},
	"randomized": {randomizedDomain, randomizedProblem},
	"depots":     {depotsDomain, depotsProblem},
	"timed":      {timedDomain, timedProblem},
}

func parseTask(t testing.TB, domain, problem string) (*pddl.Domain, *pddl.Problem) {
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

// testReader compiles the reader of one of the tasks above.
func testReader(t testing.TB, task string) *Reader {
	t.Helper()
	dom, prob := parseTask(t, testTasks[task][0], testTasks[task][1])
	return NewReader(dom, prob)
}

// shared returns the folder of shared data, and skips the test if there is none.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("PLANPROOF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	path := filepath.Join(append([]string{root, "data"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no shared data: %v (set PLANPROOF_SHARED)", err)
	}
	return path
}

// planbenchRow is a row of the PlanBench response corpus.
type planbenchRow struct {
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

func planbenchRows(t testing.TB) []planbenchRow {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared(t, "planbench"), "responses*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("no responses")
	}
	var rows []planbenchRow
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<26)
		for in.Scan() {
			var row planbenchRow
			if err := json.Unmarshal(in.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			rows = append(rows, row)
		}
		f.Close()
	}
	return rows
}

// planbenchTasks parses the problems of rows, each once.
type planbenchTasks struct {
	root    string
	domains map[string]*pddl.Domain
	tasks   map[string]*planbenchTask
}

type planbenchTask struct {
	judge  *validator.Judge
	reader *Reader
}

func newPlanbenchTasks(t testing.TB) *planbenchTasks {
	return &planbenchTasks{shared(t, "planbench"), map[string]*pddl.Domain{}, map[string]*planbenchTask{}}
}

func (p *planbenchTasks) task(t testing.TB, row *planbenchRow) *planbenchTask {
	t.Helper()
	if k, ok := p.tasks[row.ProblemF]; ok {
		return k
	}
	dom, ok := p.domains[row.DomainF]
	if !ok {
		src, err := pddl.ReadSource(filepath.Join(p.root, row.DomainF))
		if err != nil {
			t.Fatal(err)
		}
		var ds pddl.Diagnostics
		if dom, ds = pddl.ParseDomain(src, pddl.Options{}); dom == nil {
			t.Fatalf("%s: %v", row.DomainF, ds)
		}
		p.domains[row.DomainF] = dom
	}
	src, err := pddl.ReadSource(filepath.Join(p.root, row.ProblemF))
	if err != nil {
		t.Fatal(err)
	}
	prob, ds := pddl.ParseProblem(src, dom, pddl.Options{})
	if prob == nil {
		t.Fatalf("%s: %v", row.ProblemF, ds)
	}
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatalf("%s: %v", row.ProblemF, err)
	}
	k := &planbenchTask{judge, NewReader(dom, prob)}
	p.tasks[row.ProblemF] = k
	return k
}

// valid judges what a response says, as the scorer does.
func (k *planbenchTask) valid(t testing.TB, response string) bool {
	t.Helper()
	x := k.reader.Extract(response)
	v, _ := k.judge.ValidateText(pddl.NewSource("plan", x.PlanText()), k.judge.NewScratch())
	return v.Valid
}
