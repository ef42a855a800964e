package prompt

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Formula words a condition. Variables appear under their names in capitals: what it says about "block X"
// is true for any block.
func (r *Renderer) Formula(f *pddl.Formula, n pddl.Names) string {
	switch f.Kind {
	case pddl.FormulaTrue:
		return "nothing in particular"
	case pddl.FormulaAtom:
		return r.atom(f.Pred, f.Args, n)
	case pddl.FormulaEqual:
		return r.term(f.Args[0], n) + " is " + r.term(f.Args[1], n)
	case pddl.FormulaObjectEqual:
		return r.fluent(f.Func, f.Args, n) + " is " + r.term(f.Value, n)
	case pddl.FormulaNot:
		switch c := f.Children[0]; c.Kind {
		case pddl.FormulaEqual:
			return r.term(c.Args[0], n) + " is not " + r.term(c.Args[1], n)
		case pddl.FormulaObjectEqual:
			return r.fluent(c.Func, c.Args, n) + " is not " + r.term(c.Value, n)
		case pddl.FormulaForall:
			if said, q := r.nested(c, n); q != nil {
				return q.Formula(&pddl.Formula{Kind: pddl.FormulaNot, Children: []*pddl.Formula{said}}, n)
			}
		}
		return "it is not the case that " + r.grouped(f.Children[0], n)
	case pddl.FormulaAnd:
		return r.list(f.Children, " and ", n)
	case pddl.FormulaOr:
		if len(f.Children) == 0 {
			return "something impossible"
		}
		return r.list(f.Children, " or ", n)
	case pddl.FormulaImply:
		return "if " + r.grouped(f.Children[0], n) + ", then " + r.grouped(f.Children[1], n)
	case pddl.FormulaExists:
		if said, q := r.nested(f, n); q != nil {
			return q.Formula(said, n)
		}
		return "there is " + r.bound(f.Bound, n) + " such that " + r.grouped(f.Children[0], n)
	case pddl.FormulaForall:
		return "for every " + r.bound(f.Bound, n) + ", " + r.grouped(f.Children[0], n)
	case pddl.FormulaCompare:
		return r.expr(f.Left, n) + " is " + compareWords[f.Cmp] + r.expr(f.Right, n)
	case pddl.FormulaPreference:
		return "preferably, " + r.Formula(f.Children[0], n)
	}
	return r.trajectory(f, n)
}

var compareWords = map[pddl.CompareOp]string{
	pddl.CompareEqual: "", pddl.CompareLess: "less than ", pddl.CompareLessEqual: "at most ",
	pddl.CompareGreater: "more than ", pddl.CompareGreaterEqual: "at least ",
}

// trajectory words time specifiers (PDDL 2.1) and trajectory constraints (PDDL 3.0).
func (r *Renderer) trajectory(f *pddl.Formula, n pddl.Names) string {
	arg := func(i int) string { return r.grouped(f.Children[i], n) }
	switch f.Kind {
	case pddl.FormulaAtStart:
		return "at the start " + arg(0)
	case pddl.FormulaOverAll:
		return "all the time " + arg(0)
	case pddl.FormulaAtEnd:
		return "at the end " + arg(0)
	case pddl.FormulaAlways:
		return "in every state on the way " + arg(0)
	case pddl.FormulaSometime:
		return "in some state on the way " + arg(0)
	case pddl.FormulaWithin:
		return fmt.Sprintf("within %s from the start %s", f.Bounds[0], arg(0))
	case pddl.FormulaAtMostOnce:
		return "on the way it happens at most once that " + arg(0)
	case pddl.FormulaSometimeAfter:
		return "whenever " + arg(0) + ", then at that time or later " + arg(1)
	case pddl.FormulaSometimeBefore:
		return "whenever " + arg(0) + ", then at some earlier time " + arg(1)
	case pddl.FormulaAlwaysWithin:
		return fmt.Sprintf("whenever %s, then within %s after it %s", arg(0), f.Bounds[0], arg(1))
	case pddl.FormulaHoldDuring:
		return fmt.Sprintf("from time %s to time %s %s", f.Bounds[0], f.Bounds[1], arg(0))
	case pddl.FormulaHoldAfter:
		return fmt.Sprintf("from time %s on %s", f.Bounds[0], arg(0))
	}
	return n.Formula(f)
}

// grouped words a part of a condition, in brackets if its extent would be unclear.
func (r *Renderer) grouped(f *pddl.Formula, n pddl.Names) string {
	s := r.Formula(f, n)
	switch f.Kind {
	case pddl.FormulaAnd, pddl.FormulaOr, pddl.FormulaImply:
		if len(f.Children) > 1 {
			return "[" + s + "]"
		}
	}
	return s
}

func (r *Renderer) list(fs []*pddl.Formula, join string, n pddl.Names) string {
	parts := make([]string, len(fs))
	for i, c := range fs {
		parts[i] = r.grouped(c, n)
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + join + parts[last]
}

// atom words an atom, whose arguments may be variables. An atom without a sentence is in prefix order:
// "truck T".
func (r *Renderer) atom(p pddl.PredicateID, args []pddl.Term, n pddl.Names) string {
	name := strings.ToLower(n.Domain.Predicates[p].Name) // not r.dom: the formula may belong to the restricted domain
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = r.term(a, n)
	}
	if r.t != nil {
		if text := r.t.Facts[name]; text != "" {
			return fillTerms(text, names)
		}
	}
	return strings.Join(append([]string{name}, names...), " ")
}

// fillTerms fills the slots of a template text with phrases.
func fillTerms(text string, terms []string) string {
	for i, t := range terms {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), t)
		text = strings.ReplaceAll(text, fmt.Sprintf("{=%d}", i), t)
	}
	return text
}

// term returns the phrase for an object, or for a variable its noun or type and its name in capitals.
func (r *Renderer) term(t pddl.Term, n pddl.Names) string {
	if t == pddl.UndefinedTerm {
		return "nothing"
	}
	if value, ok := r.values[t]; ok {
		return value
	}
	if !t.IsVar() {
		return r.Object(n.Objects[t.Object()].Name)
	}
	v := n.Schema.Vars[t.Slot()]
	name := strings.ToUpper(strings.TrimPrefix(v.Name, "?"))
	if r.t != nil && len(r.t.Rules) == 0 {
		// Templates without rules hide what the domain is about; the names of variables would
		// give it away.
		name = fmt.Sprintf("X%d", t.Slot()+1)
	}
	if noun := r.noun(v.Type); noun != "" && !strings.EqualFold(noun, name) {
		return noun + " " + name
	}
	return name
}

// Term returns the phrase for an object, or for a variable its noun and name: "block X".
func (r *Renderer) Term(t pddl.Term, n pddl.Names) string { return r.term(t, n) }

// noun returns the noun for values of a type: the name of the type or, for the root type, the noun that
// the templates have for all objects; "" if there is none.
func (r *Renderer) noun(t pddl.TypeID) string {
	if t != pddl.RootType {
		return strings.ToLower(r.dom.TypeName(t))
	}
	if r.t != nil && len(r.t.Objects) > 0 {
		noun := r.t.Objects[0].Noun
		for _, o := range r.t.Objects {
			if o.Noun != noun {
				return ""
			}
		}
		return noun
	}
	return ""
}

func (r *Renderer) bound(slots []int32, n pddl.Names) string {
	parts := make([]string, len(slots))
	for i, s := range slots {
		parts[i] = r.term(pddl.VarTerm(int(s)), n)
	}
	return JoinPhrases(parts)
}

// expr words a numeric expression.
func (r *Renderer) expr(e *pddl.NumExpr, n pddl.Names) string {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value.String()
	case pddl.NumFluent:
		return r.fluent(e.Func, e.Args, n)
	}
	return n.Expr(e)
}

// fluent words a function, of numbers or of objects.
func (r *Renderer) fluent(f pddl.FunctionID, args []pddl.Term, n pddl.Names) string {
	names := []string{strings.ToLower(r.dom.Functions[f].Name)}
	for _, a := range args {
		names = append(names, r.term(a, n))
	}
	return "the value of " + strings.Join(names, " ")
}
