package extract

import "strings"

// The outline of an answer lists what matters in it: lines with steps, numbered lines without steps,
// headings, prose, fences and markers. Plans are looked for in the outline, never in the text.

type entryKind uint8

const (
	entryItem    entryKind = iota // a line with steps, or in the place of one
	entryNonStep                  // a numbered or bulleted line without a step
	entryHead                     // a heading, or a line that ends in a colon
	entryProse                    // other lines; neighbours form one entry
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
// option is one of several plans: "Option 2", "Approach B". The zero value is none.
type option struct {
	word   int32 // vocabulary index of its label
	number int32 // 1 for 1 and A; 0 for none
}

type entry struct {
	kind  entryKind
	style lineStyle
	role  role
	itemFlags
	blank   bool     // a blank line stands before it
	final   bool     // a heading that calls something final
	strong  bool     // a heading that names the plan itself
	comment bool     // a heading that is a comment in code
	strict  bool     // a marker that may hold nothing but a plan
	odd     bool     // a line that reads like a step of another domain
	mention bool     // a line without a step that mentions one
	cells   cellSpan // of an item whose arguments stand in the cells of a table
	facts   bool     // a line with nothing but facts written as calls
	state   bool     // a line that describes a state: "Final State: ..."
	worded  bool     // a line in parentheses that hold words rather than a step
	// A line without a step says that there is no plan, or that there is nothing to do.
	claimsNo, claimsHolds bool
	mends                 bool   // a heading that says that what is below it replaces something wrong
	renews                bool   // a heading that says that what is below it replaces the plan above it
	rejects               bool   // it says that what stands before it, or below a heading, is not to be done
	change                change // what it does to the plan beside it
	withdraws             bool   // it says that there is no plan at all, not only no shorter one
	counted               bool   // a numbered line without a step that states nothing, or a heading that opens a block of code
	option                option // a heading "Option 2", or the choice of one in other words
	refused               option // a line that names an option without choosing it
	gerund                bool   // an item that tells its step in the gerund
	notes                 bool   // a heading of remarks: "Note:"
	retells               bool   // a heading that says the plan again: "In plain English:"
	about                 bool   // an item with words about its step: "stack b a would not work"
	explains              bool   // a sentence about the step with which it begins: "(unstack b c) is needed first."
	empty                 bool   // a number and nothing else
	adds                  bool   // a bullet with a step of no action behind words such as "also"
	brief                 bool   // a heading of a few words
	then                  bool   // a heading "Then:"
	heading               bool   // the line is set as a heading: "## ...", "**...**"
	colon                 bool   // the line ends in a colon
	titled                bool   // its number stands behind a label or in a heading: "Step 2: ...", "## 2. ..."
	indent                int16
	number                int32
	phase                 int32 // of a heading "Phase 2", 0 for none
	line                  int32 // 1-based
	from, to              int32 // steps
	start                 int32 // bytes of the text
	end                   int32
}

// Limits on an answer. Beyond them Status is "no-plan" and Reading "too-long": nobody means a plan of
// that size.
const (
	maxEntries = 1 << 20
	maxSteps   = 1 << 20
	maxLine    = 1 << 20 // bytes of a line; a longer one is read in parts
	maxBytes   = 1<<31 - 1
)

// lineReading is what was read from a piece of a line, without its place in the answer.
type lineReading struct {
	head   role // what a label before the steps says about the steps below; it gets its own entry
	anew   bool // such a label says that they replace the plan above
	counts bool // the line adds an entry to the outline
	*entry
	steps []string // of an item; "" for a malformed step
}

type outline struct {
	lineReader
	text      string
	entries   []entry
	steps     []string
	blank     bool
	fence     bool
	think     bool
	denied    string // how the end of what is not read begins, "</rejected"; "" outside
	boxDepth  int
	columns   int8             // how many columns behind the action's may hold its arguments, before one that may not
	doubtful  []doubtfulColumn // of the current table
	line      int32
	truncated bool
	brackets  markerScan
	reading   lineReading // of the current line
	memo      *lineMemo
	// jsonBudget bounds the bytes that are read as JSON without success.
	jsonBudget int
	outlineBuffers
}

// outlineBuffers are kept from one answer to the next.
type outlineBuffers struct {
	plans     []string // room for plans to come
	planLines []int    // and for their lines
	// For blocks and assemble.
	blocked []block
	lists   []list
	pending []waiting
	items   []int32
}

// release returns the outline to the pool, unless its buffers have grown large.
func (o *outline) release() {
	const most = 1 << 14
	if cap(o.entries) > most || cap(o.steps) > most {
		return
	}
	if cap(o.toks) > most || cap(o.untagged) > most {
		o.toks, o.untagged = nil, nil
	}
	clear(o.steps)
	clear(o.out)
	clear(o.reading.steps)
	*o = outline{
		lineReader: lineReader{toks: o.toks, untagged: o.untagged, out: o.out, args: o.args, step: o.step, texts: o.texts},
		entries:    o.entries[:0], steps: o.steps[:0], outlineBuffers: o.outlineBuffers,
		reading: lineReading{steps: o.reading.steps[:0]}, doubtful: o.doubtful[:0], memo: o.memo,
	}
	outlines.Put(o)
}

// triangles are the brackets of some models' tags, ◁think▷.
var triangles = strings.NewReplacer("◁", "<", "▷", ">")

// scan builds the outline of an answer.
func (o *outline) scan(text string) {
	if strings.IndexByte(text, "◁"[1]) >= 0 { // seldom
		text = triangles.Replace(text)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	o.text = text
	o.jsonBudget = 2*len(text) + 1<<12
	o.brackets = markerScan{}
	o.columns, o.doubtful = maxColumns, o.doubtful[:0]
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
		if end == at && o.denied == "" && o.boxDepth == 0 && (at == 0 || text[at-1] == '\n') {
			o.blank = o.blank || !o.think
			at = next
			continue
		}
		if end > at && firstByte[text[at]]&firstOfData != 0 && mayBeData(text[at:end]) && !o.think && o.denied == "" {
			if after, ok := o.data(at, end); ok {
				at = after
				o.line-- // the rest of the line is read next
				continue
			}
		}
		for end-at > maxLine {
			cut := at + cutLine(text[at:end])
			o.scanLine(at, cut)
			at = cut
		}
		o.scanLine(at, end)
		at = next
		if n := len(o.entries); n > 0 && o.entries[n-1].bad && o.entries[n-1].line == o.line && at < len(text) {
			if after, ok := o.argumentsBelow(at - 1); ok {
				at = min(after+1, len(text))
			}
		}
		o.truncated = o.truncated || len(o.entries) > maxEntries || len(o.steps) > maxSteps
	}
}

// cutLine returns where the first part of a line longer than maxLine ends.
func cutLine(line string) int {
	if k := strings.LastIndexByte(line[:maxLine], ' '); k > 0 {
		return k
	}
	return maxLine
}

// scanLine cuts a line at its markers. A \boxed{ ends at its closing brace, which may stand some lines
// below.
func (o *outline) scanLine(at, end int) {
	if o.denied != "" {
		if at = o.endDenial(at, end); at > end {
			return
		}
	}
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
		k, depth := closingBrace(o.text[at:end], o.boxDepth)
		k, o.boxDepth = at+k, depth
		o.markers(at, k)
		if k < end {
			o.add(entry{kind: entryClose})
		}
		at = k + 1
	}
}

// closingBrace returns the byte of the brace that closes the first of depth braces, or the end of the text, and how many
// are open then.
func closingBrace(text string, depth int) (at, open int) {
	for at = range len(text) {
		switch text[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at, 0
			}
		}
	}
	return len(text), depth
}

// markers reads a piece of a line up to the first box that it opens, and returns the byte at which to
// continue.
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
		if m.box && (inBox || o.think || o.r.boxesCount(line[m.end:])) || m.kind == markDeny && (o.think || o.r.word(strings.TrimPrefix(m.shut, "</")).action >= 0) {
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
		case markDeny:
			o.denied = m.shut
			return o.endDenial(at+pos, end)
		case markOpen, markClose, markCut:
			if o.think {
				continue
			}
			kind := entryOpen + entryKind(m.kind-markOpen) // which have the same order
			o.add(entry{kind: kind, strict: m.strict, start: int32(at + m.start), end: int32(at + m.end)})
			if m.box {
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

// endDenial returns the byte after the end of what is not read, or that after the line.
func (o *outline) endDenial(at, end int) int {
	k := indexFold(o.text[at:end], o.denied)
	if k < 0 {
		return end + 1
	}
	at += k + len(o.denied)
	if strings.HasPrefix(o.denied, "</") {
		if k = strings.IndexByte(o.text[at:end], '>'); k < 0 {
			return end + 1
		}
		at += k + 1
	}
	o.denied = ""
	return at
}

// indexFold returns where a text has a lower-case part, in any case, or -1.
func indexFold(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// endThought handles a tag that ends thoughts. If no tag opened them, the prompt did, and everything
// before was thought.
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
