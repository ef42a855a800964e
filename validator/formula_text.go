package validator

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// maxText bounds the length of one formula in a message.
const maxText = 2000

// texts are those of one verdict, which share memory.
type texts struct{ strings.Builder }

// maxShared bounds the texts that share memory: a part keeps all of it alive.
const maxShared = 4 << 10

// begin returns where a text begins.
func (w *texts) begin() int {
	switch {
	case w.Cap() == 0:
		w.Grow(480) // enough for most verdicts
	case w.Len() > maxShared:
		w.Builder = strings.Builder{}
	}
	return w.Len()
}

// join returns one text.
func (w *texts) join(parts ...string) string {
	from := w.begin()
	for _, p := range parts {
		w.WriteString(p)
	}
	return w.String()[from:]
}

// step writes a step as in the plan.
func (w *texts) step(st *pddl.Step) string {
	from := w.begin()
	w.WriteByte('(')
	w.WriteString(st.Name)
	for _, a := range st.Args {
		w.WriteByte(' ')
		w.WriteString(a)
		if w.Len()-from > maxText {
			w.WriteString(" ...")
			break
		}
	}
	w.WriteByte(')')
	return w.String()[from:]
}

// writer prints formulas as PDDL, with objects in place of variables that have a value.
type writer struct {
	*texts
	from int // where the formula begins
	j    *Judge
	env  []int32         // object of each slot
	vars []pddl.Variable // of the schema: names for variables without a value
	free map[int32]bool  // slots without a value
	let  map[int32]*pddl.Formula
}

// term writes one argument.
func (w *writer) term(t pddl.Term) {
	switch {
	case t == pddl.UndefinedTerm:
		w.WriteString("undefined")
	case !t.IsVar():
		w.WriteString(w.j.prob.Objects[t].Name)
	case w.let[int32(t.Slot())] != nil:
		f := w.let[int32(t.Slot())]
		w.application(w.j.dom.Functions[f.Func].Name, f.Args)
	case w.free[int32(t.Slot())]:
		w.WriteString(w.vars[t.Slot()].Name)
	default:
		w.WriteString(w.j.prob.Objects[w.env[t.Slot()]].Name)
	}
}

func (w *writer) application(name string, args []pddl.Term) {
	w.WriteByte('(')
	w.WriteString(name)
	for _, t := range args {
		w.WriteByte(' ')
		w.term(t)
	}
	w.WriteByte(')')
}

var compareNames = [...]string{"=", "<", "<=", ">", ">="}

var operatorNames = map[pddl.NumKind]string{pddl.NumAdd: "+", pddl.NumSub: "-", pddl.NumMul: "*", pddl.NumDiv: "/", pddl.NumNeg: "-"}

// expr writes a numeric expression.
func (w *writer) expr(e *pddl.NumExpr) {
	switch e.Kind {
	case pddl.NumConst:
		w.WriteString(e.Value.String())
	case pddl.NumFluent:
		w.application(w.j.dom.Functions[e.Func].Name, e.Args)
	case pddl.NumTotalTime:
		w.WriteString("(total-time)")
	case pddl.NumDuration:
		w.WriteString("?duration")
	case pddl.NumTime:
		w.WriteString("#t")
	case pddl.NumIsViolated:
		w.WriteString("(is-violated " + e.Name + ")")
	default:
		w.WriteByte('(')
		w.WriteString(operatorNames[e.Kind])
		for _, k := range e.Children {
			w.WriteByte(' ')
			w.expr(k)
		}
		w.WriteByte(')')
	}
}

var listNames = map[pddl.FormulaKind]string{pddl.FormulaAnd: "and", pddl.FormulaOr: "or", pddl.FormulaNot: "not", pddl.FormulaImply: "imply"}

// formula writes f, and stops (with dots) when the text gets too long.
func (w *writer) formula(f *pddl.Formula) {
	if w.Len()-w.from > maxText {
		w.WriteString("...")
		return
	}
	switch f.Kind {
	case pddl.FormulaTrue:
		w.WriteString("(and)")
	case pddl.FormulaAtom:
		w.application(w.j.dom.Predicates[f.Pred].Name, f.Args)
	case pddl.FormulaEqual:
		w.application("=", f.Args)
	case pddl.FormulaCompare:
		w.WriteString("(" + compareNames[f.Cmp] + " ")
		w.expr(f.Left)
		w.WriteByte(' ')
		w.expr(f.Right)
		w.WriteByte(')')
	case pddl.FormulaObjectEqual:
		w.WriteString("(= ")
		w.application(w.j.dom.Functions[f.Func].Name, f.Args)
		w.WriteByte(' ')
		w.term(f.Value)
		w.WriteByte(')')
	case pddl.FormulaExists, pddl.FormulaForall:
		w.quantified(f)
	default:
		w.WriteString("(" + listNames[f.Kind])
		for _, k := range f.Children {
			w.WriteByte(' ')
			w.formula(k)
			if w.Len()-w.from > maxText {
				break
			}
		}
		w.WriteByte(')')
	}
}

func (w *writer) quantified(f *pddl.Formula) {
	if lit := w.asWritten(f); lit != nil {
		w.formula(lit)
		return
	}
	name := "(exists ("
	if f.Kind == pddl.FormulaForall {
		name = "(forall ("
	}
	w.WriteString(name)
	for i, s := range f.Bound {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(w.vars[s].Name + " - " + w.j.dom.TypeName(w.vars[s].Type))
		if w.free == nil {
			w.free = map[int32]bool{}
		}
		w.free[s] = true
	}
	w.WriteString(") ")
	w.formula(f.Children[0])
	w.WriteByte(')')
	for _, s := range f.Bound {
		delete(w.free, s)
	}
}

// asWritten returns the literal that f stands for if it came from one with object fluents as
// terms (pddl/read_nested.go), and notes which fluents its variables stand for; else nil.
func (w *writer) asWritten(f *pddl.Formula) *pddl.Formula {
	if len(f.Bound) == 0 || !w.vars[f.Bound[0]].Fluent {
		return nil
	}
	parts := f.Children[0].Children
	if f.Kind == pddl.FormulaForall && len(parts) == 2 && parts[0].Kind == pddl.FormulaAnd {
		parts = append(slices.Clone(parts[0].Children), parts[1])
	}
	if len(parts) != len(f.Bound)+1 {
		return nil
	}
	if w.let == nil {
		w.let = map[int32]*pddl.Formula{}
	}
	for i, s := range f.Bound {
		w.let[s] = parts[i]
	}
	return parts[len(parts)-1]
}

// text writes f, negated if pol is false, under a binding.
func (j *Judge) text(f *pddl.Formula, pol bool, vars []pddl.Variable, env []int32) string {
	return j.textIn(new(texts), f, pol, vars, env)
}

// textIn is text in the memory of a verdict.
func (j *Judge) textIn(in *texts, f *pddl.Formula, pol bool, vars []pddl.Variable, env []int32) string {
	if f == nil {
		return "(and)"
	}
	w := writer{texts: in, j: j, env: env, vars: vars}
	return w.signed(f, pol)
}

// signed returns f, negated if pol is false.
func (w *writer) signed(f *pddl.Formula, pol bool) string {
	w.from = w.begin()
	if !pol {
		w.WriteString("(not ")
	}
	w.formula(f)
	if !pol {
		w.WriteByte(')')
	}
	return w.String()[w.from:]
}

// exprText writes an expression under a binding.
func (j *Judge) exprText(e *pddl.NumExpr, env []int32) string {
	w := &writer{texts: new(texts), j: j, env: env}
	w.expr(e)
	return w.String()
}

// tuple writes a name with objects.
func (j *Judge) tuple(name string, args []int32) string {
	var b strings.Builder
	b.WriteString("(" + name)
	for _, a := range args {
		b.WriteString(" " + j.prob.Objects[a].Name)
	}
	b.WriteByte(')')
	return b.String()
}

// atomText writes a fluent atom.
func (s *Scratch) atomText(c change) string {
	args := make([]int32, s.j.preds[c.pred].arity)
	s.atomArgs(c, args)
	return s.j.tuple(s.j.dom.Predicates[c.pred].Name, args)
}

// valueText writes a fluent, given its id.
func (s *Scratch) valueText(id int32) string {
	for f := range s.j.fns {
		fu := &s.j.fns[f]
		if !fu.fluent {
			continue
		}
		if fu.dense && id >= fu.base && id < fu.base+fu.size() || !fu.dense && id >= s.j.valuesD && s.ownsValue(int32(f), id) {
			return s.j.tuple(s.j.dom.Functions[f].Name, s.valueArgs(int32(f), id))
		}
	}
	return "(?)"
}

// ownsValue reports whether an interned value belongs to function f.
func (s *Scratch) ownsValue(f, id int32) bool {
	tag := int32(len(s.j.preds)) + f
	for _, t := range [2]*table{&s.j.sparse, &s.over} {
		for e := range t.id {
			if t.id[e] == id && t.tag[e] == tag {
				return true
			}
		}
	}
	return false
}

// stepText writes a step as in the plan.
func stepText(st *pddl.Step) string { return new(texts).step(st) }

// predOf returns the predicate of a fluent atom.
func (s *Scratch) predOf(id int32) int32 {
	switch j := s.j; {
	case id >= j.fluents:
		return s.over.tag[s.atomEntry[id-j.fluents]]
	case id >= j.fluentsD:
		return j.sparse.tag[j.atomEntry[id-j.fluentsD]]
	default:
		for i := range j.preds {
			p := &j.preds[i]
			if p.fluent && p.dense && id >= p.base && id < p.base+p.size() {
				return int32(i)
			}
		}
	}
	panic("validator: atom without predicate")
}
