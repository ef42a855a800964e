package extract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/contract"
	"github.com/planproof/planproof/pddl"
)

// Kind says how answers are read.
type Kind string

// Kinds of readers.
const (
	// Strict takes an answer at its word: package contract states what it reads. It is for answers to
	// prompts that state the contract, and for rewards.
	Strict Kind = "strict"
	// Natural reads what models and people write when nobody told them how (docs/EXTRACTION.md).
	Natural Kind = "natural"
)

// Kinds lists the kinds of readers.
func Kinds() []Kind { return []Kind{Strict, Natural} }

// ParseKind reads the name of a kind.
func ParseKind(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", fmt.Errorf("there is no reader %q: it is strict or natural", name)
}

// Reader extracts plans for one problem. NewReader compiles it from the domain's actions, the
// problem's objects and the templates that fit the domain. After that it never changes, and several
// goroutines may use it at once. Natural readers of tasks with the same names share their lexicon.
type Reader struct {
	*lexicon
	infer  inferences
	strict *contract.Reader // nil in a natural reader
}

// Kind returns how the reader reads.
func (r *Reader) Kind() Kind {
	if r.strict != nil {
		return Strict
	}
	return Natural
}

// inferences are the rules that fill in missing arguments, by action and argument.
type inferences [][]inference

// inference fills in a missing argument from the only fact of the initial state that has the given
// one: which city a location is in, say.
type inference struct {
	from   int     // the argument that is given
	values []int32 // by its object, the missing one; -1 for none, -2 for several. Without a rule nil
}

// NewReader compiles a reader of a kind. The domain and the problem must be non-nil. Its work is linear
// in the size of the problem's initial state.
func NewReader(dom *pddl.Domain, prob *pddl.Problem, kind Kind) *Reader {
	if kind == Strict {
		return &Reader{strict: contract.NewReader(dom, prob)}
	}
	w := wordingOf(dom)
	classes := w.unaryFacts(prob)
	r := &Reader{lexicon: sharedLexicon(lexiconKey("plans", dom, prob, classes), len(prob.Objects), func() *lexicon {
		return newPlanLexicon(dom, prob, w, classes)
	})}
	for _, t := range w.templates {
		r.addInferences(t, dom, prob)
	}
	return r
}

func newPlanLexicon(dom *pddl.Domain, prob *pddl.Problem, w *wording, classes []unaryFact) *lexicon {
	r := plainLexicon()
	r.domain = dom.Name
	for _, p := range dom.Predicates {
		r.info[r.intern(strings.ToLower(p.Name))].fact = true
	}
	for _, a := range dom.Actions {
		r.addAction(dom, a.Name, a.Vars[:a.NumParams])
	}
	r.timed = len(dom.Durative) > 0
	for _, a := range dom.Durative {
		r.addAction(dom, a.Name, a.Vars[:a.NumParams])
	}
	r.addObjects(dom, prob, classes)
	for _, t := range w.templates {
		r.addNamings(t)
	}
	r.addPlainNamings(dom)
	for _, t := range w.templates {
		r.addSentences(t)
	}
	r.finish()
	return r
}

// outlines holds used outlines with their buffers. Readers of all tasks share them, so that they
// stay in the processor's cache.
var outlines = sync.Pool{New: func() any {
	memo := new(lineMemo)
	memo.makeRoom(memoSets)
	return &outline{memo: memo}
}}

// outline returns an empty outline, with buffers from an earlier one if possible.
func (r *Reader) outline() *outline {
	o := outlines.Get().(*outline)
	o.r, o.infer = r.lexicon, r.infer
	return o
}

// addInferences compiles the rules that templates have for missing arguments.
func (r *Reader) addInferences(t *domains.Templates, dom *pddl.Domain, prob *pddl.Problem) {
	for id := range r.actions {
		for slot, fact := range t.Actions[r.actions[id].name].Infer {
			k, err := strconv.Atoi(slot)
			inf, ok := compileInference(fact, dom, prob)
			if err != nil || !ok || k < 0 || k >= r.actions[id].arity {
				continue
			}
			if r.infer == nil {
				r.infer = make(inferences, len(r.actions))
			}
			if r.infer[id] == nil {
				r.infer[id] = make([]inference, r.actions[id].arity)
			}
			r.infer[id][k] = inf
		}
	}
}

// compileInference reads "in-city {1} ?" and tabulates the facts of that form in the initial state.
func compileInference(text string, dom *pddl.Domain, prob *pddl.Problem) (inference, bool) {
	f := strings.Fields(text)
	inf := inference{from: -1, values: slices.Repeat([]int32{-1}, len(prob.Objects))}
	given, wanted := -1, -1
	for i, w := range f[1:] {
		if w == "?" {
			wanted = i
		} else if k, err := strconv.Atoi(strings.Trim(w, "{}")); err == nil {
			given, inf.from = i, k
		}
	}
	if given < 0 || wanted < 0 {
		return inf, false
	}
	atoms := &prob.Init.Atoms
	for i := 0; i < atoms.Len(); i++ {
		pred, args := atoms.Atom(i)
		if len(args) != len(f)-1 || !strings.EqualFold(dom.Predicates[pred].Name, f[0]) {
			continue
		}
		switch value, val := &inf.values[args[given]], int32(args[wanted]); *value {
		case -1:
			*value = val
		case val:
		default:
			*value = -2 // several
		}
	}
	return inf, true
}
