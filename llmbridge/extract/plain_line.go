package extract

// Most lines of a plan hold one step and nothing else. They are read here, as read and readSteps would, with far less
// code: reading is bounded by how much of it the processor's cache holds.

// readPlain reads a line that has nothing but a step in PDDL or in one of the domain's sentences, perhaps behind the number
// that numberBefore found. It reports whether the line is one; the others are left to read.
func (o *outline) readPlain(l *lineReading, number int32) bool {
	i := 0
	if o.r.timed || o.r.odd || o.tags != (lineTags{}) {
		return false
	}
	if number > 0 {
		if i = 2; o.punct(1) != '.' || o.numberAhead(2) || o.leadsOn(o.r.alters, 2) {
			return false
		}
	}
	if o.numberAhead(i+1) || i == 0 && o.numberAhead(2) {
		return false // perhaps a number of the line
	}
	var res lineResult
	if !o.plainSentence(i, &res) && !o.plainStep(i, &res) {
		return false
	}
	o.itemised = number > 0
	e := l.entry
	*e = entry{number: number}
	if number > 0 {
		e.style = styleNumber
	}
	e.itemFlags = res.itemFlags
	l.item(o.out...)
	return true
}

// plainSentence reads a line that is one of the domain's sentences and nothing else, "Stack red on blue.". It reports
// whether there is one at token i; res is empty.
func (l *lineReader) plainSentence(i int, res *lineResult) bool {
	w := l.info(i)
	if l.subject = false; !w.sentence || l.punct(i+1) != 0 || l.seen&hasTimes != 0 || w.action < 0 && (w.class != classNone || w.gerund > 0 || l.acts(i+1)) {
		return false
	}
	s := l.matchSentence(i, nil)
	if s == nil || s.end < len(l.toks)-1 || s.end < len(l.toks) && l.punct(s.end) != '.' {
		return false
	}
	if action, end := l.actionName(i); action >= 0 && end >= s.end {
		return false
	}
	f, ok := l.complete(s)
	if !ok {
		return false
	}
	l.plain(&f, res)
	return true
}

// plainStep reads a line that is a step in PDDL and nothing else, (stack a b). It reports whether there is one at token
// i; res is empty.
func (l *lineReader) plainStep(i int, res *lineResult) bool {
	end := len(l.toks) - 1
	if l.punct(i) != '(' || l.punct(end) != ')' || end-i-2 > maxArgs || len(l.r.root.slots) > 0 || l.seen&hasTimes != 0 || l.tags.denied {
		return false
	}
	w := l.info(i + 1)
	if w.action < 0 {
		return false
	}
	if w.sentence {
		if s := l.matchSentence(i+1, nil); s != nil && s.end == end {
			return false
		}
	}
	f := found{action: w.action, name: l.r.actions[w.action].name, args: l.newArgs(), paren: true}
	for k := i + 2; k < end; k++ {
		w := l.info(k)
		if w.object < 0 || w.noun {
			return false
		}
		f.args = append(f.args, l.argument(w.object, k))
	}
	f.end = end + 1
	l.plain(&f, res)
	return true
}

// plain makes a step all that is read from a line.
func (l *lineReader) plain(f *found, res *lineResult) {
	l.out, l.telling, l.cells, l.subject, l.gerunds, l.behind = append(l.out[:0], l.format(f)), false, cellSpan{}, false, false, false
	res.steps, res.end, res.verb, res.formal = 1, f.end, true, f.paren
}
