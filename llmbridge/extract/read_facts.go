package extract

import "slices"

// stateScan finds the facts of a text, line by line.
type stateScan struct {
	lineReader
	run, best stateRun
	heading   stateHeading // above the current run
	runs      int          // with a fact
	final     bool         // a heading or a marker calls a state final
	closed    bool         // a marker ends the best run, which is final
}

// readFacts adds to the current run the facts from token i to the end of the line.
func (sc *stateScan) readFacts(i int) {
	for i < len(sc.toks) {
		f, ok := sc.factAt(i)
		if !ok {
			i++
			continue
		}
		text := sc.format(&f)
		known := f.name != ""
		if !known {
			text = "(" + sc.line[sc.toks[i+1].start:sc.toks[f.end-1].end]
		}
		for _, a := range f.args {
			known = known && a.object >= 0
		}
		switch {
		case !known:
			sc.run.odd = append(sc.run.odd, oneLine(text))
		case sc.denies(i, f.end):
			sc.run.denied = append(sc.run.denied, text)
		default:
			sc.run.facts = append(sc.run.facts, text)
		}
		i = f.end
	}
}

// factAt reads the longest fact that begins at token i.
func (sc *stateScan) factAt(i int) (best found, ok bool) {
	if sc.punct(i) == '(' {
		f, status := sc.parenthesised(i)
		if status != parsedStep {
			return f, false
		}
		k := sc.r.lookup(f.name)
		if k < 0 || sc.r.info[k].action < 0 || sc.r.actions[sc.r.info[k].action].arity != len(f.args) {
			if sc.denyingWord(i + 1) {
				return f, false // (not (on a b)): the inner fact is read next
			}
			f.name = "" // not a fact of the task
		}
		return f, true
	}
	if sc.toks[i].kind == tokPunct {
		return best, false
	}
	if s := sc.matchSentence(i, nil); s != nil {
		if best, ok = sc.complete(s); ok {
			best.args = slices.Clone(best.args)
		}
	}
	action, at := sc.actionName(i)
	if action < 0 || ok && best.end >= at+sc.r.actions[action].arity {
		return best, ok
	}
	f, status := found{}, parsedNone
	if sc.punct(at) == '(' {
		f, status = sc.call(action, at, ')')
	} else {
		f, status = sc.prefix(action, i, at)
	}
	if status == parsedStep && len(f.args) == sc.r.actions[action].arity && f.end > best.end {
		return f, true
	}
	return best, ok
}

// prefix reads "on a b", or a fact without arguments that stands alone.
func (sc *stateScan) prefix(action int32, i, at int) (found, parsed) {
	a := &sc.r.actions[action]
	f := found{action: action, name: a.name, args: sc.newArgs(), end: at}
	if a.arity == 0 {
		if (i == 0 || sc.joint(i-1)) && (at == len(sc.toks) || sc.joint(at)) {
			return f, parsedStep
		}
		return f, parsedNone
	}
	for len(f.args) < a.arity {
		arg, end, ok := sc.formalObject(f.end)
		if !ok || arg.object < 0 {
			return f, parsedNone
		}
		f.args, f.end = append(f.args, arg), end
	}
	return f, parsedStep
}

// joint reports whether token i separates facts: a sign, a number or "and".
func (sc *stateScan) joint(i int) bool {
	t := &sc.toks[i]
	return t.kind != tokWord || t.word == wordAnd || t.word >= 0 && sc.r.info[t.word].class == classLead
}

// denies reports whether the words around a fact deny it.
func (sc *stateScan) denies(start, end int) bool {
	for k := start - 1; k >= 0 && k >= start-8; k-- {
		if p := sc.punct(k); p == ',' || p == ';' || p == '.' || p == ':' || p == ')' {
			break
		}
		if sc.toks[k].word == wordAnd {
			break
		}
		if sc.denyingWord(k) {
			return true
		}
	}
	for k := end; k < len(sc.toks) && k < end+4; k++ {
		switch p := sc.punct(k); p {
		case ',', ';', '.', '(':
			return false
		}
		if sc.denyingWord(k) || sc.toks[k].kind == tokWord && sc.says(k, "false") {
			return true
		}
		if _, ok := sc.factAt(k); ok {
			return false
		}
	}
	return false
}

func (sc *stateScan) denyingWord(k int) bool {
	c := sc.info(k).class
	return c == classNot || c == classNo
}
