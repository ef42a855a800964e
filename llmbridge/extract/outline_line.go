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
	if !startsText(raw) {
		if blankLine(raw) {
			if start == 0 || o.text[start-1] == '\n' {
				o.blank = true
			}
			return
		}
		if layoutLine(raw) {
			return
		}
		if fenceSign(raw) {
			o.fence = !o.fence
			o.add(entry{kind: entryFence, start: int32(start), end: int32(end)})
			return
		}
	}
	key := memoKey{text: raw, lexicon: o.r, fence: o.fence}
	number := int32(0)
	if !o.r.numbers {
		key.text, number = numberBefore(raw)
		key.numbered = number > 0
	}
	hash := key.hash()
	if hash != 0 {
		if known := o.memo.find(&key, hash); known != nil {
			o.enter(known, number, start, end)
			return
		}
	}
	o.entries = slices.Grow(o.entries, 1)
	l := &o.reading
	l.head, l.counts, l.steps = roleNone, false, l.steps[:0]
	l.entry = &o.entries[:len(o.entries)+1][len(o.entries)] // where it will stand, if it counts
	o.inferred = false
	o.loadFrom(o.text[start:], len(raw))
	o.read(l, raw)
	o.enter(l, 0, start, end)
	if hash != 0 && !o.inferred && !l.cells && l.head == roleNone { // the table decides about cells
		o.memo.keep(&key, hash, l)
	}
}

// enter adds what was read from a piece of a line to the outline. The number is that before the line, if its reading
// does not have it.
func (o *outline) enter(l *lineReading, number int32, start, end int) {
	if first := o.text[start]; first > ' ' && first != '|' {
		o.columns = columnsPlain
	} else {
		o.header(o.text[start:end], l.counts && l.kind == entryItem)
	}
	read := l.entry
	if l.head != roleNone {
		own := *read
		read = &own
		o.add(entry{kind: entryHead, role: l.head})
	}
	if !l.counts {
		return
	}
	n := len(o.entries)
	if n > 0 && read.kind == entryProse && !o.blank && !read.mention {
		if last := &o.entries[n-1]; last.kind == entryProse && !last.mention {
			last.claimsNo = last.claimsNo || read.claimsNo
			last.claimsHolds = last.claimsHolds || read.claimsHolds
			last.rejects = last.rejects || read.rejects
			if read.option.number > 0 {
				last.option = read.option
			}
			return
		}
	}
	o.entries = slices.Grow(o.entries, 1)[:n+1]
	e, steps := &o.entries[n], l.steps
	if e != read {
		*e = *read
	}
	if number > 0 {
		e.number = number
	}
	if e.cells && o.columns == columnsOther {
		e.bad, steps = true, []string{""}
	}
	e.start, e.end, e.line, e.blank = int32(start), int32(end), o.line, o.blank
	o.blank = false
	if e.kind == entryItem || len(steps) > 0 {
		e.from = int32(len(o.steps))
		o.steps = append(o.steps, steps...)
		e.to = int32(len(o.steps))
	}
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
	if len(o.toks) == 0 || o.comment(raw) {
		return // a comment, or emphasis signs and rules only
	}
	h := o.head(raw)
	e := l.entry
	*e = entry{}
	e.style, e.indent, e.number, e.heading = h.style, h.indent, h.number, h.heading
	if h.style == styleNumber && elided(raw) {
		o.out = append(o.out[:0], readStep{malformed: true})
		l.bad, l.firm = true, true
		l.item(o.out)
		return
	}
	if h.at == len(o.toks) {
		return // tags only
	}
	if o.seen&(hasStep|hasBracket) == 0 && len(o.r.root.slots) == 0 {
		o.unread(l, h, likeNothing)
		return
	}
	res, plain := o.plainStep(h.at)
	if !plain {
		res = o.readSteps(h.at)
	}
	if !res.verb {
		res, l.head = o.labelled(&h)
		e.label = res.steps > 0
	}
	if !res.verb { // behind decoration without meaning: "t1: (stack a b)"
		if d := o.opening(h.at); d.at >= 0 && d.harmless && o.punct(d.at) == '(' && o.groupHead(d.at) == d.at+1 {
			res = o.readSteps(d.at)
		}
	}
	if o.r.timed && res.steps == 1 && !res.bad {
		o.stamp(&h)
	}
	switch {
	case res.steps > 0 && h.style == styleBare && !o.fence && !h.heading && !res.formal && o.announces(res.end):
		o.other(l, h) // "Stack red on blue as follows:"
	case res.steps > 0 || res.bad || res.cancelled:
		e.bad, e.cancelled, e.told = res.bad, res.cancelled, res.told
		e.label, e.firm, e.formal = e.label || res.label, res.firm, res.formal
		e.told = e.told && !(o.subject && h.style == styleNumber) // "1. The robot picks up ball0" gives an order
		e.sequel = e.told && o.sequelWord(h.at)
		e.action = res.action
		e.worded = res.formal && !plain && o.worded(h.at)
		l.item(o.out)
		l.cells = o.cells
	default:
		o.unread(l, h, o.likeness(h.at))
	}
}

var (
	numberLead = signsIn(" \t#*>0123456789")
	numberEnd  = signsIn(" .):")
)

// elided reports whether a numbered line has a sign in the place of its step: "3. ...", "3. ?".
func elided(raw string) bool {
	raw = strings.TrimSpace(raw)
	if last := raw[len(raw)-1]; last != '.' && last != '?' && last != "…"[2] {
		return false
	}
	i := 0
	for i < len(raw) && numberLead[raw[i]] {
		i++
	}
	for i < len(raw) && numberEnd[raw[i]] {
		i++
	}
	if i < len(raw) && startsText(raw[i:]) {
		return false // most lines
	}
	rest := strings.TrimSpace(raw[i:])
	return rest == "…" || rest == "?" || rest == "" && strings.HasSuffix(raw, "...")
}

// item makes the line an item with the given steps.
func (l *lineReading) item(steps []readStep) {
	l.counts, l.kind = true, entryItem
	for _, s := range steps {
		l.steps = append(l.steps, s.text)
	}
}

// unread sorts a line without a readable step: it is malformed if it stands in the place of a step,
// and otherwise a heading, a remark or prose.
func (o *outline) unread(l *lineReading, h lineHead, like likeness) {
	if h.style == styleBare && o.optionAt(h.at).number > 0 && (h.heading || o.punct(len(o.toks)-1) == ':') {
		o.other(l, h)
		return
	}
	number := h.style == styleNumber
	named := o.seen&hasObject != 0 && like != likeFact
	labelled := 0
	if named || o.seen&hasBracket != 0 {
		if labelled, _, _ = o.label(&h); labelled > h.at+fewWords || o.punct(labelled-1) == 0 {
			labelled = 0
		}
	}
	if o.seen&hasBracket != 0 && (like != likeFact || o.numberAhead(labelled-2) && o.foreignAt(labelled)) && (h.style != styleBullet || labelled == 0 || o.numberAhead(labelled-2) || o.punct(labelled-1) == '>') && o.foreignFormal(h.at) {
		like, l.label = likeStep, labelled > 0
	}
	if o.foreignAlone(0) {
		like = likeStep
	}
	if like == likeStep || number && like == likeMention || named && (o.orders(h.at, number) || labelled > 0 && o.foreignStep(labelled) || number && o.verbless(h.at)) {
		o.out = append(o.out[:0], readStep{malformed: true})
		l.label = l.label || labelled > 0 && o.foreignStep(labelled)
		l.bad, l.odd, l.firm, l.formal = true, true, like == likeStep || o.onlyObjects(h.at), like == likeStep
		l.worded = o.worded(h.at)
		l.item(o.out)
		return
	}
	l.mention = like == likeMention || named && h.style == styleBare && !h.heading && o.verbless(h.at)
	if like == likeMention {
		l.firm = o.mentioned(h.at, l)
	}
	if o.seen&hasRole != 0 && !l.mention {
		if k := o.statesAt(h.at); k > 0 {
			l.state = !o.names(k)
		}
	}
	l.worded = l.mention && o.worded(h.at)
	l.facts = l.mention && o.factsOnly(h.at)
	o.other(l, h)
}

// mentioned notes the steps in formal notation that a line mentions. It reports whether one of them has no action of
// the domain but objects of the task: "(fly a b)", "fly(a, b)".
func (o *outline) mentioned(i int, l *lineReading) (foreign bool) {
	for ; i < len(o.toks); i++ {
		_, end, known := o.object(i + 2)
		foreign = foreign || known && (o.punct(i) == '(' && o.foreignGroup(i) || o.punct(i) == 0 && o.unknownVerb(i) && o.foreignCall(i)) && o.punct(end) != ':'
		if f, status := o.one(i, nil); status == parsedStep && f.formal() && o.proper(&f) {
			l.steps = append(l.steps, o.format(&f))
			i = f.end - 1
		}
	}
	return foreign
}

// layoutLine reports whether a line only begins or ends an environment of LaTeX.
func layoutLine(raw string) bool {
	i := 0
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '$') {
		i++
	}
	t := raw[i:]
	return strings.HasPrefix(t, `\begin{`) || strings.HasPrefix(t, `\end{`) || strings.HasPrefix(t, `\hline`)
}

// fenceSign reports whether a line opens or closes a code fence.
func fenceSign(raw string) bool {
	i := 0
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '>') {
		i++
	}
	t := raw[i:]
	return (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")) && !strings.Contains(t[3:], t[:3])
}

// labelled reads the steps after a label. A label counts only if a step follows at once: "the final
// plan is: unstack, then stack" only talks about a plan. Words that are no label of the reader's own must be few,
// or the step in formal notation and the last on the line; it must be a step of the domain with all arguments. The
// role is what the label says about the steps below it.
func (o *outline) labelled(h *lineHead) (lineResult, role) {
	k, role, known := o.label(h)
	if k == 0 {
		return lineResult{}, roleNone
	}
	itemised := o.itemised
	o.itemised = true
	res := o.readSteps(k)
	o.itemised = itemised
	if res.steps == 0 || !known && !res.formal && (k-h.at > fewWords || !res.proper) || !known && k-h.at > fewWords && !o.endsLine(res.end) {
		return lineResult{}, roleNone
	}
	return res, role
}

// announces reports whether the line goes on after a step with words and a final colon.
func (o *outline) announces(end int) bool {
	last := len(o.toks) - 1
	return o.punct(last) == ':' && end < last
}

// stamp adds the time and the duration of a line such as "0.5: (load p t) [2]" to its step. In domains
// with durative actions they are part of the step.
func (o *outline) stamp(h *lineHead) {
	s := &o.out[0]
	if h.stamp[1] > h.stamp[0] {
		s.text = o.lineReader.line[h.stamp[0]:h.stamp[1]] + ": " + s.text
	}
	line := o.lineReader.line
	i, j := strings.LastIndexByte(line, '['), strings.LastIndexByte(line, ']')
	if i >= 0 && j > i {
		d := strings.TrimPrefix(strings.ReplaceAll(line[i+1:j], " ", ""), "D:")
		if _, ok := pddl.ParseNumber(d); ok {
			s.text += " [" + d + "]"
		}
	}
}

// comment reports whether a line is a comment in a plan file or in code.
func (o *outline) comment(raw string) bool {
	i := 0
	for i < len(raw)-1 && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '>') {
		i++
	}
	return raw[i] == ';' || o.fence && (raw[i] == '#' && !numberSign(raw[i+1:]) || strings.HasPrefix(raw[i:], "//"))
}

// numberSign reports whether a text goes on with a number: "# 4: (stack a b)" is no comment.
func numberSign(rest string) bool {
	rest = strings.TrimLeft(rest, "# ")
	return rest != "" && '0' <= rest[0] && rest[0] <= '9'
}

// fewWords is the most words that the heading of a state has.
const fewWords = 5

// other makes an entry of a line without a step.
func (o *outline) other(l *lineReading, h lineHead) {
	words := 0
	for i := h.at; i < len(o.toks) && words <= fewWords; i++ {
		if o.toks[i].kind != tokPunct {
			words++
		}
	}
	e := l.entry
	if words == 0 {
		a, b := o.punct(h.at), o.punct(h.at+1)
		if len(o.toks)-h.at == 2 && (a == '(' && b == ')' || a == '[' && b == ']') {
			l.counts, e.kind = true, entryEmpty
		} else if e.mention {
			l.counts, e.kind = true, entryProse
		}
		return
	}
	if o.punct(h.at) == '(' && !e.mention {
		return // "(plan", "(:plan": brackets around steps
	}
	l.counts = true
	if o.seen&hasClaim != 0 {
		e.claimsNo, e.claimsHolds, e.rejects = o.claimsIn(h.at)
	}
	last := o.punct(len(o.toks) - 1)
	e.option = o.optionAt(h.at)
	alone := words == 1 && h.style == styleBare && (e.option.number > 0 || o.info(h.at).class == classOr)
	switch {
	case alone: // "Either", "or"
		e.kind = entryHead
		if e.option.number == 0 {
			e.option = option{o.r.phrases.either, 2}
		}
	case h.style == styleNumber:
		e.kind, e.label = entryNonStep, h.label
		e.role = o.roleOf(h.at, len(o.toks))
	case o.info(h.at).class == classPhase && o.numberAhead(h.at+1) && h.style != styleBullet:
		e.kind = entryHead
		e.phase = o.value(h.at + 1)
	case h.heading || last == ':' || h.style == styleBare && (o.letterTitle(h.at) || o.forExample()):
		e.kind = entryHead
		if e.option.number == 0 {
			e.option = o.settled(h.at)
		}
		if o.seen&hasRole != 0 {
			for i := o.sentenceStart(); i < len(o.toks); i++ {
				w := o.info(i)
				e.role, e.strong, e.final = max(e.role, w.role), e.strong || w.strong, e.final || w.role == roleFinal
			}
			e.strong = e.strong || e.role == roleFinal
		}
		if words == 1 && strings.EqualFold(o.lineReader.text(h.at), "where") {
			e.role = roleExplain // "Where: (unstack x y) takes x off y"
		}
		e.role, e.brief = o.rejected(e, h.at), words <= fewWords
		if e.role == roleState && words > fewWords {
			e.role = roleNone // "To reach the goal, do this:"
		}
	case h.style == styleBullet:
		e.kind = entryNonStep
	default:
		e.kind = entryProse
		e.option = o.settled(h.at)
	}
}

// rejected returns the role of a heading, roleReject if it says that the list below is not to be done.
func (o *outline) rejected(e *entry, i int) role {
	if e.role != roleReject && !e.rejects && !o.forExample() {
		return e.role
	}
	for ; i < len(o.toks); i++ {
		if o.info(i).mends {
			return roleCommit // "the corrected plan, since the first was wrong"
		}
	}
	return roleReject
}

// forExample reports whether a line ends in "e.g." or "for example".
func (o *outline) forExample() bool {
	n := len(o.toks) - 1
	for n > 0 && o.toks[n].kind == tokPunct {
		n--
	}
	return n > 1 && (strings.EqualFold(o.lineReader.text(n), "g") && o.punct(n-1) == '.' && strings.EqualFold(o.lineReader.text(n-2), "e") ||
		strings.EqualFold(o.lineReader.text(n), "example") && strings.EqualFold(o.lineReader.text(n-1), "for"))
}

// letterTitle reports whether a short line such as "A. Dismantle" is a title.
func (o *outline) letterTitle(i int) bool {
	return i+2 < len(o.toks) && len(o.toks) <= i+2+fewWords && o.toks[i].kind == tokWord && o.toks[i].end-o.toks[i].start == 1 && (o.punct(i+1) == '.' || o.punct(i+1) == ')') && o.toks[len(o.toks)-1].kind == tokWord
}

// optionAt reads "Option 2", "Approach B" or "Either" at token i.
func (o *outline) optionAt(i int) (x option) {
	if !o.info(i).option {
		return option{}
	}
	x.word = o.toks[i].word
	if x.word == o.r.phrases.either {
		x.number = 1
	} else if o.numberAhead(i + 1) {
		x.number = o.value(i+1) + 1
	} else if i+1 < len(o.toks) && o.toks[i+1].kind == tokWord && o.toks[i+1].end-o.toks[i+1].start == 1 {
		x.number = int32(lowerByte[o.lineReader.line[o.toks[i+1].start]])
	}
	return x
}

// settled returns the option that a line chooses: the last one that it names, if it has a word of choosing.
func (o *outline) settled(i int) (x option) {
	if o.seen&hasOption == 0 {
		return option{}
	}
	for k := i; k < len(o.toks); k++ {
		if o.toks[k].bits&hasOption == 0 {
			continue
		}
		if y := o.optionAt(k); y.number > 0 && y.word != o.r.phrases.either {
			x = y
		}
	}
	if x.number > 0 && slices.ContainsFunc(o.toks[i:], func(t token) bool { return t.word >= 0 && o.r.info[t.word].settles }) {
		return x
	}
	return option{}
}

// sentenceStart returns the first token of the last sentence on the line.
func (o *outline) sentenceStart() int {
	for k := len(o.toks) - 2; k > 0; k-- {
		if p := o.punct(k); (p == '.' || p == '!' || p == '?') && o.toks[k+1].kind == tokWord {
			return k + 1
		}
	}
	return 0
}

// roleOf returns the strongest role that the words of a heading have: "explanation of the plan" is an
// explanation, "final state" a state.
func (o *outline) roleOf(i, end int) role {
	best := roleNone
	for ; i < end; i++ {
		if o.toks[i].bits&hasRole != 0 {
			best = max(best, o.info(i).role)
		}
	}
	return best
}

// strong reports whether a label names the plan itself.
func (o *outline) strong(i, end int) bool {
	for ; i < end; i++ {
		if o.info(i).strong {
			return true
		}
	}
	return false
}

// endsInDigit reports whether a word ends in a digit.
func endsInDigit(word string) bool {
	return word != "" && '0' <= word[len(word)-1] && word[len(word)-1] <= '9'
}

var labelSigns = signsIn(".,:='#-+>)")

// label reads a label such as "Final answer:", "Time 0:" or "Schritt 1 -". It returns the token after it, 0 for
// none, the label's role, and whether it is one that announces steps; on a numbered line any short label does. A
// label that denies ("Wrong:") is none.
func (o *outline) label(h *lineHead) (int, role, bool) {
	i := h.at
	if o.seen&(hasLabel|hasTag) == 0 && o.seen&(hasRole|hasIs) != hasRole|hasIs && !o.numberAhead(i+1) {
		return 0, 0, false
	}
	for k := i; k < len(o.toks) && k < i+12; k++ {
		p := o.punct(k)
		switch o.info(k).class {
		case classIs:
			if r := o.roleOf(i, k); (r == roleCommit || r == roleFinal) && o.strong(i, k) {
				if o.stepAt(k+1, nil) {
					return k + 1, r, true // "My answer is (stack a b)"
				}
			}
		case classNot, classNo, classIf:
			return 0, 0, false
		}
		numbered := k == i+2 && o.numberAhead(k-1) && (p == '-' || p == ')' || p == '.')
		named := k == i+1 && o.toks[i].word < 0 && endsInDigit(o.lineReader.text(i)) // s1 = (stack a b)
		bar := p == '|' && named                                                     // T1 | (stack a b)
		if p != 0 && !bar && !labelSigns[p] {
			return 0, 0, false // no label has brackets or quotes
		}
		prompt := bar || p == '>' && k > i && k <= i+2 && o.punct(k-1) == 0
		if p != ':' && p != '=' && !numbered && !prompt || p == '=' && o.numberAhead(k+1) && o.punct(k+2) == ':' { // t=0:
			continue
		}
		if k == i {
			return 0, 0, false
		}
		r := o.roleOf(i, k)
		known := r != roleNone || o.info(k-1).class == classLabel || o.info(i).class == classLabel || h.style == styleNumber && k-i <= 4 && p != '='
		if p == '=' && !known && !named {
			return 0, 0, false
		}
		if r == roleCommit && !o.strong(i, k) {
			r = roleNone // "Steps 3-4:" does not begin a section
		}
		if r == roleState && o.numberAhead(k-1) {
			r = roleNone // "State 1: (stack a b)"
		}
		return k + 1, r, known
	}
	return 0, 0, false
}
