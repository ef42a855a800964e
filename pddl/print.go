package pddl

import (
	"strings"
)

// Names gives the words for the ids of a formula: the domain's, the objects' and
// the variables' of a schema.
type Names struct {
	Domain  *Domain
	Objects []Object // by ObjectID; the constants if the formula belongs to the domain
	Schema  *Schema  // may be nil for ground terms
}

// Names returns what formats a formula or effect of schema s, which belongs to the
// domain itself.
func (d *Domain) Names(s *Schema) Names { return Names{d, d.Constants, s} }

// Names returns what formats a formula or effect of schema s with the problem's
// objects.
func (p *Problem) Names(s *Schema) Names { return Names{p.Domain, p.Objects, s} }

// Term writes a term: an object's or variable's name.
func (n Names) Term(t Term) string {
	if !t.IsVar() {
		return n.Objects[t].Name
	}
	if t == UndefinedTerm {
		return "undefined"
	}
	return n.Schema.Vars[t.Slot()].Name
}

// Atom writes an atom, such as (on ?x b).
func (n Names) Atom(pred PredicateID, args []Term) string {
	var b strings.Builder
	n.head(&b, n.Domain.Predicates[pred].Name, args)
	return b.String()
}

// Fluent writes a fluent, such as (distance a ?x).
func (n Names) Fluent(f FunctionID, args []Term) string {
	var b strings.Builder
	n.head(&b, n.Domain.Functions[f].Name, args)
	return b.String()
}

func (n Names) head(b *strings.Builder, name string, args []Term) {
	b.WriteByte('(')
	b.WriteString(name)
	for _, t := range args {
		b.WriteByte(' ')
		b.WriteString(n.Term(t))
	}
	b.WriteByte(')')
}

// FormatAtom writes a ground atom of the problem, such as (on a b).
func (p *Problem) FormatAtom(pred PredicateID, args []ObjectID) string {
	return p.ground(p.Domain.Predicates[pred].Name, args)
}

// FormatFluent writes a ground fluent of the problem, such as (distance a b).
func (p *Problem) FormatFluent(f FunctionID, args []ObjectID) string {
	return p.ground(p.Domain.Functions[f].Name, args)
}

func (p *Problem) ground(name string, args []ObjectID) string {
	var b strings.Builder
	b.WriteByte('(')
	b.WriteString(name)
	for _, o := range args {
		b.WriteByte(' ')
		b.WriteString(p.Objects[o].Name)
	}
	b.WriteByte(')')
	return b.String()
}
