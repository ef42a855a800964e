package llmbridge

import (
	"sort"
	"strconv"
	"strings"
	"sync"

	"planproof/domains"
	"planproof/pddl"
)

// Reader extracts plans for one problem. It is compiled once from the domain's
// actions, the problem's objects and the templates that suit the domain; it is
// read-only afterwards and may be used by several goroutines.
type Reader struct {
	words   vocabulary
	info    []wordInfo // by word
	actions []actionInfo
	objects []objectInfo
	root    *patternNode // sentences
	claims  *patternNode // phrases about the whole response
	phrases phraseTable
	timed   bool      // the domain has durative actions: time stamps count
	odd     bool      // some name of the task is more than one token
	buffers sync.Pool // *outline
}

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
	// An article, and no name: left out of text.
	article bool
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
	infer  map[int]inference
}

// inference fills a missing argument by the one fact pred(.., arg, .., ?, ..) of
// the initial state.
type inference struct {
	from   int               // the argument that is given
	values map[string]string // its object -> the missing one; no entry when not unique
}

type objectInfo struct {
	name    string
	classes []int32 // words that may restrict a slot: nouns, types, static unary predicates
}

// NewReader compiles a reader. Both arguments must be non-nil. Its work is linear
// in the size of the problem's initial state.
func NewReader(dom *pddl.Domain, prob *pddl.Problem) *Reader {
	r := plainReader()
	for _, p := range dom.Predicates {
		r.info[r.intern(strings.ToLower(p.Name))].fact = true
	}
	for _, a := range dom.Actions {
		r.addAction(a.Name, a.Vars[:a.NumParams])
	}
	r.timed = len(dom.Durative) > 0
	for _, a := range dom.Durative {
		r.addAction(a.Name, a.Vars[:a.NumParams])
	}
	r.addObjects(dom, prob)
	templates := domains.TemplatesFor(dom)
	for _, t := range templates {
		r.addNamings(t)
	}
	r.addPlainNamings(dom)
	for _, t := range templates {
		r.addSentences(t, dom, prob)
	}
	r.finish()
	return r
}

// plainReader returns a reader that knows the engine's own words and the claims about
// responses, and no task: the same for all, and therefore made once.
func plainReader() *Reader {
	b := basis()
	r := &Reader{root: new(patternNode).setup(), claims: b.claims, phrases: b.phrases}
	r.words.slots = append([]vocabularySlot(nil), b.words.slots...)
	r.words.words = append([]string(nil), b.words.words...)
	r.info = append([]wordInfo(nil), b.info...)
	return r
}

var basis = sync.OnceValue(func() *Reader {
	r := &Reader{root: new(patternNode).setup(), claims: new(patternNode).setup()}
	r.phrases = basePhrases(r)
	r.addClaims()
	return r
})

// finish marks the words that sentences, claims and steps begin with, once all
// are entered.
func (r *Reader) finish() {
	for i := range r.info {
		w := &r.info[i]
		w.article = w.class == classArticle && w.object < 0 && w.action < 0
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
	r.buffers.New = func() any { return &outline{lineReader: lineReader{r: r}} }
}

// intern returns the index of a lower-case word, adding it to the vocabulary.
func (r *Reader) intern(word string) int32 {
	i, isNew := r.words.add(word)
	if isNew {
		r.info = append(r.info, wordInfo{action: -1, object: -1, initial: -1})
	}
	return i
}

// lookup returns the index of a word of any case, -1 when unknown.
func (r *Reader) lookup(word string) int32 { return r.words.find(word, hashWord(word)) }

// addAction enters an action under its name and the spellings that differ in
// hyphens and underscores only: pick-up, pick_up, pickup, pick up.
func (r *Reader) addAction(name string, params []pddl.Variable) {
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

// addObjects enters the objects under their names, and their types and the unary
// facts that hold of them as words that may restrict a slot.
func (r *Reader) addObjects(dom *pddl.Domain, prob *pddl.Problem) {
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
	for i := 0; i < prob.Init.Atoms.Len(); i++ {
		pred, args := prob.Init.Atoms.Atom(i)
		if len(args) == 1 && int(args[0]) < len(r.objects) {
			o := &r.objects[args[0]]
			if len(o.classes) < 8 {
				o.classes = append(o.classes, r.intern(strings.ToLower(dom.Predicates[pred].Name)))
			}
		}
	}
}

// noteOdd marks a name that the scanner would take for several tokens.
func (r *Reader) noteOdd(name string) {
	if isOdd(name) {
		r.odd, r.info[r.intern(name)].odd = true, true
	}
}

// alias enters another name of an object, unless the name is taken.
func (r *Reader) alias(name string, object int32) {
	w := r.intern(name)
	if r.info[w].object < 0 {
		r.info[w].object = object
	}
}

// addNamings enters what the templates call the objects.
func (r *Reader) addNamings(t *domains.Templates) {
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
func (r *Reader) addInitials(initials map[string]int32) {
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
func (r *Reader) addPlainNamings(dom *pddl.Domain) {
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
func (r *Reader) addSentences(t *domains.Templates, dom *pddl.Domain, prob *pddl.Problem) {
	for id := range r.actions {
		a := &r.actions[id]
		s, ok := t.Actions[a.name]
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
		for slot, fact := range s.Infer {
			k, err := strconv.Atoi(slot)
			if err != nil {
				continue
			}
			if inf, ok := compileInference(fact, dom, prob); ok {
				if a.infer == nil {
					a.infer = map[int]inference{}
				}
				a.infer[k] = inf
			}
		}
	}
}

// compileInference reads "in-city {1} ?" and tabulates the initial state's facts
// of that shape.
func compileInference(text string, dom *pddl.Domain, prob *pddl.Problem) (inference, bool) {
	f := strings.Fields(text)
	inf := inference{from: -1, values: map[string]string{}}
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
		key := strings.ToLower(prob.Objects[args[given]].Name)
		val := strings.ToLower(prob.Objects[args[wanted]].Name)
		if old, ok := inf.values[key]; ok && old != val {
			val = "" // not unique
		}
		inf.values[key] = val
	}
	return inf, true
}
