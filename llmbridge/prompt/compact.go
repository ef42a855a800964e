package prompt

import (
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// compactStart begins each problem of a compact prompt.
const compactStart = "objects:"

// askCompact writes an item up to its answer in lines of PDDL:
//
//	objects: a b c
//	init: (clear b) (handempty) (on b c) (on c a) (ontable a)
//	never: (stack a b)
//	goal: (on b c) (ontable a) (ontable c)
//	plan:
//
// The prompt does not describe the domain. Each forbidden action has its own line.
func (b *builder) askCompact(it *item, query bool) {
	if b.b.Len() > 0 {
		b.text("\n")
	}
	b.compactStatement(it)
	cue, begin := "plan:", b.open
	switch b.o.Kind {
	case KindVerification:
		b.span(SpanPlan, "candidate:\n[PLAN]\n"+b.plan(it, it.candidate)+"[PLAN END]\n")
		cue, begin = "verdict:", ""
	case KindExecution:
		b.span(SpanPlan, "actions:\n[ACTION SEQUENCE]\n"+b.plan(it, it.candidate)+"[ACTION SEQUENCE END]\n")
		cue, begin = "state:", "[RESULTING STATE]"
	case KindReplanning:
		b.span(SpanPlan, "old plan:\n[PLAN]\n"+b.plan(it, it.plan)+"[PLAN END]\n")
		e := it.event
		b.span(SpanEvent, compactLine("after step:", []string{strconv.Itoa(e.step), it.plan[e.step-1]})+compactLine("became true:", e.became)+compactLine("became false:", e.ceased))
		cue = "new plan:"
	case KindCostOptimal:
		cue = "cheapest plan:"
	}
	if think := strings.TrimSpace(b.think()); query && think != "" {
		b.span(SpanInstruction, think+"\n")
	}
	if query {
		b.span(SpanInstruction, cue+"\n")
		if begin != "" && !b.strict() {
			b.begin = begin + "\n"
		}
		return
	}
	b.span(SpanInstruction, cue)
	if begin != "" {
		b.text("\n")
		b.span(SpanAnswer, b.thoughts(it))
		if b.strict() {
			begin = "" // the answer has it
		}
		b.text(begin)
	}
}

// compactLine returns a line with the words, or "" if there are none.
func compactLine(head string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	return head + " " + strings.Join(words, " ") + "\n"
}

// compactStatement writes a problem: objects, initial state, costs, what is forbidden and the goal,
// each on its own line.
func (b *builder) compactStatement(it *item) {
	prob := unrestricted(it.prob)
	dom := prob.Domain
	b.span(SpanObjects, strings.TrimRight(compactStart+" "+strings.Join(typedObjects(prob), " "), " ")+"\n")
	b.span(SpanInit, strings.TrimRight("init: "+strings.Join(atomtext.Initial(prob), " "), " ")+"\n")
	b.span(SpanInit, compactLine("values:", initialValues(prob)))
	b.span(SpanInit, compactLine("later:", timedFacts(prob)))
	if b.priced() {
		b.span(SpanActions, compactLine("costs:", actionCosts(prob)))
	}
	if it.budget != "" {
		b.span(SpanBudget, compactLine("budget:", []string{it.budget}))
	}
	for _, f := range domains.Restrictions(it.prob) {
		b.span(SpanConstraint, compactLine("never:", []string{f.String()}))
	}
	if c := dom.Constraints; c != nil {
		b.compactTrajectories(c, dom.Names(&c.Schema))
	}
	if b.o.Kind != KindExecution {
		if c := prob.Constraints; c != nil {
			b.compactTrajectories(c, prob.Names(&c.Schema))
		}
	}
	for _, c := range b.o.Constraints {
		b.span(SpanConstraint, compactLine("constraint:", []string{c}))
	}
	if b.o.Kind != KindExecution {
		b.span(SpanGoal, compactLine("goal:", goalConjuncts(prob, it.goal == "")))
	}
}

func (b *builder) compactTrajectories(c *pddl.GoalSchema, n pddl.Names) {
	EachConjunct(c.Formula, func(f *pddl.Formula) bool {
		b.span(SpanConstraint, compactLine("constraint:", []string{strings.ToLower(n.Formula(f))}))
		return true
	})
}

// typedObjects lists the objects, with "- TYPE" after those of one type if the domain has types.
func typedObjects(prob *pddl.Problem) []string {
	var out []string
	typed := len(prob.Domain.Types) > 1
	for i, o := range prob.Objects {
		out = append(out, strings.ToLower(o.Name))
		if typed && (i+1 == len(prob.Objects) || prob.Objects[i+1].Type != o.Type) {
			out = append(out, "-", strings.ToLower(prob.Domain.TypeName(o.Type)))
		}
	}
	return out
}

// initialValues lists the initial values of functions except total-cost, (= (fuel t1) 5), in the
// problem's order.
func initialValues(prob *pddl.Problem) []string {
	var out []string
	total, hasTotal := prob.Domain.TotalCost()
	v := &prob.Init.Values
	for i := range v.Len() {
		if f, args, n := v.Fluent(i); !hasTotal || f != total {
			out = append(out, strings.ToLower("(= "+prob.FormatFluent(f, args)+" "+n.String()+")"))
		}
	}
	for _, o := range prob.Init.Objects {
		out = append(out, strings.ToLower("(= "+prob.FormatFluent(o.Func, o.Args)+" "+prob.Objects[o.Value].Name+")"))
	}
	return out
}

// timedFacts lists the timed initial literals, (at 5 (open door)).
func timedFacts(prob *pddl.Problem) []string {
	var out []string
	for i := range prob.Init.Timed {
		t := &prob.Init.Timed[i]
		s := ""
		switch {
		case t.Func >= 0:
			s = "(= " + prob.FormatFluent(t.Func, t.Args) + " " + t.Value.String() + ")"
		case t.Negated:
			s = "(not " + prob.FormatAtom(t.Pred, t.Args) + ")"
		default:
			s = prob.FormatAtom(t.Pred, t.Args)
		}
		out = append(out, strings.ToLower("(at "+t.Time.String()+" "+s+")"))
	}
	return out
}

// actionCosts lists the costs of the actions, (= (drive ?t ?a ?b) (distance ?a ?b)).
func actionCosts(prob *pddl.Problem) []string {
	dom := prob.Domain
	total, ok := dom.TotalCost()
	var out []string
	price := func(s *pddl.Schema, e *pddl.Effect) {
		head := "(" + s.Name
		for _, v := range s.Vars[:s.NumParams] {
			head += " " + v.Name
		}
		cost := "1"
		if ok && prob.Metric != nil {
			switch parts := costTerms(e, total, dom.Names(s)); len(parts) {
			case 0:
				cost = "0"
			case 1:
				cost = parts[0]
			default:
				cost = "(+ " + strings.Join(parts, " ") + ")"
			}
		}
		out = append(out, strings.ToLower("(= "+head+") "+cost+")"))
	}
	for _, a := range dom.Actions {
		price(&a.Schema, a.Effect)
	}
	for _, a := range dom.Durative {
		price(&a.Schema, a.Effect)
	}
	return out
}

// costTerms lists what an effect adds to the total cost. Conditional terms keep their (when ...) and
// (forall ...).
func costTerms(e *pddl.Effect, total pddl.FunctionID, n pddl.Names) []string {
	var out []string
	switch e.Kind {
	case pddl.EffectNumeric:
		if e.Func == total && e.Op == pddl.OpIncrease {
			out = append(out, n.Expr(e.Value))
		}
	case pddl.EffectForall, pddl.EffectWhen:
		inner := costTerms(e.Children[0], total, n)
		if len(inner) == 0 {
			return nil
		}
		head := ""
		if e.Kind == pddl.EffectWhen {
			head = "(when " + n.Formula(e.Condition) + " "
		} else {
			head = "(forall ("
			for i, s := range e.Bound {
				v := n.Schema.Vars[s]
				if i > 0 {
					head += " "
				}
				head += v.Name + " - " + n.Domain.TypeName(v.Type)
			}
			head += ") "
		}
		for _, s := range inner {
			out = append(out, head+s+")")
		}
	default:
		for _, c := range e.Children {
			out = append(out, costTerms(c, total, n)...)
		}
	}
	return out
}

// goalConjuncts lists the conjuncts of the goal. If all are atoms and sorting is set, they are in the
// order of states.
func goalConjuncts(prob *pddl.Problem, sorting bool) []string {
	if atoms, ok := GoalAtoms(prob); ok {
		if sorting {
			atomtext.Sort(atoms)
		}
		return atoms
	}
	var out []string
	n := prob.Names(&prob.Goal.Schema)
	EachConjunct(prob.Goal.Formula, func(f *pddl.Formula) bool {
		out = append(out, strings.ToLower(n.Formula(f)))
		return true
	})
	if len(out) == 0 {
		out = []string{"(and)"}
	}
	return out
}
