package pddl

import (
	"strings"
	"testing"
)

// domainPlaces and the tables after it hold inputs with one fault each: exactly the
// offending place must be reported, and no consequence of it.
var domainPlaces = []struct{ name, in, want string }{
	{"a second supertype in a row", "(define (domain d) (:types t - u - v))", "1:34 unexpected-token"},
	{"a glued second supertype", "(define (domain d) (:types v t - u -v))", "1:36 unexpected-token|1:36 hyphen-glued-to-type"},
	{"no type before a hyphen", "(define (domain d) (:types - a b - a))", "1:28 unexpected-token"},
	{"a second type of a constant", "(define (domain d) (:types t u) (:constants o - t - u p - u) (:predicates (q ?x - u)) (:action a :effect (q p)))", "1:51 unexpected-token"},
	{"a second type of a parameter", "(define (domain d) (:types t u) (:action a :parameters (?x - t - u)))", "1:64 unexpected-token"},
	{"a second type in a predicate", "(define (domain d) (:types t u) (:predicates (p ?x - t - (either t u))))", "1:56 unexpected-token"},
	{"a second type in a quantifier", "(define (domain d) (:types t u) (:action a :precondition (forall (?x - t - u) (and))))", "1:74 unexpected-token"},
	{"no parameter before a hyphen", "(define (domain d) (:types t) (:action a :parameters (- t ?x - t)))", "1:55 unexpected-token"},
	{"a second type of a function", "(define (domain d) (:functions (f) - number - number))", "1:45 unexpected-token"},
	{"no function before a hyphen", "(define (domain d) (:functions - number (f)))", "1:32 unexpected-token"},
	{"object below a type", "(define (domain d) (:types a - object object - a))", "1:39 type-cycle"},

	{"negated literal as cost", "(define (domain d) (:functions (total-cost))\n(:action a :effect (increase (total-cost) (- 5))))", "2:43 negative-cost"},
	{"folded product", "(define (domain d) (:functions (total-cost))\n(:action a :effect (increase (total-cost) (* -1 5))))", "2:43 negative-cost"},
	{"folded decrease", "(define (domain d) (:functions (total-cost))\n(:action a :effect (decrease (total-cost) (/ (+ 1 2) 2))))", "2:43 negative-cost"},

	{"sections after a wrong first word", "(domain d)\n(:predicates (p))", "1:2 malformed-file"},
	{"no parenthesis at all", "domain d", "1:1 malformed-file"},
	{"only a parenthesis", "(", "1:2 malformed-file"},
	{"two parentheses", "((domain d))", "1:2 malformed-file"},
	{"a section in place of define", "(:domain d)", "1:2 malformed-file"},
	{"a head that is no list", "(define domain d (:predicates (p)))", "1:9 malformed-file"},
	{"a head without a name", "(define (domain) (:predicates (p)))", "1:16 malformed-file"},
	{"the end in the head", "(define (domain d", "1:9 unclosed-parenthesis"},
	{"the end before the name", "(define (domain", "1:16 malformed-file"},
	{"an unclosed head", "(define (domain d\n(:predicates (p)))", "1:9 unclosed-parenthesis"},
	{"an unclosed head, with one parenthesis more at the end", "(define (domain d\n(:predicates (p))))", "1:9 unclosed-parenthesis"},

	{"extra parenthesis before a part", "(define (domain d) (:predicates (p))\n(:action a :precondition (and)) :effect (p))\n)", "2:31 extra-parenthesis"},
	{"extra parenthesis before the last part", "(define (domain d) (:predicates (p))\n(:action a :precondition (and)) :effect (p))", "2:31 extra-parenthesis"},
	{"extra parenthesis before a duration", "(define (domain d)\n(:durative-action a :parameters ()) :duration (= ?duration 1) :effect (and))\n)", "2:35 extra-parenthesis"},
	{"extra parenthesis among predicates", "(define (domain d)\n(:predicates (p)) (q))\n(:action a :effect (p)))", "2:17 extra-parenthesis"},
	{"extra parenthesis among types", "(define (domain d)\n(:types a) b c)\n(:predicates (p)))", "2:10 extra-parenthesis"},
	{"text between sections", "(define (domain d)\n(:predicates (p)) (q) x (y)\n(:action a :effect (p)))", "2:19 unexpected-token"},
	{"two hyphens in a row", "(define (domain d) (:types a b) (:constants o - - a) (:predicates (p)))", "1:49 unexpected-token"},
	{"two hyphens in a row among types", "(define (domain d) (:types a - - b))", "1:32 unexpected-token"},
	{"an action without a name", "(define (domain d)\n(:action (a) :parameters (?x)))", "2:10 unexpected-token"},
	{"a keyword without its colon", "(define (domain d) (:predicates (p))\n(:action a parameters () :effect (q)))", "2:12 unexpected-token|2:35 undeclared-predicate"},
	{"parameters without parentheses", "(define (domain d) (:predicates (p ?x))\n(:action a :parameters ?x :effect (p ?x)))", "2:24 unexpected-token"},
	{"not without parentheses", "(define (domain d) (:predicates (p ?x))\n(:action a :parameters (?x) :precondition (not p ?x)))", "2:48 unexpected-token|2:50 unexpected-token"},
	{"the definition closed early", "(define (domain d)) (:predicates (p))", "1:19 extra-parenthesis"},
	{"sections without colons", "(define (domain d)\n(predicates (p))\n(action a :effect (and)))", "2:1 unexpected-token|3:1 unexpected-token"},
	{"a hundred thousand at the end", "(define (domain d))\n" + strings.Repeat(")", 100000), "2:1 extra-parenthesis"},
	{"a name of digits", "(define (domain d) (:constants " + strings.Repeat("9", MaxNameLength+1) + "))", "1:32 name-too-long"},
}

var problemPlaces = []struct{ name, in, want string }{
	{"second type", "(define (problem p) (:domain d) (:objects o - t - t) (:init) (:goal (and)))", "1:49 unexpected-token"},
	{"no object before a hyphen", "(define (problem p) (:domain d) (:objects - t o - t) (:init) (:goal (and)))", "1:43 unexpected-token"},
	{"literal after its negation", "(define (problem p) (:domain d)\n(:init (not (q k)) (q k) (not (q k))) (:goal (and)))", "2:20 contradictory-init|2:26 contradictory-init"},
	{"negation after its literal", "(define (problem p) (:domain d)\n(:init (q k) (not (q k))) (:goal (and)))", "2:14 contradictory-init"},
	{"unclosed head", "(define (problem p\n(:domain d) (:init) (:goal (and)))", "1:9 unclosed-parenthesis"},
	{"unclosed fact", "(define (problem p) (:domain d)\n(:init (q k\n(q k) (= (c k) 1))\n(:goal (and)))", "2:8 unclosed-parenthesis"},
	{"unclosed last fact", "(define (problem p) (:domain d)\n(:init (q k)\n(q k\n(:goal (and)))", "3:1 unclosed-parenthesis"},
	{"unclosed init", "(define (problem p) (:domain d)\n(:init (q k)\n(:goal (and)))", "2:1 unclosed-parenthesis"},
	{"and", "(define (problem p) (:domain d)\n(:init (and (q k))) (:goal (and)))", "2:9 and-in-init"},
	{"extra parenthesis among facts", "(define (problem p) (:domain d)\n(:init (q k)) (q k))\n(:goal (and)))", "2:13 extra-parenthesis"},
	{"extra parenthesis among objects", "(define (problem p) (:domain d)\n(:objects a) b - t) (:init)\n(:goal (and)))", "2:12 extra-parenthesis"},
	{"cost of an initial value", "(define (problem p) (:domain d)\n(:init (= (c k) -2)) (:goal (and)))", "2:17 negative-cost"},
	{"cost that an initial value makes negative", "(define (problem p) (:domain d)\n(:init (= (sum k) -3) (= (gain) 1/0) (= gain 1)) (:goal (and)))", "2:19 negative-cost|2:33 bad-number|2:46 negative-cost"},
	{"costs that stay positive", "(define (problem p) (:domain d)\n(:init (= (sum k) -2) (= (gain) -1) (= (changed) -5) (= (timed) -1) (at 1 (= (timed) 3))) (:goal (x)))", "2:99 undeclared-predicate"},

	{"value before the fluent", "(define (problem p) (:domain d)\n(:init (= 3 (gain))) (:goal (and)))", "2:11 unexpected-token"},
	{"expression as a value", "(define (problem p) (:domain d)\n(:init (= (gain) (+ 1 2))) (:goal (and)))", "2:18 bad-number"},
	{"value that is no number", "(define (problem p) (:domain d)\n(:init (= (gain) 1,5)) (:goal (and)))", "2:19 illegal-character"},
	{"doubly negated fact", "(define (problem p) (:domain d)\n(:init (not (not (q k)))) (:goal (and)))", "2:14 bad-init-element"},

	{"misspelt goal", "(define (problem p) (:domain d) (:init)\n(:goals (and)))", "2:2 unknown-section"},
	{"sections without colons", "(define (problem p) (domain d) (init)\n(goal (and)))", "1:21 unexpected-token|1:32 unexpected-token|2:1 unexpected-token"},

	{"no-break space in a head", "(define\u00a0(problem\u00a0p)\u00a0(:domain d)\u00a0(:init) (:goal (and)))", "1:8 illegal-character|1:17 illegal-character|1:20 illegal-character|1:32 illegal-character"},
	{"no-break space after a keyword", "(define (problem p) (:domain\u00a0d) (:init\u00a0(q\u00a0k)) (:goal\u00a0(q k)))", "1:29 illegal-character|1:39 illegal-character|1:42 illegal-character|1:53 illegal-character"},
	{"ideographic space in a goal", "(define (problem p) (:domain d) (:init) (:goal (and\u3000(q\u3000k\u3000)\u3000)))", "1:52 illegal-character|1:55 illegal-character|1:57 illegal-character|1:59 illegal-character"},
	{"no-break space in a typed list", "(define (problem p) (:domain d) (:objects a\u00a0-\u00a0t) (:init (p a)) (:goal (and)))", "1:44 illegal-character|1:46 illegal-character"},
}

const placesDomain = `(define (domain d) (:types t) (:constants k - t) (:predicates (p ?x - t) (q ?x))
  (:functions (total-cost) (c ?x) (sum ?x) (gain) (changed) (timed))
  (:action a :effect (and (increase (total-cost) (c k)) (increase (total-cost) (+ 2 (sum k)))
    (decrease (total-cost) (gain)) (increase (total-cost) (changed)) (increase (changed) 1)
    (increase (total-cost) (timed)))))`

func TestPlaces(t *testing.T) {
	check := func(name, want string, ds Diagnostics) {
		t.Helper()
		if got := codesAt(ds); got != want {
			t.Errorf("%s\ngot  %s\nwant %s\n%v", name, got, want, ds)
		}
	}
	for _, c := range domainPlaces {
		_, ds := ParseDomain(NewSource("domain.pddl", c.in), Options{})
		check(c.name, c.want, ds)
	}
	d := mustDomain(t, placesDomain)
	for _, c := range problemPlaces {
		_, ds := ParseProblem(NewSource("problem.pddl", c.in), d, Options{})
		check(c.name, c.want, ds)
	}
}

// TestEmptyWhenCondition reads () as the condition of a conditional effect as it is
// read as a precondition.
func TestEmptyWhenCondition(t *testing.T) {
	d := mustDomain(t, "(define (domain d) (:predicates (p)) (:action a :effect (when () (p))))")
	if e := d.Actions[0].Effect; e.Kind != EffectWhen || e.Condition.Kind != FormulaTrue {
		t.Errorf("kind %v, condition %v", e.Kind, e.Condition.Kind)
	}
}

// TestLongNumbers reads numbers up to their own limit, which is above that of names.
func TestLongNumbers(t *testing.T) {
	text := func(digits int) string {
		return "(define (domain d) (:functions (total-cost)) (:action a :effect (increase (total-cost) " + strings.Repeat("9", digits) + ")))"
	}
	mustDomain(t, text(MaxDigits))
	_, ds := ParseDomain(NewSource("d", text(MaxDigits+1)), Options{})
	if !ds.HasErrors() {
		t.Error("a number beyond the limit is read")
	}
}
