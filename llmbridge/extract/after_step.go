package extract

import "slices"

// How a line goes on after a step.

// tail says how a line goes on after a step.
type tail uint8

const (
	tailRemark tail = iota // nothing, or words about the step
	tailMore               // another step
	tailCancel             // "... is not needed": the line takes the step back
	tailBad                // more than the step can have, or something like a step that cannot be read
)

// link says what stands between a step and a word after it.
type link uint8

const (
	linkNone     link = iota // nothing
	linkSign                 // signs, remarks in brackets, "and", "then"
	linkWords                // words about the step
	linkComma                // such words and a comma
	linkSentence             // such words, and the end of their sentence
)

// after returns the link behind a sign, and whether a word such as "can" before it still counts. A bracket is open if its
// words are read one by one.
func (k link) after(sign byte, open, told bool) (link, bool) {
	bracket := sign == '(' || sign == '[' || sign == '{'
	switch {
	case sign == '(' && open:
		k = linkWords // brackets within brackets
	case k < linkWords:
		k = linkSign
	case sign == '.' || sign == '!' || sign == ';':
		k = linkSentence
	case sign == ',' && k == linkWords && !told:
		k = linkComma
	}
	return k, told && (k < linkWords || bracket)
}

// after reads what follows step f, and returns the token at which to continue. The word "it" stands for the object it.
func (l *lineReader) after(f *found, it *argument) (tail, int) {
	if rest := l.toks[f.end:]; len(rest) == 0 || len(rest) == 1 && rest[0].punct == '.' {
		return tailRemark, len(l.toks) // as most steps
	}
	l.behind = true
	t, next := l.follows(f, it)
	if t == tailMore && (l.hides(f, next) || l.withheld(f.end, next)) || t == tailRemark && l.trails(f) {
		return tailBad, next
	}
	return t, next
}

func (l *lineReader) follows(f *found, it *argument) (tail, int) {
	link, told := linkNone, false // told: a word such as "can" since the last sign: "so that we can then stack it"
	for i := f.end; i < len(l.toks); i++ {
		if l.toks[i].kind == tokPunct {
			t, next := l.followingSign(f, i, it, link)
			if t != tailRemark || next == len(l.toks) {
				return t, next
			}
			link, told = link.after(l.toks[i].punct, next == i+1, told)
			i = next - 1
			continue
		}
		w := l.info(i)
		if t, next := l.undone(i, link); t != tailRemark {
			return t, next
		}
		isAnd := link < linkWords && (l.wordAt(i, wordAnd) || l.wordAt(i, wordThen))
		if isAnd {
			link = linkSign
		}
		switch {
		case w.class == classIf, w.class == classOr && (link < linkWords && (l.info(i+1).class == classNot || l.objectAt(i+1) || l.stepAt(i+1, it) || l.unknownVerb(i+1) && !l.tells(i+1)) || l.joined(i+1)):
			return tailBad, i // a condition, or one or the other
		case l.meanwhile(f, i):
			return tailBad, i
		case link != linkWords && l.takesBack(i):
			return tailCancel, i + 1
		case link == linkWords:
			told = told || w.class == classTell
			if t, next := l.resumes(f, i, it, told); t != tailRemark {
				return t, next
			}
			continue
		}
		if t, next := l.nextStep(f, i, it, link); t != tailRemark {
			return t, next
		}
		switch {
		case link == linkNone && l.purpose(i):
			i++ // "to clear the red block"
		case link == linkNone && l.strays(f, i), link == linkSign && l.addsBadly(f, i, isAnd), link == linkSentence && l.foreignStep(i):
			return tailBad, i
		}
		if link = linkWords; i < len(l.toks) {
			told = l.info(i).class == classTell
			if t, next := l.resumes(f, i, it, told); t != tailRemark {
				return t, next
			}
		}
	}
	return tailRemark, len(l.toks)
}

// followingSign reads the sign at token i after step f. If it decides nothing it returns tailRemark and the token at
// which to go on.
func (l *lineReader) followingSign(f *found, i int, it *argument, link link) (tail, int) {
	words, end := link >= linkWords, len(l.toks)
	unless := func(t tail) (tail, int) { // the rest of the line is a remark, unless a step stands there
		if l.otherStep(f, i+1, it) {
			return t, i + 1
		}
		return tailRemark, end
	}
	switch l.toks[i].punct {
	case '(':
		return l.followingGroup(f, i, it, words)
	case '[', '{':
		if !words && (l.orOther(i+1) || l.ordersNext(i+1)) {
			return tailBad, i // "[or car2]", "[then drop c]"
		} else if !words {
			if k := l.remarkGroup(i); k > 0 {
				return tailRemark, k
			}
		}
	case '/':
		if !words && (l.stepAt(i+1, it) || l.objectEnds(i+1) || l.newName(i+1) || l.foreignStep(i+1)) {
			return tailBad, i // one or the other
		} else if !words {
			return tailRemark, end
		}
	case ';':
		k := i + 1
		for l.punct(k) != '(' && l.punct(k) != 0 && k < i+maxDecoration {
			k++
		}
		if !words && f.paren && l.toks[i].start < l.toks[i].end && !l.separates(i) && (l.punct(k) != '(' && !l.numberAhead(k) || !l.stepAt(k, it)) {
			return tailRemark, end // a comment in PDDL
		}
	case '=':
		if !words && l.punct(i+1) != '>' {
			return unless(tailBad)
		}
	case '<':
		if !words && l.orOther(i+1) {
			return tailBad, i
		} else if !words && l.punct(i+1) == '-' && l.takesBack(i+2) {
			return tailCancel, i + 3
		} else if !words {
			return unless(tailBad)
		}
	case '>':
		if words && l.otherStep(f, i+1, it) {
			return tailMore, i + 1
		} else if words && l.foreignStep(i+1) || !words && !f.formal() && l.objectEnds(i+1) {
			return tailBad, i // move 3 -> 2 -> 1, but not "-> a is clear"
		}
	case ':':
		return unless(tailMore)
	case '#':
		if !words {
			return tailRemark, end // a comment
		}
	}
	return tailRemark, i + 1
}

// separates reports whether the semicolon at token i stands between steps, as one before it on the line does: "(a); (b); fly
// c". Else it may begin a comment.
func (l *lineReader) separates(i int) bool {
	const near = 2 * maxArgs // tokens, so that reading stays linear
	return slices.ContainsFunc(l.toks[max(0, i-near):i], func(t token) bool { return t.punct == ';' && t.start < t.end })
}

// followingGroup is followingSign for a parenthesis; words says that words about the step stand before it.
func (l *lineReader) followingGroup(f *found, i int, it *argument, words bool) (tail, int) {
	if words && l.factCall(i-1) {
		return tailRemark, l.closingOf(i)
	}
	if k := l.groupStep(f, i, it); k > 0 {
		return tailMore, k
	}
	if !words && f.paren && l.brokenGroup(i, it) {
		return tailBad, i
	}
	k := l.closingOf(i)
	if l.alters(i+1) || l.hiddenStep(f, i, k, it) {
		return tailBad, i
	}
	switch {
	case k == 0:
		return tailRemark, i + 1
	case k == i+3 && itemSigns[l.punct(i-1)] && l.loneOrder(i+1, &closing):
		return tailBad, i // ", (explode)"
	case l.info(i+1).class == classIf || l.orOther(i+1) || l.ordersNext(i+1) || k == i+3 && (l.info(i+1).says() == denies || l.info(i+1).says() == doubts) || l.info(i+1).class == classLead && l.info(i+2).class == classIf || k == i+4 && l.info(i+1).class == classNot && l.unknown(i+2):
		return tailBad, i // "(if the hand is empty)", "(not really)"
	}
	return tailRemark, k
}

var closing = signsIn(")")

// hides reports whether something that resembles a step stands between step f and the next one, at
// token next.
func (l *lineReader) hides(f *found, next int) bool {
	for i := f.end; i < next; i++ {
		if l.foreignItem(i) || l.unknownItem(i) {
			return true
		}
		if l.factCall(i) {
			i = l.closingOf(i+1) - 1
			continue
		}
		if l.bracket(i) && (l.groupHead(i) >= next || l.closingOf(i) > next) {
			return false // around the next step
		}
		if f.formal() && l.bracket(i) && l.groupHead(i) >= 0 && l.groupLikeness(opening{at: i}) == likeStep {
			return true
		}
		if !f.formal() && l.punct(i) == '(' {
			if l.foreignAt(i) {
				return true // (fly b)
			}
			if k := l.closingOf(i); k > 0 {
				i = k - 1 // a remark
				continue
			}
		}
		if l.mentions(i) {
			return true
		}
	}
	return false
}

// trails reports whether a step that cannot be read follows step f with only signs between, "(pick-up a) => (stack
// a", or a question mark, "(stack a b)?".
func (l *lineReader) trails(f *found) bool {
	at := f.end
	if l.bracket(at) {
		at++
	}
	if l.punct(at) == '?' && l.endsLine(at) {
		return true
	}
	if l.punct(f.end) == ';' && l.unknownItem(f.end) || len(l.out) > 0 && l.lastUnknown(f.end) {
		return true
	}
	for i := f.end; i < len(l.toks) && i < f.end+maxDecoration; i++ {
		if l.foreignAt(i) || l.foreignItem(i) {
			return true
		}
		if !f.formal() {
			continue
		}
		switch l.punct(i) {
		case 0:
			return l.mentions(i) && l.punct(i+1) == '(' && !l.factCall(i)
		case ';', '#', ':':
			return l.foreignAt(i + 1)
		case '(', '[', '{':
			return l.mentions(i) && !l.toldGroup(i) && !l.factCall(l.groupHead(i))
		}
	}
	return false
}

// groupStep returns the token of the next step if the parenthesis at token i holds one, 0 if it holds a
// remark or the same step again.
func (l *lineReader) groupStep(f *found, i int, it *argument) int {
	if f.paren && !l.refers(i+1) && l.stepAt(i, it) {
		return i
	}
	if !l.groupAction(i) {
		return 0
	}
	for l.punct(i+1) == '(' {
		i++
	}
	k, name, then := i, i+1, false
	for ; l.info(name).class == classLead && l.info(name).action < 0; name++ { // "(then stack a b)"
		k, then = name+1, then || l.wordAt(name, wordThen)
	}
	g, status := l.one(k, it)
	within := !slices.ContainsFunc(g.args, func(a argument) bool { // words about the objects of the step explain it
		return !f.uses(a)
	})
	if status != parsedStep || g.same(f) || !then && l.inWords(name, g.end) && within {
		return 0
	}
	return k
}

// refers reports whether words at token i, the first in brackets, refer to a place of the answer: "(see above)", "(step 6)".
func (l *lineReader) refers(i int) bool {
	w := l.info(i)
	return w.action < 0 && (l.says(i, "see") && l.info(i+1).object < 0 || w.class == classLabel && l.numberAhead(i+1) && l.punct(i+2) == ')')
}

// remarkGroup returns the token after the brackets at token i if they hold a remark, "[cost 1]",
// "{On(a, b)}"; 0 if they resemble a step.
func (l *lineReader) remarkGroup(i int) int {
	k := l.closingOf(i)
	if k == 0 || l.groupHead(i) < 0 || l.groupLikeness(opening{at: i}) == likeStep {
		return 0
	}
	for ; i < k; i++ {
		if l.mentions(i) && !l.factCall(i) {
			return 0
		}
	}
	return k
}

// toldGroup reports whether the parenthesis at token i holds a sentence, "(the red block is clear)", in
// which no step begins.
func (l *lineReader) toldGroup(i int) bool {
	named := l.objectAt(i+1) && !l.info(i+1).step
	told := false
	for end := l.closingOf(i); i < end; i++ {
		w := l.info(i)
		is := l.info(i+1).class == classIs
		if w.step && !named && !is { // "the robot is in room0"
			return false
		}
		told = told || is || w.class == classVerb || w.class == classNot || w.fact && named
	}
	return told
}

// inWords reports whether the step at token i is written in words, "pick up the red block". In
// parentheses after another step such words explain that step.
func (l *lineReader) inWords(i, end int) bool {
	action, args := l.actionName(i)
	if action < 0 || args > i+1 {
		return true
	}
	for k := args; k < end-1 && l.punct(args) != '('; k++ {
		if w := l.info(k); w.object < 0 && (w.noun || w.class == classJoin) {
			return true
		}
	}
	return false
}

// brokenGroup reports whether the parenthesis at token i, among steps in parentheses, is a step that
// cannot be read, or is cut off.
func (l *lineReader) brokenGroup(i int, it *argument) bool {
	if _, status := l.one(i, it); status == parsedBad {
		return true
	}
	k := l.groupHead(i)
	if k < 0 {
		return false
	}
	w := l.info(k)
	return l.closingOf(i) == 0 && w.class == classNone && !w.fact && !w.noun && w.object < 0 && len(l.toks) < i+maxDecoration
}
