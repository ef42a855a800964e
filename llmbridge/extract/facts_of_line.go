package extract

// Lines that state facts rather than steps: "Crave(a, b) is true", "On(a, b), Clear(a)", "Final state: ...".

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
		case w.class == classIs,
			w.fact && (l.punct(i-1) == ',' || l.wordAt(i-1, wordAnd)) && (i+1 == len(l.toks) || l.toks[i+1].kind == tokPunct): // "Crave(a, b), Pain(a)"
			said = true
		case p == '(':
			i = l.closingOf(i)
		case p == ',' || p == '"' || w.fact || l.wordAt(i, wordAnd) || l.punct(i+1) == '(':
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
		if l.info(i).class == classLabel || l.wordAt(i, wordNext) || l.in(i, doneWords) {
			return true
		}
	}
	return false
}

// factsOnly reports whether a line is only facts in call notation: "On(a, b), Clear(a)".
func (l *lineReader) factsOnly(i int) bool {
	for i < len(l.toks) {
		switch p := l.punct(i); {
		case l.factCall(i):
			i = l.closingOf(i + 1)
		case p == ',' || p == ';' || p == '.' || l.wordAt(i, wordAnd) || l.info(i).fact && l.info(i).action < 0:
			i++
		default:
			return false
		}
	}
	return true
}

// saysState reports whether a label that announces a state, "Final State:", "Preconditions:", begins a line that names
// no action.
func (l *lineReader) saysState(i int) bool {
	if l.info(i).role != roleState {
		i++ // final, current, resulting
	}
	if l.info(i).role != roleState {
		return false
	}
	for end := i + fewWords; i < end; i++ { // "State after step 2:"
		switch {
		case l.punct(i+1) == ':': // but "State 4: throw a b"
			return !(l.numberAhead(i) && l.unknownVerb(i+2) && l.foreignFrom(i+2)) &&
				!l.any(i+2, len(l.toks), func(w *wordInfo) bool { return w.action >= 0 })
		case l.punct(i+1) != 0 || l.info(i+1).step:
			return false
		}
	}
	return false
}

// states reports whether a line says how things are, "The hand is empty now.", "Goal reached", and orders nothing.
func (l *lineReader) states(i int) bool {
	if l.info(i).class == classIf {
		return false // "if desired, add milk"
	}
	for first := i; i < len(l.toks); i++ {
		w := l.info(i)
		if i == first && w.class == classVerb && !l.tells(i) || w.class == classMeasure && i > first+1 && (l.numberAhead(i-1) || l.info(i-1).class == classLetter) {
			continue // "add milk", "wait 3 minutes"
		}
		if w.class == classIs || w.class == classVerb || w.class == classMeasure {
			return true
		}
	}
	return false
}
