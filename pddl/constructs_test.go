package pddl

import (
	"fmt"
	"strings"
	"testing"
)

// constructs pairs an input with its printed form: names resolved, defaults filled in,
// tolerated spellings made standard.
var constructs = []struct{ name, in, want string }{
	{"no space before a variable", `(define (domain d) (:predicates (lit?l) (bulb ?l))
		(:action switch :parameters (?l) :precondition (bulb?l) :effect (lit?l)))`,
		`(:action switch
    :parameters (?l)
    :precondition (bulb ?l)
    :effect (lit ?l)
  )`},
	{"missing and empty parts", `(define (domain d) (:predicates (p)) (:action a) (:action b :precondition () :effect ()))`,
		`(:action a
    :parameters ()
    :precondition (and)
    :effect (and)
  )
  (:action b
    :parameters ()
    :precondition (and)
    :effect (and)
  )`},
	{"parameters after their use", `(define (domain d) (:predicates (p ?x)) (:action a :precondition (p ?y) :effect (and) :parameters (?y)))`,
		`:parameters (?y)
    :precondition (p ?y)`},
	{"spelling of declarations", `(define (domain D) (:Predicates (On ?X)) (:ACTION Put :Parameters (?Block) :PRECONDITION (AND (oN ?bLOCK)) :effect (NOT (ON ?block))))`,
		`(:action Put
    :parameters (?Block)
    :precondition (and (On ?Block))
    :effect (not (On ?Block))`},
	{"types", `(define (domain d) (:types a b - (either x y) a - c) (:predicates (p ?v - (either a c) ?w - c ?u ?t)))`,
		`(:types
    a - (either x y)
    a - c
    x - object
    y - object
    c - object
    b - (either x y)
  )
  (:predicates
    (p ?v - (either a c) ?w - c ?u ?t)
  )`},
	{"hyphen glued to a type", `(define (domain d) (:types t) (:predicates (p ?v-1 -t)))`, `(p ?v-1 - t)`},
	{"untyped before typed", `(define (domain d) (:types t) (:predicates (p ?a - object ?b - t)))`, `(p ?a - object ?b - t)`},
	{"shadowing", `(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :precondition (and (p ?x) (forall (?x) (exists (?x ?y) (p ?x))) (p ?x))))`,
		`(and (p ?x) (forall (?x) (exists (?x ?y) (p ?x))) (p ?x))`},
	{"connectives", `(define (domain d) (:predicates (p) (q)) (:action a :precondition (or (imply (p) (q)) (not (or)) (and (not (p))))))`,
		`(or (imply (p) (q)) (not (or)) (and (not (p))))`},
	{"equality", `(define (domain d) (:predicates (p)) (:constants k) (:action a :parameters (?x) :precondition (and (= ?x k) (not (= k k)))))`,
		`(and (= ?x k) (not (= k k)))`},
	{"numeric", `(define (domain d) (:functions (f ?x) (g) - number (h)) (:predicates (p)) (:action a :parameters (?x)
		:precondition (and (= (f ?x) 1.50) (< (- (g)) (- 3 (g) 1)) (>= (+ 1) (* 2 3 4)) (<= g 1e-3) (> (/ 1 2) -0))
		:effect (and (assign (f ?x) (g)) (increase (g) 1) (decrease g (f ?x)) (scale-up (g) 2) (scale-down (g) 0.5))))`, ""},
	{"conditional effects", `(define (domain d) (:predicates (p ?x) (q)) (:action a :effect (forall (?x) (when (and (p ?x) (q)) (and (not (p ?x)) (q))))))`,
		`(forall (?x) (when (and (p ?x) (q)) (and (not (p ?x)) (q))))`},
	{"derived", `(define (domain d) (:predicates (on ?a ?b) (above ?a ?b)) (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z) (and (on ?x ?z) (above ?z ?y))))))`,
		`(:derived (above ?x ?y)
    (or (on ?x ?y) (exists (?z) (and (on ?x ?z) (above ?z ?y)))))`},
	{"axiom of PDDL 1.2", `(define (domain d) (:predicates (on ?a ?b) (above ?a ?b)) (:axiom :vars (?z ?y ?x) :context (and (on ?x ?z) (above ?z ?y)) :implies (above ?x ?y)))`,
		`(:derived (above ?x ?y)
    (exists (?z) (and (on ?x ?z) (above ?z ?y))))`},
	{"axiom with everything", `(define (domain d) (:predicates (p ?x ?y) (q ?x)) (:functions (f ?x) - number (loc ?x) - object)
		(:axiom :implies (q ?c) :vars (?a ?b ?c) :context (and (p ?a ?c) (forall (?a) (p ?a ?b)) (> (f ?c) (+ (f ?b) 1)) (= (loc ?b) ?a))))`,
		`(exists (?a ?b) (and (p ?a ?c) (forall (?a) (p ?a ?b)) (> (f ?c) (+ (f ?b) 1)) (= (loc ?b) ?a)))`},
	{":vars of PDDL 1.2", `(define (domain d) (:predicates (p ?x) (q)) (:action a :parameters (?x) :vars (?v) :precondition (and (p ?v) (p ?x)) :effect (q)))`,
		`:precondition (exists (?v) (and (p ?v) (p ?x)))`},
	{"timeless", `(define (domain d) (:constants a) (:predicates (p ?x)) (:timeless (p a)))`, `(:timeless
    (p a)
  )`},
	{"durative", `(define (domain d) (:predicates (p) (at ?x)) (:functions (f)) (:durative-action a :parameters (?x)
		:duration (and (>= ?duration 1) (at start (<= ?duration (f))) (at end (>= ?duration (- 2))))
		:condition (and (at start (at ?x)) (over all (and (p))) (forall (?y) (at end (at ?y))) (preference pr (at end (p))) (at start (> 3 ?duration)))
		:effect (and (at start (not (at ?x))) (at end (and (p) (at ?x))) (when (at start (p)) (at end (p)))
			(forall (?y) (at end (at ?y))) (increase (f) (* #t 2)) (decrease (f) (* (f) #t)) (increase (f) #t) (at end (increase (f) ?duration)))))`, `(:durative-action a
    :parameters (?x)
    :duration (and (>= ?duration 1) (at start (<= ?duration (f))) (at end (>= ?duration (- 2))))
    :condition (and (at start (at ?x)) (over all (and (p))) (forall (?y) (at end (at ?y))) (preference pr (at end (p))) (at start (> 3 ?duration)))
    :effect (and (at start (not (at ?x))) (at end (and (p) (at ?x))) (when (at start (p)) (at end (p))) (forall (?y) (at end (at ?y))) (increase (f) (* #t 2)) (decrease (f) (* (f) #t)) (increase (f) #t) (at end (increase (f) ?duration)))`},
	{"free duration", `(define (domain d) (:predicates (p)) (:durative-action a :parameters () :duration () :effect (at end (p))))`, `:duration (and)`},
	{"constraints", `(define (domain d) (:predicates (p) (q)) (:constraints (and (always (p)) (forall (?x) (sometime (q))) (at end (p)) (preference c (within 2.5 (p)))
		(at-most-once (p)) (sometime-after (p) (q)) (sometime-before (p) (q)) (always-within 3 (p) (q)) (hold-during 1 2 (p)) (hold-after 4 (or (p) (q))))))`,
		`(:constraints (and (always (p)) (forall (?x) (sometime (q))) (at end (p)) (preference c (within 2.5 (p))) (at-most-once (p)) (sometime-after (p) (q)) (sometime-before (p) (q)) (always-within 3 (p) (q)) (hold-during 1 2 (p)) (hold-after 4 (or (p) (q)))))`},
	{"object fluents", `(define (domain d) (:types t) (:functions (loc ?x) - t (n) - number) (:constants c - t) (:action a :parameters (?x ?y - t)
		:precondition (and (= (loc ?x) ?y) (= c (loc ?x)) (not (= (loc c) c))) :effect (and (assign (loc ?x) c) (assign (loc ?y) undefined))))`,
		`:precondition (and (= (loc ?x) ?y) (= (loc ?x) c) (not (= (loc c) c)))
    :effect (and (assign (loc ?x) c) (assign (loc ?y) undefined))`},
	{"objects that look like numbers", `(define (domain d) (:constants 1 2) (:functions (f)) (:predicates (p ?x)) (:action a :parameters (?x) :precondition (and (p 1) (= ?x 1) (= 1 2) (= (f) 1))))`,
		`(and (p 1) (= ?x 1) (= 1 2) (= (f) 1))`},
	{"assign as a predicate", `(define (domain d) (:predicates (assign ?x ?y) (increase)) (:action a :parameters (?x) :effect (and (assign ?x ?x) (increase))))`,
		`(and (assign ?x ?x) (increase))`},
	{"names of PDDL 3 and 2.1 as predicates", `(define (domain d) (:predicates (always) (within ?x) (at ?x) (over ?x)) (:action a :parameters (?x) :precondition (and (always) (within ?x) (at ?x) (over ?x))))`,
		`(and (always) (within ?x) (at ?x) (over ?x))`},
	{"odd comments", "(define ; c1 (\n(domain d);)\n(:predicates;;\n(p));\r(:action a :effect (p)) ; ünï \x80\n)", `:effect (p)`},
	{"byte order mark and CRLF", "\ufeff(define (domain d)\r\n  (:predicates (p))\r\n)\r\n", `(p)`},
	{"any order of sections", `(define (domain d) (:action a :parameters (?x - t) :effect (p ?x)) (:predicates (p ?y - t)) (:types t))`, `:parameters (?x - t)`},
}

func TestConstructs(t *testing.T) {
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			d, ds := ParseDomain(NewSource("domain.pddl", c.in), Options{})
			if d == nil {
				t.Fatal(ds)
			}
			if !strings.Contains(d.String(), c.want) {
				t.Errorf("want\n%s\nin\n%s", c.want, d)
			}
			checkDomainStable(t, d)
		})
	}
}

func TestProblemConstructs(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:types t) (:constants k - t) (:predicates (p ?x) (at ?x ?y))
		(:functions (f ?x) (g) - number (loc ?x) - t) (:timeless (p k))
		(:action a :precondition (preference pre (p k)) :effect (p k)))`)
	if id, ok := d.FunctionByName("LOC"); !ok || d.Functions[id].Numeric || d.TypeName(d.Functions[id].Type) != "t" {
		t.Error("loc is no object fluent")
	}
	in := `(define (problem q) (:domain D) (:requirements :typing)
		(:objects a b - t 5 c)
		(:init (p a) (P A) (not (p b)) (at 5 c) (at a b) (= (f a) -2) (= g 0.25) (= (loc a) b) (= (loc b) undefined)
			(at 5 (p c)) (at 7.5 (not (p c))) (at 10 (= (g) 3)))
		(:goal (and (preference one (p a)) (forall (?x - t) (preference two (p ?x))) (preference (p c))))
		(:constraints (preference three (sometime (p b))))
		(:metric maximize (+ (* 2 (is-violated one)) (is-violated PRE) (is-violated three) (- (total-time)) total-time (g) (f a)))
		(:length (:serial 5) (:parallel 3)))`
	p := mustProblem(t, d, in)
	want := `(define (problem q)
  (:domain d)
  (:requirements :typing)
  (:objects
    a
    b - t
    5
    c
  )
  (:init
    (p a)
    (at 5 c)
    (at a b)
    (= (f a) -2)
    (= (g) 0.25)
    (= (loc a) b)
    (at 5 (p c))
    (at 7.5 (not (p c)))
    (at 10 (= (g) 3))
  )
  (:goal (and (preference one (p a)) (forall (?x - t) (preference two (p ?x))) (preference (p c))))
  (:constraints (preference three (sometime (p b))))
  (:metric maximize (+ (* 2 (is-violated one)) (is-violated PRE) (is-violated three) (- (total-time)) (total-time) (g) (f a)))
)
`
	if got := p.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	checkProblemStable(t, p)
	f, args, v := p.Init.Values.Fluent(0)
	if s := p.FormatFluent(f, args); s != "(f a)" || !v.Equal(Int(-2)) {
		t.Errorf("the first value is %s = %v", s, v)
	}
	goal := p.Goal.Formula.Children[1]
	names := p.Names(&p.Goal.Schema)
	pref := goal.Children[0].Children[0]
	if s := names.Formula(goal); s != "(forall (?x - t) (preference two (p ?x)))" || names.Term(pref.Args[0]) != "?x" {
		t.Errorf("%s", s)
	}
	if s := names.Expr(p.Metric.Expr.Children[0]); s != "(* 2 (is-violated one))" {
		t.Errorf("%s", s)
	}
	if s := d.Names(&d.Actions[0].Schema).Effect(d.Actions[0].Effect); s != "(p k)" {
		t.Errorf("%s", s)
	}
	if n := p.Init.Atoms.Len(); n != 4 {
		t.Errorf("%d atoms, want 4: the timeless one and three of the problem", n)
	}
	if pred, args := p.Init.Atoms.Atom(0); p.FormatAtom(pred, args) != "(p k)" {
		t.Errorf("the first atom is %s", p.FormatAtom(pred, args))
	}
}

func TestLookups(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:types car truck - vehicle vehicle place amphibian - object boat amphibian - vehicle)
		(:constants Home - place) (:predicates (At ?v - vehicle ?p - place)) (:functions (total-cost))
		(:action Go :parameters (?v - vehicle)) (:durative-action Fly :parameters () :duration (= ?duration 1)))`)
	p := mustProblem(t, d, `(define (problem p) (:domain d) (:objects c1 c2 - car T - truck x - (either boat place) am - amphibian o) (:init) (:goal (and)))`)
	if id, ok := d.PredicateByName("aT"); !ok || d.Predicates[id].Name != "At" {
		t.Error("PredicateByName")
	}
	if _, ok := d.PredicateByName("on"); ok {
		t.Error("unknown predicate found")
	}
	if i, ok := d.ActionByName("GO"); !ok || d.Actions[i].Name != "Go" {
		t.Error("ActionByName")
	}
	if _, ok := d.ActionByName("fly"); ok {
		t.Error("a durative action found as an instantaneous one")
	}
	if i, ok := d.DurativeByName("fly"); !ok || d.Durative[i].Name != "Fly" {
		t.Error("DurativeByName")
	}
	if id, ok := p.ObjectByName("HOME"); !ok || id != 0 {
		t.Error("a constant is no object of the problem")
	}
	if id, ok := d.TotalCost(); !ok || d.Functions[id].Name != "total-cost" {
		t.Error("TotalCost")
	}
	of := func(name string) string {
		ty, ok := d.TypeByName(name)
		if !ok {
			t.Fatalf("no type %s", name)
		}
		var out []string
		for _, o := range p.ObjectsOfType(ty) {
			out = append(out, p.Objects[o].Name)
		}
		return strings.Join(out, " ")
	}
	for _, c := range [][2]string{
		{"object", "Home c1 c2 T x am o"}, {"vehicle", "c1 c2 T am"}, {"CAR", "c1 c2"}, {"place", "Home"}, {"boat", ""}, {"amphibian", "am"},
	} {
		if got := of(c[0]); got != c[1] {
			t.Errorf("objects of %s: %q, want %q", c[0], got, c[1])
		}
	}
	sub := func(a, b string) bool {
		x, _ := d.TypeByName(a)
		y, _ := d.TypeByName(b)
		return d.IsSubtype(x, y)
	}
	if !sub("car", "vehicle") || sub("vehicle", "car") || !sub("amphibian", "vehicle") || !sub("place", "object") || sub("object", "place") {
		t.Error("IsSubtype")
	}
	if len(d.Types) == len(p.Domain.Types) || d == p.Domain {
		t.Error("a problem's own (either ...) type must not change the shared domain")
	}
}

func TestUnionTypes(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:types a - (either x y) b - (either x y z) x - s y - s q - a w)
		(:predicates (p ?v - (either x y)) (r ?v - (either y x z w)) (u ?v - s)))`)
	ty := func(n string) TypeID {
		id, ok := d.TypeByName(n)
		if !ok {
			t.Fatal(n)
		}
		return id
	}
	xy, xyzw := d.Predicates[0].Params[0].Type, d.Predicates[1].Params[0].Type
	for _, c := range []struct {
		sub, super TypeID
		want       bool
	}{
		{ty("a"), xy, true}, {ty("q"), xy, true}, {ty("b"), xy, false}, {ty("b"), xyzw, true}, {ty("a"), xyzw, true},
		{xy, xyzw, true}, {xyzw, xy, false}, {ty("a"), ty("x"), false}, {ty("a"), ty("s"), true}, {ty("b"), ty("s"), false},
		{xy, ty("s"), true}, {ty("x"), xy, true}, {ty("s"), xy, false}, {xy, xy, true}, {xyzw, RootType, true},
	} {
		if got := d.IsSubtype(c.sub, c.super); got != c.want {
			t.Errorf("IsSubtype(%s, %s) = %v", d.TypeName(c.sub), d.TypeName(c.super), got)
		}
	}
	if d.TypeName(xyzw) != "(either x y z w)" {
		t.Errorf("%s", d.TypeName(xyzw))
	}
}

func TestFeatures(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:requirements :adl :action-costs) (:types t) (:predicates (p) (q)) (:functions (total-cost) (c))
  (:action a :precondition (not (p)) :effect (and (when (q) (p)) (increase (total-cost) (c)))))`)
	p := mustProblem(t, d, `(define (problem x) (:domain d) (:init (at 3 (p))) (:goal (exists (?x - t) (q))))`)
	var got []string
	for _, f := range p.Features() {
		line, col := f.Source.LineCol(f.Pos)
		got = append(got, fmt.Sprintf("%s %s:%d:%d", f.Name, f.Source.Name, line, col))
	}
	want := "typing domain.pddl:1:55 | negative-preconditions domain.pddl:2:28 | conditional-effects domain.pddl:2:51 | action-costs domain.pddl:2:66 | existential-preconditions problem.pddl:1:59 | timed-initial-literals problem.pddl:1:40"
	if s := strings.Join(got, " | "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestRequirementsClosure(t *testing.T) {
	for _, c := range []struct {
		declared string
		want     bool // no warning
	}{
		{":adl", true}, {":strips :quantified-preconditions :negative-preconditions", true}, {":strips", false}, {"", false},
		{":ucpop", true}, {":existential-preconditions :negative-preconditions", true},
	} {
		text := "(define (domain d) (:requirements " + c.declared + ") (:predicates (p ?x)) (:action a :precondition (exists (?x) (not (p ?x)))))"
		_, ds := ParseDomain(NewSource("d", text), Options{})
		if (len(ds) == 0) != c.want {
			t.Errorf("%s: %v", c.declared, ds)
		}
		_, ds = ParseDomain(NewSource("d", text), Options{Strict: true})
		if ds.HasErrors() == c.want {
			t.Errorf("%s, strict: %v", c.declared, ds)
		}
	}
}
