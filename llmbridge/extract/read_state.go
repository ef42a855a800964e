package extract

import (
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// StateReader reads the facts that a text tells: the state in an answer to "what
// is the state after these actions?", or a state that Renderer wrote. It is
// compiled once for a problem and may be used by several goroutines.
//
// It is the Reader's engine with predicates in the place of actions: facts are
// told in PDDL, "(on a b)", as calls, "on(a, b)", in prefix order, "on a b", or in
// the sentences of the domain's templates.
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
	s.r = lexicons.get(lexiconKey(lexFacts, dom, prob, classes), len(prob.Objects), func() *lexicon {
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
		if say, ok := w.templates[0].Facts[name]; ok && say == "" && isStatic(dom, pddl.PredicateID(id)) {
			s.hidden[name] = true
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
		r.addAction(p.Name, p.Params)
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

// fitsArity tells whether a text names every argument of a predicate and no other.
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

// isStatic tells whether no action changes a predicate and no rule derives it.
func isStatic(dom *pddl.Domain, p pddl.PredicateID) bool {
	if dom.Predicates[p].Derived {
		return false
	}
	for _, a := range dom.Actions {
		if changes(a.Effect, p) {
			return false
		}
	}
	for _, a := range dom.Durative {
		if changes(a.Effect, p) {
			return false
		}
	}
	return true
}

func changes(e *pddl.Effect, p pddl.PredicateID) bool {
	if e == nil {
		return false
	}
	if (e.Kind == pddl.EffectAdd || e.Kind == pddl.EffectDelete) && e.Pred == p {
		return true
	}
	for _, c := range e.Children {
		if changes(c, p) {
			return true
		}
	}
	return false
}

// Says tells whether a fact, "(on a b)", is one that texts tell. Facts of static
// predicates whose template is empty (the kinds of objects, say) are not: they are
// the same in every state of the problem.
func (s *StateReader) Says(fact string) bool {
	name, _, _ := strings.Cut(strings.Trim(fact, "()"), " ")
	return !s.hidden[name]
}

// Unsaid lists the facts of the initial state that texts leave out (see Says). They are part of
// every reading. The caller must not change the list.
func (s *StateReader) Unsaid() []string { return s.unsaid }

// StateReading is what a text says about a state.
type StateReading struct {
	// Facts are the atoms that the text says hold, in PDDL and lower case, sorted,
	// without duplicates. They include the problem's facts that go unsaid.
	Facts []string `json:"facts"`
	// Denied are the atoms that it says do not hold.
	Denied []string `json:"denied,omitempty"`
	// Unread are entries of a list that tell no fact; each counts as a wrong one.
	Unread []string `json:"unread,omitempty"`
	// Found is false when the text tells no state.
	Found bool `json:"found"`
	// Reading names the rule that was used: last-state-block, last-state-heading,
	// last-list or only-list; too-long; nothing-found.
	Reading    string     `json:"reading"`
	Confidence Confidence `json:"confidence"`
}

// Confidence says how much of a reading is choice. It is a summary of the reading
// and no probability, and it decides nothing.
type Confidence string

// Levels of confidence.
const (
	// ConfidenceHigh: the answer marks what it commits to, or holds nothing else.
	ConfidenceHigh Confidence = "high"
	// ConfidenceMedium: one of several texts was chosen by a rule.
	ConfidenceMedium Confidence = "medium"
	// ConfidenceLow: what was read is unmarked, cut off or full of odd lines.
	ConfidenceLow Confidence = "low"
)

// Scores of a state reading against the true state.
type StateScore struct {
	// Precision and Recall are exact fractions of facts, as decimals for reports;
	// 1 where there is nothing to find. Facts that go unsaid do not count.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// Exact is PlanBench's measure for plan execution: the same facts and no other.
	Exact   bool     `json:"exact"`
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

// Score compares a reading with the true facts, given as Facts are.
func (s *StateReader) Score(x *StateReading, want []string) StateScore {
	var z StateScore
	got, truth := map[string]bool{}, map[string]bool{}
	for _, f := range x.Facts {
		got[f] = s.Says(f)
	}
	for _, f := range want {
		if f = strings.ToLower(f); s.Says(f) {
			truth[f] = true
		}
	}
	hits, told := 0, len(x.Unread)
	for _, f := range x.Facts {
		switch {
		case !got[f]:
		case truth[f]:
			hits++
			told++
		default:
			told++
			z.Extra = append(z.Extra, f)
		}
	}
	for _, f := range want {
		if f = strings.ToLower(f); truth[f] && !got[f] {
			z.Missing = append(z.Missing, f)
		}
	}
	atomtext.Sort(z.Missing)
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
