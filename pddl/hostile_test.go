package pddl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

// TestHostile reads inputs made to exhaust the stack, the memory or the time. Each must be
// refused or read within seconds.
func TestHostile(t *testing.T) {
	n := 1 << 20
	if testing.Short() {
		n = 1 << 17
	}
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
