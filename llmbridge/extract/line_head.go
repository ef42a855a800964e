package extract

import "strings"

// lineHead is what stands before the content of a line: indentation, number, bullet.
type lineHead struct {
	style   lineStyle
	number  int32
	indent  int16
	label   bool     // "Step 3" rather than "3."
	heading bool     // "#", or bold from end to end
	stamp   [2]int32 // bytes of a time stamp in the cleaned line
	at      int      // first token of the content
}

// head reads the indentation, quote signs, bullet, "#", emphasis and number of the raw line.
func (l *lineReader) head(raw string) lineHead {
	var h lineHead
	i := 0
	for ; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == ' ':
			h.indent++
		case c == '\t':
			h.indent += 4
		case c == 0xc2 && strings.HasPrefix(raw[i:], "\u00a0"):
			h.indent++
			i++
		case c == '>' || c == '|':
		default:
			goto content
		}
		if h.indent > 1000 {
			h.indent = 1000
		}
	}
content:
	rest := raw[i:]
	bullet := len(rest) > 1 && strings.IndexByte("-*+", rest[0]) >= 0 && (rest[1] == ' ' || rest[1] == '\t')
	if bullet || rest != "" && (rest[0] == '\\' || rest[0] >= 0x80) && (strings.HasPrefix(rest, "•") || strings.HasPrefix(rest, `\item`)) {
		h.style = styleBullet
	}
	bold := strings.HasPrefix(rest, "**") && strings.HasSuffix(strings.TrimRight(rest, " :."), "**")
	h.heading = strings.HasPrefix(rest, "#") && !numberSign(rest) || bold
	if l.punct(0) != 0 {
		l.contentHead(&h)
	}
	l.numberHead(&h)
	if h.style != styleNumber && l.letterHead(h.at) {
		h.style, h.at = styleBullet, h.at+2
	} else if h.style == styleBare && l.punct(h.at) == '(' && h.at+1 < len(l.toks) && l.letterHead(h.at+1) && l.punct(h.at+2) == ')' {
		h.style, h.at = styleBullet, h.at+3 // (a) (stack a b)
	}
	l.itemised = h.style != styleBare
	return h
}

// letterHead reports whether "a)" or "iv." stands before a step at token i.
func (l *lineReader) letterHead(i int) bool {
	if p := l.punct(i + 1); p != ')' && p != '.' || l.toks[i].kind != tokWord || l.toks[i].end-l.toks[i].start > 4 {
		return false
	}
	return l.info(i).action < 0 && (l.punct(i+2) == '(' || l.beginsStep(i+2) || l.foreignStep(i+2) || l.foreignAt(i+2))
}

// numberHead reads "3.", "(3)", "Step 3:", "Action 3 -", "0.000:".
func (l *lineReader) numberHead(h *lineHead) {
	i := h.at
	open := l.punct(i) == '(' || l.punct(i) == '['
	if open {
		i++
	}
	label, k := false, i+1
	if l.punct(k) == '#' {
		k++ // Step #1
	}
	if l.numberAhead(k) {
		if w := l.info(i); w.class == classLabel && (!open || w.action < 0) && (w.action < 0 || l.info(k).object < 0 || l.punct(k+1) == ':') {
			i, label = k, true
		}
	}
	if !l.numberAhead(i) {
		if i < len(l.toks) && l.line[l.toks[i].start] >= 0x80 {
			if n := l.circled(i); n > 0 {
				h.style, h.number, h.at = styleNumber, n, i+1
			}
		}
		return
	}
	n := l.value(i)
	if n < 0 {
		return
	}
	k = i + 1
	for l.punct(k) == '.' && l.numberAhead(k+1) { // 1.2, 0.000
		k += 2
	}
	if !open && l.punct(k) == ':' {
		h.stamp = [2]int32{l.toks[i].start, l.toks[k].start} // 0.5:
	}
	switch p := l.punct(k); {
	case open && (p == ')' || p == ']'), !open && (p == '.' || p == ')' || p == ':' || p == '|' || p == '-'):
		k++
		for l.punct(k) == '.' || l.punct(k) == ')' || l.punct(k) == ':' || l.punct(k) == '|' {
			k++
		}
	case label:
	case !open && l.signAfter(k) > 0:
		k = l.signAfter(k)
	case !open && (l.info(i).object < 0 || l.info(k).action >= 0 || p == '(' || l.foreignStep(k)) && (p == '(' || l.beginsStep(k) || l.foreignStep(k)), p == ',' && l.beginsStep(k+1):
	default:
		return
	}
	h.style, h.number, h.at, h.label = styleNumber, n, k, label
	if l.r.timed && h.stamp[1] > 0 {
		h.style = styleBullet // times need not go up
	}
}

// signAfter returns the token after the sign that stands at token i, between a number and a step: "1] (a b)", "1 =>
// (a b)", "1/ fly a". It returns 0 if there is none.
func (l *lineReader) signAfter(i int) int {
	k := i
	for k < i+3 && k < len(l.toks) && l.toks[k].kind == tokPunct && strings.IndexByte("]/;>=,.-", l.punct(k)) >= 0 {
		k++
	}
	if k == i || k == len(l.toks) || l.punct(k) != '(' && !l.beginsStep(k) && !l.foreignStep(k) && !l.foreignAt(k) {
		return 0
	}
	return k
}

// value returns the value of the number at token i, -1 if it is too large.
func (l *lineReader) value(i int) int32 {
	n := int32(0)
	for _, c := range l.text(i) {
		if n = n*10 + int32(c-'0'); n > 1<<24 {
			return -1
		}
	}
	return n
}
