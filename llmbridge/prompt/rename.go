package prompt

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// RenameStyle is a vocabulary for renamed domains.
type RenameStyle string

// Vocabularies. Both hide what a domain is about, so that a model must plan by the stated rules
// (Valmeekam et al., PlanBench, 2023, section 4).
const (
	// RenameMystery: English words that mislead.
	RenameMystery RenameStyle = "mystery"
	// RenameRandom: words of letters and digits.
	RenameRandom RenameStyle = "random"
)

// Renaming maps the names of a task to new names and back: types, predicates, functions, actions and
// objects, in lower case. The names of the domain and problem are not in it, and variables lose their
// names. No new name is an old name, a word of PDDL or used twice, not even for different kinds of things.
type Renaming struct {
	Style      RenameStyle       `json:"style"`
	Seed       uint64            `json:"seed"`
	Types      map[string]string `json:"types,omitempty"`
	Predicates map[string]string `json:"predicates"`
	Functions  map[string]string `json:"functions,omitempty"`
	Actions    map[string]string `json:"actions"`
	Objects    map[string]string `json:"objects"`

	once sync.Once
	back map[string]string // new name -> old name; names are unique across kinds
}

// NewRenaming draws a renaming of a task. Objects are renamed only if objects is set. The same seed gives
// the same names. The error is about an unknown style.
func NewRenaming(prob *pddl.Problem, style RenameStyle, objects bool, seed uint64) (*Renaming, error) {
	dom := prob.Domain
	r := &Renaming{
		Style: style, Seed: seed,
		Types: map[string]string{}, Predicates: map[string]string{}, Functions: map[string]string{}, Actions: map[string]string{}, Objects: map[string]string{},
	}
	n, err := newNamer(prob, style, seed)
	if err != nil {
		return nil, err
	}
	enter := func(m map[string]string, kind nameKind, old string) {
		if old = strings.ToLower(old); m[old] == "" {
			m[old] = n.next(kind)
		}
	}
	for i, t := range dom.Types {
		if i != int(pddl.RootType) && t.Name != "" && !reservedNames[strings.ToLower(t.Name)] {
			enter(r.Types, nameNoun, t.Name)
		}
	}
	forbids := domains.RestrictionPredicates(prob)
	for _, p := range dom.Predicates {
		if forbids[strings.ToLower(p.Name)] == "" {
			enter(r.Predicates, nameNoun, p.Name)
		}
	}
	for _, f := range dom.Functions {
		if !reservedNames[strings.ToLower(f.Name)] {
			enter(r.Functions, nameNoun, f.Name)
		}
	}
	for _, a := range dom.Actions {
		enter(r.Actions, nameVerb, a.Name)
	}
	for _, a := range dom.Durative {
		enter(r.Actions, nameVerb, a.Name)
	}
	if objects {
		for _, o := range prob.Objects {
			enter(r.Objects, nameObject, o.Name)
		}
	}
	// A predicate that forbids an action gets the action's new name, so that a renamed task still
	// shows its restrictions.
	for p, action := range forbids {
		r.Predicates[p] = strings.Replace(p, action, r.Actions[action], 1)
	}
	return r, nil
}

// Apply returns the renamed task. Its texts are printed from the model, without comments, which might
// give away what the names hide.
func (r *Renaming) Apply(prob *pddl.Problem) (*pddl.Problem, error) {
	dom := *prob.Domain
	dom.Name = "renamed"
	dom.Types = slices.Clone(dom.Types)
	for i := range dom.Types {
		rename(&dom.Types[i].Name, r.Types)
	}
	dom.Predicates = slices.Clone(dom.Predicates)
	for i := range dom.Predicates {
		rename(&dom.Predicates[i].Name, r.Predicates)
		dom.Predicates[i].Params = plainVariables(dom.Predicates[i].Params)
	}
	dom.Functions = slices.Clone(dom.Functions)
	for i := range dom.Functions {
		rename(&dom.Functions[i].Name, r.Functions)
		dom.Functions[i].Params = plainVariables(dom.Functions[i].Params)
	}
	dom.Constants = r.objects(dom.Constants)
	dom.Actions = slices.Clone(dom.Actions)
	for i, a := range dom.Actions {
		c := *a
		rename(&c.Name, r.Actions)
		c.Vars = plainVariables(c.Vars)
		dom.Actions[i] = &c
	}
	dom.Durative = slices.Clone(dom.Durative)
	for i, a := range dom.Durative {
		c := *a
		rename(&c.Name, r.Actions)
		c.Vars = plainVariables(c.Vars)
		dom.Durative[i] = &c
	}
	dom.Axioms = slices.Clone(dom.Axioms)
	for i, a := range dom.Axioms {
		c := *a
		rename(&c.Name, r.Predicates)
		c.Vars = plainVariables(c.Vars)
		dom.Axioms[i] = &c
	}
	dom.Constraints = plainSchema(dom.Constraints)
	d, ds := pddl.ParseDomain(pddl.NewSource("renamed domain", dom.String()), pddl.Options{})
	if d == nil {
		return nil, fmt.Errorf("internal error: a renamed domain cannot be read: %w", ds.Err())
	}
	p := *prob
	p.Domain = &dom
	p.Name = "renamed"
	p.Objects = r.objects(p.Objects)
	p.Goal = *plainSchema(&p.Goal)
	p.Constraints = plainSchema(p.Constraints)
	q, ds := pddl.ParseProblem(pddl.NewSource("renamed problem", p.String()), d, pddl.Options{})
	if q == nil {
		return nil, fmt.Errorf("internal error: a renamed problem cannot be read: %w", ds.Err())
	}
	return q, nil
}

// plainVariables gives variables meaningless names: their own often give away what the new names of
// types and predicates hide.
func plainVariables(vars []pddl.Variable) []pddl.Variable {
	vars = slices.Clone(vars)
	for i := range vars {
		vars[i].Name = fmt.Sprintf("?x%d", i+1)
	}
	return vars
}

func plainSchema(g *pddl.GoalSchema) *pddl.GoalSchema {
	if g == nil {
		return nil
	}
	c := *g
	c.Vars = plainVariables(c.Vars)
	return &c
}

func (r *Renaming) objects(list []pddl.Object) []pddl.Object {
	list = slices.Clone(list)
	for i := range list {
		rename(&list[i].Name, r.Objects)
	}
	return list
}

func rename(name *string, m map[string]string) {
	if w, ok := m[strings.ToLower(*name)]; ok {
		*name = w
	}
}

// Step renames a step, "(stack a b)". Unknown words stay as they are.
func (r *Renaming) Step(step string) string {
	return r.headed(step, r.Actions)
}

// Fact renames an atom, "(on a b)". Unknown words stay as they are.
func (r *Renaming) Fact(atom string) string {
	return r.headed(atom, r.Predicates)
}

// headed renames the first word by heads and the others by r.Objects.
func (r *Renaming) headed(text string, heads map[string]string) string {
	return mapWords(text, func(i int, w string) string {
		m := r.Objects
		if i == 0 {
			m = heads
		}
		if v, ok := m[w]; ok {
			return v
		}
		return w
	})
}

// Back gives a step or an atom of the renamed task its old names. It undoes Step and Fact for text in
// lower case.
func (r *Renaming) Back(text string) string {
	r.once.Do(func() {
		r.back = map[string]string{}
		for _, m := range []map[string]string{r.Types, r.Predicates, r.Functions, r.Actions, r.Objects} {
			for old, w := range m {
				r.back[w] = old
			}
		}
	})
	return mapWords(text, func(_ int, w string) string {
		if v, ok := r.back[w]; ok {
			return v
		}
		return w
	})
}

// mapWords applies f to each word of "(a b c)".
func mapWords(text string, f func(i int, w string) string) string {
	w := atomtext.Words(strings.ToLower(text))
	for i := range w {
		w[i] = f(i, w[i])
	}
	return "(" + strings.Join(w, " ") + ")"
}
