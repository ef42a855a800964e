package extract

import (
	"strconv"
	"strings"
)

// lineHead is what stands before the content of a line: indentation, number, bullet.
type lineHead struct {
	style   lineStyle
	number  int32
	indent  int16
	label   bool     // "Step 3" rather than "3."
	heading bool     // "#", or bold from end to end
	italic  bool     // all of it is emphasised, as a title of steps may be
	stamp   [2]int32 // bytes of a time stamp in the cleaned line
	at      int      // first token of the content
}

var (
	bulletSigns = signsIn("-*+")
	headSigns   = signsIn(">|#-+&=") // stand before the number of a line
	afterNumber = signsIn("]/;>=,.-")
	openSigns   = signsIn("([{\"'")
)

// head reads the indentation, quote signs, bullet, "#", emphasis and number of the raw line into an empty head.
func (l *lineReader) head(raw string, h *lineHead) {
	i := 0
	for ; i < len(raw) && h.indent < 1000; i++ {
		switch c := raw[i]; {
		case c == ' ':
			h.indent++
		case c == '\t':
			h.indent += 4
		case c == '>' || c == '|':
		default:
			goto content
		}
	}
content:
	rest := raw[i:]
	if l.tags.item {
		h.style = styleBullet
	}
	if h.heading = l.tags.heading; !startsText(rest) {
		h.signs(rest)
	}
	for p := l.punct(h.at); headSigns[p] || p == '[' && h.style == styleBullet && l.tickBox(h.at) > 0; p = l.punct(h.at) {
		if h.at++; p == '[' {
			h.at = l.tickBox(h.at - 1)
		}
	}
	if l.tags.only {
		h.at = len(l.toks)
	} else if h.at == len(l.toks) {
		h.at = 0
	}
	if l.mayBeNumbered(h.at) {
		l.numberHead(h)
	}
	if h.style != styleNumber && l.letterHead(h.at) {
		h.style, h.at = styleBullet, h.at+2
		if n, _ := strconv.Atoi(strings.TrimRight(l.text(h.at-2), "abcdef")); n > 0 {
			h.style, h.number = styleNumber, int32(n) // 2b. (stack a b)
		}
	} else if h.style != styleNumber && l.timeHead(h.at) {
		h.style, h.at = styleBullet, h.at+1 // T1 (stack a b)
	} else if h.style == styleBare && l.punct(h.at) == '(' && h.at+1 < len(l.toks) && l.letterHead(h.at+1) && l.punct(h.at+2) == ')' {
		h.style, h.at = styleBullet, h.at+3 // (a) (stack a b)
	}
	l.itemised = h.style != styleBare
}

// signs reads the bullet, "#" or emphasis with which the content of a raw line begins.
func (h *lineHead) signs(rest string) {
	bullet := len(rest) > 1 && bulletSigns[rest[0]] && (rest[1] == ' ' || rest[1] == '\t')
	if bullet || strings.HasPrefix(rest, "•") || strings.HasPrefix(rest, `\item`) {
		h.style = styleBullet
	}
	bold := strings.HasPrefix(rest, "**") && strings.HasSuffix(strings.TrimRight(rest, " :."), "**")
	h.italic = italic(rest)
	h.heading = h.heading || strings.HasPrefix(rest, "#") && (!numberSign(rest) || rest[1] == '#') || bold
}

// italic reports whether all of a line is emphasised: "*Return to the depot*".
func italic(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && (line[0] == '*' || line[0] == '_') && line[1] != ' ' && strings.IndexByte(line[1:], line[0]) == len(line)-2
}

// boldNumbered reports whether all that stands behind the number of a line is bold: "1. **Clear c**".
func boldNumbered(raw string) bool {
	return strings.HasSuffix(strings.TrimRight(raw, " :."), "**") && strings.HasPrefix(strings.TrimLeft(raw, " 0123456789.)"), "**")
}

// mayBeNumbered reports whether a number may stand at token i, perhaps with a label. It is false of most lines that have
// none.
func (l *lineReader) mayBeNumbered(i int) bool {
	if i >= len(l.toks) {
		return false
	}
	p := l.punct(i + 1)
	return l.toks[i].kind != tokWord || l.numberAhead(i+1) || p == '#' || p == '.' || l.line[l.toks[i].start] >= 0x80
}

// letterHead reports whether "a)" or "iv." stands before a step at token i.
func (l *lineReader) letterHead(i int) bool {
	if p := l.punct(i + 1); p != ')' && p != '.' || l.toks[i].kind != tokWord || l.toks[i].end-l.toks[i].start > 4 {
		return false
	}
	return l.info(i).action < 0 && (l.punct(i+2) == '(' || l.beginsStep(i+2) || l.foreignStep(i+2) || l.foreignAt(i+2))
}

// timeHead reports whether "T1" stands before a step at token i, and is no name of the task.
func (l *lineReader) timeHead(i int) bool {
	if i >= len(l.toks) || l.toks[i].word >= 0 {
		return false
	}
	t := l.text(i)
	return len(t) > 1 && len(t) < 5 && t[0]|0x20 == 't' && strings.Trim(t[1:], "0123456789") == "" && (l.beginsStep(i+1) || l.foreignStep(i+1) || l.unknownVerb(i+1) && l.endsLine(i+2))
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
	if l.punct(i+1) == '.' && l.numberAhead(i+2) && l.punct(i+3) == ':' && l.in(i, numberWords) {
		i, label = i+2, true // No. 1: (stack a b)
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
	for (l.punct(k) == '.' || l.punct(k) == '/' && (label || open || l.beginsStep(k+2))) && l.numberAhead(k+1) { // 1.2, 0.000, Step 1/6, 1/6
		k += 2
	}
	if label && l.says(k, "of") && l.numberAhead(k+1) {
		k += 2 // Step 1 of 6
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
	case !open && l.signAfter(k) > 0:
		k = l.signAfter(k)
	case label, h.heading && k == len(l.toks): // "## 1"
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
	for k < i+3 && k < len(l.toks) && afterNumber[l.punct(k)] {
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

// tickBox returns the token after "[ ]" or "[x]" at token i, or 0.
func (l *lineReader) tickBox(i int) int {
	if l.punct(i+1) == ']' {
		return i + 2
	}
	if l.punct(i+2) == ']' && l.says(i+1, "x") && l.info(i+1).object < 0 {
		return i + 3
	}
	return 0
}

// beginsStep reports whether a word with which a step can begin stands at token i, possibly behind signs.
func (l *lineReader) beginsStep(i int) bool {
	for k := 0; k < 3 && openSigns[l.punct(i)]; k++ {
		i++
	}
	return l.info(i).step || i < len(l.toks) && l.receiver(i) > 0 || l.info(i).class == classLead && l.stepAt(i, nil)
}

// numberAhead reports whether token i is a number.
func (l *lineReader) numberAhead(i int) bool {
	return uint(i) < uint(len(l.toks)) && l.toks[i].kind == tokNumber
}

// wordAhead reports whether token i is a word that begins with an ASCII letter or an underscore.
func (l *lineReader) wordAhead(i int) bool {
	return uint(i) < uint(len(l.toks)) && l.toks[i].kind == tokWord && byteClass[l.line[l.toks[i].start]] == classWord
}

// circled returns the number in a circle, ①, at token i, or 0.
func (l *lineReader) circled(i int) int32 {
	if t := l.text(i); len(t) == 3 && t >= "①" && t <= "⑳" {
		return int32(t[2]-"①"[2]) + 1
	}
	return 0
}

// receiver returns the token after "robot." in robot.stack(a, b), or after "plan.append(" before a step, or 0.
func (l *lineReader) receiver(i int) int {
	if l.punct(i+1) != '.' || l.toks[i].kind != tokWord || l.info(i).object >= 0 {
		return 0
	}
	name := strings.TrimRight(strings.ToLower(l.text(i)), "_0123456789")
	actor := receivers.has(name) || strings.EqualFold(name, l.r.domain) || l.info(i).noun
	if !actor && l.info(i).role != roleCommit {
		return 0
	}
	if l.in(i+2, appendWords) && l.punct(i+3) == '(' && l.toks[i].end+1 == l.toks[i+2].start {
		return i + 4
	}
	if !actor || !l.method(i) {
		return 0
	}
	return i + 2
}

// method reports whether a word, a full stop and a call stand at token i: robot.stack(a, b).
func (l *lineReader) method(i int) bool {
	return l.punct(i+1) == '.' && l.toks[i].kind == tokWord && l.info(i+2).action >= 0 && l.calls(i+2) && l.toks[i].end+1 == l.toks[i+2].start
}
