package extract

import (
	"slices"
	"strings"
)

// Words, keys, columns, tags and code that say that a plan or a step is not to be done: "valid": false, <rejected>, a
// column "Do it?", "Not executed:".

// denial is what a word says of a plan or a step.
type denial uint8

const (
	denies    denial = iota + 1 // it is not to be done: "rejected"
	doubts                      // so it is, if nothing else is said: "removed", "perhaps"
	asserts                     // it is good: "valid"
	serves                      // it is good, if a key or a column says so; a step that is not needed may still be meant
	keeps                       // so it is, if a key or a column says so: "execute"
	falsifies                   // the answer no to a key: "false"
	negates                     // the words behind it mean the opposite: "not"
	compares                    // other plans are meant: "shorter"
	falls                       // a step falls away, in other languages: "entfällt"
)

// denialNames has their names in words.txt, in order.
const denialNames = "denies doubts asserts serves keeps falsifies negates compares falls"

// answerKind says what a key or the head of a column asks about a plan or a step.
type answerKind uint8

const (
	asksNothing answerKind = iota
	asksYes                // "valid", "do it?": no denies
	asksNo                 // "rejected", "skip?": yes denies
	asksVerdict            // "status", "comment": words may deny
	asksOther              // "alternative": a step there is one of two
)

// crosses are pictures that deny what stands beside them.
const crosses = "✗✘❌❎🚫⛔"

// crossed reports whether a text has such a picture.
func crossed(text string) bool {
	return strings.ContainsAny(text, crosses)
}

// asked returns what a key, an attribute or the head of a column asks. A column asks about each step.
func (r *lexicon) asked(key string, column bool) answerKind {
	kind, negated := asksNothing, false
	for word := range words(key) {
		if stepStates.has(word) && column {
			return asksNothing
		}
		if otherColumns.has(word) && column {
			return asksOther
		}
		if verdictKeys.has(word) && kind == asksNothing {
			kind = asksVerdict
		}
		switch r.denialOf(word) {
		case negates:
			negated = true
		case denies, doubts:
			return asksNo
		case asserts, keeps, serves:
			kind = asksYes
		}
	}
	if negated && kind == asksYes {
		return asksNo // "do_not_execute"
	}
	return kind
}

// denies reports whether the value of such a key denies.
func (r *lexicon) denies(kind answerKind, value string) bool {
	names := (kind == asksVerdict || kind == asksOther) && slices.ContainsFunc(strings.Fields(value), func(w string) bool { return r.word(strings.ToLower(strings.Trim(w, "()`*,"))).action >= 0 })
	if kind == asksNothing || kind == asksVerdict && names || kind == asksOther {
		return kind == asksOther && names // "note": "wait is not needed"
	}
	plain := strings.ToLower(strings.Trim(value, " \t*_`.!"))
	switch {
	case kind == asksNo:
		return yesWords.has(plain) || plain != "" && strings.Trim(plain, "✓✔✅☑x") == ""
	case kind == asksYes && noWords.has(plain), crossed(value):
		return true
	}
	return r.denied(value)
}

// denied reports whether a short text denies: "wrong, do not use", "not executable", but not "nothing is wrong".
func (r *lexicon) denied(text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(",.;!", c) }) {
		negated := false
		for word := range words(part) {
			switch d := r.denialOf(word); {
			case d == negates || r.word(word).class == classNo:
				negated = !negated
			case (d == denies || d == doubts) && !negated, (d == asserts || d == keeps || d == serves) && negated:
				return true
			}
		}
	}
	return false
}

// denialTag reports whether what a tag holds is not the plan, by its name or an attribute: <rejected>, <plan
// valid="false">.
func denialTag(name, attributes string) bool {
	r, denied, not, mends := basis(), false, false, false
	if name == "" || byteClass[name[0]] != classWord || strings.HasSuffix(attributes, "/") || strings.HasSuffix(name, "/") {
		return false
	}
	for word := range words(name) {
		d := r.denialOf(word)
		denied, not, mends = denied || d == denies || tagWords.has(word), not || d == negates, mends || r.word(word).mends
	}
	if not || denied && !mends {
		return true
	}
	for a := range strings.FieldsSeq(attributes) {
		if key, value, ok := strings.Cut(a, "="); ok && r.denies(r.asked(key, false), strings.Trim(value, `"'`)) {
			return true
		}
	}
	return false
}

// words splits a text into words in lower case, at signs and underscores.
func words(text string) func(func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool {
		return c < 0x80 && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '\''
	})
}

// denialOf returns what a word says of a plan, nothing if it is a name of the task.
func (r *lexicon) denialOf(word string) denial { return r.word(word).says() }

func (w *wordInfo) says() denial {
	if w.action >= 0 || w.object >= 0 || w.fact {
		return 0
	}
	return w.denial
}

// saying is what words say of a plan.
type saying uint8

const (
	saysNothing  saying = iota
	saysSupposed        // it would be wrong if something else were so
	saysCleared         // nothing denies it: "nothing is wrong", "without step 2 it fails"
	saysDenied
)

// denial reads the words from token i to end.
func (l *lineReader) denial(i, end int) (said saying) {
	if l.seen&(hasDenial|hasVerdict) != hasDenial|hasVerdict {
		return saysNothing
	}
	it := l.wordAt(i, wordThis) || l.wordAt(i, wordThat) || l.info(i).class == classIt // "this would not work"
	negated, no, nobody, asserted, asked, others, supposed, starts := false, false, false, false, false, false, false, true
	for ; i < end; i++ {
		switch l.punct(i) {
		case 0:
		case ':', '?', '=':
			asked, negated = asserted, false // "Valid: no"
			continue
		case '.', ',', ';', '!':
			negated, no, nobody, asserted, asked, others, starts = false, false, false, false, false, false, true
			continue
		default:
			continue
		}
		w := l.info(i)
		if starts && l.in(i, clauseWords) {
			others = true // "since a direct move is impossible, ..."
		}
		starts = false
		others = others || l.wordAt(i, wordWhich) // "not sure which of them is right"
		switch d := w.says(); {
		case asked && (w.class == classNo || d == negates || d == falsifies):
			said = saysDenied
		case w.class == classNo && l.says(i+1, "longer"):
			negated = !negated // "no longer valid"
		case w.class == classNo && said == saysDenied && l.punct(i-1) == ':':
			said = saysCleared // "What could go wrong: nothing."
		case w.class == classNo:
			no, nobody = true, nobody || l.says(i, "nothing") || l.says(i, "none") // "none of these is valid"
		case d == negates && l.info(i+1).class == classLead: // "not only"
		case d == negates:
			negated = !negated
		case d == compares && !it:
			others, supposed = true, supposed || l.info(i).class == classIf || l.wordAt(i, wordWould)
		case d == denies && !others && i > 0 && l.wordAt(i-1, wordTo): // "to avoid"
		case d == denies && l.says(i+1, "down"): // "broken down into steps"
		case d == denies && l.wordAt(i+1, wordTo) && l.in(i-2, unrealWords): // "it would be wrong to skip step 2"
		case d == denies && (negated || no || others):
			if supposed {
				said = max(said, saysSupposed)
			} else {
				said = max(said, saysCleared)
			}
		case d == denies, d == keeps && negated && (i+1 == end || l.toks[i+1].kind == tokPunct):
			said = saysDenied
		case d == asserts:
			if asserted = true; !others && (negated && !no || nobody && !negated) {
				said = saysDenied
			}
		}
	}
	return said
}

// deniesPlan reports whether a short line without a step says that the plan before it is wrong: "Verdict: invalid".
func (l *lineReader) deniesPlan(i int) bool {
	if l.seen&hasDenial == 0 || i >= len(l.toks) { // as a tag is that has such a word
		return false
	}
	if len(l.toks) == 3 && l.punct(1) == ':' && l.r.denies(l.r.asked(l.text(0), false), l.text(2)) {
		return true // "status: draft"
	}
	if l.deniesFrom(i, len(l.toks)) {
		return true
	}
	if t := &l.toks[i]; l.line[t.start] >= 'a' && (l.info(i).class == classIs || t.bits&hasUnreal != 0 && l.in(i, unrealWords)) { // its subject is the list
		for end := i + 1; end <= i+fewWords; end++ {
			if l.endsClause(end) || l.info(end).class == classSub {
				return l.denial(i, end) == saysDenied // "is impossible because c is not clear"
			}
		}
	}
	for start, from := i, i; i < len(l.toks); i++ { // "That is wrong. The key does not fit, and there is no other one."
		if p := l.punct(i); p == '.' || p == '!' || p == '?' {
			if p != '?' && (from > start || i+1 < len(l.toks)) && l.deniesFrom(from, i) || p == '.' && l.wordAt(i-1, wordNo) && (from == i-1 || l.punct(i-2) == ':') && l.punct(from-1) != '?' {
				return true
			}
			from = i + 1
		}
	}
	return false
}

// deniesFrom reports whether a few words from token i to end, which name nothing of the task, deny the plan.
func (l *lineReader) deniesFrom(i, end int) bool {
	const most = 8
	return l.seen&hasVerdict != 0 && l.words(i, end) <= most && !l.namesTask(i, end) && l.denial(i, end) == saysDenied && !l.ofOther(i) && !l.conditional(i, end-1)
}

// ofOther reports whether a sentence from token i on is about another plan than the one beside it: "The naive approach fails.", "A
// wrong order would fail."
func (l *lineReader) ofOther(i int) bool {
	if l.info(i).class == classLetter {
		i++
	}
	return l.in(i, otherTries) && l.info(i+1).class == classNone && i+2 < len(l.toks) && l.toks[i+2].kind == tokWord && (!l.says(i, "wrong") || l.in(i+2, unrealWords))
}

// namesTask reports whether an action or an object is named from token i to end.
func (l *lineReader) namesTask(i, end int) bool {
	return l.any(i, end, func(w *wordInfo) bool {
		return w.object >= 0 && w.class != classLetter || w.action >= 0 && w.class != classLabel
	})
}

// deniedRemark reports whether a remark from token i on denies the step before it: all its words do, "(skipped)", or
// say so, "- this is not allowed".
func (l *lineReader) deniedRemark(i int) bool {
	for i < len(l.toks) {
		negated, denied, only := l.info(i).class == classNo, false, true
		for ; i < len(l.toks) && l.toks[i].kind != tokPunct; i++ {
			w := l.info(i)
			switch d := w.says(); {
			case d == negates:
				negated = !negated
			case d == falls && !negated:
				return true // "(wird übersprungen)"
			case d == denies || d == doubts:
				denied = denied || !negated
			case d == asserts || d == keeps:
				denied = denied || negated
			default:
				only = only && (w.class == classIs || w.class == classIt || w.class == classLabel || l.wordAt(i, wordThis) || l.wordAt(i, wordThat))
			}
		}
		if denied && only {
			return true
		}
		i++
	}
	return false
}

// asksWhether reports whether a line asks whether what stands below it is right: "Is this the plan?"
func (o *outline) asksWhether() bool {
	i := 0
	if o.punct(1) == ':' {
		i = 2 // "User: ..."
	}
	if c := o.info(i).class; c != classIs && c != classTell && !o.in(i, askWords) {
		return false
	}
	for k := range o.toks {
		if o.wordAt(k, wordThis) || o.says(k, "these") || o.says(k, "following") {
			return true
		}
	}
	return false
}

// deniedName reports whether an identifier of a short line denies: rejected_plan, BadPlan.
func (o *outline) deniedName(i int) bool {
	for ; i < len(o.toks); i++ {
		if t := o.toks[i]; t.kind != tokWord || t.word >= 0 {
			continue
		}
		var words strings.Builder
		for k, c := range o.lineReader.text(i) {
			if k > 0 && 'A' <= c && c <= 'Z' {
				words.WriteByte('_')
			}
			words.WriteRune(c)
		}
		if name := words.String(); strings.IndexByte(name, '_') > 0 && o.r.denied(name) {
			return true
		}
	}
	return false
}

// opensBlock reports whether a line opens a block of code that may not be run, or more than once, or that is named as
// wrong: "if ok:", "IF possible THEN", "bad_plan = [".
func (o *outline) opensBlock(raw string, i int) bool {
	last := len(o.toks) - 1
	if o.punct(i) == '(' {
		i++ // (when (clear b)
	}
	switch p := o.punct(last); {
	case p == ':' || p == '{' || p == '[' || p == '(':
		if !o.fence {
			return false
		}
		if o.r.denied(raw) {
			return true
		}
	case o.punct(i-1) == '(':
		return i == 1 && o.in(i, blockWords)
	default:
		if !o.says(last, "then") && !o.wordAt(last, wordDo) {
			return false
		}
	}
	return o.in(i, blockWords) && !strings.Contains(raw, "__name__")
}
