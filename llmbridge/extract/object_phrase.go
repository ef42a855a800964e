package extract

import "strings"

// object reads an object phrase at token i: a name, possibly with a noun before or after it, possibly
// in brackets or quotes. It returns the token after it.
func (l *lineReader) object(i int) (argument, int, bool) {
	closing := closer(l.punct(i))
	if closing != 0 {
		a, end, ok := l.name(i + 1)
		if ok && l.punct(end) == closing {
			if w := l.info(end + 1); w.noun && w.object < 0 {
				end++ // the "red" block
			}
			return a, end + 1, true
		}
		return argument{}, i, false
	}
	return l.name(i)
}

// closer returns the sign that closes a bracket or a quotation, 0 for other signs.
func closer(sign byte) byte {
	switch sign {
	case '(':
		return ')'
	case '[', '{', '<':
		return sign + 2
	case '"', '\'':
		return sign
	}
	return 0
}

// name reads an object phrase without brackets.
func (l *lineReader) name(i int) (argument, int, bool) {
	if i >= len(l.toks) || l.toks[i].kind == tokPunct {
		return argument{}, i, false
	}
	w := l.info(i)
	next := l.info(i + 1)
	if w.noun {
		// "object a", "package 0", "block red".
		if i+1 < len(l.toks) && l.line[l.toks[i+1].start] <= '9' && l.line[l.toks[i+1].start] >= '0' {
			if a, end, ok := l.numberedName(i); ok {
				return a, end, true
			}
		}
		if next.object >= 0 && !(next.noun && w.object >= 0) {
			return l.argument(next.object, i+1), i + 2, true
		}
	}
	if w.object >= 0 {
		// "a block" is any block, and so is "a clear block"; "a" is an object.
		if w.class == classLetter && next.object < 0 && (next.noun || next.fact && l.info(i+2).noun && l.info(i+2).object < 0) {
			return argument{}, i, false
		}
		end := i + 1
		if next.noun && next.object < 0 {
			end++ // "red block"
		}
		return l.argument(w.object, i), end, true
	}
	if l.toks[i].word < 0 && l.toks[i].kind == tokWord {
		// A name in the style of the domain, of an object it does not have.
		t := l.text(i)
		if endsInDigit(t) {
			if k := strings.IndexByte(t, '_'); k > 0 && l.r.word(t[:k]).noun {
				return l.argument(-1, i), i + 1, true
			}
		}
		if next.noun && next.object < 0 && next.action < 0 {
			return l.argument(-1, i), i + 2, true // "the purple block"
		}
	}
	return argument{}, i, false
}

// formalName reads an object phrase in a list of arguments. There a word that is both an object and a
// noun is the object, so that (grasp cart x0) has two arguments.
func (l *lineReader) formalName(i int) (argument, int, bool) {
	if w := l.info(i); w.noun && w.object >= 0 && l.info(i+1).object >= 0 {
		return l.argument(w.object, i), i + 1, true
	}
	return l.name(i)
}

// formalObject is formalName for phrases that may stand in brackets.
func (l *lineReader) formalObject(i int) (argument, int, bool) {
	if l.punct(i) == 0 {
		return l.formalName(i)
	}
	return l.object(i)
}

// numberedName reads "package 0" and "location 0-1".
func (l *lineReader) numberedName(i int) (argument, int, bool) {
	b := append(append(append(l.step[:0], l.text(i)...), '_'), l.text(i+1)...)
	for k := range b {
		if b[k] == '-' {
			b[k] = '_'
		}
	}
	l.step = b
	name := string(b)
	object := l.r.word(name).object
	return argument{object, l.toks[i].start, l.toks[i+1].end}, i + 2, object >= 0
}

func (l *lineReader) argument(object int32, tok int) argument {
	return argument{object, l.toks[tok].start, l.toks[tok].end}
}
