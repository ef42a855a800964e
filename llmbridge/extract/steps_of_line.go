package extract

import "strings"

// lineResult says what readSteps found; the steps themselves are in lineReader.out.
type lineResult struct {
	steps     int
	end       int  // token after the last step
	bad       bool // a malformed step among them
	cancelled bool // the line takes a step back
	verb      bool // the line begins like a step
	told      bool // the line talks about its first step: "we then attack object c"
	firm      bool // the malformed step can only be meant as one: "stack red under", not "stack your bets"
	label     bool // a label stands before the first step: "Action: attack c"
	action    bool // "Action:" or the like stands before the first step, which is proper
	formal    bool // the first step is in parentheses, or a call
	proper    bool // the first step has an action of the domain and all its objects
}

// leads says what kinds of words stand before a step.
type leads struct{ told, label bool }

// skipLeads skips words that may stand before a step, "then", "finally,", "perform the action", and
// numbers and punctuation. Words that only talk about a step ("we can attack") are skipped if tell is
// set.
func (l *lineReader) skipLeads(i int, tell bool) (at int, had leads) {
	for start := i; i < len(l.toks) && i < start+8; {
		t := &l.toks[i]
		w := l.info(i)
		if l.subject && w.third > 0 {
			t.word, w = w.third, &l.r.info[w.third] // "..., puts down b"
		}
		switch {
		case w.action < 0 && w.object < 0 && !w.noun && l.info(i+1).third > 0 && receivers[strings.ToLower(l.text(i))]:
			l.subject, had.told = true, true
			i++
		case t.kind == tokPunct && t.punct == '(' && l.wrapper(i):
			i += 2
		case w.action >= 0 || l.beginsSentence(i) && w.class != classLead && w.class != classDo:
			if l.punct(i+1) == '.' {
				i = max(i, l.receiver(i))
			}
			return i, had
		case l.wordAt(i, l.r.phrases.after) && (l.wordAt(i+1, l.r.phrases.that) || l.wordAt(i+1, l.r.phrases.this)):
			i += 2 // "after that, ..."
		case w.class == classTell && tell:
			had.told = true
			i++
		case w.class == classLead || w.class == classDo || w.class == classAdverb:
			i++
		case w.class == classLabel && (l.punct(i+1) == ':' || l.info(i-1).class == classDo || l.numberAhead(i+1)):
			had.label = true
			i++
		case t.kind == tokNumber && (l.punct(i+1) == '.' || l.punct(i+1) == ')' || l.punct(i+1) == ':'):
			i += 2
		case t.punct == '(' && l.numberAhead(i+1) && l.punct(i+2) == ')':
			i += 3
		case t.punct == '<' && l.markup(i) > 0: // <li>
			i = l.markup(i)
		case t.kind == tokPunct && (t.punct == ',' || t.punct == ':' || t.punct == '"' || t.punct == '-' || t.punct == '>' || t.punct == '[' || t.punct == '\'' || t.punct == '{'):
			i++
		default:
			k := 0
			switch {
			case w.class == classJoin || w.class == classSub:
				k = l.leadPhrase(i)
			case i+1 < len(l.toks) && l.toks[i+1].punct == '.':
				k = l.receiver(i)
			}
			if k == 0 {
				return i, had
			}
			i = k
		}
	}
	return i, had
}

// wrapper reports whether the bracket at token i encloses steps rather than a step, as in
// "(plan (stack a b) (put-down c))".
func (l *lineReader) wrapper(i int) bool {
	w := l.info(i + 1)
	return (w.role == roleCommit || w.class == classWrap) && w.action < 0 && !w.fact && l.punct(i+2) == '('
}

func (l *lineReader) numberAhead(i int) bool {
	return i >= 0 && i < len(l.toks) && l.toks[i].kind == tokNumber
}

// readSteps reads the steps from token i to the end of the line into l.out.
func (l *lineReader) readSteps(i int) (res lineResult) {
	if res = l.stepsFrom(i); res.steps > 0 && l.multiplied() {
		l.out = append(l.out[:0], readStep{malformed: true})
		res.steps, res.bad, res.firm = 0, true, true
	}
	return res
}

// multiplied reports whether the line says that a step is done more than once: "twice", "x2", "3 times".
func (l *lineReader) multiplied() bool {
	for k := range l.toks {
		w := l.info(k)
		if w.class == classTimes && w.action < 0 && w.object < 0 && (k > 2 || l.punct(k+1) != ':') { // but "Repeat: ..."
			return true
		}
		if t := &l.toks[k]; t.kind == tokWord && t.word < 0 && timesWord(l.text(k)) {
			return true
		}
	}
	return false
}

// timesWord reports whether a word is a factor: "x2", "2x", "×3".
func timesWord(w string) bool {
	w = strings.ReplaceAll(strings.ToLower(w), "×", "x")
	digits := strings.Trim(w, "x")
	return digits != "" && len(w) == len(digits)+1 && strings.Trim(digits, "0123456789") == ""
}

// stepsFrom is readSteps for lines that do each step once.
func (l *lineReader) stepsFrom(i int) (res lineResult) {
	l.out, l.telling, l.cells, l.subject = l.out[:0], false, false, false
	var it *argument // the first object of the step before
	var first argument
	more, formal := false, false // a step was read; it was in formal notation
	last := ""                   // that step
	for {
		k, had := l.skipLeads(i, !more || l.telling)
		f, status := l.one(k, it)
		l.telling = l.telling || had.told
		res.told, res.label = res.told || had.told, res.label || had.label && !more
		if status == parsedNone {
			return res
		}
		if status == parsedBad {
			if more {
				return res // what follows a step may be a remark
			}
			if l.defines(k) {
				return res
			}
			if next := l.caption(k); next > 0 {
				i = next
				continue
			}
			res.verb = true
			if at, ok := l.negated(k+1, 12); ok {
				res.cancelled = true
				if i, ok = l.replacement(at); ok {
					continue
				}
				return res
			}
			res.bad, res.firm, res.formal = true, l.firm(k), l.punct(k) == '(' || l.bracket(k-1) || l.calls(k)
			l.out = append(l.out, readStep{malformed: true})
			return res
		}
		res.verb = true
		if !more {
			res.formal = f.formal() || l.bracket(k-1) || l.calls(k)
			res.proper = l.proper(&f)
			res.action = had.label && res.proper
		}
		// Reading ahead reuses the buffers of the arguments.
		text := l.format(&f)
		if it = nil; len(f.args) > 0 {
			first = f.args[0]
			it = &first
		}
		t, next := l.tail(&f, it)
		if t == tailMore && l.skipsStep(&f, next) || t == tailRemark && l.trailsStep(&f) {
			t = tailBad
		}
		switch t {
		case tailCancel:
			res.cancelled = true
			var ok bool
			if i, ok = l.replacement(next); !ok {
				return res
			}
			continue
		case tailBad:
			res.bad, res.firm = true, true
			l.out = append(l.out, readStep{malformed: true})
			return res
		}
		written := f.formal() || l.calls(k)
		if more && formal && !written && (l.out[len(l.out)-1].text == text || restates(last, text)) {
			// "Stack(a, b): stack a on b" says one step twice, "(paint n k) - paint n" some of it.
		} else {
			last = text
			l.out = append(l.out, readStep{text: text})
			res.steps++
		}
		formal = written
		res.end = f.end
		if t != tailMore {
			return res
		}
		i, more = next, true
	}
}

// restates reports whether a step has the action and the first arguments of another, and fewer of them.
func restates(full, part string) bool {
	return strings.HasPrefix(full, strings.TrimSuffix(part, ")")+" ")
}

// calls reports whether the action's name at token i is followed by a parenthesis.
func (l *lineReader) calls(i int) bool {
	_, end := l.actionName(i)
	return l.punct(end) == '(' || l.punct(end) == '}' && l.punct(end+1) == '('
}

// stepAt reports whether a step begins at token i, possibly behind words that lead to it.
func (l *lineReader) stepAt(i int, it *argument) bool {
	k, _ := l.skipLeads(i, l.telling)
	_, status := l.one(k, it)
	return status == parsedStep
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
	if end >= len(l.toks) || l.punct(end) == '(' {
		return true
	}
	w := l.info(end)
	_, _, ok := l.object(end)
	return ok || w.noun || w.class == classLetter || w.class == classIt
}

// caption returns the token after a caption such as "Unstack yellow:" if a step with the same action
// follows, else 0.
func (l *lineReader) caption(i int) int {
	action, end := l.actionName(i)
	for k := end; action >= 0 && k < i+maxCaption; k++ {
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

// maxCaption bounds the tokens of a caption.
const maxCaption = 8

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
		w := l.info(k)
		if w.class == classNot && (k == i || l.info(k-1).class == classIs || within <= 4) {
			return k + 1, true
		}
	}
	return 0, false
}

// replacement finds the step that replaces a cancelled one: "..., so put down the red block".
func (l *lineReader) replacement(i int) (int, bool) {
	for k := i; k < len(l.toks) && k < i+16; k++ {
		if p := l.punct(k); p == ',' || p == ';' || p == '.' || p == '-' || l.toks[k].word == l.r.phrases.so {
			if l.stepAt(k+1, nil) {
				return k + 1, true
			}
		}
	}
	return 0, false
}

// imperative reports whether a line reads like a step of another domain: an unknown word and then an
// object. "Throw the red block" is no remark.
func (l *lineReader) imperative(i int, numbered bool) bool {
	i, had := l.skipLeads(i, true)
	if had.told || i >= len(l.toks) || l.toks[i].kind != tokWord {
		return false
	}
	if w := l.info(i); w.class != classNone || w.fact || w.noun || w.object >= 0 || w.role != roleNone {
		return false
	}
	a, end, ok := l.object(i + 1)
	if !ok || a.object < 0 {
		return false
	}
	// "throw a b", not "such a mess".
	for ok && end < len(l.toks) {
		_, end, ok = l.object(end)
	}
	return ok || numbered || l.info(i+1).class != classLetter
}

// sequelWord reports whether a line begins with a word that continues a list of steps: "then", "after that".
func (l *lineReader) sequelWord(i int) bool {
	w := l.info(i)
	return w.class == classLead && !l.wordAt(i, l.r.phrases.so) && w.role == roleNone && !strings.HasPrefix(strings.ToLower(l.text(i)), "first") || l.wordAt(i, l.r.phrases.after) && (l.wordAt(i+1, l.r.phrases.that) || l.wordAt(i+1, l.r.phrases.this))
}

// verbless reports whether a line names objects and says nothing about them: "red block onto blue block"
// is meant as a step but names none.
func (l *lineReader) verbless(i int) bool {
	objects := false
	for ; i < len(l.toks); i++ {
		w := l.info(i)
		switch {
		case w.fact && w.class != classJoin || w.action >= 0 || l.punct(i) == ':':
			return false
		case w.class == classIs || w.class == classVerb && !l.moves(i+1) || w.class == classNot || w.class == classNo || w.class == classTell || w.class == classSub:
			return false
		}
		if a, end, ok := l.object(i); ok && a.object >= 0 && w.class != classLetter {
			objects, i = true, end-1
		}
	}
	return objects
}
