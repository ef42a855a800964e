package pddl

import (
	"strings"
	"testing"
)

// TestHints gives, for mistakes that people make, the message and the hint of the only error.
func TestHints(t *testing.T) {
	action := func(condition, effect string) string {
		return "(define (domain d) (:requirements :adl :derived-predicates) (:predicates (p) (q) (r ?x)) (:action a :parameters () :precondition " +
			condition + " :effect " + effect + "))"
	}
	derived := func(rule string) string {
		return "(define (domain d) (:requirements :adl :derived-predicates) (:predicates (p) (q) (r ?x)) (:derived " + rule + "))"
	}
	problem := func(goal string) string { return "(define (problem p) (:domain d) (:init) (:goal " + goal + "))" }
	const empty = "(define (domain d) (:predicates (p) (q)))"
	cases := []struct {
		name, in, code, message, hint string
		errors                        int // if more than one
	}{
		{"implies", action("(implies (p) (q))", "(p)"), "undeclared-predicate", "'implies'", "did you mean 'imply'?", 0},
		{"iff", action("(iff (p) (q))", "(p)"), "undeclared-predicate", "'iff'", "(imply A B) (imply B A)", 0},
		{"negated head", derived("(not (p)) (q)"), "unexpected-token", "a rule cannot derive a negation", "leave it out", 0},
		{"when with two effects", action("(p)", "(when (p) (q) (p))"), "wrong-operand-count", "'when' takes a condition and an effect", "join several effects with (and ...)", 0},
		{"forall with two effects", action("(p)", "(forall (?x) (r ?x) (p) (q))"), "wrong-operand-count", "'forall' takes a list of variables and an effect", "join several effects", 0},
		{"goal when", problem("when (p) (q)"), "unexpected-token", "expected a condition, found 'when'", "use (imply ...)", 0},
		{"goal and", problem("and (p) (q)"), "unexpected-token", "expected a condition, found 'and'", "(and ...)", 0},
		{"precondition and", action("and (p) (q)", "(p)"), "unexpected-token", "expected a condition, found 'and'", "(and ...)", 0},
		{"effect and", action("(p)", "and (p) (q)"), "unexpected-token", "expected an effect, found 'and'", "(and ...)", 0},
		{"type before and after the dash", "(define (domain d) (:requirements :typing) (:types shape square - shape))", "type-cycle", "shape - shape",
			"every name before the dash gets the type after it", 0},
		{"two definitions in a file", empty + "\n(define (problem p) (:domain d))", "text-after-end", "text after the end", "files of their own", 0},
		{"a definition inside another", "(define (domain d) (:predicates (p))\n(define (problem p) (:domain d)))", "unexpected-token", "a second definition inside the first", "files of their own", 3},
		{"end of file of DOS", empty + "\r\n\x1a", "illegal-character", "U+001A", "delete it", 0},
		{"control character", "(define (domain d) (:predicates (p) \x01))", "illegal-character", "U+0001", "delete it", 0},
		{"zero width space at the end", empty + "\u200b", "illegal-character", "U+200B, which is invisible", "delete it", 0},
		{"zero width space between sections", "(define (domain d) \u200b (:predicates (p)))", "illegal-character", "U+200B", "delete it", 0},
		{"soft hyphen in a name", "(define (domain d) (:predicates (p\u00adq)))", "illegal-character", "U+00AD", "delete it", 0},
		{"word joiner before a name", "(define (domain d) (:predicates (\u2060p)))", "illegal-character", "U+2060", "delete it", 0},
		{"right-to-left mark after a name", "(define (domain d) (:predicates (p\u200f)))", "illegal-character", "U+200F", "delete it", 0},
		{"byte order mark inside", "(define (domain d) \ufeff(:predicates (p)))", "illegal-character", "U+FEFF", "delete it", 0},
		{"no-break space", "(define (domain d)\u00a0(:predicates (p)))", "illegal-character", "U+00A0, which looks like a space", "type a space", 0},
	}
	dom := mustDomain(t, empty)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var ds Diagnostics
			if strings.HasPrefix(c.in, "(define (problem") {
				_, ds = ParseProblem(NewSource("problem.pddl", c.in), dom, Options{})
			} else {
				_, ds = ParseDomain(NewSource("domain.pddl", c.in), Options{})
			}
			errs := ds.Errors()
			if len(errs) != max(1, c.errors) || errs[0].Code != Code(c.code) || !strings.Contains(errs[0].Message, c.message) || !strings.Contains(errs[0].Hint, c.hint) {
				t.Errorf("want %s: ...%s... (...%s...), got\n%v", c.code, c.message, c.hint, errs)
			}
		})
	}
}

// TestInvisibleInPlan: a character that nobody sees is named in plans too.
func TestInvisibleInPlan(t *testing.T) {
	for _, in := range []string{"(a)\u200b\n", "(a)\n\x1a", "(a\u200b)\n", "\u2060(a)\n"} {
		_, ds := ParsePlan(NewSource("plan", in))
		if len(ds) != 1 || ds[0].Code != IllegalCharacter || !strings.Contains(ds[0].Message, "U+") || strings.ContainsAny(ds.Error(), "\u200b\x1a\u2060") {
			t.Errorf("%q: %v", in, ds)
		}
	}
}

// TestRepeatedHead: a head with a variable twice derives only atoms with equal arguments.
func TestRepeatedHead(t *testing.T) {
	const text = `(define (domain d) (:requirements :adl :derived-predicates) (:types t - object s - t) (:predicates (e ?x ?y - t) (w ?x ?y ?z - t))
  (:derived (w ?a - t ?a - s ?A-2 - t) (exists (?a-3 - t) (and (e ?a ?a-3) (e ?a-3 ?a-2)))))`
	d, ds := ParseDomain(NewSource("domain.pddl", text), Options{})
	if d == nil || len(ds) != 1 || ds[0].Severity != Warning || ds[0].Code != DuplicateParameter {
		t.Fatalf("want one warning: %v", ds)
	}
	want := "(:derived (w ?a - t ?a-4 - s ?A-2 - t)\n    (and (= ?a ?a-4) (exists (?a-3 - t) (and (e ?a ?a-3) (e ?a-3 ?A-2)))))"
	if got := d.String(); !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	checkDomainStable(t, d)
	if d, ds := ParseDomain(NewSource("domain.pddl", text), Options{Strict: true}); d != nil {
		t.Errorf("accepted with --strict: %v", ds)
	}
	if d, ds := ParseDomain(NewSource("domain.pddl", strings.ReplaceAll(text, "(exists (?a-3 - t)", "(exists (?a-3 ?a-3 - t)")), Options{}); d != nil {
		t.Errorf("a quantifier may not repeat a variable: %v", ds)
	}
}

// TestOtherDomain: a problem of another domain gets a warning, with Strict an error.
func TestOtherDomain(t *testing.T) {
	dom := mustDomain(t, "(define (domain d) (:predicates (p)))")
	src := NewSource("problem.pddl", "(define (problem x) (:domain other) (:init) (:goal (p)))")
	if p, ds := ParseProblem(src, dom, Options{}); p == nil || len(ds) != 1 || ds[0].Code != DomainMismatch || ds[0].Severity != Warning {
		t.Errorf("want a warning: %v", ds)
	}
	if p, ds := ParseProblem(src, dom, Options{Strict: true}); p != nil || ds.Errors()[0].Code != DomainMismatch {
		t.Errorf("want an error: %v", ds)
	}
}
