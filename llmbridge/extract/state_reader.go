package extract

import (
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// StateReader reads the facts in a text: the state in an answer to "what is the state after these
// actions?", or a state that prompt.Renderer wrote. It is compiled once for a problem, and several
// goroutines may use it at once.
//
// It is the Reader's engine with predicates in place of actions: a fact may be in PDDL, "(on a b)", in
// call notation, "on(a, b)", in prefix order, "on a b", or in the sentences of the domain's templates.
type StateReader struct {
	r      *lexicon
	arity  []int
	hidden map[string]bool // predicates whose facts texts leave out
	unsaid []string        // the facts of the initial state that texts leave out
}

// NewStateReader compiles a reader. Both arguments must be non-nil.
func NewStateReader(dom *pddl.Domain, prob *pddl.Problem) *StateReader {
	w := wordingOf(dom)
	classes := w.unaryFacts(prob)
	s := &StateReader{hidden: map[string]bool{}}
	s.r = sharedLexicon(lexiconKey("facts", dom, prob, classes), len(prob.Objects), func() *lexicon {
		return newFactLexicon(dom, prob, w, classes)
	})
	restrictions := domains.RestrictionPredicates(prob)
	for id, p := range dom.Predicates {
		s.arity = append(s.arity, len(p.Params))
		name := strings.ToLower(p.Name)
		if _, ok := restrictions[name]; ok {
			s.hidden[name] = true
		}
		if len(w.templates) == 0 {
			continue
		}
		if say, ok := w.templates[0].Facts[name]; ok && say == "" && !p.Derived {
			change := func(e *pddl.Effect) bool { return changes(e, pddl.PredicateID(id)) }
			s.hidden[name] = s.hidden[name] || !slices.ContainsFunc(dom.Actions, func(a *pddl.Action) bool { return change(a.Effect) }) &&
				!slices.ContainsFunc(dom.Durative, func(a *pddl.DurativeAction) bool { return change(a.Effect) })
		}
	}
	for _, f := range atomtext.Initial(prob) {
		if !s.Says(f) {
			s.unsaid = append(s.unsaid, f)
		}
	}
	return s
}

func newFactLexicon(dom *pddl.Domain, prob *pddl.Problem, w *wording, classes []unaryFact) *lexicon {
	r := plainLexicon()
	for _, p := range dom.Predicates {
		r.addAction(dom, p.Name, p.Params)
	}
	r.addObjects(dom, prob, classes)
	for _, t := range w.templates {
		r.addNamings(t)
	}
	r.addPlainNamings(dom)
	for _, t := range w.templates {
		for id, p := range dom.Predicates {
			name := strings.ToLower(p.Name)
			if say := t.Facts[name]; say != "" && fitsArity(say, len(p.Params)) {
				r.addPattern(say, int32(id))
			}
			for _, text := range t.FactReads[name] {
				if fitsArity(text, len(p.Params)) {
					r.addPattern(text, int32(id))
				}
			}
		}
	}
	r.finish()
	r.buffers.New = func() any { return &stateScan{lineReader: lineReader{r: r}} }
	return r
}

// fitsArity reports whether a pattern has exactly the arguments of a predicate.
func fitsArity(text string, arity int) bool {
	for k := range 10 {
		digit := string(rune('0' + k))
		named := strings.Contains(text, "{"+digit) || strings.Contains(text, "{="+digit)
		if named != (k < arity) {
			return false
		}
	}
	return arity <= 10
}

// changes reports whether an effect changes a predicate.
func changes(e *pddl.Effect, p pddl.PredicateID) bool {
	return e != nil && ((e.Kind == pddl.EffectAdd || e.Kind == pddl.EffectDelete) && e.Pred == p ||
		slices.ContainsFunc(e.Children, func(c *pddl.Effect) bool { return changes(c, p) }))
}

// Says reports whether texts mention a fact such as "(on a b)". They leave out facts of static predicates
// with an empty template, such as the kinds of objects, because they hold in every state, and facts that
// only forbid actions.
func (s *StateReader) Says(fact string) bool {
	name, _, _ := strings.Cut(strings.Trim(fact, "()"), " ")
	return !s.hidden[name]
}

// Unsaid lists the facts of the initial state that texts leave out (see Says). They are part of
// every reading. The caller must not change the list.
func (s *StateReader) Unsaid() []string { return s.unsaid }

// StateReading is what a text says about a state.
type StateReading struct {
	// Facts are the atoms that hold according to the text, in PDDL and lower case, sorted, without
	// duplicates. They include StateReader.Unsaid.
	Facts []string `json:"facts"`
	// Denied are the atoms that do not hold according to the text.
	Denied []string `json:"denied,omitempty"`
	// Unread are list entries that cannot be read as facts; each counts as a wrong fact.
	Unread []string `json:"unread,omitempty"`
	// Found is false if the text describes no state.
	Found bool `json:"found"`
	// Reading names the rule that was used: last-state-block, last-state-heading,
	// last-list or only-list; too-long; nothing-found.
	Reading    string     `json:"reading"`
	Confidence Confidence `json:"confidence"`
}

// StateScore compares a state reading with the true state.
type StateScore struct {
	// Precision and Recall are fractions of facts in [0, 1], and 1 if there is nothing to find.
	// Facts that texts leave out do not count.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// Exact is PlanBench's measure for plan execution: all facts and no others.
	Exact   bool     `json:"exact"`
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// Score compares a reading with the true facts, which are written like StateReading.Facts.
func (s *StateReader) Score(x *StateReading, want []string) StateScore {
	said := func(facts []string) (out []string) {
		for _, f := range facts {
			if f = strings.ToLower(f); s.Says(f) {
				out = append(out, f)
			}
		}
		atomtext.Sort(out)
		return slices.Compact(out)
	}
	facts, truth := said(x.Facts), said(want)
	z := StateScore{Missing: atomtext.Gained(facts, truth), Extra: atomtext.Gained(truth, facts)}
	hits, told := len(facts)-len(z.Extra), len(facts)+len(x.Unread)
	z.Exact = x.Found && hits == told && hits == len(truth)
	z.Precision, z.Recall = ratio(hits, told, x.Found), ratio(hits, len(truth), x.Found)
	if hits > 0 {
		z.F1 = 2 * float64(hits) / float64(told+len(truth))
	} else if z.Exact {
		z.F1 = 1
	}
	return z
}

func ratio(a, b int, found bool) float64 {
	if b == 0 {
		if found {
			return 1
		}
		return 0
	}
	return float64(a) / float64(b)
}

// Read returns the state that a text describes. If there are several, the one called final or resulting
// counts, and among equals the last; a single one needs no heading. Thoughts are not read. Read is
// deterministic and reads the text once.
func (s *StateReader) Read(text string) StateReading {
	if len(text) > maxBytes {
		return StateReading{Facts: []string{}, Reading: "too-long", Confidence: ConfidenceLow}
	}
	sc := s.r.buffers.Get().(*stateScan)
	defer s.r.buffers.Put(sc)
	sc.scan(WithoutThoughts(text))
	x := StateReading{Facts: []string{}}
	if x.Reading, x.Confidence = sc.verdict(); x.Reading == "nothing-found" {
		return x
	}
	x.Found, x.Facts, x.Denied, x.Unread = true, append(slices.Clone(s.unsaid), sc.best.facts...), sc.best.denied, sc.best.odd
	for _, list := range []*[]string{&x.Facts, &x.Denied} {
		atomtext.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(x.Unread) > 0 {
		x.Confidence = ConfidenceLow
	}
	return x
}
