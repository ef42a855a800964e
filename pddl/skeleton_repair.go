package pddl

import "strings"

// extraCloses reports a run of closing parentheses after the one that closed the
// definition.
func (l *skeletonLexer) extraCloses() {
	i, n := l.pos, 0
	for l.skip() && l.text[l.pos] == ')' {
		l.pos++
		if n++; n == l.spare+1 {
			i = l.pos - 1
		}
	}
	switch n -= l.spare; {
	case n == 1:
		l.errorf(ExtraParen, i, i+1, "an extra closing parenthesis")
	case n > 1:
		l.errorf(ExtraParen, i, i+1, "%d extra closing parentheses", n)
	}
	l.spare = 0
}

// strayText reports and skips the word or list at i between sections. The text after it
// up to the next section is skipped silently.
func (l *skeletonLexer) strayText(i int) {
	found := "a list without a keyword"
	l.pos++
	if l.text[i] == '(' {
		end, ok := l.bodyEnd(l.pos, "")
		l.pos = end
		if ok {
			l.pos++
		}
	} else {
		l.pos = max(l.wordEnd(i), l.pos)
		found = quote(l.text[i:l.pos])
	}
	if hint := l.secondHint(i); hint != "" {
		l.errorHint(UnexpectedToken, i, i+1, hint, "a second definition inside the first")
	} else if head := l.listHead(i); head != "" {
		l.meant = append(l.meant, head)
		l.errorHint(UnexpectedToken, i, max(l.wordEnd(i), i+1), "did you mean ("+head+" ...)?", "expected a section such as (:init ...), found %s", found)
	} else if !l.stray {
		l.errorf(UnexpectedToken, i, max(l.wordEnd(i), i+1), "expected a section such as (:init ...), found %s", found)
	}
	l.stray = true
}

// secondHint is the hint for a second definition, which begins at i, else "".
func (l *skeletonLexer) secondHint(i int) string {
	save := l.pos
	defer func() { l.pos = save }()
	l.pos = i + 1
	if l.text[i] != '(' || !l.skip() || !strings.EqualFold(l.text[l.pos:l.wordEnd(l.pos)], "define") {
		return ""
	}
	return "a file holds one definition: put the domain and the problem in files of their own"
}

// listHead returns the section that the list at i would be if its first word had a
// colon, else "".
func (l *skeletonLexer) listHead(i int) string {
	save := l.pos
	defer func() { l.pos = save }()
	l.pos = i + 1
	if l.text[i] != '(' || !l.skip() {
		return ""
	}
	if w := ":" + fold(l.text[l.pos:l.wordEnd(l.pos)]); isSectionKeyword(w) {
		return w
	}
	return ""
}

// resume reports whether the text at i, directly after a section, belongs to that
// section, which an extra closing parenthesis has ended. It reports that parenthesis
// and skips the rest of the section.
func (l *skeletonLexer) resume(i int) bool {
	last := &l.bodies[len(l.bodies)-1]
	if !last.closed {
		return false
	}
	name := fold(l.text[last.keyword:last.start])
	sure := l.text[i] == ':' && isBodyKeyword(name, fold(l.text[i:l.wordEnd(i)]))
	end, ok := l.restEnd(i)
	if !ok && !sure {
		return false
	}
	save := l.pos
	l.pos = end
	if ok {
		l.pos++
	}
	if !sure && !(l.skip() && (l.text[l.pos] == ')' || l.text[l.pos] == '(' && l.keywordAfter(l.pos) >= 0)) {
		l.pos = save
		return false
	}
	last.cut, l.resumed = true, true
	l.errorf(ExtraParen, last.end, last.end+1, "this parenthesis ends the section %s, but more of it follows", name)
	return true
}

// restEnd returns the offset of the parenthesis that closes the list around i, or of
// the next section if that begins earlier.
func (l *skeletonLexer) restEnd(i int) (int, bool) {
	for depth := 0; i < len(l.text); i++ {
		switch l.text[i] {
		case '(':
			kw := l.keywordAfter(i)
			if kw >= 0 && (depth == 0 || isSectionKeyword(fold(l.text[kw:l.wordEnd(kw)]))) {
				return i, false
			}
			depth++
		case ')':
			if depth == 0 {
				return i, true
			}
			depth--
		case ';':
			i += commentLength(l.text[i:]) - 1
		}
	}
	return len(l.text), false
}
