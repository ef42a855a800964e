package extract

// opening is the bracket or call with which the content of a line begins.
type opening struct {
	at       int  // the bracket, or the name before it; -1 if words come first
	harmless bool // nothing before it has a meaning
	call     bool
}

// maxDecoration bounds the tokens that are skipped in search of a bracket.
const maxDecoration = 16

// opening finds the bracket with which the content of a line begins, behind labels, tags and signs.
func (l *lineReader) opening(i int) opening {
	o := opening{at: -1, harmless: true}
	for limit := i + maxDecoration; i < len(l.toks) && i < limit; {
		t := &l.toks[i]
		if t.kind == tokPunct {
			switch t.punct {
			case '(':
				if l.punct(i+1) != '(' {
					o.at = i
					return o
				}
			case '[', '{':
				if l.groupAction(i) {
					o.at, o.harmless = i, false
					return o
				}
			case '<':
				if end := l.tagEnd(i); end > 0 {
					i = end
					continue
				}
			case '>', '=', '-', '|', '.', ',', ':', '+', '\'', '"', '&':
			default:
				o.harmless = false
			}
			i++
			continue
		}
		w := l.info(i)
		p := l.punct(i + 1)
		switch sign, plain := l.signWord(i); {
		case sign:
			o.harmless = o.harmless && plain
			i++
		case p == '(' && l.toks[i].end == l.toks[i+1].start && (w.action >= 0 || w.class == classNone && w.role == roleNone):
			o.at, o.harmless, o.call = i, false, true
			return o
		case p == ':' || t.kind == tokNumber && (p == '.' || p == ')' || p == ';'):
			i += 2
		case p == ')' && t.end-t.start <= 2 && w.action < 0 && i+maxDecoration == limit: // a)
			i += 2
		case w.class == classLabel && l.numberAhead(i+1):
			i += 2
		case w.class == classLabel || w.class == classLead || w.class == classDo:
			i++
		default:
			return o
		}
	}
	return o
}

// signWord reports whether word i is made of signs only. It is plain if these are underscores, that is
// emphasis, and else has characters beyond ASCII.
func (l *lineReader) signWord(i int) (sign, plain bool) {
	plain = true
	for _, c := range []byte(l.text(i)) {
		if c != '_' && c < 0x80 {
			return false, false
		}
		plain = plain && c == '_'
	}
	return true, plain
}

// tagEnd returns the token after the tag that begins at token i, or 0.
func (l *lineReader) tagEnd(i int) int {
	i++
	if l.punct(i) == '/' {
		i++
	}
	if i >= len(l.toks) || l.toks[i].kind == tokPunct {
		return 0
	}
	i++
	for limit := i + maxDecoration; i < limit && l.attribute(i); {
		i += 5
	}
	if l.punct(i) == '/' {
		i++
	}
	if l.punct(i) != '>' {
		return 0
	}
	return i + 1
}

// attribute reports whether an attribute such as n="1" stands at token i, whose value is one word and
// no name of the task.
func (l *lineReader) attribute(i int) bool {
	q := l.punct(i + 2)
	return i < len(l.toks) && l.toks[i].kind == tokWord && l.punct(i+1) == '=' && (q == '"' || q == '\'') && l.punct(i+4) == q &&
		l.toks[i+3].kind != tokPunct && l.info(i+3).action < 0 && l.info(i+3).object < 0
}

// groupHead returns the first word after the bracket at token i, behind further brackets, quotes and a
// colon; -1 if it is not within a few tokens.
func (l *lineReader) groupHead(i int) int {
	limit := i + maxDecoration
	for i++; i < len(l.toks) && i < limit; i++ {
		switch l.punct(i) {
		case 0:
			return i
		case '(', '[', '{', '"', '\'', ':':
		default:
			return -1
		}
	}
	return -1
}

// groupAction reports whether the bracket at token i is followed by an action.
func (l *lineReader) groupAction(i int) bool {
	k := l.groupHead(i)
	if k < 0 || k > i+4 {
		return false
	}
	for l.info(k).class == classLead && l.info(k).action < 0 {
		k++ // "(then stack a b)"
	}
	action, _ := l.actionName(k)
	return action >= 0
}

// decorated reads the steps of a line whose first bracket stands behind decoration without meaning:
// "<action>(stack a b)</action>", "t1: (stack a b)".
func (l *lineReader) decorated(i int) lineResult {
	o := l.opening(i)
	if o.at < 0 || !o.harmless || l.punct(o.at) != '(' {
		return lineResult{}
	}
	if k := l.groupHead(o.at); k != o.at+1 {
		return lineResult{}
	}
	return l.readSteps(o.at)
}
