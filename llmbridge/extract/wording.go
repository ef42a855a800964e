package extract

import (
	"encoding/binary"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// wording is what the template files say about a domain.
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

// slotClasses returns the words that restrict slots in the sentences of a template
// file. There are only a few such files, all in memory.
func slotClasses(t *domains.Templates) map[string]bool {
	if c, ok := slotClassesOf.Load(t); ok {
		return c.(map[string]bool)
	}
	classes := map[string]bool{}
	enter := func(text string) {
		for {
			_, rest, found := strings.Cut(text, "{")
			if !found {
				return
			}
			slot, after, _ := strings.Cut(rest, "}")
			if _, class, ok := strings.Cut(slot, ":"); ok {
				classes[class] = true
			}
			text = after
		}
	}
	for _, s := range t.Actions {
		enter(s.Say)
		for _, text := range s.Read {
			enter(text)
		}
	}
	for _, say := range t.Facts {
		enter(say)
	}
	for _, texts := range t.FactReads {
		for _, text := range texts {
			enter(text)
		}
	}
	slotClassesOf.Store(t, classes)
	return classes
}

var slotClassesOf sync.Map // *domains.Templates -> map[string]bool

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

// lexiconKind tells what a lexicon reads.
type lexiconKind byte

const (
	lexPlans lexiconKind = iota
	lexFacts
)

// lexiconKey holds everything about a task that its lexicon is made of, so that equal
// keys mean equal lexicons. The templates follow from the actions.
func lexiconKey(kind lexiconKind, dom *pddl.Domain, prob *pddl.Problem, classes []unaryFact) string {
	b := make([]byte, 1, 1<<10)
	b[0] = byte(kind)
	num := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(s string) {
		num(len(s))
		b = append(b, s...)
	}
	vars := func(params []pddl.Variable) {
		num(len(params))
		for _, p := range params {
			text(p.Name)
		}
	}
	num(len(dom.Types))
	for _, t := range dom.Types {
		text(t.Name)
	}
	num(len(dom.Predicates))
	for _, p := range dom.Predicates {
		text(p.Name)
		vars(p.Params)
	}
	num(len(dom.Actions))
	for _, a := range dom.Actions {
		text(a.Name)
		vars(a.Vars[:a.NumParams])
	}
	num(len(dom.Durative))
	for _, a := range dom.Durative {
		text(a.Name)
		vars(a.Vars[:a.NumParams])
	}
	num(len(prob.Objects))
	for _, o := range prob.Objects {
		text(o.Name)
		num(int(o.Type))
	}
	for _, c := range classes {
		num(int(c.object))
		num(int(c.pred))
	}
	return string(b)
}

// lexiconCache keeps the lexicons that were used lately. Answers come in thousands, for
// tasks of a few domains that have few sets of names: to compile a lexicon costs as much
// as to read some ten answers, and one that is shared stays in the processor's cache.
type lexiconCache struct {
	mu     sync.Mutex
	byKey  map[string]*lexicon
	weight int
}

// maxCachedWeight bounds the cache, at some 2 kB per unit: a lexicon weighs
// lexiconWeight and one more for each object.
const (
	maxCachedWeight = 1 << 14
	lexiconWeight   = 32
)

var lexicons = lexiconCache{byKey: map[string]*lexicon{}}

// get returns the lexicon of a key, which compile makes if it is not there. A full cache
// is emptied; one of a large task is not kept.
func (c *lexiconCache) get(key string, objects int, compile func() *lexicon) *lexicon {
	c.mu.Lock()
	l := c.byKey[key]
	c.mu.Unlock()
	if l != nil {
		return l
	}
	l = compile()
	weight := lexiconWeight + objects
	if weight > maxCachedWeight/16 {
		return l
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.byKey[key]; other != nil {
		return other
	}
	if c.weight += weight; c.weight > maxCachedWeight {
		clear(c.byKey)
		c.weight = weight
	}
	c.byKey[key] = l
	return l
}
