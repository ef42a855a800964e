package constraints

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// monitors add what constraints need to the text of a task.
type monitors struct {
	prob       *pddl.Problem
	predicates []string // declarations
	facts      []string // initial
	goals      []string
	needs      []func(*pddl.Action) string // "" for nothing
	effects    []func(*pddl.Action) string
	count      int // of names
	numbers    bool
}

// fact declares a fact without arguments.
func (m *monitors) fact(holds bool) string {
	m.count++
	name := fmt.Sprintf("(monitor-%d)", m.count)
	m.predicates = append(m.predicates, name)
	if holds {
		m.facts = append(m.facts, name)
	}
	return name
}

func (m *monitors) everywhere(condition string) {
	m.needs = append(m.needs, func(*pddl.Action) string { return condition })
	m.goals = append(m.goals, condition)
}

func (m *monitors) note(effect string) {
	m.effects = append(m.effects, func(*pddl.Action) string { return effect })
}

func not(s string) string { return "(not " + s + ")" }

func all(parts ...string) string { return "(and " + strings.Join(parts, " ") + ")" }

func when(condition, effect string) string { return "(when " + condition + " " + effect + ")" }

// add adds a constraint that is not a ban.
func (m *monitors) add(c *Constraint) {
	f := func(i int) string { return m.closed(c.Formulas[i]) }
	switch c.Kind {
	case Always:
		m.everywhere(f(0))
	case AtEnd:
		m.goals = append(m.goals, f(0))
	case Sometime:
		seen := m.fact(false)
		m.note(when(f(0), seen))
		m.goals = append(m.goals, "(or "+seen+" "+f(0)+")")
	case AtMostOnce:
		in, out := m.fact(false), m.fact(false)
		m.note(when(f(0), in))
		m.note(when(all(in, not(f(0))), out))
		m.everywhere(not(all(out, f(0))))
	case SometimeBefore:
		seen := m.fact(false)
		m.note(when(f(1), seen))
		m.everywhere(not(all(f(0), not(seen))))
	case SometimeAfter:
		owed := m.fact(false)
		m.note(when(all(f(0), not(f(1))), owed))
		m.note(when(f(1), not(owed)))
		m.goals = append(m.goals, "(or "+f(1)+" "+all(not(owed), not(f(0)))+")")
	case Capacity:
		m.everywhere(m.capacity(c))
	case Before, AtMost, AtLeast, Within:
		m.addSteps(c)
	}
}

// addSteps adds a constraint about the steps of a plan.
func (m *monitors) addSteps(c *Constraint) {
	var matches []func(*pddl.Action) string
	for _, a := range c.Actions {
		matches = append(matches, m.match(a))
	}
	switch c.Kind {
	case Before:
		done := m.fact(false)
		m.effects = append(m.effects, wrap(matches[0], func(is string) string { return when(is, done) }))
		m.needs = append(m.needs, wrap(matches[1], func(is string) string { return "(or " + not(is) + " " + done + ")" }))
	case AtMost:
		last := m.chain(c.N, matches[0])
		m.needs = append(m.needs, wrap(matches[0], func(is string) string { return not(all(is, last)) }))
	case AtLeast:
		m.goals = append(m.goals, m.chain(c.N, matches[0]))
	case Within:
		step := func(*pddl.Action) string { return "(and)" }
		last := m.chain(c.N, step)
		if len(matches) == 0 {
			m.needs = append(m.needs, func(*pddl.Action) string { return not(last) })
			return
		}
		done := m.fact(false)
		m.effects = append(m.effects, wrap(matches[0], func(is string) string { return when(all(is, not(last)), done) }))
		m.goals = append(m.goals, done)
	}
}

// wrap makes a condition or an effect of the condition that an action matches; "" for an action that never does.
func wrap(match func(*pddl.Action) string, text func(string) string) func(*pddl.Action) string {
	return func(a *pddl.Action) string {
		if is := match(a); is != "" {
			return text(is)
		}
		return ""
	}
}

// chain counts steps that match up to n, and returns the fact that there have been n. Exactly one fact of the chain holds.
func (m *monitors) chain(n int, match func(*pddl.Action) string) string {
	facts := make([]string, n+1)
	for i := range facts {
		facts[i] = m.fact(i == 0)
	}
	for i := range n {
		m.effects = append(m.effects, wrap(match, func(is string) string { return when(all(is, facts[i]), all(not(facts[i]), facts[i+1])) }))
	}
	return facts[n]
}

// match returns the condition that a step is one of a pattern. Fixed places are static facts about the objects.
func (m *monitors) match(f domains.Forbidden) func(*pddl.Action) string {
	var conditions []string
	s := schema(m.prob.Domain, f.Action)
	for i, arg := range f.Args {
		if arg != domains.AnyObject {
			m.count++
			name := fmt.Sprintf("monitor-%d", m.count)
			m.predicates = append(m.predicates, fmt.Sprintf("(%s ?x)", name))
			m.facts = append(m.facts, fmt.Sprintf("(%s %s)", name, arg))
			conditions = append(conditions, fmt.Sprintf("(%s %s)", name, s.Vars[i].Name))
		}
	}
	return func(a *pddl.Action) string {
		if !strings.EqualFold(a.Name, f.Action) {
			return ""
		}
		return all(conditions...)
	}
}

// closed makes a condition that can stand in an action, which cannot name the objects of a problem: an object becomes a
// variable that is bound to it by a static fact.
func (m *monitors) closed(formula string) string {
	words := splitWords(formula)
	var bound []string
	facts := map[string]string{}
	for i, w := range words {
		id, ok := m.prob.ObjectByName(w)
		if !ok || i > 0 && words[i-1] == "(" { // a predicate may be called like an object
			continue
		}
		variable := facts[w]
		if variable == "" {
			m.count++
			name := fmt.Sprintf("monitor-%d", m.count)
			variable = fmt.Sprintf("?object-%d", m.count)
			facts[w] = variable
			m.predicates = append(m.predicates, fmt.Sprintf("(%s ?x)", name))
			m.facts = append(m.facts, fmt.Sprintf("(%s %s)", name, w))
			bound = append(bound, fmt.Sprintf("(exists (%s%s) (and (%s %s) ", variable, m.typed(id), name, variable))
		}
		words[i] = variable
	}
	return strings.Join(bound, "") + strings.Join(words, " ") + strings.Repeat("))", len(bound))
}

func (m *monitors) typed(id pddl.ObjectID) string {
	if name := m.prob.Domain.TypeName(m.prob.Objects[id].Type); len(m.prob.Domain.Types) > 1 && !strings.HasPrefix(name, "(") {
		return " - " + name
	}
	return ""
}

func splitWords(formula string) []string {
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(formula))
}

// capacity is the condition that at most n facts of a pattern hold.
func (m *monitors) capacity(c *Constraint) string {
	pred, _ := m.prob.Domain.PredicateByName(c.Fact[0])
	params := m.prob.Domain.Predicates[pred].Params
	var tuples []string // the facts that could hold
	var extend func(done []string)
	extend = func(done []string) {
		i := len(done)
		if i == len(params) {
			tuples = append(tuples, "("+strings.Join(append([]string{c.Fact[0]}, done...), " ")+")")
			return
		}
		if c.Fact[i+1] != domains.AnyObject {
			extend(append(slices.Clone(done), c.Fact[i+1]))
			return
		}
		for _, id := range m.prob.ObjectsOfType(params[i].Type) {
			extend(append(slices.Clone(done), strings.ToLower(m.prob.Objects[id].Name)))
		}
	}
	extend(nil)
	if len(tuples) <= c.N {
		return "(and)"
	}
	var clauses []string // of any n+1 facts, one does not hold
	var choose func(from int, chosen []string)
	choose = func(from int, chosen []string) {
		if len(chosen) == c.N+1 {
			clauses = append(clauses, "(not (and "+strings.Join(chosen, " ")+"))")
			return
		}
		for i := from; i < len(tuples) && len(clauses) < maxClauses; i++ {
			choose(i+1, append(slices.Clone(chosen), tuples[i]))
		}
	}
	choose(0, nil)
	return m.closed("(and " + strings.Join(clauses, " ") + ")")
}

// maxClauses bounds the compiled form of a capacity.
const maxClauses = 5000

// compile writes the task with its monitors, and reads it again.
func (m *monitors) compile() (*pddl.Problem, error) {
	if len(m.goals)+len(m.needs)+len(m.effects) == 0 {
		return m.prob, nil
	}
	if n := strings.Count(strings.Join(m.goals, ""), "(not (and"); n >= maxClauses {
		return nil, fmt.Errorf("%w: a capacity over so many facts", ErrUnsupported)
	}
	d := *m.prob.Domain
	d.Requirements = append(slices.Clone(d.Requirements), ":adl")
	if m.numbers {
		d.Requirements = append(d.Requirements, ":numeric-fluents")
	}
	domain, action := strings.Builder{}, (*pddl.Action)(nil)
	declared := false
	for line := range strings.Lines(d.String()) {
		text := strings.TrimSuffix(line, "\n")
		head, rest, _ := strings.Cut(strings.TrimPrefix(text, "    "), " ")
		switch {
		case text == "  (:predicates":
			declared = true
			text += "\n    " + strings.Join(m.predicates, "\n    ")
		case strings.HasPrefix(text, "  (:action "):
			i, _ := d.ActionByName(strings.TrimPrefix(text, "  (:action "))
			action = d.Actions[i]
			if !declared {
				return nil, fmt.Errorf("%w: a domain without predicates", ErrUnsupported)
			}
		case strings.HasPrefix(text, "    :precondition ") && action != nil:
			text = "    " + head + " " + withMore(rest, m.needs, action)
		case strings.HasPrefix(text, "    :effect ") && action != nil:
			text = "    " + head + " " + withMore(rest, m.effects, action)
		}
		domain.WriteString(text + "\n")
	}
	goal := m.prob.Names(&m.prob.Goal.Schema).Formula(m.prob.Goal.Formula)
	problem := m.prob.String()
	for _, change := range [][2]string{
		{"(:goal " + goal + ")", "(:goal (and " + goal + " " + strings.Join(m.goals, " ") + "))"},
		{"(:init", "(:init\n    " + strings.Join(m.facts, "\n    ")},
	} {
		if strings.Count(problem, change[0]) != 1 {
			return nil, fmt.Errorf("%w: the problem has no single %q", ErrUnsupported, change[0])
		}
		problem = strings.Replace(problem, change[0], change[1], 1)
	}
	return read(domain.String(), problem)
}

// withMore adds parts to a condition or an effect.
func withMore(text string, parts []func(*pddl.Action) string, a *pddl.Action) string {
	var more []string
	for _, part := range parts {
		if s := part(a); s != "" {
			more = append(more, s)
		}
	}
	if len(more) == 0 {
		return text
	}
	return all(append([]string{text}, more...)...)
}

// read reads the texts of a task.
func read(domain, problem string) (*pddl.Problem, error) {
	d, diags := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
	if d == nil || diags.HasErrors() {
		return nil, fmt.Errorf("the constrained domain cannot be read: %w", diags.Err())
	}
	p, diags := pddl.ParseProblem(pddl.NewSource("problem", problem), d, pddl.Options{})
	if p == nil || diags.HasErrors() {
		return nil, fmt.Errorf("the constrained problem cannot be read: %w", diags.Err())
	}
	return p, nil
}

// withGoal returns the problem with another goal.
func withGoal(prob *pddl.Problem, goal string) (*pddl.Problem, error) {
	old := "(:goal " + prob.Names(&prob.Goal.Schema).Formula(prob.Goal.Formula) + ")"
	p, diags := pddl.ParseProblem(pddl.NewSource("condition", strings.Replace(prob.String(), old, "(:goal "+goal+")", 1)), prob.Domain, pddl.Options{})
	for _, d := range diags {
		if d.Severity == pddl.Error {
			return nil, errors.New(d.Message)
		}
	}
	return p, nil
}

// static reports whether no action changes a predicate.
func static(d *pddl.Domain, pred pddl.PredicateID) bool {
	name := d.Predicates[pred].Name
	if slices.ContainsFunc(d.Actions, func(a *pddl.Action) bool { return a.Effect.Changes(pred) }) {
		return false
	}
	return !slices.ContainsFunc(d.Axioms, func(x *pddl.Axiom) bool { return strings.EqualFold(x.Name, name) })
}
