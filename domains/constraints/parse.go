package constraints

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/forms"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// A Kind is what a constraint is about, spelled as its first word.
type Kind string

// Constraints of the world, which say what the environment permits.
const (
	Missing     Kind = "missing"     // (missing OBJECT): no action can use it
	Unavailable Kind = "unavailable" // (unavailable ACTION)
	Forbidden   Kind = "forbidden"   // (forbidden (ACTION OBJECT|? ...))
	Initially   Kind = "initially"   // (initially (FACT)) or (initially (not (FACT)))
	Capacity    Kind = "capacity"    // (capacity N (PREDICATE OBJECT|? ...)): at most so many hold at a time
)

// Constraints of the user, which say what a plan should be like.
const (
	Avoid          Kind = "avoid"      // (avoid PREDICATE): no object for which the static fact holds
	Before         Kind = "before"     // (before (ACTION ...) (ACTION ...)): the second only after the first
	AtMost         Kind = "at-most"    // (at-most N (ACTION ...))
	AtLeast        Kind = "at-least"   // (at-least N (ACTION ...))
	Within         Kind = "within"     // (within N): the plan has at most N steps; (within N (ACTION ...)): done by step N
	CostLimit      Kind = "cost-limit" // (cost-limit C)
	Always         Kind = "always"     // the operators of PDDL 3 over the states of a plan
	Sometime       Kind = "sometime"
	AtMostOnce     Kind = "at-most-once"
	SometimeBefore Kind = "sometime-before"
	SometimeAfter  Kind = "sometime-after"
	AtEnd          Kind = "at-end"
)

// kinds, with the operands that each takes: n a number, a an action pattern, f a formula, o an object, p a name of a
// predicate, c a cost, x an action's name, i a fact or its negation, q a fact pattern. A form after | is the other one.
var kinds = []struct {
	kind  Kind
	forms string
	world bool
}{
	{Missing, "o", true}, {Unavailable, "x", true}, {Forbidden, "a", true}, {Initially, "i", true}, {Capacity, "nq", true},
	{Avoid, "p", false}, {Before, "aa", false}, {AtMost, "na", false}, {AtLeast, "na", false}, {Within, "n|na", false}, {CostLimit, "c", false},
	{Always, "f", false}, {Sometime, "f", false}, {AtMostOnce, "f", false}, {SometimeBefore, "ff", false}, {SometimeAfter, "ff", false}, {AtEnd, "f", false},
}

// A Constraint of a task.
type Constraint struct {
	Kind Kind
	// N is a number of times, steps or facts.
	N int
	// Actions are action patterns; Name is the name of an object, action or predicate.
	Actions []domains.Forbidden
	Name    string
	// Formulas are conditions of PDDL, as written in one line. Fact is a ground fact or a pattern with ? in it.
	Formulas []string
	Fact     []string
	Negated  bool // of an initial fact
	Cost     pddl.Number
	text     string
}

// String writes the constraint as [Parse] reads it.
func (c *Constraint) String() string { return c.text }

// World reports whether the constraint is about what the environment permits, and not about what a user wants.
func (c *Constraint) World() bool {
	return slices.ContainsFunc(kinds, func(k struct {
		kind  Kind
		forms string
		world bool
	}) bool {
		return k.kind == c.Kind && k.world
	})
}

// maxCount bounds the numbers of constraints: each unit is a fact of the compiled task.
const maxCount = 1000

// UnknownConstraint is the code of a constraint that there is not, and BadConstraint that of one with other operands
// than it takes.
const (
	UnknownConstraint pddl.Code = "unknown-constraint"
	BadConstraint     pddl.Code = "bad-constraint"
)

// Parse reads a sequence of constraints for a problem. Every fault has its place; then there are no constraints.
func Parse(src *pddl.Source, prob *pddl.Problem) ([]Constraint, pddl.Diagnostics) {
	r := reader{src: src, prob: prob}
	var list []Constraint
	for r.skip(); r.pos < len(src.Text); r.skip() {
		n, ok := r.node(0)
		if !ok {
			break
		}
		if c, ok := r.constraint(n); ok {
			list = append(list, c)
		}
	}
	if len(r.diags) > 0 {
		return nil, r.diags
	}
	return list, nil
}

type reader struct {
	src   *pddl.Source
	prob  *pddl.Problem
	pos   int
	diags pddl.Diagnostics
}

// node is a word or a list.
type node struct {
	word     string
	list     []node
	pos, end int
}

func (n *node) isList() bool { return n.word == "" }

// text writes a node in one line, in lower case.
func (n *node) text() string {
	if !n.isList() {
		return n.word
	}
	parts := make([]string, len(n.list))
	for i := range n.list {
		parts[i] = n.list[i].text()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (r *reader) fail(code pddl.Code, n *node, hint, format string, args ...any) {
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: code, Source: r.src, Pos: pddl.Pos(n.pos), End: pddl.Pos(n.end), Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// skip moves over white space and comments.
func (r *reader) skip() { r.pos = forms.Skip(r.src.Text, r.pos) }

// maxDepth bounds the nesting of formulas.
const maxDepth = 100

func (r *reader) node(depth int) (n node, ok bool) {
	r.skip()
	text := r.src.Text
	n.pos, n.end = r.pos, min(r.pos+1, len(text))
	switch {
	case r.pos >= len(text), text[r.pos] == ')':
		r.fail(pddl.UnexpectedToken, &n, "", "expected a constraint such as (always (clear a))")
		r.pos = len(text)
		return n, false
	case depth > maxDepth:
		r.fail(pddl.NestingTooDeep, &n, "", "nested deeper than %d", maxDepth)
		r.pos = len(text)
		return n, false
	case text[r.pos] != '(':
		end := strings.IndexAny(text[r.pos:], "(); \t\r\n")
		if end < 0 {
			end = len(text) - r.pos
		}
		r.pos += end
		n.word, n.end = strings.ToLower(text[n.pos:r.pos]), r.pos
		return n, true
	}
	for r.pos++; ; {
		if r.skip(); r.pos >= len(text) {
			r.fail(pddl.UnclosedParen, &n, "", "this parenthesis is not closed")
			return n, false
		}
		if text[r.pos] == ')' {
			r.pos++
			n.end = r.pos
			return n, true
		}
		child, ok := r.node(depth + 1)
		if !ok {
			return n, false
		}
		n.list = append(n.list, child)
	}
}

// constraint reads one constraint.
func (r *reader) constraint(n node) (c Constraint, ok bool) {
	if !n.isList() || len(n.list) == 0 || n.list[0].isList() {
		r.fail(pddl.UnexpectedToken, &n, "", "expected a constraint such as (always (clear a)), found %s", spell.Clip(n.text(), 40))
		return c, false
	}
	before := len(r.diags)
	head, args := n.list[0], n.list[1:]
	c.Kind, c.text = Kind(head.word), n.text()
	var known []string
	for _, k := range kinds {
		known = append(known, string(k.kind))
		if k.kind != c.Kind {
			continue
		}
		for form := range strings.SplitSeq(k.forms, "|") {
			if len(form) == len(args) {
				for i := range args {
					r.operand(&c, form[i], &args[i])
				}
				return c, len(r.diags) == before
			}
		}
		r.fail(BadConstraint, &n, "", "%s takes %s", c.Kind, usage(k.forms))
		return c, false
	}
	hint := "there are " + strings.Join(known, ", ")
	if near := spell.Nearest(head.word, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	r.fail(UnknownConstraint, &head, hint, "no constraint is called %s", head.word)
	return c, false
}

// usage says what a form takes.
func usage(forms string) string {
	words := map[rune]string{'n': "a number", 'a': "an action such as (stack a ?)", 'f': "a condition", 'o': "an object", 'p': "a predicate",
		'c': "a cost", 'x': "the name of an action", 'i': "a fact", 'q': "facts such as (on ? a)"}
	var list []string
	for form := range strings.SplitSeq(forms, "|") {
		var parts []string
		for _, f := range form {
			parts = append(parts, words[f])
		}
		list = append(list, strings.Join(parts, " and "))
	}
	return strings.Join(list, ", or ")
}

func (r *reader) operand(c *Constraint, form byte, n *node) {
	switch form {
	case 'n':
		i, err := strconv.Atoi(n.word)
		if err != nil || i < 0 || i > maxCount {
			r.fail(BadConstraint, n, "", "%s is no whole number from 0 to %d", spell.Clip(n.text(), 40), maxCount)
		}
		c.N = i
	case 'c':
		var ok bool
		if c.Cost, ok = pddl.ParseFraction(n.word); !ok || c.Cost.Sign() < 0 {
			r.fail(BadConstraint, n, "", "%s is no cost", spell.Clip(n.text(), 40))
		}
	case 'a':
		list, diags := domains.ParseForbidden(r.part(n), r.prob)
		r.diags = append(r.diags, diags...)
		c.Actions = append(c.Actions, list...)
	case 'f':
		r.formula(c, n)
	case 'o':
		if _, ok := r.prob.ObjectByName(n.word); !ok {
			r.fail(pddl.UndeclaredObject, n, "", "the problem %s has no object %s", r.prob.Name, spell.Clip(n.text(), 40))
		}
		c.Name = n.word
	case 'x':
		if schema(r.prob.Domain, n.word) == nil {
			r.fail(domains.UnknownAction, n, "", "the domain %s has no action %s", r.prob.Domain.Name, spell.Clip(n.text(), 40))
		}
		c.Name = n.word
	case 'p':
		p, ok := r.prob.Domain.PredicateByName(n.word)
		if !ok || len(r.prob.Domain.Predicates[p].Params) != 1 || !static(r.prob.Domain, p) {
			r.fail(BadConstraint, n, "", "%s is no predicate of one object that no action changes", spell.Clip(n.text(), 40))
		}
		c.Name = n.word
	case 'i', 'q':
		r.fact(c, form == 'q', n)
	}
}

// part is the source up to the end of a node, with everything before it blank, so that places stay.
func (r *reader) part(n *node) *pddl.Source {
	blank := strings.Map(func(c rune) rune {
		if c == '\n' {
			return c
		}
		return ' '
	}, r.src.Text[:n.pos])
	if len(blank) != n.pos { // letters of several bytes
		blank = strings.Repeat(" ", n.pos)
	}
	return pddl.NewSource(r.src.Name, blank+r.src.Text[n.pos:n.end])
}

// fact reads a fact, its negation or, as a pattern, a fact with ? in it.
func (r *reader) fact(c *Constraint, pattern bool, n *node) {
	if !pattern && n.isList() && len(n.list) == 2 && n.list[0].word == "not" {
		c.Negated, n = true, &n.list[1]
	}
	if !n.isList() || len(n.list) == 0 || slices.ContainsFunc(n.list, func(x node) bool { return x.isList() }) {
		r.fail(BadConstraint, n, "", "%s is no fact", spell.Clip(n.text(), 40))
		return
	}
	for i := range n.list {
		c.Fact = append(c.Fact, n.list[i].word)
	}
	p, ok := r.prob.Domain.PredicateByName(c.Fact[0])
	switch {
	case !ok:
		r.fail(pddl.UndeclaredPredicate, &n.list[0], "", "the domain %s has no predicate %s", r.prob.Domain.Name, c.Fact[0])
	case len(r.prob.Domain.Predicates[p].Params) != len(c.Fact)-1:
		r.fail(pddl.WrongArity, n, "", "%s has %d arguments", c.Fact[0], len(r.prob.Domain.Predicates[p].Params))
	}
	for i := range n.list[1:] {
		w := &n.list[i+1]
		if _, ok := r.prob.ObjectByName(w.word); !ok && (!pattern || w.word != domains.AnyObject) {
			r.fail(pddl.UndeclaredObject, w, "", "the problem %s has no object %s", r.prob.Name, w.word)
		}
	}
}

// formula checks a condition as the goal of the problem.
func (r *reader) formula(c *Constraint, n *node) {
	if !n.isList() {
		r.fail(BadConstraint, n, "", "%s is no condition", n.word)
		return
	}
	text := n.text()
	if _, err := withGoal(r.prob, text); err != nil {
		r.fail(BadConstraint, n, "", "%s", err)
	}
	c.Formulas = append(c.Formulas, text)
}

func schema(d *pddl.Domain, action string) *pddl.Schema {
	if i, ok := d.ActionByName(action); ok {
		return &d.Actions[i].Schema
	}
	return nil
}
