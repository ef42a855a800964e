package prompt

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// formula tells a condition in words. Variables are told by the names that the
// schema gives them, in capitals: what it says about "block X" is for any block.
func (r *Renderer) Formula(f *pddl.Formula, n pddl.Names) string {
	switch f.Kind {
	case pddl.FormulaTrue:
		return "nothing in particular"
	case pddl.FormulaAtom:
		return r.atom(f.Pred, f.Args, n)
	case pddl.FormulaEqual:
		return r.term(f.Args[0], n) + " is " + r.term(f.Args[1], n)
	case pddl.FormulaNot:
		if c := f.Children[0]; c.Kind == pddl.FormulaEqual {
			return r.term(c.Args[0], n) + " is not " + r.term(c.Args[1], n)
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

// trajectory tells time specifiers (PDDL 2.1) and trajectory constraints (PDDL 3.0).
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

// grouped tells a part of a condition, in brackets where its extent would not show.
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

// atom tells an atom whose arguments may be variables. A static unary fact of a
// template that leaves it unsaid is told in prefix order: "truck T".
func (r *Renderer) atom(p pddl.PredicateID, args []pddl.Term, n pddl.Names) string {
	name := strings.ToLower(n.Domain.Predicates[p].Name) // not r.dom: the formula may be of the restricted domain
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

// fillTerms puts phrases into the slots of a template text.
func fillTerms(text string, terms []string) string {
	for i, t := range terms {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), t)
		text = strings.ReplaceAll(text, fmt.Sprintf("{=%d}", i), t)
	}
	return text
}

// term tells an object by its phrase and a variable by its name in capitals, after
// the noun or type that it stands for.
func (r *Renderer) term(t pddl.Term, n pddl.Names) string {
	if t == pddl.UndefinedTerm {
		return "nothing"
	}
	if !t.IsVar() {
		return r.Object(n.Objects[t.Object()].Name)
	}
	v := n.Schema.Vars[t.Slot()]
	name := strings.ToUpper(strings.TrimPrefix(v.Name, "?"))
	if r.t != nil && len(r.t.Rules) == 0 {
		// Templates without rules are those of domains told in words that hide what they
		// are about; the names of variables would give it away.
		name = fmt.Sprintf("X%d", t.Slot()+1)
	}
	if noun := r.noun(v.Type); noun != "" && !strings.EqualFold(noun, name) {
		return noun + " " + name
	}
	return name
}

// noun returns what values of a type are called: its name, or for the root type the
// noun that the templates have for all objects.
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

// expr tells a numeric expression.
func (r *Renderer) expr(e *pddl.NumExpr, n pddl.Names) string {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value.String()
	case pddl.NumFluent:
		names := []string{strings.ToLower(r.dom.Functions[e.Func].Name)}
		for _, a := range e.Args {
			names = append(names, r.term(a, n))
		}
		return "the value of " + strings.Join(names, " ")
	}
	return n.Expr(e)
}

// rule is one sentence about the actions.
type rule struct {
	kind SpanKind
	text string
}

// rules returns the sentences of the templates, or those made of the domain's
// preconditions and effects.
func (r *Renderer) rules() []rule {
	var out []rule
	if r.t != nil && len(r.t.Rules) > 0 {
		for _, s := range r.t.Rules {
			out = append(out, rule{SpanRule, s})
		}
		for _, s := range r.t.Effects {
			out = append(out, rule{SpanEffect, s})
		}
		return out
	}
	for _, a := range r.dom.Actions {
		n := r.dom.Names(&a.Schema)
		said := r.schema(&a.Schema)
		if a.Precondition != nil && a.Precondition.Kind != pddl.FormulaTrue {
			out = append(out, rule{SpanRule, "I can " + said + " only if " + r.Formula(a.Precondition, n) + "."})
		}
	}
	for _, a := range r.dom.Durative {
		n := r.dom.Names(&a.Schema)
		if a.Condition != nil && a.Condition.Kind != pddl.FormulaTrue {
			out = append(out, rule{SpanRule, "I can " + r.schema(&a.Schema) + " only if " + r.Formula(a.Condition, n) + "."})
		}
	}
	for _, a := range r.dom.Actions {
		if s := r.effects(a.Effect, r.dom.Names(&a.Schema)); len(s) > 0 {
			out = append(out, rule{SpanEffect, "After I " + r.schema(&a.Schema) + ", " + strings.Join(s, "; ") + "."})
		}
	}
	for _, a := range r.dom.Durative {
		n := r.dom.Names(&a.Schema)
		s := r.effects(a.Effect, n)
		if a.Duration != nil && a.Duration.Kind != pddl.FormulaTrue {
			s = append(s, "its duration obeys "+n.Formula(a.Duration))
		}
		if len(s) > 0 {
			out = append(out, rule{SpanEffect, "When I " + r.schema(&a.Schema) + ", " + strings.Join(s, "; ") + "."})
		}
	}
	for _, a := range r.dom.Axioms {
		n := r.dom.Names(&a.Schema)
		args := make([]pddl.Term, a.NumParams)
		for i := range args {
			args[i] = pddl.VarTerm(i)
		}
		out = append(out, rule{SpanEffect, capitalised(r.atom(a.Pred, args, n)) + " whenever " + r.Formula(a.Body, n) + "."})
	}
	return out
}

func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// schema tells an action with its parameters for objects.
func (r *Renderer) schema(s *pddl.Schema) string {
	n := r.dom.Names(s)
	args := make([]string, s.NumParams)
	for i := range args {
		args[i] = r.term(pddl.VarTerm(i), n)
	}
	name := strings.ToLower(s.Name)
	if r.t != nil {
		if a, ok := r.t.Actions[name]; ok && a.Say != "" {
			return fillTerms(a.Say, args)
		}
	}
	return strings.Join(append([]string{name}, args...), " ")
}

// effects tells what an effect brings about, costs aside, a clause each.
func (r *Renderer) effects(e *pddl.Effect, n pddl.Names) []string {
	switch e.Kind {
	case pddl.EffectAdd:
		return []string{r.atom(e.Pred, e.Args, n)}
	case pddl.EffectDelete:
		return []string{"it is no longer the case that " + r.atom(e.Pred, e.Args, n)}
	case pddl.EffectAnd:
		var out []string
		for _, c := range e.Children {
			out = append(out, r.effects(c, n)...)
		}
		return out
	case pddl.EffectForall:
		if s := r.effects(e.Children[0], n); len(s) > 0 {
			return []string{"for every " + r.bound(e.Bound, n) + ", " + strings.Join(s, " and ")}
		}
		return nil
	case pddl.EffectWhen:
		if s := r.effects(e.Children[0], n); len(s) > 0 {
			return []string{"if " + r.grouped(e.Condition, n) + " before it, " + strings.Join(s, " and ")}
		}
		return nil
	case pddl.EffectAtStart, pddl.EffectAtEnd:
		when := "at its start "
		if e.Kind == pddl.EffectAtEnd {
			when = "at its end "
		}
		var out []string
		for _, s := range r.effects(e.Children[0], n) {
			out = append(out, when+s)
		}
		return out
	case pddl.EffectNumeric:
		if total, ok := r.dom.TotalCost(); ok && e.Func == total {
			return nil // told as the price of the action
		}
		names := []string{strings.ToLower(r.dom.Functions[e.Func].Name)}
		for _, a := range e.Args {
			names = append(names, r.term(a, n))
		}
		return []string{"the value of " + strings.Join(names, " ") + assignWords[e.Op] + r.expr(e.Value, n)}
	}
	return []string{n.Effect(e)}
}

var assignWords = map[pddl.AssignOp]string{
	pddl.OpAssign: " becomes ", pddl.OpIncrease: " grows by ", pddl.OpDecrease: " falls by ",
	pddl.OpScaleUp: " is multiplied by ", pddl.OpScaleDown: " is divided by ",
}

// does tells what each action does, in a sentence without its objects.
func (r *Renderer) does(s *pddl.Schema) string {
	if r.t != nil {
		if a, ok := r.t.Actions[strings.ToLower(s.Name)]; ok && a.Does != "" {
			return a.Does
		}
	}
	return capitalised(r.schema(s))
}
