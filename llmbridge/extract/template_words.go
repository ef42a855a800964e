package extract

import (
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/pddl"
)

// wording is what the template files contribute to the lexicon of a domain.
type wording struct {
	dom       *pddl.Domain
	templates []*domains.Templates
	classes   []bool // by predicate: its name may restrict a slot of a sentence
}

// wordingOf finds the templates of a domain.
func wordingOf(dom *pddl.Domain) *wording {
	w := &wording{dom: dom, templates: domains.TemplatesFor(dom), classes: make([]bool, len(dom.Predicates))}
	for i, p := range dom.Predicates {
		if len(p.Params) != 1 {
			continue
		}
		for _, t := range w.templates {
			w.classes[i] = w.classes[i] || slotClasses(t)[strings.ToLower(p.Name)]
		}
	}
	return w
}

// slotClasses returns the nouns that restrict slots in the sentences of a template file. There are only a
// few such files, so all results are kept.
func slotClasses(t *domains.Templates) map[string]bool {
	if c, ok := slotClassesOf.Load(t); ok {
		return c.(map[string]bool)
	}
	classes := map[string]bool{}
	enter := func(texts ...string) {
		for _, m := range slotClass.FindAllStringSubmatch(strings.Join(texts, " "), -1) {
			classes[m[1]] = true
		}
	}
	for _, s := range t.Actions {
		enter(append(slices.Clone(s.Read), s.Say)...)
	}
	for _, say := range t.Facts {
		enter(say)
	}
	for _, texts := range t.FactReads {
		enter(texts...)
	}
	slotClassesOf.Store(t, classes)
	return classes
}

var (
	slotClassesOf sync.Map // *domains.Templates -> map[string]bool
	slotClass     = pattern.New(`\{[^{}:]*:([^{}]*)\}`)
)

// unaryFact is a fact of the initial state about one object.
type unaryFact struct {
	object int32
	pred   pddl.PredicateID
}

// unaryFacts lists the facts whose predicates restrict slots.
func (w *wording) unaryFacts(prob *pddl.Problem) []unaryFact {
	var out []unaryFact
	for i := 0; i < prob.Init.Atoms.Len(); i++ {
		pred, args := prob.Init.Atoms.Atom(i)
		if len(args) == 1 && int(args[0]) < len(prob.Objects) && w.classes[pred] {
			out = append(out, unaryFact{int32(args[0]), pred})
		}
	}
	return out
}

// addSentences compiles the sentences of the templates.
func (r *lexicon) addSentences(t *domains.Templates) {
	for id := range r.actions {
		s, ok := t.Actions[r.actions[id].name]
		if !ok {
			continue
		}
		texts := s.Read
		if len(texts) == 0 {
			texts = []string{s.Say}
		}
		for _, text := range texts {
			if text != "" {
				r.actions[id].told = true
				r.addPattern(text, int32(id))
			}
		}
	}
}
