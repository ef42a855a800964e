package pddl

import (
	"fmt"
	"strings"
)

// Names resolves the ids in a formula to names: those of the domain, of the objects
// and of the variables of a schema.
type Names struct {
	Domain  *Domain
	Objects []Object // by ObjectID; the constants if the formula belongs to the domain
	Schema  *Schema  // may be nil for ground terms
}

// Names returns the names that format a formula or effect of schema s of the domain
// (a nil s stands for ground terms).
func (d *Domain) Names(s *Schema) Names { return Names{d, d.Constants, s} }

// Names returns the names that format a formula or effect of schema s with the
// problem's objects (a nil s stands for ground terms).
func (p *Problem) Names(s *Schema) Names { return Names{p.Domain, p.Objects, s} }

// Term writes a term: an object's or variable's name.
func (n Names) Term(t Term) string { return string(n.term(nil, t)) }

// Formula writes a formula on one line.
func (n Names) Formula(f *Formula) string { return string(n.formula(nil, f)) }

// Effect writes an effect on one line.
func (n Names) Effect(e *Effect) string { return string(n.effect(nil, e)) }

// Expr writes a numeric expression on one line.
func (n Names) Expr(e *NumExpr) string { return string(n.expr(nil, e)) }

// FormatAtom writes a ground atom of the problem, such as (on a b).
func (p *Problem) FormatAtom(pred PredicateID, args []ObjectID) string {
	return string(p.ground(nil, p.Domain.Predicates[pred].Name, args))
}

// FormatFluent writes a ground fluent of the problem, such as (distance a b).
func (p *Problem) FormatFluent(f FunctionID, args []ObjectID) string {
	return string(p.ground(nil, p.Domain.Functions[f].Name, args))
}

func (p *Problem) ground(b []byte, name string, args []ObjectID) []byte {
	b = append(append(b, '('), name...)
	for _, o := range args {
		b = append(append(b, ' '), p.Objects[o].Name...)
	}
	return append(b, ')')
}

func (n Names) term(b []byte, t Term) []byte {
	switch {
	case !t.IsVar():
		return append(b, n.Objects[t].Name...)
	case t == UndefinedTerm:
		return append(b, "undefined"...)
	}
	return append(b, n.Schema.Vars[t.Slot()].Name...)
}

func (n Names) head(b []byte, name string, args []Term) []byte {
	b = append(append(b, '('), name...)
	for _, t := range args {
		b = n.term(append(b, ' '), t)
	}
	return append(b, ')')
}

// formulaHeads are the operators of formulas whose operands are formulas.
var formulaHeads = [...]string{
	FormulaAnd: "and", FormulaOr: "or", FormulaNot: "not", FormulaImply: "imply",
	FormulaExists: "exists", FormulaForall: "forall", FormulaPreference: "preference",
	FormulaAtStart: "at start", FormulaOverAll: "over all", FormulaAtEnd: "at end",
	FormulaAlways: "always", FormulaSometime: "sometime", FormulaWithin: "within",
	FormulaAtMostOnce: "at-most-once", FormulaSometimeAfter: "sometime-after",
	FormulaSometimeBefore: "sometime-before", FormulaAlwaysWithin: "always-within",
	FormulaHoldDuring: "hold-during", FormulaHoldAfter: "hold-after",
}

var compareHeads = [...]string{
	CompareEqual: "=", CompareLess: "<", CompareLessEqual: "<=", CompareGreater: ">", CompareGreaterEqual: ">=",
}

var assignHeads = [...]string{
	OpAssign: "assign", OpIncrease: "increase", OpDecrease: "decrease", OpScaleUp: "scale-up", OpScaleDown: "scale-down",
}

// bounds is the number of numbers after the head of a trajectory constraint.
func (k FormulaKind) bounds() int {
	switch k {
	case FormulaWithin, FormulaAlwaysWithin, FormulaHoldAfter:
		return 1
	case FormulaHoldDuring:
		return 2
	}
	return 0
}

func (n Names) formula(b []byte, f *Formula) []byte {
	switch f.Kind {
	case FormulaTrue:
		return append(b, "(and)"...)
	case FormulaAtom:
		return n.head(b, n.Domain.Predicates[f.Pred].Name, f.Args)
	case FormulaEqual:
		return n.head(b, "=", f.Args)
	case FormulaCompare:
		b = append(append(append(b, '('), compareHeads[f.Cmp]...), ' ')
		b = append(n.expr(b, f.Left), ' ')
		return append(n.expr(b, f.Right), ')')
	case FormulaObjectEqual:
		b = n.head(append(b, "(= "...), n.Domain.Functions[f.Func].Name, f.Args)
		return append(n.term(append(b, ' '), f.Value), ')')
	}
	b = append(append(b, '('), formulaHeads[f.Kind]...)
	if f.Kind == FormulaPreference && f.Name != "" {
		b = append(append(b, ' '), f.Name...)
	}
	if f.Kind == FormulaExists || f.Kind == FormulaForall {
		b = n.bound(append(b, ' '), f.Bound)
	}
	for i := range f.Kind.bounds() {
		b = append(append(b, ' '), f.Bounds[i].String()...)
	}
	for _, c := range f.Children {
		b = n.formula(append(b, ' '), c)
	}
	return append(b, ')')
}

func (n Names) expr(b []byte, e *NumExpr) []byte {
	op := ""
	switch e.Kind {
	case NumConst:
		if above, below, fraction := strings.Cut(e.Value.String(), "/"); fraction { // no number in PDDL
			return fmt.Appendf(b, "(/ %s %s)", above, below)
		}
		return append(b, e.Value.String()...)
	case NumFluent:
		return n.head(b, n.Domain.Functions[e.Func].Name, e.Args)
	case NumDuration:
		return append(b, "?duration"...)
	case NumTime:
		return append(b, "#t"...)
	case NumTotalTime:
		return append(b, "(total-time)"...)
	case NumIsViolated:
		return append(append(append(b, "(is-violated "...), e.Name...), ')')
	case NumAdd:
		op = "+"
	case NumSub, NumNeg:
		op = "-"
	case NumMul:
		op = "*"
	case NumDiv:
		op = "/"
	}
	b = append(append(b, '('), op...)
	for _, c := range e.Children {
		b = n.expr(append(b, ' '), c)
	}
	return append(b, ')')
}

func (n Names) effect(b []byte, e *Effect) []byte {
	switch e.Kind {
	case EffectAdd:
		return n.head(b, n.Domain.Predicates[e.Pred].Name, e.Args)
	case EffectDelete:
		return append(n.head(append(b, "(not "...), n.Domain.Predicates[e.Pred].Name, e.Args), ')')
	case EffectNumeric:
		b = append(append(append(b, '('), assignHeads[e.Op]...), ' ')
		b = n.head(b, n.Domain.Functions[e.Func].Name, e.Args)
		return append(n.expr(append(b, ' '), e.Value), ')')
	case EffectAssignObject:
		b = n.head(append(b, "(assign "...), n.Domain.Functions[e.Func].Name, e.Args)
		return append(n.term(append(b, ' '), e.Object), ')')
	case EffectAnd:
		b = append(b, "(and"...)
	case EffectForall:
		b = n.bound(append(b, "(forall "...), e.Bound)
	case EffectWhen:
		b = n.formula(append(b, "(when "...), e.Condition)
	case EffectAtStart:
		b = append(b, "(at start"...)
	case EffectAtEnd:
		b = append(b, "(at end"...)
	}
	for _, c := range e.Children {
		b = n.effect(append(b, ' '), c)
	}
	return append(b, ')')
}

// bound writes the list of quantified variables.
func (n Names) bound(b []byte, slots []int32) []byte {
	vars := make([]Variable, len(slots))
	for i, s := range slots {
		vars[i] = n.Schema.Vars[s]
	}
	return append(n.Domain.variables(append(b, '('), vars), ')')
}

// variables writes a typed list of variables.
func (d *Domain) variables(b []byte, vars []Variable) []byte {
	return d.typedNames(b, len(vars), " ", func(i int) (string, TypeID) { return vars[i].Name, vars[i].Type })
}

// typedNames writes a typed list. Neighbours of one type share its name; the root
// type is left out at the end of the list, where it is implied.
func (d *Domain) typedNames(b []byte, n int, sep string, item func(int) (string, TypeID)) []byte {
	for i := range n {
		name, t := item(i)
		if i > 0 {
			b = append(b, sep...)
		}
		b = append(b, name...)
		last := i+1 == n
		if !last {
			_, next := item(i + 1)
			last = next != t
			if t == RootType && last {
				b = append(b, " - object"...)
				continue
			}
		}
		if last && t != RootType {
			b = append(append(b, " - "...), d.TypeName(t)...)
		}
	}
	return b
}
