package extract

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// lexicon is the part of a reader that tasks with the same names share: words and the sentences made of
// them. It never changes after finish.
type lexicon struct {
	words      vocabulary
	info       []wordInfo // by word
	bits       []lineBits // by word: a summary of info
	actions    []actionInfo
	objects    []objectInfo
	root       *patternNode // sentences
	names      *patternNode // actions' names of several words
	claims     *patternNode // phrases that are claims
	leads      *patternNode // phrases that may stand before a step
	mentioned  *patternNode // phrases of headings that only mention a list; 1 for those of whoever says it
	alters     *patternNode // phrases behind a step that make it another
	domain     string       // its name, before which a call may stand: "ferry.board(c1, harbor)"
	article    int32        // the word "the", left out of text; noWord if it is a name
	numbers    bool         // a number before a line may be more than a number, a name for instance
	timed      bool         // the domain has durative actions: time stamps count
	bare       bool         // some action has no parameters
	odd        bool         // some name of the task is odd (isOdd)
	longestOdd int          // the length of the longest such name
	// longestName is the length of the longest name of an object.
	longestName int
	seed        uint64    // of the hashes of lines
	buffers     sync.Pool // *stateScan or *lineReader of the readers that use them
}

const noWord = -2 // no token has this word

// wordInfo is what a vocabulary word can stand for.
type wordInfo struct {
	action int32 // the action with this name, apart from hyphens and underscores; or -1
	object int32 // the object with this name, or -1
	// initial is the object that this letter abbreviates in sentences, or -1.
	initial  int32
	third    int32 // the word whose third person this is, 0 for none: "stacks"
	gerund   int32 // the word whose gerund this is, 0 for none: "stacking"
	class    wordClass
	role     role
	strong   bool // names the plan itself
	mends    bool // what it names replaces something wrong: "corrected"
	option   bool // names one of several plans, with a number or letter: "Option 2"
	denial   denial
	settles  bool // chooses among them: "I go with option 2"
	noun     bool // may stand before or after a name
	fact     bool // a predicate's name
	sentence bool // a sentence begins with the word
	odd      bool // an odd name of the task (isOdd)
	step     bool // a step may begin with the word: an action's name, or a sentence
}

type actionInfo struct {
	name  string // as PDDL writes it, lower case
	arity int
	told  bool // the templates have sentences for it
	// Parameter names without question marks, lower case.
	params []string
	types  []string // their types' names, lower case; "" for those without
}

type objectInfo struct {
	name    string
	first   uint64  // the first eight bytes of the name
	classes []int32 // nouns that fit it: from templates, types and facts about it
}

// plainLexicon returns a lexicon with the engine's own words and claims, copied from basis.
func plainLexicon() *lexicon {
	b := basis()
	r := &lexicon{root: newPattern(), names: newPattern(), claims: b.claims, leads: b.leads, mentioned: b.mentioned, alters: b.alters, seed: rand.Uint64()}
	r.words = vocabulary{slices.Clone(b.words.slots), b.words.shift, slices.Clone(b.words.words)}
	r.info = append([]wordInfo(nil), b.info...)
	return r
}

var basis = sync.OnceValue(func() *lexicon {
	r := baseLexicon()
	r.addPhrases(r.claims, "claim unsolvable", int32(claimUnsolvable))
	r.addPhrases(r.claims, "claim holds", int32(claimHolds))
	r.addPhrases(r.claims, "claim rejects", int32(claimRejects))
	r.addPhrases(r.claims, "verdict invalid", int32(claimRejects))
	for _, n := range []*patternNode{r.claims, r.leads, r.mentioned, r.alters} {
		n.index(len(r.words.words))
	}
	return r
})

// finish marks the words with which sentences, claims and steps begin. Nothing may be added after it.
func (r *lexicon) finish() {
	r.article = noWord
	for i := range r.info {
		if w := &r.info[i]; w.class == classArticle && w.object < 0 && w.action < 0 {
			r.article = int32(i)
		}
	}
	for _, e := range slices.Concat(r.root.words, r.names.words) {
		r.info[e.word].sentence = true
	}
	for i := range r.info {
		r.info[i].step = r.info[i].action >= 0 || r.info[i].sentence
	}
	for i := range len(r.info) {
		if r.info[i].step {
			r.addVerbForms(int32(i))
		}
	}
	r.numbers = r.timed || r.odd || slices.ContainsFunc(r.words.words, func(w string) bool { return strings.Trim(w, "0123456789") == "" })
	r.bits = make([]lineBits, len(r.info))
	for i := range r.info {
		r.bits[i] = r.info[i].bits()
	}
	for _, e := range r.claims.words {
		r.bits[e.word] |= hasClaim
	}
	for _, e := range r.mentioned.words {
		r.bits[e.word] |= hasMention
	}
	for _, set := range markedSets {
		for w := range set.words {
			r.bits[r.lookup(w)] |= set.bit
		}
	}
	r.claims.ends(func(word int32) { r.bits[word] |= hasClaimEnd })
	r.words.fill(len(basis().words.words))
	for i := range r.words.slots {
		if s := &r.words.slots[i]; s.key != 0 {
			s.bits = r.bits[s.word]
		}
	}
}

// addVerbForms adds "stacks" and "stacking" for "stack", unless these are words already.
func (r *lexicon) addVerbForms(verb int32) {
	text := r.words.words[verb]
	n := len(text)
	last, before := text[n-1], byte('a')
	if n > 1 {
		before = text[n-2]
	}
	vowel := strings.IndexByte("aeiou", before) >= 0
	if last < 'a' || last > 'z' {
		return
	}
	third, gerund := text+"s", text+"ing"
	switch {
	case strings.HasSuffix(text, "sh") || strings.HasSuffix(text, "ch") || strings.HasSuffix(text, "ss") || last == 'x' || last == 'o':
		third = text + "es"
	case last == 'y' && !vowel:
		third = text[:n-1] + "ies"
	case last == 'e' && before != 'e':
		gerund = text[:n-1] + "ing"
	case n > 2 && vowel && strings.IndexByte("aeiouwxy", last) < 0 && strings.IndexByte("aeiou", text[n-3]) < 0 && n < 5:
		gerund = text + text[n-1:] + "ing" // putting
	}
	if r.lookup(third) < 0 {
		r.info[r.intern(third)].third = verb
	}
	if r.lookup(gerund) < 0 {
		r.info[r.intern(gerund)].gerund = verb
	}
}

// bits sums up what the word can stand for.
func (w *wordInfo) bits() (b lineBits) {
	d := w.denial
	negative := d == denies || d == doubts || d == negates || d == falsifies || d == falls || w.class == classNo
	for _, x := range [...]struct {
		bit lineBits
		has bool
	}{
		{hasStep, w.step || w.third > 0 || w.gerund > 0}, {hasObject, w.object >= 0 || w.noun}, {hasRole, w.role != roleNone},
		{hasIs, w.class == classIs}, {hasElse, w.class == classOr || w.class == classIf || w.class == classNot}, {hasNeed, w.class == classIf}, {hasLead, w.class == classLead}, {hasAlter, w.mends}, {hasTimes, w.class == classTimes}, {hasOption, w.option}, {hasDenial, negative},
		{hasVerdict, d == denies || d == asserts || d == keeps || w.third > 0 || w.gerund > 0}, // or its verb may
	} {
		if x.has {
			b |= x.bit
		}
	}
	return b
}

// intern returns the index of a lower-case word, which it adds if it is new.
func (r *lexicon) intern(word string) int32 {
	i, isNew := r.words.add(word)
	if isNew {
		r.info = append(r.info, wordInfo{action: -1, object: -1, initial: -1})
	}
	return i
}

// lookup returns the index of a word in any case, or -1.
func (r *lexicon) lookup(word string) int32 { return r.words.find(word) }

// word returns what a word in any case stands for, noInfo for one that is not in the vocabulary.
func (r *lexicon) word(word string) *wordInfo {
	if w := r.lookup(word); w >= 0 {
		return &r.info[w]
	}
	return &noInfo
}

// addAction adds an action under its name and its spellings with other hyphens and underscores: pick-up,
// pick_up, pickup, pick up.
func (r *lexicon) addAction(dom *pddl.Domain, name string, params []pddl.Variable) {
	lower := strings.ToLower(name)
	id := int32(len(r.actions))
	info := actionInfo{name: lower, arity: len(params)}
	r.bare = r.bare || len(params) == 0
	for _, p := range params {
		info.params = append(info.params, strings.ToLower(strings.TrimPrefix(p.Name, "?")))
		info.types = append(info.types, typeName(dom, p.Type))
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
		node := r.names
		for _, p := range parts {
			node = node.word(r.intern(p))
		}
		if node.done < 0 {
			node.done = id
		}
	}
}

// addObjects adds the objects under their names, and their types and unary facts as nouns that fit them.
func (r *lexicon) addObjects(dom *pddl.Domain, prob *pddl.Problem, classes []unaryFact) {
	for i, o := range prob.Objects {
		name := strings.ToLower(o.Name)
		var first [8]byte
		copy(first[:], name)
		r.objects = append(r.objects, objectInfo{name: name, first: binary.LittleEndian.Uint64(first[:])})
		r.longestName = max(r.longestName, len(name))
		r.info[r.intern(name)].object = int32(i)
		r.noteOdd(name)
		if t := typeName(dom, o.Type); t != "" {
			w := r.intern(t)
			r.info[w].noun = true
			r.objects[i].classes = append(r.objects[i].classes, w)
		}
	}
	for _, c := range classes {
		o := &r.objects[c.object]
		o.classes = append(o.classes, r.intern(strings.ToLower(dom.Predicates[c.pred].Name)))
	}
}

// typeName returns the name of a type in lower case, "" for that of all objects and for one without a name.
func typeName(dom *pddl.Domain, t pddl.TypeID) string {
	if t <= 0 || int(t) >= len(dom.Types) {
		return ""
	}
	return strings.ToLower(dom.Types[t].Name)
}

// noteOdd marks an odd name.
func (r *lexicon) noteOdd(name string) {
	if isOdd(name) {
		r.odd, r.info[r.intern(name)].odd = true, true
		r.longestOdd = max(r.longestOdd, len(name))
	}
}

// alias adds another name for an object, unless the name is taken.
func (r *lexicon) alias(name string, object int32) {
	w := r.intern(name)
	if r.info[w].object < 0 {
		r.info[w].object = object
	}
}

// addNamings adds the names that the templates give to objects.
func (r *lexicon) addNamings(t *domains.Templates) {
	for i := range t.Objects {
		n := &t.Objects[i]
		noun := int32(-1)
		if n.Noun != "" {
			noun = r.intern(n.Noun)
			r.info[noun].noun = true
		}
		initials := map[string]int{} // how many names begin so
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
				// A letter stands for the only name that begins with it.
				w := &r.info[r.intern(name[:1])]
				if w.initial = int32(o); initials[name[:1]] > 0 {
					w.initial = -1
				}
				initials[name[:1]]++
			}
		}
	}
}

// spellings lists the one-word forms of a name, with and without its noun.
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

// addPlainNamings adds what holds in every domain: "object" and the names of types may stand before a
// name, and object_3 means o3.
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
