package dataset

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// traceTask is what a reasoning text knows of a problem beside its states: what steps need,
// what the goal asks for, and which steps are forbidden.
type traceTask struct {
	prob *pddl.Problem
	goal []string // its facts; nil unless it is a conjunction of facts
	// changing tells which predicates actions change, by lower-case name, and derived
	// which ones rules define.
	changing, derived map[string]bool
	actions           map[string]*traceAction
	objects           map[string]pddl.ObjectID
	bans              []traceBan
}

// traceAction is an action schema with the literals of its precondition; parts of it that
// are no literals are left untold.
type traceAction struct {
	*pddl.Action
	holds, absent []*pddl.Formula
}

// traceBan is a forbidden step, and the fact that forbids it.
type traceBan struct{ step, fact string }

func newTraceTask(prob *pddl.Problem) *traceTask {
	dom := prob.Domain
	t := &traceTask{prob: prob, changing: map[string]bool{}, derived: map[string]bool{}, actions: map[string]*traceAction{}, objects: map[string]pddl.ObjectID{}}
	for i, o := range prob.Objects {
		t.objects[strings.ToLower(o.Name)] = pddl.ObjectID(i)
	}
	for _, p := range dom.Predicates {
		t.derived[strings.ToLower(p.Name)] = p.Derived
	}
	for i := range dom.Actions {
		a := &traceAction{Action: dom.Actions[i]}
		t.actions[strings.ToLower(a.Name)] = a
		t.markChanges(a.Effect)
		literals(a.Precondition, func(f *pddl.Formula, positive bool) {
			if positive {
				a.holds = append(a.holds, f)
			} else {
				a.absent = append(a.absent, f)
			}
		})
	}
	for i := range dom.Actions { // once it is known which predicates change
		t.findBans(t.actions[strings.ToLower(dom.Actions[i].Name)])
	}
	slices.SortFunc(t.bans, func(a, b traceBan) int { return strings.Compare(a.step, b.step) })
	t.goal = goalFacts(prob)
	return t
}

// markChanges notes which predicates an effect changes.
func (t *traceTask) markChanges(e *pddl.Effect) {
	if e.Kind == pddl.EffectAdd || e.Kind == pddl.EffectDelete {
		t.changing[strings.ToLower(t.prob.Domain.Predicates[e.Pred].Name)] = true
	}
	for _, c := range e.Children {
		t.markChanges(c)
	}
}

// literals visits the atoms among the conjuncts of a condition, negated or not.
func literals(f *pddl.Formula, visit func(f *pddl.Formula, positive bool)) {
	switch {
	case f.Kind == pddl.FormulaAtom:
		visit(f, true)
	case f.Kind == pddl.FormulaNot && f.Children[0].Kind == pddl.FormulaAtom:
		visit(f.Children[0], false)
	case f.Kind == pddl.FormulaAnd:
		for _, c := range f.Children {
			literals(c, visit)
		}
	}
}

// maxBans bounds the steps that the constraints of a task forbid, one by one.
const maxBans = 100_000

// findBans moves the literals that forbid steps of an action out of its absent ones and
// lists the steps that the initial state forbids: facts of a predicate that nothing
// changes, whose arguments are parameters of the action, each once.
func (t *traceTask) findBans(a *traceAction) {
	a.absent = slices.DeleteFunc(a.absent, func(f *pddl.Formula) bool {
		name := strings.ToLower(t.prob.Domain.Predicates[f.Pred].Name)
		if t.changing[name] || t.derived[name] {
			return false
		}
		var slots []int
		for _, arg := range f.Args {
			if !arg.IsVar() || slices.Contains(slots, arg.Slot()) {
				return false
			}
			slots = append(slots, arg.Slot())
		}
		for i := range t.prob.Init.Atoms.Len() {
			if pred, args := t.prob.Init.Atoms.Atom(i); pred == f.Pred {
				binding := make([]pddl.ObjectID, a.NumParams)
				for k := range binding {
					binding[k] = -1
				}
				for k, s := range slots {
					binding[s] = args[k]
				}
				t.ban(a, strings.ToLower(t.prob.FormatAtom(pred, args)), binding, 0)
			}
		}
		return true
	})
}

// ban lists the steps of an action that a fact forbids: binding[k] is the argument k, or
// -1 where any will do.
func (t *traceTask) ban(a *traceAction, fact string, binding []pddl.ObjectID, k int) {
	switch {
	case len(t.bans) > maxBans:
	case k == len(binding):
		words := []string{strings.ToLower(a.Name)}
		for _, o := range binding {
			words = append(words, strings.ToLower(t.prob.Objects[o].Name))
		}
		t.bans = append(t.bans, traceBan{step: "(" + strings.Join(words, " ") + ")", fact: fact})
	case binding[k] >= 0:
		t.ban(a, fact, binding, k+1)
	default:
		for o := range t.prob.Objects {
			binding[k] = pddl.ObjectID(o)
			t.ban(a, fact, binding, k+1) // of the wrong type: the judge will say so
		}
		binding[k] = -1
	}
}

// goalFacts lists the facts of a goal that is a conjunction of facts, sorted as texts tell
// them; nil for another.
func goalFacts(prob *pddl.Problem) []string {
	atoms, ok := prompt.GoalAtoms(prob)
	if !ok || !prompt.EachConjunct(prob.Goal.Formula, func(f *pddl.Formula) bool {
		return !prob.Domain.Predicates[f.Pred].Derived
	}) {
		return nil
	}
	return sortedFacts(atoms)
}

// sortedFacts sorts atoms by predicate and arguments, each once.
func sortedFacts(facts []string) []string {
	slices.SortFunc(facts, func(a, b string) int { return strings.Compare(strings.Trim(a, "()"), strings.Trim(b, "()")) })
	return slices.Compact(facts)
}

// fluents leaves out the facts that no action changes.
func (t *traceTask) fluents(facts []string) []string {
	return slices.DeleteFunc(slices.Clone(facts), func(f string) bool { return !t.changing[predicateOf(f)] })
}

// complete is the whole state of which some facts are given: what no action changes is as it
// was initially, also where the masker leaves it out.
func (t *traceTask) complete(facts []string) []string {
	out := t.fluents(facts)
	for _, f := range t.initial() {
		if !t.changing[predicateOf(f)] {
			out = append(out, f)
		}
	}
	return sortedFacts(out)
}

func predicateOf(fact string) string {
	name, _, _ := strings.Cut(strings.Trim(fact, "()"), " ")
	return name
}

// bind returns the action of a step and what its parameters stand for.
func (t *traceTask) bind(step string) (*traceAction, []pddl.ObjectID) {
	words := strings.Fields(strings.Trim(step, "()"))
	if len(words) == 0 {
		return nil, nil
	}
	a := t.actions[words[0]]
	if a == nil || len(words)-1 != a.NumParams {
		return nil, nil
	}
	args := make([]pddl.ObjectID, a.NumParams)
	for i, w := range words[1:] {
		o, ok := t.objects[w]
		if !ok {
			return nil, nil
		}
		args[i] = o
	}
	return a, args
}

// ground writes a literal's atom for given parameters.
func (t *traceTask) ground(f *pddl.Formula, binding []pddl.ObjectID) string {
	args := make([]pddl.ObjectID, len(f.Args))
	for i, a := range f.Args {
		if a.IsVar() {
			args[i] = binding[a.Slot()]
		} else {
			args[i] = a.Object()
		}
	}
	return strings.ToLower(t.prob.FormatAtom(f.Pred, args))
}

// needs lists the facts that a step needs and those that it must not find, derived ones
// and forbidden steps aside.
func (t *traceTask) needs(step string) (needs, absent []string) {
	a, args := t.bind(step)
	if a == nil {
		return nil, nil
	}
	list := func(from []*pddl.Formula) (out []string) {
		for _, f := range from {
			if !t.prob.Domain.Predicates[f.Pred].Derived {
				out = append(out, t.ground(f, args))
			}
		}
		return sortedFacts(out)
	}
	return list(a.holds), list(a.absent)
}

// tempting lists the forbidden steps all of whose other literals hold in a state. Whether
// what is left of their preconditions holds too, the caller finds out.
func (t *traceTask) tempting(held map[string]bool) []string {
	var out []string
	for _, b := range t.bans {
		needs, absent := t.needs(b.step)
		if len(without(needs, held)) == 0 && !slices.ContainsFunc(absent, func(f string) bool { return held[f] }) {
			out = append(out, b.step)
		}
	}
	return slices.Compact(out)
}

// initial lists the facts of the initial state.
func (t *traceTask) initial() []string {
	atoms := &t.prob.Init.Atoms
	out := make([]string, atoms.Len())
	for i := range out {
		pred, args := atoms.Atom(i)
		out[i] = strings.ToLower(t.prob.FormatAtom(pred, args))
	}
	return sortedFacts(out)
}

// atoms is the table of a state; facts of other words are left out.
func (t *traceTask) atoms(facts []string) pddl.AtomTable {
	table := pddl.AtomTable{Start: []uint32{0}}
	for _, f := range facts {
		words := strings.Fields(strings.Trim(f, "()"))
		pred, ok := t.prob.Domain.PredicateByName(words[0])
		if !ok {
			continue
		}
		args := table.Args
		for _, w := range words[1:] {
			o, known := t.objects[w]
			ok = ok && known
			args = append(args, o)
		}
		if !ok {
			continue
		}
		table.Args = args
		table.Pred = append(table.Pred, pred)
		table.Start = append(table.Start, uint32(len(args)))
		table.Pos = append(table.Pos, 1) // 0 stands for facts of the domain
	}
	return table
}
