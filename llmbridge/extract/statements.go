package extract

import (
	"slices"
	"strings"
)

// Lines with parentheses like steps, that state facts or talk about steps.

// saidOf reports whether a line makes a statement about its first call, whose parenthesis is at token
// open, and about no action: "Crave(a, b) is true", "Pain(a) and Pride(b) become false".
func (l *lineReader) saidOf(open int) bool {
	said := false
	for i := l.closingOf(open); i > 0 && i < len(l.toks); {
		w := l.info(i)
		switch p := l.punct(i); {
		case w.action >= 0:
			return false
		case said:
			i++
		case w.class == classIs && l.carriedOut(i+1):
			return false
		case w.class == classIs || (p == '(' || p == ':' || p == '=') && l.truth(i+1) || l.listedFact(i):
			said = true
		case p == '(':
			i = l.closingOf(i)
		case p == ',' || p == '"' || w.fact || l.wordAt(i, l.r.phrases.and) || l.punct(i+1) == '(':
			i++
		default:
			return false
		}
	}
	return said
}

// carriedOut reports whether the words at token i say that something is done, which only actions are:
// "is executed", "is now the next step".
func (l *lineReader) carriedOut(i int) bool {
	for end := i + 4; i < len(l.toks) && i < end; i++ {
		if l.info(i).class == classLabel || l.wordAt(i, l.r.phrases.next) || slices.Contains(donePhrases, strings.ToLower(l.text(i))) {
			return true
		}
	}
	return false
}

var donePhrases = []string{"executed", "performed", "applied", "done", "taken", "carried"}

// listedFact reports whether token i continues a list of facts: "Crave(a, b), Pain(a)".
func (l *lineReader) listedFact(i int) bool {
	return l.info(i).fact && (l.punct(i-1) == ',' || l.wordAt(i-1, l.r.phrases.and)) && (i+1 == len(l.toks) || l.toks[i+1].kind == tokPunct)
}

// factsOnly reports whether a line is only facts in call notation: "On(a, b), Clear(a)".
func (l *lineReader) factsOnly(i int) bool {
	for i < len(l.toks) {
		switch p := l.punct(i); {
		case l.factCall(i):
			i = l.closing(i + 1)
		case p == ',' || p == ';' || p == '.' || l.wordAt(i, l.r.phrases.and) || l.info(i).fact && l.info(i).action < 0:
			i++
		default:
			return false
		}
	}
	return true
}

// statesAt returns the token after a label that announces a state, "Final State:", "Preconditions:"; 0
// for other lines.
func (l *lineReader) statesAt(i int) int {
	if l.info(i).role != roleState {
		i++ // final, current, resulting
	}
	if l.info(i).role != roleState {
		return 0
	}
	for end := i + fewWords; i < end; i++ { // "State after step 2:"
		switch {
		case l.punct(i+1) == ':':
			return i + 2
		case l.punct(i+1) != 0 || l.info(i+1).step:
			return 0
		}
	}
	return 0
}

// names reports whether an action is named at or after token i.
func (l *lineReader) names(i int) bool {
	for ; i < len(l.toks); i++ {
		if l.info(i).action >= 0 {
			return true
		}
	}
	return false
}

// truth reports whether token i is "true" or "false".
func (l *lineReader) truth(i int) bool {
	return i < len(l.toks) && (strings.EqualFold(l.text(i), "true") || strings.EqualFold(l.text(i), "false"))
}

// worded reports whether a line is in parentheses that hold words rather than a step in formal notation:
// "(Place it on the table, so that ...)".
func (l *lineReader) worded(i int) bool {
	o := l.opening(i)
	if o.at < 0 || o.call || l.punct(o.at) != '(' {
		return false
	}
	end := l.closingOf(o.at)
	if end == 0 || !l.endsLine(end) {
		return false
	}
	if !l.wordsBetween(o.at+1, end-1) {
		return false
	}
	f, status := l.one(o.at, nil)
	return status != parsedStep || f.end != end || !l.proper(&f)
}

// wordsBetween reports whether the tokens from i to end have a word that no step in formal notation has.
func (l *lineReader) wordsBetween(i, end int) bool {
	for l.info(i).class == classLead { // "(then stack a b)"
		i++
	}
	for ; i < end; i++ {
		w := l.info(i)
		if w.object >= 0 || w.action >= 0 || w.fact {
			continue
		}
		switch w.class {
		case classJoin, classIs, classVerb, classTell, classSub, classLead, classIt:
			return true
		}
	}
	return false
}

// endsLine reports whether only signs follow from token i on.
func (l *lineReader) endsLine(i int) bool {
	for ; i < len(l.toks); i++ {
		if l.toks[i].kind != tokPunct {
			return false
		}
	}
	return true
}

// proper reports whether a step has an action of the domain and, for each parameter, an object of the
// problem.
func (l *lineReader) proper(f *found) bool {
	for i := range l.r.actions {
		if a := &l.r.actions[i]; a.name == f.name {
			return len(f.args) == a.arity && !slices.ContainsFunc(f.args, func(a argument) bool { return a.object < 0 })
		}
	}
	return false
}
