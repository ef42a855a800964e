package pddl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

// constructs pairs an input with what the printer makes of it: names resolved,
// defaults filled in, tolerated spellings made standard.
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
	var b strings.Builder
	if err := p.Print(&b); err != nil || b.String() != want {
		t.Error("Print and String differ")
	}
	f, args, v := p.Init.Values.Fluent(0)
	if s := p.FormatFluent(f, args); s != "(f a)" || !v.Equal(Int(-2)) {
		t.Errorf("the first value is %s = %v", s, v)
	}
	goal := p.Goal.Formula.Children[1]
	names := p.Names(&p.Goal.Schema)
	pref := goal.Children[0].Children[0]
	if s := names.Formula(goal); s != "(forall (?x - t) (preference two (p ?x)))" || names.Atom(pref.Pred, pref.Args) != "(p ?x)" || names.Term(pref.Args[0]) != "?x" {
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

// faults are inputs with several errors; each must be reported, in order.
var faults = []struct{ name, in, want string }{
	{"all errors of a file", `(define (domain d)
  (:requirements :strips :typing)
  (:types a - b)
  (:predicates (p ?x - a) (q ?x - c))
  (:action one :parameters (?x - a) :precondition (and (p ?y) (r ?x) (p)) :effect (p ?x ?x))
  (:action two :parameters (?z) :precondition (p ?z) :effect (p nobody))
  (:action one :effect (p)))`,
		"4:35 undeclared-type|5:59 undeclared-variable|5:64 undeclared-predicate|5:71 wrong-arity|5:84 wrong-arity|6:50 loose-type|6:65 undeclared-object|7:12 duplicate-action|7:25 wrong-arity"},
	{"a missing parenthesis before a section", `(define (domain d)
  (:predicates (p) (q)
  (:action a :effect (p))
  (:action b :effect (r)))`, "2:3 unclosed-parenthesis|4:23 undeclared-predicate"},
	{"a missing parenthesis in an action", `(define (domain d)
  (:predicates (p))
  (:action a :precondition (and (p) :effect (p))
  (:action b :effect (r)))`, "3:28 unclosed-parenthesis|4:23 undeclared-predicate"},
	{"an extra parenthesis", `(define (domain d)
  (:predicates (p)))
  (:action a :effect (r)))`, "2:20 extra-parenthesis|3:23 undeclared-predicate"},
	{"an extra parenthesis at the end", "(define (domain d) (:predicates (p))))", "1:38 extra-parenthesis"},
	{"never closed", "(define (domain d) (:predicates (p))", "1:1 unclosed-parenthesis"},
	{"stray list", "(define (domain d) (p) (:predicates (q)) (:action a :effect (r)))", "1:20 unexpected-token|1:62 undeclared-predicate"},
	{"nothing", "  \n", "1:1 empty-file"},
	{"empty", "", "1:1 empty-file"},
	{"no list", "hello", "1:1 malformed-file"},
	{"head cut short", "(define", "1:8 malformed-file"},
	{"head cut before the name", "(define (domain", "1:16 malformed-file"},
	{"head without a name", "(define (domain) (:predicates (p)))", "1:16 malformed-file"},
	{"head with two names", "(define (domain a b) (:predicates (p)))", "1:19 malformed-file"},
	{"no head", "(define (:predicates (p)))", "1:10 malformed-file"},
	{"illegal in the head", "(define (domain bäd) (:predicates (p)))", "1:18 illegal-character"},
	{"variable as a name", "(define (domain ?x) (:predicates (p)))", "1:17 unexpected-token"},
	{"NUL", "(define (domain a\x00b))", "1:18 not-text"},
	{"UTF-16", "\xfe\xff\x00(", "1:1 not-text"},
	{"control character", "(define (domain d) (:predicates (p\x01q)))", "1:35 illegal-character"},
	{"a question mark alone", "(define (domain d) (:predicates (p ?)))", "1:36 unexpected-token"},
	{"a colon in a variable", "(define (domain d) (:predicates (p ?:x)))", "1:37 illegal-character"},
	{"a keyword among parameters", "(define (domain d) (:predicates (p ?x) (q :y)))", "1:40 unclosed-parenthesis"},
	{"columns count characters", "(define (domain d) (:predicates (p)) (:action a :effect (and (p) ; é\n(é p)(q))))", "2:2 illegal-character|2:7 undeclared-predicate"},
	{"type cycle", "(define (domain d) (:types a - b b - a c - c) (:predicates (p ?x - a)))", "1:28 type-cycle|1:40 type-cycle"},
	{"supertype of object", "(define (domain d) (:types object - a))", "1:28 type-cycle"},
	{"unknown keyword", "(define (domain d) (:predicates (p)) (:action a :effects (p) :effect (q)))", "1:49 unknown-section|1:71 undeclared-predicate"},
	{"effects", `(define (domain d) (:predicates (p)) (:functions (f) - number (o) - object)
(:action a :effect (and (or (p) (p)) (not (not (p))) (increase (p) 1) (increase (f)) (increase (f) 1 2) (assign (o) 3) (increase (o) 1) (when (p)) (forall (p)) (not p) p)))`,
		"2:26 unexpected-token|2:44 unexpected-token|2:65 undeclared-function|2:71 wrong-operand-count|2:102 unexpected-token|2:117 undeclared-object|2:120 type-mismatch|2:137 wrong-operand-count|2:157 unexpected-token|2:159 unexpected-token|2:166 unexpected-token|2:169 unexpected-token"},
	{"numbers", `(define (domain d) (:functions (f) (g ?x)) (:predicates (p))
(:action a :precondition (and (< (f)) (= (f) (p)) (= (f) x) (> 1e99999 1) (< (/ 1 2 3) 1) (= 1) (> (g) 1) (> g 1) (< (+) 1) (= (f) 1 2))))`,
		"2:31 wrong-operand-count|2:47 undeclared-function|2:58 undeclared-object|2:64 bad-number|2:78 wrong-operand-count|2:91 wrong-operand-count|2:101 wrong-arity|2:110 wrong-arity|2:118 wrong-operand-count|2:125 wrong-operand-count"},
	{"durative", `(define (domain d) (:predicates (p)) (:functions (f))
(:durative-action a :parameters () :condition (or (at start (p))) :effect (and (p) (at now (p)) (over all (p)) (increase (f) 1) (at start (increase (f) #t)) (increase (f) (* #t #t))))
(:durative-action b :parameters () :duration (< 1 ?duration) :condition (at end (preference x (p)))))`,
		"2:19 missing-section|2:47 missing-time-specifier|2:80 missing-time-specifier|2:84 missing-time-specifier|2:97 missing-time-specifier|2:112 missing-time-specifier|2:153 misplaced-continuous-time|2:158 bad-continuous-effect|3:46 bad-duration-constraint|3:81 misplaced-preference"},
	{"time specifiers inside", `(define (domain d) (:predicates (at ?x ?y) (p)) (:durative-action a :parameters (?x) :duration (= ?duration 1)
:condition (at start (and (at start (p)) (at ?x ?x))) :effect (at end (and (at end (p)) (at ?x start)))))`,
		"2:28 misplaced-time-specifier|2:77 misplaced-time-specifier|2:96 undeclared-object"},
	{"durations", `(define (domain d) (:predicates (p)) (:functions (f))
(:durative-action a :parameters () :duration 5)
(:durative-action b :parameters () :duration (x ?duration 5))
(:durative-action c :parameters () :duration ((= ?duration 5)))
(:durative-action e :parameters () :duration (over all (= ?duration 5)))
(:durative-action g :parameters () :duration (and 5 (= ?duration 5) (= ?duration)))
(:durative-action h :parameters () :duration (at start (= ?duration ?x)))
(:durative-action i :parameters (?duration) :duration (= ?duration 5)))`,
		"2:46 unexpected-token|3:46 bad-duration-constraint|4:46 bad-duration-constraint|5:46 bad-duration-constraint|6:51 unexpected-token|6:69 bad-duration-constraint|7:69 unexpected-token|8:58 unexpected-token"},
	{"axioms of PDDL 1.2", `(define (domain d) (:types t) (:predicates (p ?x ?y) (q ?x - t) (r)) (:functions (f ?x)) (:constants k)
(:axiom :vars (?x ?y) :context (p ?x ?y) :implies (p ?x ?x))
(:axiom :vars (?x) :implies (p ?x k))
(:axiom :vars (?x ?y) :context (zz) :implies (p ?x ?y))
(:axiom :vars (?x - t) :implies (q ?x) :contxt (r))
(:axiom :vars x :context (r) :implies (r)))`,
		"2:51 unsupported-construct|3:29 unsupported-construct|4:33 undeclared-predicate|5:40 unknown-section|6:15 unexpected-token"},
	{"parts of actions", `(define (domain d) (:predicates (p ?x) (q)) (:functions (f ?x) (g))
(:action a :parameters ?x :effect (q) :effect (q) :precondition)
(:action :parameters () :effect (q))
(:action b :vars (?v ?w) :precondition (p ?v) :effect (and (q) (forall (?x) (when (p ?x) (increase (g) (f ?w))))))
(:action c :vars (?v) :precondition (p ?v) :effect (when (= ?v ?v) (q)))
(:action e :vars (?v) :precondition (p ?v) :effect (when (> (f ?v) 1) (q)))
(:action h :expansion (q) :effect (q)))`,
		"2:24 unexpected-token|2:39 duplicate-section|2:64 unexpected-token|3:10 unexpected-token|4:90 vars-in-effect|5:52 vars-in-effect|6:52 vars-in-effect|7:12 unsupported-section"},
	{"looked at ahead", `(define (domain d) (:predicates (p ?x) (at ?x ?y) (assign ?x)) (:functions (f))
(:action a :effect (and (at é e) (assign ö)) :precondition (and (at ü (p u)) (= (ä) 1) (= ß 1)) :parameters (?x - ñ)))`,
		"2:29 illegal-character|2:31 undeclared-object|2:42 illegal-character|2:69 illegal-character|2:71 nested-object-fluent|2:82 illegal-character|2:91 illegal-character|2:115 illegal-character"},
	{"several conditions", `(define (domain d) (:predicates (p) (q)) (:action a :precondition (p) (q) :effect (p) (q)))`, "1:71 unexpected-token|1:87 unexpected-token"},
	{"derived", `(define (domain d) (:predicates (p ?x) (q) (r))
(:derived (p ?x ?y) (q)) (:derived (z) (q)) (:derived (q) (not (r))) (:derived (r) (imply (q) (q)))
(:action a :effect (and (q) (not (r)))))`, "2:12 wrong-arity|2:37 undeclared-predicate|2:64 negative-axiom-cycle|2:91 negative-axiom-cycle|3:12 derived-predicate-in-effect|3:12 derived-predicate-in-effect"},
}

func codesAt(ds Diagnostics) string {
	var out []string
	for _, d := range ds {
		if d.Code == UndeclaredRequire || d.Code == SectionOrder {
			continue
		}
		line, col := d.LineCol()
		out = append(out, fmt.Sprintf("%d:%d %s", line, col, d.Code))
	}
	return strings.Join(out, "|")
}

func TestFaults(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			d, ds := ParseDomain(NewSource("domain.pddl", c.in), Options{})
			if d != nil {
				t.Error("a domain in spite of errors")
			}
			if got := codesAt(ds); got != c.want {
				t.Errorf("got  %s\nwant %s\n%v", got, c.want, ds)
			}
		})
	}
}

var problemFaults = []struct{ name, in, want string }{
	{"init", `(define (problem p) (:domain d) (:objects a b - t c)
(:init (p a) (not (p a)) (p c) (p zz) (q) (f a) (= (f a) 1) (= (f a) 2) (= (g) x) (= (loc a) c) (= (loc a) zz) (= a b) (or (p a)) p (and (p a)) (= (z) 1) (p ?x) (p (loc a)) () (d)
 (at -1 (p a)) (at 1 (zz)) (at 2 (= (loc a) b)) (at 1e9999999 (p a)) (oneof (p a)) (not (= a b)) (not p) (= 3 3) (at 3 (not (p zz))) (= (f a b) 1) (= g)) (:goal (and)))`,
		"2:14 contradictory-init|2:29 type-mismatch|2:35 undeclared-object|2:40 wrong-arity|2:44 undeclared-predicate|2:61 contradictory-init|2:80 bad-number|2:94 type-mismatch|2:108 undeclared-object|2:115 undeclared-function|2:121 bad-init-element|2:131 unexpected-token|2:134 and-in-init|2:149 undeclared-function|2:158 unexpected-token|2:165 nested-object-fluent|2:174 bad-init-element|2:178 derived-predicate-in-init|3:6 negative-time|3:23 undeclared-predicate|3:38 unsupported-construct|3:53 bad-number|3:71 bad-init-element|3:90 bad-init-element|3:103 unexpected-token|3:109 unexpected-token|3:128 undeclared-object|3:138 wrong-arity|3:152 bad-number"},
	{"sections", `(define (problem p) (:domain e) (:objects a a k - t b - u)
(:goal (p a) (p a)) (:goal (p a)) (:predicates (p)) (:metric minimize (zz)) (:situation s))`,
		"1:30 domain-mismatch|1:45 duplicate-object|1:47 duplicate-object|1:57 undeclared-type|2:14 unexpected-token|2:22 duplicate-section|2:36 unknown-section|2:72 undeclared-function|2:78 unsupported-section|1:18 missing-init"},
	{"goal", `(define (problem p) (:domain d) (:objects a - t) (:init)
(:goal (and () (p) (exists (?x) (p ?x)) (forall ?x (p ?x)) (imply (p a)) (zz a) (preference q) (not) (when (p a) (p a)) (= a) (loc a))))`,
		"2:13 empty-condition|2:17 wrong-arity|2:36 loose-type|2:49 unexpected-token|2:60 wrong-operand-count|2:75 undeclared-predicate|2:81 wrong-operand-count|2:96 wrong-operand-count|2:103 unexpected-token|2:121 wrong-operand-count|2:128 undeclared-predicate"},
	{"unclosed goal", "(define (problem p) (:domain d) (:init)\n(:goal ", "2:1 unclosed-parenthesis"},
	{"unclosed init", "(define (problem p) (:domain d) (:objects a - t)\n(:init (p a) (p a\n (:goal (p a)))", "2:14 unclosed-parenthesis"},
	{"metric", "(define (problem p) (:domain d) (:init) (:goal (and)) (:metric minimize (+ (is-violated x) (loc k))))", "1:89 undeclared-preference|1:93 type-mismatch"},
	{"negative cost", "(define (problem p) (:domain d) (:init (= (price) -1) (= (fee) -1)) (:goal (and)))", "1:51 negative-cost"},
}

func TestProblemFaults(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:types t) (:constants k - t) (:predicates (p ?x - t) (q ?x) (d)) (:functions (f ?x) (g) - number (loc ?x) - t (total-cost) (price) (fee))
		(:derived (d) (p k)) (:action a :effect (and (increase (total-cost) (price)) (increase (total-cost) (fee)) (decrease (fee) 1))))`)
	for _, c := range problemFaults {
		t.Run(c.name, func(t *testing.T) {
			p, ds := ParseProblem(NewSource("problem.pddl", c.in), d, Options{})
			if p != nil {
				t.Error("a problem in spite of errors")
			}
			got := codesAt(ds)
			want := strings.Split(c.want, "|")
			// One table entry lists what stands before it in the file at its end.
			if last := want[len(want)-1]; c.name == "sections" {
				want = append([]string{last}, want[:len(want)-1]...)
			}
			if got != strings.Join(want, "|") {
				t.Errorf("got  %s\nwant %s\n%v", got, strings.Join(want, "|"), ds)
			}
		})
	}
}

// TestSyntaxOnly reads a problem without its domain.
func TestSyntaxOnly(t *testing.T) {
	good := `(define (problem p) (:domain any) (:objects a - t) (:init (p a) (= (f) 1) (at 1 (q)) (at 2 (= (f) 2)) (not (r))) (:goal (and (exists (?x) (zz ?x)) (= a b))) (:metric minimize (f)))`
	p, ds := ParseProblem(NewSource("p", good), nil, Options{})
	if p != nil || ds.HasErrors() {
		t.Errorf("%v %v", p, ds)
	}
	_, ds = ParseProblem(NewSource("p", strings.Replace(good, "(p a)", "(p a", 1)), nil, Options{})
	if !ds.HasErrors() {
		t.Error("a missing parenthesis is not reported")
	}
}

// TestHostile gives inputs made to exhaust the stack, the memory or the time. Each
// must be refused or read within seconds.
func TestHostile(t *testing.T) {
	n := 1 << 20
	rep := strings.Repeat
	dom := func(body string) string { return "(define (domain d) (:predicates (p))\n" + body + ")" }
	inputs := map[string]string{
		"open parentheses":         rep("(", n),
		"closing parentheses":      rep(")", n),
		"define and parentheses":   "(define " + rep("(", n),
		"nested and":               dom("(:action a :precondition " + rep("(and ", n) + rep(")", n)),
		"nested not in effect":     dom("(:action a :effect " + rep("(not ", n) + rep(")", n)),
		"nested unclosed":          dom("(:action a :effect " + rep("(and ", n)),
		"nested numbers":           dom("(:action a :precondition (< 1 " + rep("(+ 1 ", n) + rep(")", n)),
		"nested below the limit":   dom("(:action a :precondition " + rep("(and ", MaxNesting-10) + rep(")", MaxNesting-10) + ")"),
		"nested init":              "(define (problem p) (:domain d) (:init " + rep("(p ", n),
		"many sections":            dom(rep("(:action a)(:derived (p) (p))", n/8)),
		"many unknown sections":    dom(rep("(:x)(:y)", n/8)),
		"huge arity":               "(define (domain d) (:predicates (p" + rep(" ?x", n) + ")))",
		"huge arity, other names":  "(define (domain d) (:predicates (p" + manyNames(" ?x", n/16) + ")))",
		"long name":                "(define (domain " + rep("n", n) + "))",
		"long variable":            dom("(:action a :parameters (?" + rep("n", n) + ") :effect (q ?" + rep("n", n) + "))"),
		"long keyword":             dom("(:" + rep("n", n) + ")"),
		"long number":              dom("(:action a :precondition (< 1 " + rep("9", n) + "))"),
		"exponent":                 dom("(:action a :precondition (< 1 1e999999999))"),
		"many types":               "(define (domain d) (:types" + manyNames(" t", n/8) + "))",
		"chain of types":           "(define (domain d) (:types" + chain(16000) + "))",
		"many unions":              "(define (domain d) (:types a b c) (:predicates" + unions(20000) + "))",
		"many undeclared":          dom("(:action a :effect (and " + rep("(q ?x) ", n/8) + "))"),
		"colons":                   dom(rep(":", n)),
		"colons apart":             dom("(:action a " + rep(": ", n/2) + ")"),
		"keywords":                 dom("(:action a " + rep(":effect ", n/8) + ")"),
		"question marks":           dom("(:action a :parameters (" + rep("?", n) + "))"),
		"comment":                  ";" + rep("x", n),
		"binary":                   rep("\x80\xff\x13", n/3),
		"quotes":                   rep("\"", n),
		"minus signs":              "(define (domain d) (:types " + rep("- ", n/2) + "))",
		"either":                   "(define (domain d) (:types a - (either" + rep(" a", n/2) + ")))",
		"blanks before a keyword":  "(define (domain d) " + rep("("+rep(" ", 1000)+":x)", n/1000) + ")",
		"text after sections":      dom(rep("(:x) y ", n/8)),
		"lists after sections":     dom(rep("(:x) (y) ", n/9)),
		"parts after sections":     dom(rep("(:action a) :effect (p)) ", n/24)),
		"Unicode blanks":           dom("(:action a :precondition (and" + rep("\u00a0", n/2) + "))"),
		"Unicode blanks in words":  dom("(:action a :precondition (and" + rep("a\u00a0", n/3) + "))"),
		"Unicode blanks, sections": dom(rep("(\u00a0:x\u00a0)\u00a0", n/9)),
		"nested steps":             rep("(a (b) c) ", n/10),
		"unclosed nested steps":    rep("(a (b) ", n/7),
		"comments in nested steps": rep("(a (b);\n", n/8),
		"costs":                    "(define (domain d) (:functions (total-cost) (c)) (:action a :effect (and" + rep(" (increase (total-cost) (* 2 (c)))", n/32) + ")))",
		"hyphens in a row":         dom("(:constants a" + rep(" - object", n/9) + ")"),
		"variables in many scopes": dom("(:action a :precondition (and " + rep("(forall (?a ?b ?c) (p)) ", n/24) + "))"),
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			start := testkit.CPUTime()
			d, ds := ParseDomain(NewSource("d", in), Options{})
			if d == nil && !ds.HasErrors() {
				t.Error("neither a domain nor an error")
			}
			_, pds := ParseProblem(NewSource("p", in), nil, Options{})
			_, fds := Format(NewSource("f", in))
			_, plds := ParsePlan(NewSource("l", in))
			for _, d := range append(append(append(ds, pds...), fds...), plds...) {
				if int(d.Pos) > len(in) || int(d.End) > len(in) || d.End < d.Pos {
					t.Errorf("place outside the text: %v", d)
				}
			}
			if ds.Error() == "" && d == nil {
				t.Error("no message")
			}
			if took := testkit.CPUTime() - start; took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func manyNames(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(prefix + itoa(i))
	}
	return b.String()
}

func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " t%d - t%d", i, i+1)
	}
	return b.String()
}

func unions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " (p%d ?x - (either a b c))", i)
	}
	return b.String()
}
