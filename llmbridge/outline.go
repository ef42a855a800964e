package llmbridge

import (
	"strings"

	"planproof/pddl"
)

// The outline of a response is the sequence of what matters in it: lines with
// steps, numbered lines without, headings, prose in between, fences and markers.
// Plans are looked for in the outline, never in the text itself.

type entryKind uint8

const (
	entryItem    entryKind = iota // a line with steps, or one that should have some
	entryNonStep                  // a numbered or bulleted line without a step
	entryHead                     // a heading, or a line that ends in a colon
	entryProse                    // other lines; a run of them is one entry
	entryFence                    // ```
	entryEmpty                    // "()" or "[]": a plan with no steps
	entryOpen                     // a marker that opens a plan
	entryClose
	entryCut
)

type lineStyle uint8

const (
	styleBare lineStyle = iota
	styleNumber
	styleBullet
)

// entry is one element of the outline.
type entry struct {
	kind      entryKind
	style     lineStyle
	role      role
	bad       bool // an item that begins as a step and names none
	firm      bool // a bad item that could be nothing else
	cancelled bool // an item that takes its step back
	blank     bool // a blank line stands before it
	label     bool // an item whose steps follow a label such as "Plan:"
	strict    bool // a marker around a plan and nothing else
	odd       bool // a line that reads as a step of some other domain
	formal    bool // an item that begins with a parenthesis or a call
	mention   bool // a line without a step that mentions one
	// A line without a step that says that there is no plan, or nothing to do.
	claimsNo, claimsHolds bool
	told                  bool // an item that tells about its step: "we attack object c"
	indent                int16
	number                int32
	phase                 int32 // of a heading "Phase 2", 0 for none
	line                  int32 // 1-based
	from, to              int32 // steps
	start                 int32 // bytes of the text
	end                   int32
}

// Limits on a response. One beyond them is answered with "no-plan" and the
// reading "too-long": no plan of that size is meant.
const (
	maxEntries = 1 << 20
	maxSteps   = 1 << 20
	maxLine    = 1 << 20 // bytes of a line; a longer one is read in parts
	maxBytes   = 1<<31 - 1
)

type outline struct {
	lineReader
	text      string
	entries   []entry
	steps     []string
	blank     bool
	fence     bool
	think     bool
	boxDepth  int
	line      int32
	truncated bool
	brackets  markerScan
	// jsonBudget bounds the text that is tried as JSON in vain.
	jsonBudget int
	// Room for assemble.
	lists   []list
	pending []waiting
	items   []int32
}

// release gives the buffers back, unless they have grown large.
func (o *outline) release() {
	const most = 1 << 14
	if cap(o.entries) > most || cap(o.steps) > most || cap(o.toks) > most {
		return
	}
	clear(o.steps)
	clear(o.out)
	*o = outline{
		lineReader: lineReader{r: o.r, toks: o.toks[:0], out: o.out[:0], args: o.args, step: o.step[:0]},
		entries:    o.entries[:0],
		steps:      o.steps[:0],
		lists:      o.lists[:0],
		pending:    o.pending[:0],
		items:      o.items[:0],
	}
	o.r.buffers.Put(o)
}

// scan builds the outline of a response.
func (o *outline) scan(text string) {
	o.text = text
	o.jsonBudget = 2*len(text) + 1<<12
	o.brackets = markerScan{-1, -1, -1}
	for at := 0; at < len(text) && !o.truncated; {
		o.line++
		end := strings.IndexByte(text[at:], '\n')
		next := at + end + 1
		if end < 0 {
			end, next = len(text), len(text)
		} else {
			end += at
		}
		if end > at && text[end-1] == '\r' {
			end--
		}
		if !o.think && startsJSON(text[at:end]) {
			if k := strings.IndexAny(text[at:end], "[{"); k >= 0 {
				if after, ok := o.json(at + k); ok {
					at = after
					o.line-- // the rest of the line is read next
					continue
				}
			}
		}
		for end-at > maxLine {
			cut := at + maxLine
			if k := strings.LastIndexByte(text[at:cut], ' '); k > 0 {
				cut = at + k
			}
			o.scanLine(at, cut)
			at = cut
		}
		o.scanLine(at, end)
		at = next
		o.truncated = o.truncated || len(o.entries) > maxEntries || len(o.steps) > maxSteps
	}
}

// scanLine cuts a line at its markers. A box ends at its brace, which may stand
// lines below.
func (o *outline) scanLine(at, end int) {
	if o.boxDepth == 0 && !o.brackets.within(o.text, at, end) {
		if !o.think {
			o.segment(at, end)
		}
		return
	}
	for at <= end {
		if o.boxDepth == 0 {
			at = o.markers(at, end)
			continue
		}
		k := o.closingBrace(at, end)
		o.markers(at, k)
		if k < end {
			o.add(entry{kind: entryClose})
		}
		at = k + 1
	}
}

// closingBrace follows the braces of the open box up to the one that closes it,
// and returns its byte, or the end of the line.
func (o *outline) closingBrace(at, end int) int {
	for i := at; i < end; i++ {
		switch o.text[i] {
		case '{':
			o.boxDepth++
		case '}':
			if o.boxDepth--; o.boxDepth == 0 {
				return i
			}
		}
	}
	return end
}

// markers reads a piece of a line up to the first box that it opens, and returns
// the byte where to go on.
func (o *outline) markers(at, end int) int {
	line := o.text[at:end]
	inBox := o.boxDepth > 0
	pos := 0
	for from := 0; ; {
		m, ok := nextMarker(line, from)
		if !ok {
			break
		}
		from = m.end
		if m.tag == "boxed" && (inBox || o.think) {
			continue
		}
		if !o.think {
			o.segment(at+pos, at+m.start)
		}
		pos = m.end
		switch m.kind {
		case markThink:
			o.think = true
		case markUnthink:
			o.endThought()
		case markOpen, markClose, markCut:
			if o.think {
				continue
			}
			kind := entryOpen
			if m.kind == markClose {
				kind = entryClose
			} else if m.kind == markCut {
				kind = entryCut
			}
			o.add(entry{kind: kind, strict: planTags[m.tag], start: int32(at + m.start), end: int32(at + m.end)})
			if m.tag == "boxed" {
				o.boxDepth = 1
				return at + pos
			}
		}
	}
	if !o.think {
		o.segment(at+pos, end)
	}
	return end + 1
}

// endThought takes a closing tag of thoughts. Without an opening tag the prompt
// holds it, and all before is thought.
func (o *outline) endThought() {
	if !o.think {
		o.entries, o.steps = o.entries[:0], o.steps[:0]
		o.fence, o.blank = false, false
	}
	o.think = false
	o.add(entry{kind: entryHead}) // what follows is another text
}

func (o *outline) add(e entry) {
	e.line = o.line
	e.blank = o.blank
	o.blank = false
	o.entries = append(o.entries, e)
}

// lineHead is what stands before the content of a line.
type lineHead struct {
	style   lineStyle
	number  int32
	indent  int16
	heading bool     // "#", or bold from end to end
	stamp   [2]int32 // bytes of a time stamp in the cleaned line
	at      int      // first token of the content
}

// head reads indentation, quote signs, bullets, "#" and emphasis off the raw line.
func (l *lineReader) head(raw string) lineHead {
	var h lineHead
	i := 0
	for ; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == ' ':
			h.indent++
		case c == '\t':
			h.indent += 4
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
	if bullet || strings.HasPrefix(rest, "•") {
		h.style = styleBullet
	}
	bold := strings.HasPrefix(rest, "**") && strings.HasSuffix(strings.TrimRight(rest, " :."), "**")
	h.heading = strings.HasPrefix(rest, "#") || bold
	for k := 0; k < len(l.toks); k++ {
		if p := l.punct(k); p != '>' && p != '|' && p != '#' && p != '-' && p != '+' {
			h.at = k
			break
		}
	}
	l.numberHead(&h)
	if h.style == styleBare && l.letterHead(h.at) {
		h.style, h.at = styleBullet, h.at+2
	}
	return h
}

// letterHead tells whether "a)" or "iv." stands before a step at token i.
func (l *lineReader) letterHead(i int) bool {
	if p := l.punct(i + 1); p != ')' && p != '.' || l.toks[i].kind != tokWord || l.toks[i].end-l.toks[i].start > 4 {
		return false
	}
	return l.info(i).action < 0 && (l.punct(i+2) == '(' || l.info(i+2).action >= 0 || i+2 < len(l.toks) && l.beginsSentence(i+2))
}

// numberHead reads "3.", "(3)", "Step 3:", "Action 3 -", "0.000:".
func (l *lineReader) numberHead(h *lineHead) {
	i := h.at
	open := l.punct(i) == '(' || l.punct(i) == '['
	if open {
		i++
	}
	label := !open && l.info(i).class == classLabel && l.numberAhead(i+1)
	if label {
		i++
	}
	if !l.numberAhead(i) {
		return
	}
	n := l.value(i)
	if n < 0 {
		return
	}
	k := i + 1
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
	case !open && (l.punct(k) == '(' || l.info(k).action >= 0 || k < len(l.toks) && l.toks[k].kind != tokPunct && l.beginsSentence(k)) && l.info(i).object < 0:
	default:
		return
	}
	h.style, h.number, h.at = styleNumber, n, k
	if l.r.timed && h.stamp[1] > 0 {
		h.style = styleBullet // times need not go up
	}
}

// value returns the value of the number at token i, -1 for a large one.
func (l *lineReader) value(i int) int32 {
	n := int32(0)
	for _, c := range l.text(i) {
		if n = n*10 + int32(c-'0'); n > 1<<24 {
			return -1
		}
	}
	return n
}

// segment reads a piece of a line that holds no marker.
func (o *outline) segment(start, end int) {
	raw := o.text[start:end]
	if strings.TrimSpace(raw) == "" {
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
	o.load(raw)
	if len(o.toks) == 0 || o.comment(raw) {
		return // a comment, or emphasis signs and rules only
	}
	h := o.head(raw)
	e := entry{style: h.style, indent: h.indent, number: h.number, start: int32(start), end: int32(end)}
	res := o.readSteps(h.at)
	if !res.verb {
		res = o.labelled(&h)
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
		o.other(e, h) // "Stack red on blue as follows:"
	case res.steps > 0 || res.bad || res.cancelled:
		e.bad, e.cancelled, e.told = res.bad, res.cancelled, res.told
		e.label, e.firm, e.formal = e.label || res.label, res.firm, res.formal
		o.addItem(e)
	default:
		o.unread(e, h)
	}
}

// unread enters a line of which no step was read: as malformed when it stands for
// a step, and as what it is otherwise.
func (o *outline) unread(e entry, h lineHead) {
	like := o.likeness(h.at)
	number := h.style == styleNumber
	if like == likeStep || number && like == likeMention || o.imperative(h.at) || number && o.verbless(h.at) {
		o.out = append(o.out[:0], readStep{malformed: true})
		e.bad, e.odd, e.firm, e.formal = true, true, like == likeStep, like == likeStep
		o.addItem(e)
		return
	}
	e.mention = like == likeMention
	o.other(e, h)
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
// follows at once: "the final plan is: unstack, then stack" is talk about a plan.
func (o *outline) labelled(h *lineHead) lineResult {
	k, role, ok := o.label(h)
	if !ok {
		return lineResult{}
	}
	res := o.readSteps(k)
	if res.steps == 0 {
		return lineResult{}
	}
	if role != roleNone {
		o.add(entry{kind: entryHead, role: role})
	}
	return res
}

// announces tells whether words and a colon at the end of the line follow a step.
func (o *outline) announces(end int) bool {
	last := len(o.toks) - 1
	return o.punct(last) == ':' && end < last
}

// addItem enters a line with the steps that were read.
func (o *outline) addItem(e entry) {
	e.kind = entryItem
	e.from = int32(len(o.steps))
	for _, s := range o.out {
		o.steps = append(o.steps, s.text)
	}
	e.to = int32(len(o.steps))
	o.add(e)
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
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t') {
		i++
	}
	return raw[i] == ';' || o.fence && (raw[i] == '#' || strings.HasPrefix(raw[i:], "//"))
}

// other enters a line that has no step.
func (o *outline) other(e entry, h lineHead) {
	words := 0
	for i := h.at; i < len(o.toks); i++ {
		if o.toks[i].kind != tokPunct {
			words++
		}
	}
	if words == 0 {
		a, b := o.punct(h.at), o.punct(h.at+1)
		if len(o.toks)-h.at == 2 && (a == '(' && b == ')' || a == '[' && b == ']') {
			e.kind = entryEmpty
			o.add(e)
		} else if e.mention {
			e.kind = entryProse
			o.add(e)
		}
		return
	}
	if o.punct(h.at) == '(' && !e.mention {
		return // "(plan", "(:plan": brackets around steps
	}
	e.claimsNo, e.claimsHolds = o.claimsIn(h.at)
	last := o.punct(len(o.toks) - 1)
	switch {
	case h.style == styleNumber:
		e.kind = entryNonStep
		e.role = o.roleOf(h.at, len(o.toks))
	case o.info(h.at).class == classPhase && o.numberAhead(h.at+1) && h.style != styleBullet:
		e.kind = entryHead
		e.phase = o.value(h.at + 1)
	case h.heading || last == ':':
		e.kind = entryHead
		e.role = o.roleOf(o.sentenceStart(), len(o.toks))
		if e.role == roleState && words > 5 {
			e.role = roleNone // "To reach the goal, do this:"
		}
	case h.style == styleBullet:
		e.kind = entryNonStep
	default:
		e.kind = entryProse
		if n := len(o.entries); n > 0 && o.entries[n-1].kind == entryProse && !o.blank && !e.mention && !o.entries[n-1].mention {
			last := &o.entries[n-1]
			last.claimsNo = last.claimsNo || e.claimsNo
			last.claimsHolds = last.claimsHolds || e.claimsHolds
			return
		}
	}
	o.add(e)
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
		best = max(best, o.info(i).role)
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
