package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/pddl"
)

// segment reads a piece of a line without markers.
func (o *outline) segment(start, end int) {
	raw := o.text[start:end]
	if (raw == "" || firstByte[raw[0]]&firstOfApart != 0) && o.apart(raw, start, end) {
		return
	}
	key := memoKey{text: raw, lexicon: o.r, fence: o.fence}
	number := int32(0)
	if !o.r.numbers {
		key.text, number = numberBefore(raw)
		key.numbered = number > 0
	}
	hash := key.hash()
	if len(o.entries) == cap(o.entries) {
		o.moreEntries()
	}
	if hash != 0 {
		if known := o.memo.find(&key, hash); known != nil {
			o.enter(&lineReading{counts: known.counts, entry: &known.entry, steps: known.step[:known.steps]}, number, raw, start)
			return
		}
	}
	l := &o.reading
	l.head, l.counts, l.steps = roleNone, false, l.steps[:0]
	l.entry = &o.entries[:len(o.entries)+1][len(o.entries)] // where it will stand, if it counts
	o.inferred = false
	o.loadFrom(o.text[start:], len(raw))
	if first := byteClass[raw[0]]; first < classDigit && raw[0] != '(' || first == classDigit && number == 0 || !o.readPlain(l, number) {
		o.read(l, raw)
	}
	o.enter(l, 0, raw, start)
	if hash != 0 && !o.inferred && l.cells == (cellSpan{}) && l.head == roleNone { // the table decides about cells
		o.memo.keep(&key, hash, l)
	}
}

// apartStart has the bytes that stand first, or behind an indentation, in the lines that apart reads.
var apartStart = func() signs {
	set := signsIn("`~/")
	for i := range set { // perhaps white space
		set[i] = set[i] || i > 0 && i < ' ' || i >= utf8.RuneSelf
	}
	return set
}()

// apart reads a piece of a line that is blank, a fence, or the beginning of what is struck out. It reports whether it
// is one of these.
func (o *outline) apart(raw string, start, end int) bool {
	if i := skip(raw, &quoteIndent); i < len(raw) && !apartStart[raw[i]] {
		return false
	}
	if blankLine(raw) {
		o.blank = o.blank || start == 0 || o.text[start-1] == '\n'
		return true
	}
	t := raw[skip(raw, &lineIndent):]
	switch {
	case strings.HasPrefix(t, "~~") && o.strikesLines(t, end):
		o.denied = "~~"
	case o.fence && strings.HasPrefix(t, "/*") && !strings.Contains(t, "*/"):
		o.denied = "*/"
	case fenceSign(raw):
		o.fence = !o.fence
		o.add(entry{kind: entryFence, start: int32(start), end: int32(end)})
	default:
		return false
	}
	return true
}

// strikesLines reports whether text that is struck out begins on a line, and ends on one of the lines behind it.
func (o *outline) strikesLines(line string, end int) bool {
	const near = 1 << 12 // bytes that are looked at
	if strings.Contains(line[2:], "~") {
		return false
	}
	below, _, _ := strings.Cut(o.text[end:min(len(o.text), end+near)], "\n\n")
	return strings.Count(below, "~~") == 1
}

// enter adds what was read from a piece of a line, which begins at byte start, to the outline. The number is that before
// the line, if its reading does not have it.
func (o *outline) enter(l *lineReading, number int32, raw string, start int) {
	if firstByte[raw[0]]&firstOfRow == 0 || !mayBeRow(raw) {
		if o.columns = maxColumns; len(o.doubtful) > 0 {
			o.doubtful = o.doubtful[:0]
		}
	} else {
		o.header(raw, l.counts && l.kind == entryItem)
	}
	read := l.entry
	if l.head != roleNone {
		own := *read
		read = &own
		o.add(entry{kind: entryHead, role: l.head, renews: l.anew})
		o.moreEntries()
	}
	if !l.counts {
		return
	}
	n := len(o.entries)
	if n > 0 && read.kind == entryProse && !o.blank && !read.mention && read.option == (option{}) && read.refused == (option{}) {
		if last := &o.entries[n-1]; last.kind == entryProse && !last.mention && max(last.change, read.change) < addsStep {
			last.claimsNo = last.claimsNo || read.claimsNo
			last.claimsHolds = last.claimsHolds || read.claimsHolds
			last.rejects, last.change = last.rejects || read.rejects, max(last.change, read.change)
			last.withdraws = last.withdraws || read.withdraws
			return
		}
	}
	o.entries = o.entries[:n+1]
	e, steps := &o.entries[n], l.steps
	if e != read { // which is there if the line was just read
		*e = *read
	}
	if number > 0 {
		e.number = number
	}
	if e.cells.last > o.columns || e.cells.over > 0 && e.cells.over <= o.columns || len(o.doubtful) > 0 && e.kind == entryItem && o.deniedRow(raw) {
		e.bad, steps = true, []string{""}
	}
	e.start, e.end, e.line, e.blank = int32(start), int32(start+len(raw)), o.line, o.blank
	o.blank = false
	if e.kind == entryItem || len(steps) > 0 {
		e.from = int32(len(o.steps))
		if len(steps) == 1 { // as most
			o.steps = append(o.steps, steps[0])
		} else {
			o.steps = append(o.steps, steps...)
		}
		e.to = int32(len(o.steps))
	}
}

// moreEntries makes room for another entry.
//
//go:noinline
func (o *outline) moreEntries() { o.entries = slices.Grow(o.entries, 1) }

// mayBeRow reports whether a line may be a row of a table. It is false of most lines that are not.
func mayBeRow(raw string) bool {
	i := skip(raw, &lineIndent)
	return i == len(raw) || raw[i] == '|' || i > 0 && raw[i] >= utf8.RuneSelf || raw[i] < ' '
}

// startsText reports whether a line begins with a letter or a digit. Most lines do, and those are
// neither blank nor a fence nor JSON.
func startsText(line string) bool { return line != "" && byteClass[line[0]] >= classDigit }

// blankLine reports whether a line is only white space.
func blankLine(raw string) bool {
	return raw == "" || (raw[0] <= ' ' || raw[0] >= utf8.RuneSelf) && strings.TrimSpace(raw) == ""
}

// read reads a piece of a line that is loaded and is neither blank nor a fence.
func (o *outline) read(l *lineReading, raw string) {
	if o.without(l, raw) {
		return
	}
	var h lineHead
	o.head(raw, &h)
	e := l.entry
	*e = entry{}
	e.style, e.indent, e.number, e.heading = h.style, h.indent, h.number, h.heading
	e.colon = o.punct(len(o.toks)-1) == ':'
	e.titled = h.style == styleNumber && (h.label || h.heading || e.colon || boldNumbered(raw))
	if h.style == styleNumber && o.elides(raw, h.at) {
		l.bad, l.firm = true, true
		l.item("")
		return
	}
	if h.at == len(o.toks) {
		if l.counts = h.style == styleNumber; l.counts {
			e.kind, e.empty = entryNonStep, true // "7.", with its step on the line below
		}
		return // or tags only
	}
	if o.seen&(hasStep|hasBracket) == 0 && len(o.r.root.slots) == 0 {
		o.unread(l, &h, likeNothing, raw)
		return
	}
	var res lineResult
	plain := o.plainStep(h.at, &res)
	if !plain {
		o.readSteps(h.at, &res)
	}
	if !res.verb || res.bad && h.style == styleBare && o.announced(h.at) > 0 {
		o.behindLabel(l, &h, &res)
	}
	if o.r.timed && res.steps == 1 && !res.bad {
		o.stamp(&h)
	}
	switch last := len(o.toks) - 1; {
	case o.gerunds && res.verb && h.style == styleBare && o.punct(last) == ':' && (o.wordAt(last-1, wordThen) || o.seen&hasBracket != 0 && o.continues(h.at)):
		l.malformed() // "Start by moving b. Then:"
	case res.steps > 0 && h.style == styleBare && !o.fence && !h.heading && !res.formal && o.punct(last) == ':' && res.end < last && !(o.sentenceStart() > 0 && o.continues(o.sentenceStart())):
		o.other(l, &h, raw) // "Stack red on blue as follows:"
	case res.bad && h.style == styleBare && (o.announces(h.at) || o.chooses(h.at)):
		o.other(l, &h, raw) // "Paint the wall, then rest. As a plan:"
	case o.seen&hasNeed != 0 && !plain && h.style != styleNumber && o.aboutStep(l, h.at): // noted
	case res.steps > 0 || res.bad || res.cancelled:
		o.stepsRead(l, &h, &res, plain, raw)
	default:
		o.unread(l, &h, o.likeness(h.at), raw)
	}
}

// without reads a line that has no words of the plan: a comment, signs of emphasis, or struck out words. It reports whether it is
// one of these.
func (o *outline) without(l *lineReading, raw string) bool {
	if o.tags.denied && o.endsLine(0) {
		*l.entry, l.counts = entry{kind: entryProse, rejects: true, brief: true}, true
		return true
	}
	if len(o.toks) == 0 || (commentSigns[o.punct(0)] || o.r.odd) && o.comment(raw) {
		if o.fence && o.deniesPlan(0) { // "# BROKEN, kept for the record" counts at the top of a code fence
			*l.entry, l.counts = entry{kind: entryHead, role: roleReject, brief: true, comment: true}, true
		}
		return true // a comment, or emphasis signs and rules only
	}
	return false
}

// stepsRead makes an item of a line with steps; plain says that it is one and nothing else.
func (o *outline) stepsRead(l *lineReading, h *lineHead, res *lineResult, plain bool, raw string) {
	e := l.entry
	res.label = res.label || e.label
	res.told = res.told && !(o.subject && h.style == styleNumber) // "1. The robot picks up ball0" gives an order
	e.titled = e.titled && res.bad
	e.itemFlags, e.gerund, e.heading = res.itemFlags, o.gerunds, h.heading || h.italic
	e.worded = res.formal && !plain && o.worded(h.at)
	if h.style == styleBare && !plain && (!res.bad || res.firm) {
		e.adds = o.addsAt(h.at) || !res.bad && res.steps == 1 && (o.info(h.at).class == classLead || o.wordAt(h.at, wordBut))
	}
	if res.bad && h.style == styleBare {
		if !res.firm || o.seen&hasObject == 0 {
			o.claimed(e, h.at, raw) // "I take that back."
		}
	}
	e.about = !plain && res.steps > 0 && !res.bad && !o.fence && !h.heading && o.about(res.end)
	e.explains = e.about && o.endsSentence(len(o.toks)-1)
	e.about = e.about && !o.has(res.end, orderWords)
	l.item(o.out...)
	l.cells = o.cells
}

var (
	lineIndent  = signsIn(" \t")
	quoteIndent = signsIn(" \t>")
	numberLead  = signsIn(" \t#*>0123456789")
	numberEnd   = signsIn(" .):")
)

// skip returns the number of the first bytes of a text that are signs of a set.
func skip(text string, set *signs) int {
	i := 0
	for i < len(text) && set[text[i]] {
		i++
	}
	return i
}

// behindLabel reads the steps behind a label or other words.
func (o *outline) behindLabel(l *lineReading, h *lineHead, res *lineResult) {
	l.head = o.labelled(h, res)
	l.anew = (l.head == roleCommit || l.head == roleFinal) && (o.has(h.at, newPlanWords) || o.has(h.at, renewWords))
	if l.label = res.steps > 0; l.label && h.style == styleBare {
		l.option = o.optionAt(h.at) // "Option 2: (stack a b), ..."
	}
	if !res.verb {
		l.label = o.behindWords(h, res)
	}
	if l.label && h.style == styleBare && o.seen&hasPlace != 0 && o.changes(l) != changesNothing {
		*res, l.label, l.head = lineResult{}, false, roleNone // "Correction to step 5: ..., i.e. (drop b a)"
	}
	l.steps = l.steps[:0]
}

// elides reports whether a numbered line, whose words begin at token i, stands for steps that it does not give: "3. ...",
// "3. and so on".
func (o *outline) elides(raw string, i int) bool {
	return o.goesOn(i) > 0 || !o.wordAhead(i) && elided(raw)
}

// goesOn returns what words at token i that stand for further steps are, 0 for other words.
func (l *lineReader) goesOn(i int) int32 {
	if !l.leadsOn(l.r.alters, i) { // few words begin such a phrase
		return 0
	}
	done, _ := l.longest(l.r.alters, i)
	return max(done, 0)
}

// elided reports whether a numbered line has a sign in the place of its step: "3. ...", "3. ?".
func elided(raw string) bool {
	raw = strings.TrimSpace(raw)
	if last := raw[len(raw)-1]; last != '.' && last != '?' && last != ']' && last != "…"[2] {
		return false
	}
	i := skip(raw, &numberLead)
	i += skip(raw[i:], &numberEnd)
	if i < len(raw) && startsText(raw[i:]) {
		return false // most lines
	}
	rest := strings.TrimSpace(raw[i:])
	rest = strings.Trim(rest, "[]")
	return rest == "…" || strings.Trim(rest, "?") == "" && (rest != "" || strings.HasSuffix(raw, "...")) || rest == "..."
}

// item makes the line an item with the given steps.
func (l *lineReading) item(steps ...string) {
	l.counts, l.kind = true, entryItem
	l.steps = append(l.steps, steps...)
}

// malformed makes the line a step that cannot be read and is meant as one.
func (l *lineReading) malformed() {
	l.bad, l.firm, l.formal = true, true, true
	l.item("")
}

// fenceSign reports whether a line opens or closes a code fence.
func fenceSign(raw string) bool {
	t := raw[skip(raw, &quoteIndent):]
	return (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")) && !strings.Contains(t[3:], t[:3])
}

// stamp adds the time and the duration of a line such as "0.5: (load p t) [2]" to its step. In domains
// with durative actions they are part of the step.
func (o *outline) stamp(h *lineHead) {
	s := &o.out[0]
	if h.stamp[1] > h.stamp[0] {
		*s = o.lineReader.line[h.stamp[0]:h.stamp[1]] + ": " + *s
	}
	line := o.lineReader.line
	i, j := strings.LastIndexByte(line, '['), strings.LastIndexByte(line, ']')
	if i >= 0 && j > i {
		d := strings.TrimPrefix(strings.ReplaceAll(line[i+1:j], " ", ""), "D:")
		if _, ok := pddl.ParseNumber(d); ok {
			*s += " [" + d + "]"
		}
	}
}

// commentSigns are the first signs of the lines that may be comments.
var commentSigns = signsIn(";#/>")

// comment reports whether a line is a comment in a plan file or in code.
func (o *outline) comment(raw string) bool {
	raw = raw[skip(raw, &quoteIndent):]
	return strings.HasPrefix(raw, ";") || o.fence && (strings.HasPrefix(raw, "#") && !numberSign(raw[1:]) || strings.HasPrefix(raw, "//"))
}

// numberSign reports whether a text goes on with a number: "# 4: (stack a b)" is no comment.
func numberSign(rest string) bool {
	rest = strings.TrimLeft(rest, "# ")
	return rest != "" && '0' <= rest[0] && rest[0] <= '9'
}
