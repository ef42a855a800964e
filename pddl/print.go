package pddl

import (
	"strconv"
)

// String writes the domain as PDDL, in the standard's order and without comments.
// Reading the text again gives the same domain.
func (d *Domain) String() string { return string(d.append(nil)) }

func (d *Domain) append(b []byte) []byte {
	b = append(append(append(b, "(define (domain "...), d.Name...), ")\n"...)
	b = appendRequirements(b, d.Requirements)
	b = d.appendTypes(b)
	if len(d.Constants) > 0 {
		b = append(b, "  (:constants\n    "...)
		b = d.typedNames(b, len(d.Constants), "\n    ", func(i int) (string, TypeID) { return d.Constants[i].Name, d.Constants[i].Type })
		b = append(b, "\n  )\n"...)
	}
	if len(d.Predicates) > 0 {
		b = append(b, "  (:predicates\n"...)
		for i := range d.Predicates {
			p := &d.Predicates[i]
			b = append(d.declaration(append(b, "    "...), p.Name, p.Params), '\n')
		}
		b = append(b, "  )\n"...)
	}
	if len(d.Functions) > 0 {
		b = append(b, "  (:functions\n"...)
		for i := range d.Functions {
			f := &d.Functions[i]
			b = append(d.declaration(append(b, "    "...), f.Name, f.Params), " - "...)
			if f.Numeric {
				b = append(b, "number\n"...)
			} else {
				b = append(append(b, d.TypeName(f.Type)...), '\n')
			}
		}
		b = append(b, "  )\n"...)
	}
	b = d.appendTimeless(b)
	if c := d.Constraints; c != nil {
		b = append(d.Names(&c.Schema).formula(append(b, "  (:constraints "...), c.Formula), ")\n"...)
	}
	for _, ax := range d.Axioms {
		b = d.declaration(append(b, "  (:derived "...), ax.Name, ax.Vars[:ax.NumParams])
		b = append(d.Names(&ax.Schema).formula(append(b, "\n    "...), ax.Body), ")\n"...)
	}
	// Both kinds of actions in the order of the text, which decides which of two with
	// one name is the duplicate.
	i, j := 0, 0
	for i < len(d.Actions) || j < len(d.Durative) {
		if j == len(d.Durative) || i < len(d.Actions) && d.Actions[i].Pos < d.Durative[j].Pos {
			b = d.appendAction(b, ":action", d.Actions[i])
			i++
		} else {
			b = d.appendDurative(b, d.Durative[j])
			j++
		}
	}
	for _, x := range d.Processes {
		b = d.appendAction(b, ":process", x)
	}
	for _, x := range d.Events {
		b = d.appendAction(b, ":event", x)
	}
	return append(b, ")\n"...)
}

func appendRequirements(b []byte, qs []string) []byte {
	if len(qs) == 0 {
		return b
	}
	b = append(b, "  (:requirements"...)
	for _, q := range qs {
		b = append(append(b, ' '), q...)
	}
	return append(b, ")\n"...)
}

// appendTypes writes one line for each type and supertype, each type before its
// supertypes, so that reading the text numbers the types in the order of the text.
func (d *Domain) appendTypes(b []byte) []byte {
	if len(d.Types) == 1 {
		return b
	}
	seen := make([]bool, len(d.Types))
	seen[RootType] = true
	var queue []TypeID
	see := func(t TypeID) {
		if alts := d.Types[t].Either; alts != nil {
			for _, a := range alts {
				if !seen[a] {
					seen[a] = true
					queue = append(queue, a)
				}
			}
		} else if !seen[t] {
			seen[t] = true
			queue = append(queue, t)
		}
	}
	start := len(b)
	b = append(b, "  (:types\n"...)
	head := len(b)
	for t := range d.Types {
		if d.Types[t].Either == nil {
			see(TypeID(t))
		}
		for len(queue) > 0 {
			ty := &d.Types[queue[0]]
			queue = queue[1:]
			for _, p := range ty.Parents {
				b = append(append(append(b, "    "...), ty.Name...), " - "...)
				b = append(append(b, d.TypeName(p)...), '\n')
				see(p)
			}
		}
	}
	if len(b) == head {
		return b[:start]
	}
	return append(b, "  )\n"...)
}

// declaration writes a predicate or function with its parameters.
func (d *Domain) declaration(b []byte, name string, params []Variable) []byte {
	b = append(append(b, '('), name...)
	if len(params) > 0 {
		b = d.variables(append(b, ' '), params)
	}
	return append(b, ')')
}

func (d *Domain) appendTimeless(b []byte) []byte {
	t := &d.index.timeless
	if t.Len() == 0 {
		return b
	}
	b = append(b, "  (:timeless\n"...)
	for i := range t.Len() {
		pred, args := t.Atom(i)
		b = append(append(b, "    ("...), d.Predicates[pred].Name...)
		for _, o := range args {
			b = append(append(b, ' '), d.Constants[o].Name...)
		}
		b = append(b, ")\n"...)
	}
	return append(b, "  )\n"...)
}

func (d *Domain) appendHead(b []byte, keyword string, s *Schema) []byte {
	b = append(append(append(b, "  ("...), keyword...), ' ')
	b = append(append(b, s.Name...), "\n    :parameters ("...)
	return append(d.variables(b, s.Vars[:s.NumParams]), ")\n"...)
}

func (d *Domain) appendAction(b []byte, keyword string, a *Action) []byte {
	n := d.Names(&a.Schema)
	b = d.appendHead(b, keyword, &a.Schema)
	b = append(n.formula(append(b, "    :precondition "...), a.Precondition), '\n')
	return append(n.effect(append(b, "    :effect "...), a.Effect), "\n  )\n"...)
}

func (d *Domain) appendDurative(b []byte, a *DurativeAction) []byte {
	n := d.Names(&a.Schema)
	b = d.appendHead(b, ":durative-action", &a.Schema)
	b = append(n.formula(append(b, "    :duration "...), a.Duration), '\n')
	b = append(n.formula(append(b, "    :condition "...), a.Condition), '\n')
	return append(n.effect(append(b, "    :effect "...), a.Effect), "\n  )\n"...)
}

// String writes the problem as PDDL, in the standard's order and without comments.
// Reading the text again gives the same problem.
func (p *Problem) String() string { return string(p.append(nil)) }

func (p *Problem) append(b []byte) []byte {
	d := p.Domain
	b = append(append(append(b, "(define (problem "...), p.Name...), ")\n"...)
	b = append(append(append(b, "  (:domain "...), d.Name...), ")\n"...)
	b = appendRequirements(b, p.Requirements)
	if own := p.Objects[len(d.Constants):]; len(own) > 0 {
		b = append(b, "  (:objects\n    "...)
		b = d.typedNames(b, len(own), "\n    ", func(i int) (string, TypeID) { return own[i].Name, own[i].Type })
		b = append(b, "\n  )\n"...)
	}
	b = p.appendInit(b)
	b = append(p.Names(&p.Goal.Schema).formula(append(b, "  (:goal "...), p.Goal.Formula), ")\n"...)
	if c := p.Constraints; c != nil {
		b = append(p.Names(&c.Schema).formula(append(b, "  (:constraints "...), c.Formula), ")\n"...)
	}
	if m := p.Metric; m != nil {
		word := "minimize "
		if m.Maximize {
			word = "maximize "
		}
		b = append(p.Names(nil).expr(append(append(b, "  (:metric "...), word...), m.Expr), ")\n"...)
	}
	return append(b, ")\n"...)
}

func (p *Problem) appendInit(b []byte) []byte {
	d, in := p.Domain, &p.Init
	b = append(b, "  (:init\n"...)
	for i := range in.Atoms.Len() {
		if in.Atoms.Pos[i] == 0 {
			continue // from the domain's (:timeless ...)
		}
		pred, args := in.Atoms.Atom(i)
		b = append(p.ground(append(b, "    "...), d.Predicates[pred].Name, args), '\n')
	}
	for i := range in.Values.Len() {
		f, args, v := in.Values.Fluent(i)
		b = p.ground(append(b, "    (= "...), d.Functions[f].Name, args)
		b = append(append(append(b, ' '), v.String()...), ")\n"...)
	}
	for _, o := range in.Objects {
		b = p.ground(append(b, "    (= "...), d.Functions[o.Func].Name, o.Args)
		b = append(append(append(b, ' '), p.Objects[o.Value].Name...), ")\n"...)
	}
	for _, t := range in.Timed {
		b = append(append(append(b, "    (at "...), t.Time.String()...), ' ')
		switch {
		case t.Func >= 0:
			b = p.ground(append(b, "(= "...), d.Functions[t.Func].Name, t.Args)
			b = append(append(append(b, ' '), t.Value.String()...), ')')
		case t.Negated:
			b = append(p.ground(append(b, "(not "...), d.Predicates[t.Pred].Name, t.Args), ')')
		default:
			b = p.ground(b, d.Predicates[t.Pred].Name, t.Args)
		}
		b = append(b, ")\n"...)
	}
	return append(b, "  )\n"...)
}

// String writes the plan, one step per line, with its time stamps and durations.
func (p *Plan) String() string { return string(p.append(nil)) }

func (p *Plan) append(b []byte) []byte {
	for i := range p.Steps {
		s := &p.Steps[i]
		if p.Timed {
			b = append(append(b, s.Time.String()...), ": "...)
		}
		b = s.append(b)
		if s.HasDuration {
			b = append(append(append(b, " ["...), s.duration()...), ']')
		}
		b = append(b, '\n')
	}
	if p.HasEnd {
		b = append(append(b, p.End.String()...), ": "+endMarker+"\n"...)
	}
	return b
}

// String writes the step's action, such as (stack a b), without its time.
func (s *Step) String() string { return string(s.append(nil)) }

func (s *Step) append(b []byte) []byte {
	b = append(append(b, '('), s.Name...)
	for _, a := range s.Args {
		b = append(append(b, ' '), a...)
	}
	return append(b, ')')
}

// duration writes the duration with as many decimals as in the text: they say how
// it was rounded.
func (s *Step) duration() string {
	if s.Decimals == 0 {
		return s.Duration.String()
	}
	if s.Decimals > MaxDigits {
		return s.Duration.String()
	}
	return s.Duration.Rat().FloatString(s.Decimals)
}

func itoa(n int) string { return strconv.Itoa(n) }
