package extract

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// lexicon is the part of a reader that tasks with the same names share: words, and the
// sentences made of them. It is read-only once it is finished.
type lexicon struct {
	words      vocabulary
	info       []wordInfo // by word
	bits       []lineBits // by word: what a line with it may hold
	actions    []actionInfo
	objects    []objectInfo
	root       *patternNode // sentences
	claims     *patternNode // phrases about the whole response
	phrases    phraseTable
	article    int32     // the article, left out of text; noWord where it is a name
	timed      bool      // the domain has durative actions: time stamps count
	odd        bool      // some name of the task is more than one token
	longestOdd int       // the length of the longest such name
	numbers    bool      // a number in front of a line may count as more than that
	buffers    sync.Pool // *outline, or what the reader of another kind needs
	number     uint64    // unlike that of any other lexicon
}

const noWord = -2 // unlike -1, no token's word

var lexiconNumber atomic.Uint64

// wordInfo is what a vocabulary word can stand for; -1 for nothing.
type wordInfo struct {
	action int32 // an action's name, hyphens and underscores aside
	object int32 // an object
	// An object whose name begins with this letter; in sentences only.
	initial int32
	class   wordClass
	role    role
	strong  bool // names the plan itself
	noun    bool // may stand before or after a name
	fact    bool // a predicate's name
	// Some sentence, or some claim about the response, begins with the word.
	sentence, claim bool
	odd             bool // a name of the task that is more than one token
	step            bool // a step may begin with the word: an action's name, or a sentence
}

type actionInfo struct {
	name  string // as PDDL writes it, lower case
	arity int
	// Parameter names without question marks, lower case.
	params []string
}

type objectInfo struct {
	name    string
	classes []int32 // words that may restrict a slot: nouns, types, static unary predicates
}

// plainLexicon returns a lexicon that knows the engine's own words and the claims about
// responses, and no task: the same for all, and therefore made once.
func plainLexicon() *lexicon {
	b := basis()
	r := &lexicon{root: new(patternNode).setup(), claims: b.claims, phrases: b.phrases}
	r.words.slots, r.words.shift = append([]uint32(nil), b.words.slots...), b.words.shift
	r.words.words = append([]string(nil), b.words.words...)
	r.words.keys = append([]uint64(nil), b.words.keys...)
	r.info = append([]wordInfo(nil), b.info...)
	return r
}

var basis = sync.OnceValue(func() *lexicon {
	r := &lexicon{root: new(patternNode).setup(), claims: new(patternNode).setup()}
	r.phrases = basePhrases(r)
	r.addClaims()
	return r
})

// finish marks the words that sentences, claims and steps begin with, once all
// are entered.
func (r *lexicon) finish() {
	r.article, r.number = noWord, lexiconNumber.Add(1)
	for i := range r.info {
		if w := &r.info[i]; w.class == classArticle && w.object < 0 && w.action < 0 {
			r.article = int32(i)
		}
	}
	for _, e := range r.root.words {
		r.info[e.word].sentence = true
	}
	for i := range r.info {
		r.info[i].step = r.info[i].action >= 0 || r.info[i].sentence
	}
	for _, e := range r.claims.words {
		r.info[e.word].claim = true
	}
	r.numbers = r.timed || r.odd || slices.ContainsFunc(r.words.words, isNumber)
	r.bits = make([]lineBits, len(r.info))
	for i := range r.info {
		r.bits[i] = r.info[i].bits()
	}
	if r.article >= 0 {
		r.bits[r.article] = leftOut
	}
}

// isNumber tells whether a word is digits only.
func isNumber(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// bits tells what a line with the word may hold.
func (w *wordInfo) bits() (b lineBits) {
	if w.step {
		b |= hasStep
	}
	if w.object >= 0 || w.noun {
		b |= hasObject
	}
	if w.claim {
		b |= hasClaim
	}
	if w.role != roleNone {
		b |= hasRole
	}
	return b
}

// intern returns the index of a lower-case word, adding it to the vocabulary.
func (r *lexicon) intern(word string) int32 {
	i, isNew := r.words.add(word)
	if isNew {
		r.info = append(r.info, wordInfo{action: -1, object: -1, initial: -1})
	}
	return i
}

// lookup returns the index of a word of any case, -1 when unknown.
func (r *lexicon) lookup(word string) int32 { return r.words.find(word) }

// addAction enters an action under its name and the spellings that differ in
// hyphens and underscores only: pick-up, pick_up, pickup, pick up.
func (r *lexicon) addAction(name string, params []pddl.Variable) {
	lower := strings.ToLower(name)
	id := int32(len(r.actions))
	info := actionInfo{name: lower, arity: len(params)}
	for _, p := range params {
		info.params = append(info.params, strings.ToLower(strings.TrimPrefix(p.Name, "?")))
	}
	r.actions = append(r.actions, info)
	r.info[r.intern(lower)].action = id
	r.noteOdd(lower)
	parts := strings.FieldsFunc(lower, func(c rune) bool { return c == '-' || c == '_' })
	for _, sep := range []string{"", "-", "_"} {
		w := r.intern(strings.Join(parts, sep))
		if r.info[w].action < 0 {
			r.info[w].action = id
		}
	}
	if len(parts) > 1 {
		node := r.root
		for _, p := range parts {
			node = node.word(r.intern(p))
		}
		if node.head < 0 {
			node.head = id
		}
	}
}

// addObjects enters the objects under their names, and their types and the given
// facts as words that may restrict a slot.
func (r *lexicon) addObjects(dom *pddl.Domain, prob *pddl.Problem, classes []unaryFact) {
	for i, o := range prob.Objects {
		name := strings.ToLower(o.Name)
		r.objects = append(r.objects, objectInfo{name: name})
		r.info[r.intern(name)].object = int32(i)
		r.noteOdd(name)
		if int(o.Type) < len(dom.Types) && o.Type > 0 && dom.Types[o.Type].Name != "" {
			w := r.intern(strings.ToLower(dom.Types[o.Type].Name))
			r.info[w].noun = true
			r.objects[i].classes = append(r.objects[i].classes, w)
		}
	}
	for _, c := range classes {
		o := &r.objects[c.object]
		o.classes = append(o.classes, r.intern(strings.ToLower(dom.Predicates[c.pred].Name)))
	}
}

// noteOdd marks a name that the scanner would take for several tokens.
func (r *lexicon) noteOdd(name string) {
	if isOdd(name) {
		r.odd, r.info[r.intern(name)].odd = true, true
		r.longestOdd = max(r.longestOdd, len(name))
	}
}

// alias enters another name of an object, unless the name is taken.
func (r *lexicon) alias(name string, object int32) {
	w := r.intern(name)
	if r.info[w].object < 0 {
		r.info[w].object = object
	}
}

// addNamings enters what the templates call the objects.
func (r *lexicon) addNamings(t *domains.Templates) {
	for i := range t.Objects {
		n := &t.Objects[i]
		noun := int32(-1)
		if n.Noun != "" {
			noun = r.intern(n.Noun)
			r.info[noun].noun = true
		}
		initials := map[string]int32{}
		for o := range r.objects {
			obj := &r.objects[o]
			name, ok := n.NameOf(obj.name)
			if !ok {
				continue
			}
			if noun >= 0 {
				obj.classes = append(obj.classes, noun)
			}
			for _, form := range spellings(name, n.Noun) {
				r.alias(form, int32(o))
			}
			if n.Names != nil && n.Initials {
				k := name[:1]
				if _, taken := initials[k]; taken {
					initials[k] = -1
				} else {
					initials[k] = int32(o)
				}
			}
		}
		r.addInitials(initials)
	}
}

// addInitials enters the first letters that stand for one listed name only. An
// object that has the letter for its name comes before them.
func (r *lexicon) addInitials(initials map[string]int32) {
	keys := make([]string, 0, len(initials))
	for k := range initials {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if o := initials[k]; o >= 0 {
			r.info[r.intern(k)].initial = o
		}
	}
}

// spellings lists the one-word forms of a name with its noun.
func spellings(name, noun string) []string {
	forms := []string{name}
	joined := strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
	if strings.ContainsAny(name, "_- ") {
		forms = append(forms, strings.NewReplacer("_", "-", " ", "-").Replace(name), strings.NewReplacer("-", "_", " ", "_").Replace(name))
		// location_0_1 has a form without signs only when that is not ambiguous.
		if strings.Count(name, "_")+strings.Count(name, "-") == 1 {
			forms = append(forms, joined)
		}
	}
	if noun != "" && !strings.HasPrefix(name, noun) {
		for _, sep := range []string{"_", "-", ""} {
			forms = append(forms, name+sep+noun, noun+sep+name)
		}
	}
	return forms
}

// addPlainNamings enters what holds in any domain: "object" and the names of
// types may stand before a name, and object_3 may stand for o3.
func (r *lexicon) addPlainNamings(dom *pddl.Domain) {
	noun := r.intern("object")
	r.info[noun].noun = true
	n := domains.Naming{Prefix: "o", Noun: "object"}
	for i := range r.objects {
		if name, ok := n.NameOf(r.objects[i].name); ok {
			for _, form := range spellings(name, "object") {
				r.alias(form, int32(i))
			}
		}
		if len(r.objects) <= 1<<16 {
			for _, sep := range []string{"_", "-"} {
				r.alias("object"+sep+r.objects[i].name, int32(i))
			}
		}
	}
	for _, t := range dom.Types {
		if t.Name != "" {
			r.info[r.intern(strings.ToLower(t.Name))].noun = true
		}
	}
}

// addSentences compiles the sentences that templates read.
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
				r.addPattern(text, int32(id))
			}
		}
	}
}
