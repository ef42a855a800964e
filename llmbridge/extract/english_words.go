package extract

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

// wordClass sorts the English words that the engine itself knows. Words of a domain are in its template
// files.
type wordClass uint8

const (
	classNone    wordClass = iota
	classArticle           // only "the": left out of text and sentences
	classLetter            // a, an: an article only before a noun
	classLead              // first, then, we: may stand before a step
	classTell              // we, can, must: talks about a step
	classDo                // perform, execute: "perform the action X"
	classLabel             // action, step: "Action 3: X"
	classJoin              // from, on, to: between arguments
	classIt                // it, itself
	classNot               // not, cannot, impossible
	classIs                // is, are, was
	classVerb              // requires, creates: after an action's name, the line explains the action
	classSub               // once, if, since: begins a sentence without a step
	classAdverb            // directly, carefully: may stand anywhere in a sentence
	classPhase             // phase, part: "Phase 2: ..." continues a plan
	classOr                // or: between steps that exclude each other
	classNo                // no, none: "(no plan)" is no step
	classWrap              // define, begin: "(define" encloses steps
	classMeasure           // cost, minutes: what a step takes, "(cost 1)"
	classIf                // unless, otherwise: a step with a condition
	classTimes             // twice, times: a step done more than once
)

// classNames has the names of the classes in words.txt, in order.
const classNames = "article letter lead tell do label join it not is verb sub adverb phase or no wrap measure if times"

// role is what a heading says about the list below it. If its words have several roles, the highest one
// counts.
type role uint8

const (
	roleNone    role = iota
	roleFinal        // "Final ...": commits, unless to a final state
	roleState        // "Initial conditions:", "Goal:"
	roleBelow        // another heading below one of a state
	roleCommit       // "Plan:", "Answer:"
	roleChoice       // "Option 2:": one of several plans
	roleExplain      // "Explanation:", "Let's verify:"
	roleReject       // "The wrong way:", "Available actions:": never the plan
)

// roleNames has the names of the roles in words.txt, in order. No word has roleBelow.
const roleNames = "final state below commit choice explain reject"

// named are words that the code asks for one by one. The first words of the vocabulary are these, in this order.
const (
	wordAnd int32 = iota
	wordThen
	wordSo
	wordTo
	wordBy
	wordAction
	wordFollowed
	wordAfter
	wordThat
	wordThis
	wordNext
	wordFinally
	wordLastly
	wordEither
	wordFirst
	wordFirstly
	wordWould
	wordWhich
	wordWithout
	wordMust
	wordShould
	wordAgain
	wordBut
	wordHas
	wordWill
	wordNeeds
	wordPlease
	wordAs
	wordExample
	wordWhile
	wordOnly
	wordNot
	wordFor
	wordOne
	wordDo
	wordOn
	wordConsists
	wordPs
	wordNo
	wordUse
)

const named = "and then so to by action followed after that this next finally lastly either first firstly would which without must should again " +
	"but has will needs please as example while only not for one do on consists ps no use"

//go:embed words.txt
var wordsFile string

// wordLines has the lines of words.txt by their kinds.
var wordLines = func() map[string][]string {
	lines := map[string][]string{}
	for line := range strings.Lines(wordsFile) {
		if kind, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && kind[0] != '#' {
			lines[kind] = append(lines[kind], text)
		}
	}
	return lines
}()

// wordsOf returns the words of a kind in words.txt.
func wordsOf(kind string) (words []string) {
	for _, line := range wordLines[kind] {
		words = append(words, strings.Fields(line)...)
	}
	return words
}

// setOf returns the same as a set.
func setOf(kind string) *wordSet {
	set := &wordSet{words: map[string]bool{}}
	for _, line := range wordLines[kind] {
		for w := range strings.FieldsSeq(line) {
			set.words[w] = true
			set.lengths[w[0]&31] |= 1 << (len(w) & 31)
		}
	}
	return set
}

// markedSet is setOf for a set whose words the line scanner marks.
func markedSet(kind string, bit lineBits) *wordSet {
	set := setOf(kind)
	set.bit = bit
	markedSets = append(markedSets, set)
	return set
}

var markedSets []*wordSet

// wordSet is a set of short words in lower case.
type wordSet struct {
	words   map[string]bool
	bit     lineBits   // of a line that has one of the words, 0 if the line scanner does not know them
	lengths [32]uint32 // of the words by the last bits of their first letters, a bit each: most others are not among them
}

// has reports whether the set has a word in lower case.
func (s *wordSet) has(word string) bool { return s.words[word] }

// fold reports whether the set has a word in any case.
func (s *wordSet) fold(word string) bool {
	var lower [24]byte
	if word == "" || len(word) > len(lower) || s.lengths[word[0]&31]>>len(word)&1 == 0 {
		return false // most words
	}
	for i := range len(word) {
		lower[i] = lowerByte[word[i]]
	}
	return s.words[string(lower[:len(word)])]
}

// baseLexicon returns a lexicon of the words of words.txt, without phrases.
func baseLexicon() *lexicon {
	r := &lexicon{root: newPattern(), names: newPattern(), claims: newPattern(), leads: newPattern(), mentioned: newPattern(), alters: newPattern()}
	for _, w := range strings.Fields(named) {
		r.intern(w)
	}
	each := func(kind string, mark func(w *wordInfo)) {
		for _, w := range wordsOf(kind) {
			mark(&r.info[r.intern(w)])
		}
	}
	for i, name := range strings.Fields(classNames) {
		each("class "+name, func(w *wordInfo) { w.class = wordClass(i + 1) })
	}
	for i, name := range strings.Fields(roleNames) {
		each("role "+name, func(w *wordInfo) { w.role = role(i + 1) })
	}
	for i, name := range strings.Fields(denialNames) {
		each("says "+name, func(w *wordInfo) { w.denial = denial(i + 1) })
	}
	each("strong", func(w *wordInfo) { w.strong = true })
	each("mends", func(w *wordInfo) { w.mends = true })
	each("option", func(w *wordInfo) { w.option = true })
	each("settles", func(w *wordInfo) { w.settles = true })
	for _, set := range markedSets {
		for _, w := range slices.Sorted(maps.Keys(set.words)) {
			r.intern(w)
		}
	}
	r.addPhrases(r.leads, "phrase lead", 0)
	r.addPhrases(r.mentioned, "phrase mentions", 0)
	r.addPhrases(r.mentioned, "phrase said", 1)
	r.addPhrases(r.alters, "phrase alters", 0)
	r.addPhrases(r.alters, "phrase goes on", alterGoesOn)
	r.addPhrases(r.alters, "phrase repeats", alterRepeats)
	return r
}

// What a phrase that alters a step says when it stands in the place of one.
const (
	alterGoesOn  int32 = iota + 1 // the plan goes on: "then wait"
	alterRepeats                  // so it does on a line without a number: "and so on"
)

// addPhrases adds the phrases of a kind in words.txt to a trie.
func (r *lexicon) addPhrases(root *patternNode, kind string, done int32) {
	for _, text := range wordLines[kind] {
		r.addPhrase(root, text, done)
	}
}

// claim is what an answer says besides its steps. "There is no plan" counts before "nothing needs to be done".
type claim int32

const (
	claimUnsolvable claim = iota + 1 // there is no plan
	claimHolds                       // nothing needs to be done
	claimRejects                     // what stands before, or below a heading, is not to be done
)

// claimsIn returns the claims of a line from token i on. At each word the longest phrase counts: "no plan
// is needed" is not "no plan".
func (l *lineReader) claimsIn(i int) (unsolvable, holds, rejects bool) {
	start := i
	for toks := l.toks; i < len(toks); i++ {
		t := &toks[i]
		if t.bits&hasClaim == 0 || !l.leadsOn(l.r.claims.table[t.word], i+1) {
			continue
		}
		longest, _ := l.longest(l.r.claims, i)
		if longest < 0 || i > 0 && l.says(i-1, "why") {
			continue
		}
		unsolvable = unsolvable || longest == int32(claimUnsolvable)
		holds = holds || longest == int32(claimHolds)
		rejects = rejects || longest == int32(claimRejects) && !l.says(i-1, "could") && !l.noneOf(start, i) && !l.ofOther(start) && !l.conditional(start, i)
	}
	return unsolvable, holds, rejects
}

// noneOf reports whether a word such as "no" stands before token i in its clause, which begins at token start or behind
// a sign, or "without" in its sentence: "no step violates a precondition" rejects nothing.
func (l *lineReader) noneOf(start, i int) bool {
	comma := false
	for i--; i >= start; i-- {
		switch l.punct(i) {
		case '.', ';':
			return false
		case ',':
			comma = true
		}
		if claim, _ := l.longest(l.r.claims, i); l.wordAt(i, wordWithout) || claim < 0 && !comma && l.info(i).class == classNo {
			return true
		}
	}
	return false
}

// conditional reports whether what is said at token i is so only if a step is left out or done otherwise, in a sentence
// not before token start: "If step 2 is skipped, the plan fails."
func (l *lineReader) conditional(start, i int) bool {
	if l.seen&(hasPlace|hasCondition) != hasPlace|hasCondition {
		return false // most lines
	}
	for i > start && !l.endsSentence(i-1) {
		i--
	}
	for supposed := false; i < len(l.toks) && !l.endsSentence(i); i++ {
		if supposed = supposed || l.in(i, ifWords); supposed && l.in(i, placeWords) {
			return true
		}
	}
	return false
}
