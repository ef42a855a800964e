package prompt

import (
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

// Renderer puts a problem into words: facts, steps, states, goals and rules. It reads each fact and step
// back with the readers of package extract. If the words would be read as something else (two objects
// of one name, a name that is a word of a sentence), it writes PDDL instead. So its text is exact in
// every domain.
//
// A Renderer is compiled for one problem and safe for concurrent use.
type Renderer struct {
	prob         *pddl.Problem
	dom          *pddl.Domain
	t            *domains.Templates // nil: no sentences, names as they are
	state        *extract.StateReader
	restrictions map[string]string // domains.RestrictionPredicates, whose facts are left out
	plan         *extract.Reader
	values       map[pddl.Term]string // variables that stand for values of object fluents, in words

	mu    sync.Mutex
	facts map[string]string
	steps map[string]string
}

// NoTemplates is the template name for text without templates: names as they are.
const NoTemplates = "none"

// NewRenderer compiles a renderer. templates is the name of a bundled template file. "" takes the first
// file that fits the domain, or none if there is none; NoTemplates takes none. It returns false if the
// named templates do not fit the domain.
//
// For a restricted problem, prompts word the restrictions; everything else is about the problem without
// them.
func NewRenderer(prob *pddl.Problem, templates string) (*Renderer, bool) {
	return NewRendererFor(extract.Natural, prob, templates)
}

// NewRendererFor is NewRenderer for steps that a reader of a kind is to read: where it does not read the
// sentence of a step as that step, the step is in PDDL.
func NewRendererFor(kind extract.Kind, prob *pddl.Problem, templates string) (*Renderer, bool) {
	if len(prob.Domain.Nature()) > 0 {
		return &Renderer{}, false // a prompt would not speak of what the world does
	}
	return newRenderer(kind, prob, templates)
}

// NewTeller is NewRenderer for texts about verdicts, which may be about processes and events.
func NewTeller(prob *pddl.Problem, templates string) (*Renderer, bool) {
	return newRenderer(extract.Natural, prob, templates)
}

func newRenderer(kind extract.Kind, prob *pddl.Problem, templates string) (*Renderer, bool) {
	plain := unrestricted(prob)
	dom := prob.Domain
	r := &Renderer{
		prob: plain, dom: plain.Domain, restrictions: domains.RestrictionPredicates(prob),
		state: extract.NewStateReader(dom, prob), plan: extract.NewReader(dom, prob, kind),
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

// StateReader returns a reader for states that the renderer has written.
func (r *Renderer) StateReader() *extract.StateReader { return r.state }

// PlanReader returns a reader for plans that the renderer has written.
func (r *Renderer) PlanReader() *extract.Reader { return r.plan }

// Fact words a ground atom, "(on a b)", without a full stop. It returns "" for atoms that texts leave out
// (extract.StateReader.Says).
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

// Step words a ground action, "(stack a b)", as a command.
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

// State words a state, a list of atoms like extract.StateReading.Facts: "the red block is clear, the hand
// is empty and the red block is on the table".
func (r *Renderer) State(facts []string) string {
	var said []string
	for _, f := range facts {
		if s := r.Fact(f); s != "" {
			said = append(said, s)
		}
	}
	return JoinPhrases(said)
}

// JoinPhrases joins phrases as PlanBench does, with commas and an "and" before the last.
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

// Plan words the steps of a plan, one per line.
func (r *Renderer) Plan(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(r.Step(s))
		b.WriteByte('\n')
	}
	return b.String()
}

// Object returns the name of an object in sentences, with its article.
func (r *Renderer) Object(name string) string {
	if r.t == nil {
		return name
	}
	p, _ := r.t.Phrase(strings.ToLower(name), true)
	return p
}

// Goal words the goal: its conjuncts in order or, if all are positive atoms, sorted as in a state.
func (r *Renderer) Goal() string {
	if atoms, ok := GoalAtoms(r.prob); ok {
		atomtext.Sort(atoms)
		return r.State(atoms)
	}
	return r.Formula(r.prob.Goal.Formula, r.prob.Names(&r.prob.Goal.Schema))
}

// GoalAtoms returns the atoms of a goal that is a conjunction of ground atoms, in its order and in lower
// case. It returns false for other goals and for a goal without atoms.
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

// EachConjunct visits the parts of a conjunction, nested ones included, until visit returns false. It
// reports whether every visit returned true. A formula of another kind is its own only part.
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

// objects words which objects there are, by type. It returns "" for a domain without types.
func (r *Renderer) objects() string {
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

// Values words the initial values of functions except total-cost, of numbers and then of objects, one
// sentence each.
func (r *Renderer) Values() []string {
	var out []string
	total, hasTotal := r.dom.TotalCost()
	v := &r.prob.Init.Values
	for i := range v.Len() {
		f, args, n := v.Fluent(i)
		if hasTotal && f == total {
			continue
		}
		out = append(out, r.value(f, args, n.String()))
	}
	for _, o := range r.prob.Init.Objects {
		out = append(out, r.value(o.Func, o.Args, r.Object(r.prob.Objects[o.Value].Name)))
	}
	return out
}

func (r *Renderer) value(f pddl.FunctionID, objects []pddl.ObjectID, value string) string {
	function := strings.ToLower(r.dom.Functions[f].Name)
	args := make([]string, len(objects))
	for i, o := range objects {
		args[i] = strings.ToLower(r.prob.Objects[o].Name)
	}
	if r.t != nil {
		if s, ok := r.t.Value(function, args, value); ok {
			return s
		}
	}
	return strings.Join(append([]string{function}, args...), " ") + " is " + value
}
