package dataset

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// domainKeyText writes what a domain means in a form that does not depend on the names of
// variables, the order of declarations, conjuncts and effects, or comments. Its own name
// and its requirements say nothing that the rest does not.
func domainKeyText(d *pddl.Domain) string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for i := range d.Types {
		if d.Types[i].Either != nil || i == int(pddl.RootType) {
			continue
		}
		for _, p := range d.Types[i].Parents {
			add("type %s - %s", strings.ToLower(d.Types[i].Name), typeText(d, p))
		}
	}
	for i := range d.Constants {
		add("constant %s - %s", strings.ToLower(d.Constants[i].Name), typeText(d, d.Constants[i].Type))
	}
	for i := range d.Predicates {
		p := &d.Predicates[i]
		add("predicate %s%s", strings.ToLower(p.Name), paramsText(d, p.Params))
	}
	for i := range d.Functions {
		f := &d.Functions[i]
		value := "number"
		if !f.Numeric {
			value = typeText(d, f.Type)
		}
		add("function %s%s - %s", strings.ToLower(f.Name), paramsText(d, f.Params), value)
	}
	for _, a := range d.Actions {
		w := domainWriter(d, &a.Schema)
		add("action %s%s %s %s", strings.ToLower(a.Name), paramsText(d, a.Vars[:a.NumParams]), w.formula(a.Precondition), w.effect(a.Effect))
	}
	for _, a := range d.Durative {
		w := domainWriter(d, &a.Schema)
		add("durative %s%s %s %s %s", strings.ToLower(a.Name), paramsText(d, a.Vars[:a.NumParams]), w.formula(a.Duration), w.formula(a.Condition), w.effect(a.Effect))
	}
	for _, a := range d.Nature() {
		kind := "process"
		if slices.Contains(d.Events, a) {
			kind = "event"
		}
		w := domainWriter(d, &a.Schema)
		add(kind+" %s%s %s %s", strings.ToLower(a.Name), paramsText(d, a.Vars[:a.NumParams]), w.formula(a.Precondition), w.effect(a.Effect))
	}
	for _, a := range d.Axioms {
		w := domainWriter(d, &a.Schema)
		add("axiom %s%s %s", strings.ToLower(a.Name), paramsText(d, a.Vars[:a.NumParams]), w.formula(a.Body))
	}
	if c := d.Constraints; c != nil {
		add("constraints %s", domainWriter(d, &c.Schema).formula(c.Formula))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func typeText(d *pddl.Domain, t pddl.TypeID) string {
	if alts := d.Types[t].Either; alts != nil {
		names := make([]string, len(alts))
		for i, a := range alts {
			names[i] = typeText(d, a)
		}
		slices.Sort(names)
		return "(either " + strings.Join(slices.Compact(names), " ") + ")"
	}
	return strings.ToLower(d.Types[t].Name)
}

func paramsText(d *pddl.Domain, vars []pddl.Variable) string {
	var b strings.Builder
	for i := range vars {
		b.WriteString(" " + typeText(d, vars[i].Type))
	}
	return b.String()
}

// textWriter writes formulas, effects and expressions in canonical form: operands whose
// order means nothing are sorted, and a variable is named by where it is bound.
type textWriter struct {
	dom    *pddl.Domain
	schema *pddl.Schema
	// object names an object.
	object func(pddl.ObjectID) string
	names  map[int]string // of variables, by slot
	depth  int            // of quantifiers
}

// domainWriter writes formulas of the domain itself, in which objects are constants.
func domainWriter(d *pddl.Domain, s *pddl.Schema) *textWriter {
	return newTextWriter(d, s, func(o pddl.ObjectID) string { return strings.ToLower(d.Constants[o].Name) })
}

func newTextWriter(d *pddl.Domain, s *pddl.Schema, object func(pddl.ObjectID) string) *textWriter {
	w := &textWriter{dom: d, schema: s, object: object, names: map[int]string{}}
	for i := range s.NumParams {
		w.names[i] = fmt.Sprintf("?%d", i)
	}
	return w
}

func (w *textWriter) term(t pddl.Term) string {
	switch {
	case t == pddl.UndefinedTerm:
		return "undefined"
	case t.IsVar():
		return w.names[t.Slot()]
	}
	return w.object(t.Object())
}

func (w *textWriter) head(name string, args []pddl.Term) string {
	var b strings.Builder
	b.WriteString("(" + strings.ToLower(name))
	for _, t := range args {
		b.WriteString(" " + w.term(t))
	}
	b.WriteString(")")
	return b.String()
}

// bind names variables and returns what tells of them.
func (w *textWriter) bind(slots []int32) string {
	var b strings.Builder
	for i, s := range slots {
		w.names[int(s)] = fmt.Sprintf("?q%d.%d", w.depth, i)
		b.WriteString(" " + typeText(w.dom, w.schema.Vars[s].Type))
	}
	w.depth++
	return "(" + b.String() + ")"
}

func (w *textWriter) formula(f *pddl.Formula) string {
	switch f.Kind {
	case pddl.FormulaTrue:
		return "(and)"
	case pddl.FormulaAtom:
		return w.head(w.dom.Predicates[f.Pred].Name, f.Args)
	case pddl.FormulaEqual:
		a, b := w.term(f.Args[0]), w.term(f.Args[1])
		return "(= " + min(a, b) + " " + max(a, b) + ")"
	case pddl.FormulaCompare:
		return fmt.Sprintf("(cmp%d %s %s)", f.Cmp, w.expr(f.Left), w.expr(f.Right))
	case pddl.FormulaObjectEqual:
		return "(=o " + w.head(w.dom.Functions[f.Func].Name, f.Args) + " " + w.term(f.Value) + ")"
	}
	head := fmt.Sprintf("(f%d", f.Kind)
	if f.Kind == pddl.FormulaPreference {
		head += " " + strings.ToLower(f.Name)
	}
	if f.Kind == pddl.FormulaExists || f.Kind == pddl.FormulaForall {
		head += w.bind(f.Bound)
		defer func() { w.depth-- }()
	}
	head += boundsText(f)
	parts := make([]string, len(f.Children))
	for i, c := range f.Children {
		parts[i] = w.formula(c)
	}
	if f.Kind == pddl.FormulaAnd || f.Kind == pddl.FormulaOr {
		slices.Sort(parts)
		parts = slices.Compact(parts)
	}
	return head + " " + strings.Join(parts, " ") + ")"
}

// boundsText tells the times of a trajectory constraint.
func boundsText(f *pddl.Formula) string {
	switch f.Kind {
	case pddl.FormulaWithin, pddl.FormulaAlwaysWithin, pddl.FormulaHoldAfter:
		return " " + f.Bounds[0].String()
	case pddl.FormulaHoldDuring:
		return " " + f.Bounds[0].String() + " " + f.Bounds[1].String()
	}
	return ""
}

func (w *textWriter) expr(e *pddl.NumExpr) string {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value.String()
	case pddl.NumFluent:
		return w.head(w.dom.Functions[e.Func].Name, e.Args)
	case pddl.NumIsViolated:
		return "(violated " + strings.ToLower(e.Name) + ")"
	}
	parts := make([]string, len(e.Children))
	for i, c := range e.Children {
		parts[i] = w.expr(c)
	}
	if e.Kind == pddl.NumAdd || e.Kind == pddl.NumMul {
		slices.Sort(parts)
	}
	return fmt.Sprintf("(n%d %s)", e.Kind, strings.Join(parts, " "))
}

func (w *textWriter) effect(e *pddl.Effect) string {
	switch e.Kind {
	case pddl.EffectAdd:
		return w.head(w.dom.Predicates[e.Pred].Name, e.Args)
	case pddl.EffectDelete:
		return "(not " + w.head(w.dom.Predicates[e.Pred].Name, e.Args) + ")"
	case pddl.EffectNumeric:
		return fmt.Sprintf("(assign%d %v %s %s)", e.Op, e.Continuous, w.head(w.dom.Functions[e.Func].Name, e.Args), w.expr(e.Value))
	case pddl.EffectAssignObject:
		return "(set " + w.head(w.dom.Functions[e.Func].Name, e.Args) + " " + w.term(e.Object) + ")"
	}
	head := fmt.Sprintf("(e%d", e.Kind)
	switch e.Kind {
	case pddl.EffectForall:
		head += w.bind(e.Bound)
		defer func() { w.depth-- }()
	case pddl.EffectWhen:
		head += " " + w.formula(e.Condition)
	}
	parts := make([]string, len(e.Children))
	for i, c := range e.Children {
		parts[i] = w.effect(c)
	}
	slices.Sort(parts) // numeric effects may come twice, so none is left out
	return head + " " + strings.Join(parts, " ") + ")"
}

func hashText(s string) [32]byte { return sha256.Sum256([]byte(s)) }
