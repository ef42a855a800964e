package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// A Fault is what is wrong with one call, seen by its schema.
type Fault struct {
	Step      int    // from 1
	Kind      string // unknown-function, missing-parameter, unknown-parameter, type, value, reference
	Parameter string
	Message   string
	Repair    string // what to do instead, "" if nobody knows
}

// String writes "step 2, hotel: ...".
func (f *Fault) String() string {
	s := fmt.Sprintf("step %d", f.Step)
	if f.Parameter != "" {
		s += ", " + f.Parameter
	}
	return s + ": " + f.Message
}

// Kinds of faults.
const (
	UnknownFunction  = "unknown-function"
	MissingParameter = "missing-parameter"
	UnknownParameter = "unknown-parameter"
	WrongType        = "type"
	WrongValue       = "value"
	WrongReference   = "reference"
)

// Check compares the calls of a plan with their schemas: names, required and unknown parameters, types, allowed values,
// and references, which must be to fields that an earlier call returns.
func (s *Set) Check(p *Plan) (faults []Fault) {
	steps := p.scored()
	for i := range steps {
		faults = append(faults, s.checkCall(steps[:i], &steps[i])...)
	}
	return faults
}

func (s *Set) checkCall(before []Step, call *Step) (faults []Fault) {
	number := len(before) + 1
	add := func(kind, parameter, repair, format string, args ...any) {
		faults = append(faults, Fault{number, kind, parameter, fmt.Sprintf(format, args...), repair})
	}
	t := s.tool(call.Name)
	if t == nil {
		repair := ""
		if near := spell.Nearest(call.Name, s.names()); near != "" {
			repair = "call " + near
		}
		add(UnknownFunction, "", repair, "no function is called %q", call.Name)
		return faults
	}
	if call.Args.kind != kindObject {
		add(WrongType, "", "", "the arguments of %s are no object", t.Name)
		return faults
	}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if v, ok := call.Args.Member(p.Name); p.Required && (!ok || v.kind == kindNull) {
			add(MissingParameter, p.Name, "give "+p.Name, "%s needs %s", t.Name, p.Name)
		}
	}
	for i, name := range call.Args.names {
		p, v := t.parameter(name), &call.Args.parts[i]
		if p == nil {
			repair := "leave it out"
			if near := spell.Nearest(name, t.parameterNames()); near != "" {
				repair = "call it " + near
			}
			add(UnknownParameter, name, repair, "%s has no parameter %s", t.Name, name)
			continue
		}
		if message, referred := s.checkReference(before, v); referred {
			if message != "" {
				add(WrongReference, name, "", "%s", message)
			}
			continue
		}
		switch {
		case v.kind == kindNull && !p.Required, v.kind == kindNull && p.Required:
		case !p.fits(v):
			add(WrongType, name, "", "%s is to be a JSON %s, not %s", name, p.Type, spell.Clip(string(v.JSON()), 40))
		case p.Enum != nil && !slices.Contains(p.Enum, v.canonical(noReference)):
			add(WrongValue, name, "give one of "+strings.Join(p.Enum, ", "), "%s is none of the values allowed", name)
		}
	}
	return faults
}

// checkReference says what is wrong with a reference, and whether a value is one. What looks like one but has the number
// of no step at all is a text.
func (s *Set) checkReference(before []Step, v *Value) (string, bool) {
	r, ok := v.Reference()
	if !ok {
		return "", false
	}
	for i := range before {
		if before[i].ID != r.Step {
			continue
		}
		t := s.tool(before[i].Name)
		field, _, _ := strings.Cut(strings.TrimLeft(r.Path, "."), ".")
		field, _, _ = strings.Cut(field, "[")
		if t == nil || field == "" || slices.ContainsFunc(t.Returns, func(x Return) bool { return x.Name == field }) {
			return "", true
		}
		return fmt.Sprintf("%s returns no %s", t.Name, field), true
	}
	return fmt.Sprintf("no earlier step has the id %d", r.Step), true
}

func isNumber(s string, whole bool) bool {
	n, ok := pddl.ParseNumber(s)
	return ok && (!whole || n.IsInt())
}
