package extract

import (
	"strings"

	"github.com/planproof/planproof/pddl"
)

// segment reads a piece of a line that holds no marker.
func (o *outline) segment(start, end int) {
	raw := o.text[start:end]
	if !startsText(raw) {
		if blankLine(raw) {
			if start == 0 || o.text[start-1] == '\n' {
				o.blank = true
			}
			return
		}
		if fenceSign(raw) {
			o.fence = !o.fence
			o.add(entry{kind: entryFence, start: int32(start), end: int32(end)})
			return
		}
	}
	l := &o.reading
	l.lexicon, l.text, l.numbered, l.fence = o.r.number, raw, false, o.fence
	at, number := 0, int32(0)
	if !o.r.numbers {
		if at, number = numberBefore(raw); at > 0 {
			l.text, l.numbered = raw[at:], true
		}
	}
	table, hash := o.memo.table(len(l.text)), uint64(0)
	if table != nil {
		hash = l.hash()
		if known := table.find(hash, l); known != nil {
			o.enter(known, start, end, number)
			return
		}
	}
	o.inferred = false
	l.head, l.counts, l.steps = roleNone, false, l.steps[:0]
	o.loadFrom(o.text[start:], len(raw))
	o.read(l, raw)
	o.enter(l, start, end, number)
	if table != nil && !o.inferred {
		table.note(hash, l)
	}
}

// enter adds what was read of a piece of a line to the outline. The number is that in
// front of it, of a numbered one.
func (o *outline) enter(l *lineReading, start, end int, number int32) {
	o.header(o.text[start:end], l.counts && l.kind == entryItem)
	if l.head != roleNone {
		o.add(entry{kind: entryHead, role: l.head})
	}
	if !l.counts {
		return
	}
	n := len(o.entries)
	if n > 0 && l.kind == entryProse && !o.blank && !l.mention {
		if last := &o.entries[n-1]; last.kind == entryProse && !last.mention {
			last.claimsNo = last.claimsNo || l.claimsNo
			last.claimsHolds = last.claimsHolds || l.claimsHolds
			return
		}
	}
	o.entries = append(o.entries, l.entry)
	e := &o.entries[n]
	if e.cells && o.columns == columnsOther { // of the table, which a known line knows nothing of
		l = &lineReading{entry: l.entry, steps: []string{""}}
		e.bad = true
	}
	e.start, e.end, e.line, e.blank = int32(start), int32(end), o.line, o.blank
	if l.numbered {
		e.number = number
	}
	o.blank = false
	if e.kind == entryItem {
		e.from = int32(len(o.steps))
		o.steps = append(o.steps, l.steps...)
		e.to = int32(len(o.steps))
	}
}

// startsText tells whether a line begins with a letter or a digit: most do, and are
// neither blank nor a fence, nor JSON.
func startsText(line string) bool { return line != "" && byteClass[line[0]] == classWord }

// blankLine tells whether a line has nothing but white space.
func blankLine(raw string) bool {
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c > ' ' && c < 0x80 {
			return false
		} else if c >= 0x80 {
			break
		}
	}
	return strings.TrimSpace(raw) == ""
}

// read reads a piece of a line, which is loaded and is neither blank nor a fence. What it finds
// depends on the piece and the lexicon alone, on whether a fence is open, and, when
// inferred is set, on the task.
func (o *outline) read(l *lineReading, raw string) {
	if len(o.toks) == 0 || o.comment(raw) {
		return // a comment, or emphasis signs and rules only
	}
	h := o.head(raw)
	l.entry = entry{style: h.style, indent: h.indent, number: h.number}
	if h.at == len(o.toks) {
		return // tags only
	}
	e := &l.entry
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
	if !res.verb {
		res = o.decorated(h.at)
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
		e.action = res.action
		e.worded = res.formal && !plain && o.worded(h.at)
		l.item(o.out)
		l.cells = o.cells
	default:
		o.unread(l, h, o.likeness(h.at))
	}
}

// item makes a line an item with the steps that were read.
func (l *lineReading) item(steps []readStep) {
	l.counts, l.kind = true, entryItem
	for _, s := range steps {
		l.steps = append(l.steps, s.text)
	}
}

// unread reads a line of which no step was read: as malformed when it stands for
// a step, and as what it is otherwise.
func (o *outline) unread(l *lineReading, h lineHead, like likeness) {
	number := h.style == styleNumber
	named := o.seen&hasObject != 0 && like != likeFact
	if like == likeStep || number && like == likeMention || named && (o.imperative(h.at) || number && o.verbless(h.at)) {
		o.out = append(o.out[:0], readStep{malformed: true})
		l.bad, l.odd, l.firm, l.formal = true, true, like == likeStep, like == likeStep
		l.worded = o.worded(h.at)
		l.item(o.out)
		return
	}
	l.mention = like == likeMention || named && o.verbless(h.at) && h.style == styleBare
	if o.seen&hasRole != 0 && !l.mention {
		if k := o.statesAt(h.at); k > 0 {
			l.state = !o.names(k)
		}
	}
	l.worded = l.mention && o.worded(h.at)
	l.facts = l.mention && o.factsOnly(h.at)
	o.other(l, h)
}

// fenceSign tells whether a line opens or closes a code fence.
func fenceSign(raw string) bool {
	i := 0
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '>') {
		i++
	}
	t := raw[i:]
	return (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")) && !strings.Contains(t[3:], t[:3])
}

// labelled reads the steps after a label. A label announces steps only if one
// follows at once: "the final plan is: unstack, then stack" is talk about a plan. It
// also returns what the label says of the steps below it.
func (o *outline) labelled(h *lineHead) (lineResult, role) {
	k, role, ok := o.label(h)
	if !ok {
		return lineResult{}, roleNone
	}
	res := o.readSteps(k)
	if res.steps == 0 {
		return lineResult{}, roleNone
	}
	return res, role
}

// announces tells whether words and a colon at the end of the line follow a step.
func (o *outline) announces(end int) bool {
	last := len(o.toks) - 1
	return o.punct(last) == ':' && end < last
}

// stamp puts the time and the duration of a line such as "0.5: (load p t) [2]"
// back around its step: in a domain with durative actions they are part of it.
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

// comment tells whether a line is a comment of a plan file or of code.
func (o *outline) comment(raw string) bool {
	i := 0
	for i < len(raw)-1 && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '>') {
		i++
	}
	return raw[i] == ';' || o.fence && (raw[i] == '#' || strings.HasPrefix(raw[i:], "//"))
}

// fewWords is how many words a heading has at most that is about a state.
const fewWords = 5

// other reads a line that has no step.
func (o *outline) other(l *lineReading, h lineHead) {
	words := 0
	for i := h.at; i < len(o.toks) && words <= fewWords; i++ {
		if o.toks[i].kind != tokPunct {
			words++
		}
	}
	e := &l.entry
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
		e.claimsNo, e.claimsHolds = o.claimsIn(h.at)
	}
	last := o.punct(len(o.toks) - 1)
	switch {
	case h.style == styleNumber:
		e.kind, e.label = entryNonStep, h.label
		e.role = o.roleOf(h.at, len(o.toks))
	case o.info(h.at).class == classPhase && o.numberAhead(h.at+1) && h.style != styleBullet:
		e.kind = entryHead
		e.phase = o.value(h.at + 1)
	case h.heading || last == ':':
		e.kind = entryHead
		if o.seen&hasRole != 0 {
			e.role = o.roleOf(o.sentenceStart(), len(o.toks))
			e.strong = e.role == roleFinal || o.strong(o.sentenceStart(), len(o.toks))
			for i := o.sentenceStart(); i < len(o.toks); i++ {
				e.final = e.final || o.info(i).role == roleFinal
			}
		}
		if e.role == roleState && words > fewWords {
			e.role = roleNone // "To reach the goal, do this:"
		}
	case h.style == styleBullet:
		e.kind = entryNonStep
	default:
		e.kind = entryProse
	}
}

// sentenceStart returns the first token of the last sentence of a line.
func (o *outline) sentenceStart() int {
	for k := len(o.toks) - 2; k > 0; k-- {
		if p := o.punct(k); (p == '.' || p == '!' || p == '?') && o.toks[k+1].kind == tokWord {
			return k + 1
		}
	}
	return 0
}

// roleOf sorts a heading by its words: an explanation of the plan is an
// explanation, the final state a state.
func (o *outline) roleOf(i, end int) role {
	best := roleNone
	for ; i < end; i++ {
		if o.bits(i)&hasRole != 0 {
			best = max(best, o.info(i).role)
		}
	}
	return best
}

// strong tells whether a label names the plan itself.
func (o *outline) strong(i, end int) bool {
	for ; i < end; i++ {
		if o.info(i).strong {
			return true
		}
	}
	return false
}

// label reads "Final answer:" and returns the token after it and what it
// announces. Only labels that announce steps count; before the step of a numbered
// item any short label may stand.
func (o *outline) label(h *lineHead) (int, role, bool) {
	i := h.at
	for k := i; k < len(o.toks) && k < i+12; k++ {
		if p := o.punct(k); p == ':' || p == '=' {
			if k == i {
				return 0, 0, false
			}
			r := o.roleOf(i, k)
			named := r != roleNone || o.info(k-1).class == classLabel || o.info(i).class == classLabel
			if !named && (h.style != styleNumber || k-i > 4 || p == '=') {
				return 0, 0, false
			}
			if r == roleCommit && !o.strong(i, k) {
				r = roleNone // "Steps 3-4:" does not begin a section
			}
			return k + 1, r, true
		}
	}
	return 0, 0, false
}
