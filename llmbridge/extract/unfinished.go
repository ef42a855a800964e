package extract

import "strings"

// unfinished reports whether the answer was cut off in an entry before its step named an object: the
// entry is the last, no line end follows, and it has only the first words of a step ("load", "pick
// up the", "(unstack"). Nothing said so far is wrong, so it counts neither as a step nor as
// malformed. With an object or a line end it would be malformed, and so it is behind a number or a bullet if its last
// word is whole: "7. pick up".
func (o *outline) unfinished(i int32) bool {
	e := &o.entries[i]
	if int(i) != len(o.entries)-1 || e.kind != entryItem || e.to-e.from != 1 || o.steps[e.from] != "" || strings.TrimRight(o.text[e.end:], " \t") != "" {
		return false
	}
	raw := o.text[e.start:e.end]
	o.load(raw)
	var h lineHead
	o.head(raw, &h)
	k := h.at
	if o.punct(k) == '(' {
		k++
	}
	last := len(o.toks) - 1
	if k > last || !o.info(k).step || o.info(k).object >= 0 {
		return false
	}
	if h.style != styleBare && k == h.at && o.toks[last].word >= 0 && strings.HasSuffix(strings.TrimRight(raw, " \t*_`"), o.lineReader.text(last)) {
		return false
	}
	for k++; k < len(o.toks); k++ {
		w := o.info(k)
		switch {
		case o.toks[k].kind != tokWord || w.object >= 0:
			return false
		case w.class == classLetter || w.class == classArticle || w.class == classJoin:
		case w.class != classNone:
			return false
		case o.toks[k].word < 0 && (k < len(o.toks)-1 || !o.partial(o.lineReader.text(k))):
			return false
		}
	}
	return true
}

// partial reports whether the name of an object, or a noun before one, begins with the piece, whatever its case.
func (l *lineReader) partial(piece string) bool {
	piece = strings.ToLower(piece)
	for i, w := range l.r.words.words {
		if v := &l.r.info[i]; (v.object >= 0 || v.noun) && strings.HasPrefix(w, piece) {
			return true
		}
	}
	return false
}
