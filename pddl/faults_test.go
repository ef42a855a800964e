package pddl

import (
	"fmt"
	"strings"
	"testing"
)

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
		"2:29 illegal-character|2:31 undeclared-object|2:42 illegal-character|2:69 illegal-character|2:72 undeclared-function|2:82 illegal-character|2:91 illegal-character|2:115 illegal-character"},
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

// TestAddAndDelete: what adds and deletes an atom at one time and under one condition is mentioned, and nothing else.
func TestAddAndDelete(t *testing.T) {
	const head = "(define (domain d) (:requirements :adl :durative-actions) (:types t) (:constants k l - t) (:predicates (p ?x - t) (q))\n"
	for effect, want := range map[string]int{
		"(and (p k) (not (p k)))":                              1,
		"(and (not (p k)) (and (q) (p k)))":                    1,
		"(and (p k) (not (p k)) (q) (not (q)))":                2,
		"(when (q) (and (p k) (not (p k))))":                   1,
		"(forall (?x - t) (and (p ?x) (not (p ?x))))":          1,
		"(and (p k) (not (p l)))":                              0,
		"(and (p k) (when (q) (not (p k))))":                   0,
		"(and (p k) (forall (?x - t) (not (p ?x))))":           0,
		"DURATIVE (and (at end (p k)) (at end (not (p k))))":   1,
		"DURATIVE (and (at start (p k)) (at end (not (p k))))": 0,
	} {
		action := "(:action a :parameters () :effect " + effect + "))"
		if timed, ok := strings.CutPrefix(effect, "DURATIVE "); ok {
			action = "(:durative-action a :parameters () :duration (= ?duration 1) :condition () :effect " + timed + "))"
		}
		_, ds := ParseDomain(NewSource("domain.pddl", head+action), Options{})
		got := 0
		for _, d := range ds {
			if d.Code == AddAndDelete && d.Severity == Warning && strings.Contains(d.Message, "the add wins") {
				got++
			} else if d.Severity == Error {
				t.Errorf("%s: %v", effect, d)
			}
		}
		if got != want {
			t.Errorf("%s: %d warnings, want %d: %v", effect, got, want, ds)
		}
	}
}
