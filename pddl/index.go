package pddl

import (
	"strings"
	"sync/atomic"
)

// UndefinedTerm is the value `undefined` in an assignment to an object fluent.
const UndefinedTerm Term = -1 << 31

// domainIndex holds the look-up tables of a domain. It is complete when the
// domain is handed out and never changes afterwards, so that readers may share it.
type domainIndex struct {
	types      symtab            // named types
	typeAt     []TypeID          // by id in types
	either     map[string]TypeID // anonymous types by their sorted alternatives
	predicates symtab
	functions  symtab
	objects    symtab
	actions    symtab  // instantaneous and durative; processes and events
	actionAt   []int32 // by id in actions: index in Actions, ^index in Durative, or ofNature

	full     typeMatrix // row t, bit s: t is a subtype of s
	declared typeMatrix // the same by declarations alone, ignoring that s may be a union that lists a supertype of t
	unions   []TypeID   // the (either ...) types that (:types ...) mentions

	totalCost   int32       // function total-cost, or -1
	costUses    [][]costUse // by FunctionID, or nil
	written     []bool      // by FunctionID: some effect changes it
	preferences symtab
	features    []Feature
	timeless    AtomTable // PDDL 1.2: facts of every problem
	closure     map[string]bool
}

// problemIndex holds the look-up tables of a problem.
type problemIndex struct {
	objects  symtab
	features []Feature

	// byType is filled list by list on demand. Two goroutines may both compute a
	// list; the results are equal.
	byType []atomic.Pointer[[]ObjectID]
}

// PredicateByName looks up a predicate, ignoring case.
func (d *Domain) PredicateByName(name string) (PredicateID, bool) {
	id, ok := d.index.predicates.lookupFold(name)
	return PredicateID(id), ok
}

// FunctionByName looks up a function, ignoring case.
func (d *Domain) FunctionByName(name string) (FunctionID, bool) {
	id, ok := d.index.functions.lookupFold(name)
	return FunctionID(id), ok
}

// TypeByName looks up a type, ignoring case.
func (d *Domain) TypeByName(name string) (TypeID, bool) {
	if id, ok := d.index.types.lookupFold(name); ok {
		return d.index.typeAt[id], true
	}
	return -1, false
}

// ActionByName returns the index in Actions of an instantaneous action, ignoring case.
func (d *Domain) ActionByName(name string) (int, bool) {
	if id, ok := d.index.actions.lookupFold(name); ok {
		if at := d.index.actionAt[id]; at >= 0 {
			return int(at), true
		}
	}
	return -1, false
}

// DurativeByName returns the index in Durative of a durative action, ignoring case.
func (d *Domain) DurativeByName(name string) (int, bool) {
	if id, ok := d.index.actions.lookupFold(name); ok {
		if at := d.index.actionAt[id]; at < 0 && at != ofNature {
			return int(^at), true
		}
	}
	return -1, false
}

// TotalCost returns the function total-cost, if the domain declares it as a number
// without parameters.
func (d *Domain) TotalCost() (FunctionID, bool) {
	return FunctionID(d.index.totalCost), d.index.totalCost >= 0
}

// Features lists the language features that the domain uses, each with its first
// use.
func (d *Domain) Features() []Feature { return d.index.features }

// Features lists the language features that the domain and the problem use, each
// with its first use: the domain's come first.
func (p *Problem) Features() []Feature {
	out := append([]Feature(nil), p.Domain.index.features...)
	for _, f := range p.index.features {
		known := false
		for _, g := range p.Domain.index.features {
			known = known || g.Name == f.Name
		}
		if !known {
			out = append(out, f)
		}
	}
	return out
}

// TypeName writes a type as in PDDL: a name or (either a b).
func (d *Domain) TypeName(t TypeID) string {
	ty := &d.Types[t]
	if ty.Either == nil {
		return ty.Name
	}
	var b strings.Builder
	b.WriteString("(either")
	for _, a := range ty.Either {
		b.WriteByte(' ')
		b.WriteString(d.TypeName(a))
	}
	b.WriteByte(')')
	return b.String()
}

// ObjectByName looks up an object, ignoring case.
func (p *Problem) ObjectByName(name string) (ObjectID, bool) {
	id, ok := p.index.objects.lookupFold(name)
	return ObjectID(id), ok
}

// ObjectsOfType returns the objects of type t and its subtypes, in the order of their
// ids. The slice is shared: do not change it.
func (p *Problem) ObjectsOfType(t TypeID) []ObjectID {
	if list := p.index.byType[t].Load(); list != nil {
		return *list
	}
	d := p.Domain
	list := []ObjectID{}
	last, below := TypeID(-1), false // neighbours mostly share their type
	for i := range p.Objects {
		if have := p.Objects[i].Type; have != last {
			last, below = have, d.IsSubtype(have, t)
		}
		if below {
			list = append(list, ObjectID(i))
		}
	}
	p.index.byType[t].Store(&list)
	return list
}

func newTypeLists(n int) []atomic.Pointer[[]ObjectID] { return make([]atomic.Pointer[[]ObjectID], n) }
