package prompt

import (
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

// Renderer tells a problem in words: facts, steps, states, goals and rules. What it
// writes, the readers of this package read back: each fact and each step is read
// again when it is first told, and told in PDDL instead should the words mean
// something else there (two objects of one name, a name that is a word of a
// sentence). So text made of them is exact whatever the domain.
//
// A Renderer is compiled for one problem and safe for concurrent use.
type Renderer struct {
	prob         *pddl.Problem
	dom          *pddl.Domain
	t            *domains.Templates // nil: names as they are
	state        *extract.StateReader
	restrictions map[string]string // domains.RestrictionPredicates; texts never tell them as facts
	plan         *extract.Reader

	mu    sync.Mutex
	facts map[string]string
	steps map[string]string
}

// NoTemplates as a template name asks for the readable form that needs none.
const NoTemplates = "none"

// NewRenderer compiles a renderer. templates names a bundled template file; "" takes
// the first that suits the domain and, where there is none, names as they are, and
// NoTemplates those in any case. It returns false for templates that do not suit.
//
// Of a restricted problem it tells the problem itself; Forbidden tells the restrictions.
func NewRenderer(prob *pddl.Problem, templates string) (*Renderer, bool) {
	plain := unrestricted(prob)
	dom := prob.Domain
	r := &Renderer{
		prob: plain, dom: plain.Domain, restrictions: domains.RestrictionPredicates(prob),
		state: extract.NewStateReader(dom, prob), plan: extract.NewReader(dom, prob),
		facts: map[string]string{}, steps: map[string]string{},
	}
	suiting := domains.TemplatesFor(dom)
	switch {
	case templates == NoTemplates:
	case templates == "" && len(suiting) > 0:
		r.t = suiting[0]
	case templates != "":
		for _, t := range suiting {
			if t.Name == templates {
				r.t = t
			}
		}
		return r, r.t != nil
	}
	return r, true
}

// StateReader returns the reader of what the renderer writes about states.
func (r *Renderer) StateReader() *extract.StateReader { return r.state }

// PlanReader returns the reader of what the renderer writes about plans.
func (r *Renderer) PlanReader() *extract.Reader { return r.plan }

// Fact tells a ground atom, "(on a b)", without a full stop; "" for one that goes
// unsaid (see StateReader.Says).
func (r *Renderer) Fact(atom string) string {
	atom = strings.ToLower(atom)
	if !r.state.Says(atom) && (r.t != nil || r.restrictions[atomtext.Words(atom)[0]] != "") {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.facts[atom]; ok {
		return s
	}
	s := r.factWords(atomtext.Words(atom))
	x := r.state.Read(s)
	told := 0
	for _, f := range x.Facts {
		if f == atom {
			told++
		} else if r.state.Says(f) {
			told += 2
		}
	}
	if told != 1 || len(x.Denied)+len(x.Unread) > 0 || strings.ContainsAny(s, "\n") {
		s = atom
	}
	r.facts[atom] = s
	return s
}

func (r *Renderer) factWords(w []string) string {
	if r.t != nil {
		if s, ok := r.t.Fact(w[0], w[1:]); ok && s != "" {
			return s
		}
	}
	return strings.Join(w, " ")
}

// Step tells a ground action, "(stack a b)", as a command.
func (r *Renderer) Step(step string) string {
	step = strings.ToLower(step)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.steps[step]; ok {
		return s
	}
	w := atomtext.Words(step)
	s := strings.Join(w, " ")
	if r.t != nil && len(w) > 0 {
		if said, ok := r.t.Sentence(w[0], w[1:]); ok && said != "" {
			s = said
		}
	}
	if x := r.plan.Extract("[PLAN]\n" + s + "\n[PLAN END]"); len(x.Plan) != 1 || len(x.Malformed) > 0 || x.Plan[0] != step {
		s = step
	}
	r.steps[step] = s
	return s
}

// State tells a state, a list of atoms as StateReading.Facts holds them: "the red
// block is clear, the hand is empty and the red block is on the table".
func (r *Renderer) State(facts []string) string {
	var said []string
	for _, f := range facts {
		if s := r.Fact(f); s != "" {
			said = append(said, s)
		}
	}
	return JoinPhrases(said)
}

// JoinPhrases joins phrases as PlanBench does: commas, and "and" before the last.
func JoinPhrases(said []string) string {
	switch n := len(said); n {
	case 0:
		return ""
	case 1:
		return said[0]
	default:
		return strings.Join(said[:n-1], ", ") + " and " + said[n-1]
	}
}

// Plan tells the steps of a plan, one a line, each line ended.
func (r *Renderer) Plan(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(r.Step(s))
		b.WriteByte('\n')
	}
	return b.String()
}

// Object returns what an object is called, with its article.
func (r *Renderer) Object(name string) string {
	if r.t == nil {
		return name
	}
	p, _ := r.t.Phrase(strings.ToLower(name), true)
	return p
}

// Goal tells the goal: its conjuncts in order, positive atoms sorted as in a state
// when there is nothing else.
func (r *Renderer) Goal() string {
	if atoms, ok := GoalAtoms(r.prob); ok {
		atomtext.Sort(atoms)
		return r.State(atoms)
	}
	return r.Formula(r.prob.Goal.Formula, r.prob.Names(&r.prob.Goal.Schema))
}

// GoalAtoms returns the atoms of a goal that is a conjunction of ground atoms, in its order
// and in small letters; false for another goal, and for one without atoms.
func GoalAtoms(prob *pddl.Problem) ([]string, bool) {
	var out []string
	ok := EachConjunct(prob.Goal.Formula, func(f *pddl.Formula) bool {
		if f.Kind != pddl.FormulaAtom {
			return false
		}
		args := make([]pddl.ObjectID, len(f.Args))
		for i, a := range f.Args {
			if a.IsVar() {
				return false
			}
			args[i] = a.Object()
		}
		out = append(out, strings.ToLower(prob.FormatAtom(f.Pred, args)))
		return true
	})
	return out, ok && len(out) > 0
}

// EachConjunct visits the parts of a conjunction, those within nested ones too, until visit
// returns false; it reports whether none did. A formula of another kind is its only part.
func EachConjunct(f *pddl.Formula, visit func(*pddl.Formula) bool) bool {
	switch f.Kind {
	case pddl.FormulaTrue:
		return true
	case pddl.FormulaAnd:
		for _, c := range f.Children {
			if !EachConjunct(c, visit) {
				return false
			}
		}
		return true
	}
	return visit(f)
}

// Objects tells which objects there are, by type; "" for a domain without types.
func (r *Renderer) Objects() string {
	if len(r.dom.Types) < 2 {
		return ""
	}
	var kinds []string
	for t := range r.dom.Types {
		var names []string
		for _, o := range r.prob.Objects {
			if int(o.Type) == t {
				names = append(names, r.Object(o.Name))
			}
		}
		if len(names) == 0 {
			continue
		}
		verb := " is of kind "
		if len(names) > 1 {
			verb = " are of kind "
		}
		kinds = append(kinds, JoinPhrases(names)+verb+strings.ToLower(r.dom.TypeName(pddl.TypeID(t))))
	}
	return strings.Join(kinds, "; ")
}

// Values tells the initial values of functions other than total-cost, a sentence
// each.
func (r *Renderer) Values() []string {
	var out []string
	total, hasTotal := r.dom.TotalCost()
	v := &r.prob.Init.Values
	for i := range v.Len() {
		f, args, n := v.Fluent(i)
		if hasTotal && f == total {
			continue
		}
		names := make([]string, len(args))
		for k, a := range args {
			names[k] = strings.ToLower(r.prob.Objects[a].Name)
		}
		out = append(out, r.value(strings.ToLower(r.dom.Functions[f].Name), names, n.String()))
	}
	return out
}

func (r *Renderer) value(function string, args []string, value string) string {
	if r.t != nil {
		if s, ok := r.t.Value(function, args, value); ok {
			return s
		}
	}
	return strings.Join(append([]string{function}, args...), " ") + " is " + value
}
