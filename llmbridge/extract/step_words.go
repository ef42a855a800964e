package extract

import (
	"slices"
	"strings"
)

// What the grammar of a line asks about the words at a token.

// calls reports whether the action's name at token i is followed by a parenthesis.
func (l *lineReader) calls(i int) bool {
	_, end := l.actionName(i)
	return l.punct(end) == '('
}

// stepAt reports whether a step begins at token i, possibly behind words that lead to it.
func (l *lineReader) stepAt(i int, it *argument) bool {
	k, _ := l.skipLeads(i, l.telling)
	_, status := l.one(k, it)
	return status == parsedStep
}

// properAt reports whether such a step has an action and all its objects.
func (l *lineReader) properAt(i int, it *argument) bool {
	k, _ := l.skipLeads(i, l.telling)
	f, status := l.one(k, it)
	return status == parsedStep && l.proper(&f)
}

// otherStep reports whether a step in formal notation, other than f, begins at token i. A step in words
// may only explain f.
func (l *lineReader) otherStep(f *found, i int, it *argument) bool {
	k, _ := l.skipLeads(i, false)
	g, status := l.one(k, it)
	if l.punct(k) == '(' {
		k++
	}
	return status == parsedStep && l.proper(&g) && !g.same(f) && !l.inWords(k, g.end)
}

// proper reports whether a step has an action of the domain and, for each parameter, an object of the
// problem.
func (l *lineReader) proper(f *found) bool {
	return f.action >= 0 && len(f.args) == l.r.actions[f.action].arity && !slices.ContainsFunc(f.args, func(a argument) bool { return a.object < 0 })
}

// firm reports whether a malformed step at token i can only be meant as one: an object, a noun or the end
// of the line follows its action.
func (l *lineReader) firm(i int) bool {
	if l.punct(i) == '(' {
		return true
	}
	_, end := l.actionName(i)
	n := l.r.root
	for k := i; k < len(l.toks) && l.toks[k].word >= 0; k++ {
		if n = n.find(l.toks[k].word); n == nil {
			break
		}
		end = max(end, k+1)
	}
	w := l.info(end)
	return end >= len(l.toks) || l.punct(end) == '(' || l.objectAt(end) || w.noun || w.class == classLetter || w.class == classIt
}

// caption returns the token after a caption such as "Unstack yellow:" if a step with the same action
// follows, else 0.
func (l *lineReader) caption(i int) int {
	const most = 8
	action, end := l.actionName(i)
	for k := end; action >= 0 && k < i+most; k++ {
		switch l.punct(k) {
		case ':':
			if f, status := l.one(k+1, nil); status == parsedStep && f.name == l.r.actions[action].name {
				return k + 1
			}
			return 0
		case '(', '.', ';':
			return 0
		}
	}
	return 0
}

// moves reports whether the verb before token i describes an action rather than a state: "the robot
// carries a to b".
func (l *lineReader) moves(i int) bool {
	_, end, ok := l.name(i)
	if !ok || l.info(end).class != classJoin || l.wordAt(end, l.r.phrases.and) {
		return false
	}
	_, _, ok = l.name(end + 1)
	return ok
}

// defines reports whether a line explains an action rather than naming a step: "Attack: requires ...",
// "attack requires ...".
func (l *lineReader) defines(i int) bool {
	_, end := l.actionName(i)
	for l.info(end).class == classLabel {
		end++
	}
	if l.info(i).action < 0 && l.info(end).class == classIs {
		for k := end + 1; k <= end+2; k++ {
			if w := l.info(k); w.class == classJoin || w.fact {
				return true // "the robot is now in room0"
			}
		}
	}
	return l.punct(end) == ':' && end+1 < len(l.toks) || l.info(end).class == classVerb && !l.moves(end+1)
}

// negated looks for a word such as "not" in the next tokens and returns the token after it.
func (l *lineReader) negated(i, within int) (int, bool) {
	for k := i; k < len(l.toks) && k < i+within; k++ {
		if l.toks[k].kind == tokPunct && l.toks[k].punct != ',' {
			return 0, false
		}
		if l.info(k).class == classNot && (k == i || l.info(k-1).class == classIs || within <= 4) {
			return k + 1, true
		}
	}
	return 0, false
}

// takesBack reports whether "no wait" or "no," stands at token i: what was said before it is not meant.
func (l *lineReader) takesBack(i int) bool {
	return strings.EqualFold(l.text(i), "no") && (l.punct(i+1) == ',' || strings.EqualFold(l.text(i+1), "wait"))
}

// replacement finds the step that replaces a cancelled one: "..., so put down the red block".
func (l *lineReader) replacement(i int) (int, bool) {
	for k := i; k < len(l.toks) && k < i+16; k++ {
		if p := l.punct(k); (p == ',' || p == ';' || p == '.' || p == '-' || l.toks[k].word == l.r.phrases.so) && l.stepAt(k+1, nil) {
			return k + 1, true
		}
	}
	return 0, false
}

// sequelWord reports whether a line begins with a word that continues a list of steps: "then", "after that".
func (l *lineReader) sequelWord(i int) bool {
	w := l.info(i)
	return w.class == classLead && !l.wordAt(i, l.r.phrases.so) && w.role == roleNone && !l.wordAt(i, l.r.phrases.first) && !l.wordAt(i, l.r.phrases.firstly) || l.wordAt(i, l.r.phrases.after) && l.afterThat(i)
}

// sequel returns the token after words that lead to the next step, "then", "followed by", "2."; 0 for
// other words.
func (l *lineReader) sequel(i int) int {
	t, p := &l.toks[i], &l.r.phrases
	switch q := l.punct(i + 1); {
	case t.kind == tokNumber && (q == ')' || q == '.'):
		return i + 2
	case t.kind == tokNumber:
		return 0
	}
	switch t.word {
	case p.then, p.finally, p.lastly:
		return i + 1
	case p.followed:
		if l.wordAt(i+1, p.by) {
			return i + 2
		}
	}
	return 0
}

// purpose reports whether the words at token i say what a step is for: "to clear the red block", but
// not "to the red block".
func (l *lineReader) purpose(i int) bool {
	if !l.wordAt(i, l.r.phrases.to) || i+1 >= len(l.toks) || l.toks[i+1].kind != tokWord {
		return false
	}
	w := l.info(i + 1)
	_, _, name := l.object(i + 1)
	return !name && !w.noun && w.class == classNone
}

// remarkSign reports whether a sign leads to words about the step before it.
func remarkSign(sign byte) bool { return sign == '-' || sign == ':' || sign == ')' || sign == ']' }

// objectAlone reports whether token i names an object: a letter only if no noun or further word follows.
func (l *lineReader) objectAlone(i int) bool {
	a, end, ok := l.object(i)
	if w := l.info(i); !ok || w.class == classIt {
		return false
	} else if w.class != classLetter {
		return true
	}
	return a.object >= 0 && (end >= len(l.toks) || l.toks[end].kind == tokPunct || l.info(end).class == classSub && l.info(end).role == roleNone)
}

// unknownVerb reports whether a word that the reader knows in no sense may be a verb in an order.
func (l *lineReader) unknownVerb(i int) bool {
	if !l.unknown(i) || l.info(i).action >= 0 {
		return false
	}
	text := l.text(i)
	return len(text) < 5 || !strings.HasSuffix(text, "ing") && !strings.HasSuffix(text, "ly")
}

// unknown reports whether the reader knows a word in no sense but perhaps as an action.
func (l *lineReader) unknown(i int) bool {
	w := l.info(i)
	return i < len(l.toks) && l.toks[i].kind == tokWord && w.class == classNone && !w.fact && !w.noun && w.object < 0 && w.role == roleNone
}

// foreignStep reports whether words that read like a step of another domain stand at token i: an unknown verb and
// an object, "fly c", "and carry ball0 to room1", "then throw c at a".
func (l *lineReader) foreignStep(i int) bool {
	i, _ = l.skipLeads(i, false)
	return l.foreignFrom(i)
}

// foreignFrom is foreignStep for a token to which no words lead.
func (l *lineReader) foreignFrom(i int) bool {
	if i >= len(l.toks) || l.toks[i].kind != tokWord {
		return l.foreignAt(i)
	}
	if l.foreignAt(i) {
		return true
	}
	verb, w := l.unknownVerb(i), l.info(i)
	if !verb && (!w.fact || w.action >= 0 || w.class != classNone) {
		return false
	}
	a, end, ok := l.object(i + 1)
	if !ok || a.object < 0 || !verb && (l.info(end).class != classJoin || l.wordAt(end, l.r.phrases.and)) {
		return false // but "carry ball0 to room1", though carry is a predicate
	}
	if l.info(i+1).class != classLetter || end >= len(l.toks) || l.toks[end].kind == tokPunct || l.objectAlone(end) {
		return true
	}
	c := l.info(end).class
	return c == classJoin || c == classSub && l.info(end).role == roleNone || c == classLead && end+1 == len(l.toks)
}

// foreignAt reports whether a step of no action of the domain, in formal notation and with objects of the task, begins
// at token i: "(fly a b)", "fly(a, b)".
func (l *lineReader) foreignAt(i int) bool {
	switch {
	case l.punct(i) == '(':
		if !l.unknownVerb(i+1) || !l.foreignGroup(i) {
			return false
		}
	case l.punct(i+1) != '(' || !l.unknownVerb(i) || l.toks[i].end != l.toks[i+1].start:
		return false
	}
	a, _, ok := l.object(i + 2)
	return ok && a.object >= 0
}

// foreignCall reports whether an unknown word is called at token i: "fly(a, b)".
func (l *lineReader) foreignCall(i int) bool {
	return l.punct(i+1) == '(' && l.toks[i].end == l.toks[i+1].start && (l.objectAt(i+2) || l.punct(i+2) == ')')
}

// foreignGroup reports whether the parenthesis at token i holds an unknown word and then objects, or is
// never closed: "(fly a b)", "(fly a, b".
func (l *lineReader) foreignGroup(i int) bool {
	if i++; !l.unknown(i) {
		return false
	}
	objects, others := false, false // among the words
	for limit := i + 2*maxArgs; ; {
		if i++; i >= len(l.toks) {
			return true
		}
		switch l.punct(i) {
		case ')':
			return objects && !others
		case '(':
			return !others
		case ',':
			continue
		}
		if i >= limit {
			return false
		}
		known := l.info(i).object >= 0
		objects, others = objects || known, others || !known
	}
}

// foreignItem reports whether an item of a list within a line begins at token i with an unknown word and
// an object: "2. fly b", "② fly b".
func (l *lineReader) foreignItem(i int) bool {
	switch {
	case l.numberAhead(i) && (l.punct(i+1) == '.' || l.punct(i+1) == ')') && l.punct(i-1) != '(' && l.punct(i-1) != '=':
		i += 2
	case i < len(l.toks) && l.line[l.toks[i].start] >= 0x80 && l.circled(i) > 0:
		i++
	default:
		return false
	}
	return !l.info(i).sentence && l.foreignStep(i)
}

// factCall reports whether a fact in call notation, "On(a, b)", stands at token i.
func (l *lineReader) factCall(i int) bool {
	return l.info(i).fact && l.info(i).action < 0 && l.punct(i+1) == '(' && l.toks[i].end == l.toks[i+1].start && l.closing(i+1) > 0
}

// hides reports whether something that resembles a step stands between step f and the next one, at
// token next.
func (l *lineReader) hides(f *found, next int) bool {
	for i := f.end; i < next; i++ {
		if l.foreignItem(i) {
			return true
		}
		if l.factCall(i) {
			i = l.closing(i+1) - 1
			continue
		}
		if l.bracket(i) && (l.groupHead(i) >= next || l.closing(i) > next) {
			return false // around the next step
		}
		if f.formal() && l.bracket(i) && l.groupHead(i) >= 0 && l.groupLikeness(opening{at: i}) == likeStep {
			return true
		}
		if !f.formal() && l.punct(i) == '(' {
			if l.foreignAt(i) {
				return true // (fly b)
			}
			if k := l.closing(i); k > 0 {
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

// trails reports whether a step that cannot be read follows step f with only signs between:
// "(pick-up a) => (stack a".
func (l *lineReader) trails(f *found) bool {
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
	if f.paren && l.stepAt(i, it) {
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
		k, then = name+1, then || l.wordAt(name, l.r.phrases.then)
	}
	g, status := l.one(k, it)
	within := !slices.ContainsFunc(g.args, func(a argument) bool { // words about the objects of the step explain it
		return !slices.ContainsFunc(f.args, func(b argument) bool { return a.object == b.object })
	})
	if status != parsedStep || g.same(f) || !then && l.inWords(name, g.end) && within {
		return 0
	}
	return k
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
	for end := l.closing(i); i < end; i++ {
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
	return l.closing(i) == 0 && w.class == classNone && !w.fact && !w.noun && w.object < 0 && len(l.toks) < i+maxDecoration
}
