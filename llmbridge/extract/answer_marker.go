package extract

import "strings"

// markerKind says what a marker does.
type markerKind uint8

const (
	markNone    markerKind = iota
	markOpen               // [PLAN], <plan>, <answer>, \boxed{
	markClose              // [PLAN END], </plan>
	markCut                // [STATEMENT]: a new problem begins
	markThink              // <think>
	markUnthink            // </think>
	markDeny               // <rejected>: what it holds is not read
)

// marker is a tag in an answer.
type marker struct {
	kind       markerKind
	start, end int    // bytes
	strict     bool   // it may hold nothing but a plan
	box        bool   // \boxed{, which ends at the closing brace
	shut       string // how what markDeny opens ends
}

// markerBytes are the bytes with which markers begin.
const markerBytes = "[<\\"

// markerScan finds these bytes. Most lines have none and need not be searched.
type markerScan struct {
	at    [len(markerBytes)]int // the next position of each byte + 1
	first int                   // the least of them
}

// within reports whether such a byte stands in text[at:end]. Calls must go forward in the text.
func (m *markerScan) within(text string, at, end int) bool {
	if m.first <= at {
		m.advance(text, at)
	}
	return m.first <= end
}

// advance looks for the bytes from byte at on.
func (m *markerScan) advance(text string, at int) {
	m.first = len(text) + 1
	for i := range m.at {
		if m.at[i] <= at {
			if m.at[i] = at + 1 + strings.IndexByte(text[at:], markerBytes[i]); m.at[i] == at {
				m.at[i] = len(text) + 1
			}
		}
		m.first = min(m.first, m.at[i])
	}
}

// nextMarker finds the first marker at or after byte i of s. After each bracket it reads at most maxTag
// bytes.
func nextMarker(s string, i int) (marker, bool) {
	for ; i < len(s); i++ {
		var m marker
		near := s[i:min(len(s), i+maxTag)]
		switch s[i] {
		case '[':
			if end := strings.IndexByte(near, ']'); end > 0 {
				m = marker{kind: bracketMarker(near[1:end]), start: i, end: i + end + 1, strict: true}
			}
		case '<':
			if strings.HasPrefix(near, commentStart) {
				m = marker{kind: markDeny, shut: commentEnd, start: i, end: i + len(commentStart)}
			} else if end := strings.IndexByte(near, '>'); end > 0 {
				m = tagMarker(near[1:end])
				if struckTags.has(near[1:end]) && strings.TrimSpace(s) == near[:end+1] {
					m = marker{kind: markDeny, shut: "</" + near[1:end]} // on a line of its own
				}
				m.start, m.end = i, i+end+1
			}
		case '\\':
			if strings.HasPrefix(near, `\boxed{`) {
				m = marker{kind: markOpen, start: i, end: i + len(`\boxed{`), strict: true, box: true}
			}
		}
		if m.kind != markNone {
			return m, true
		}
	}
	return marker{}, false
}

const maxTag = 32

// maxBox is the most bytes that a box without a plan holds.
const maxBox = 64

var markerGaps = signsIn(" _-/*")

// bracketMarker sorts [PLAN], [PLAN END], [QUERY_PLAN], [/PLAN] and [STATEMENT]: known words in
// brackets, separated by spaces or underscores, one of them PLAN or END.
func bracketMarker(text string) markerKind {
	plan, closes, known := false, strings.HasPrefix(text, "/"), true
	for w := range strings.FieldsFuncSeq(text, func(c rune) bool { return c < 0x80 && markerGaps[c] }) {
		switch {
		case strings.EqualFold(w, "STATEMENT"):
			return markCut
		case strings.EqualFold(w, "PLAN"):
			plan = true
		case strings.EqualFold(w, "END"):
			closes = true
		default:
			known = known && markerWords.fold(w)
		}
	}
	switch {
	case !known || !plan && !(closes && text == strings.ToUpper(text)):
		return markNone
	case closes:
		return markClose
	}
	return markOpen
}

// A comment of XML.
const (
	commentStart = "<!--"
	commentEnd   = "-->"
)

// boxesCount reports whether a box, from its content on, closes on its line around a number or a few words that are
// no step and deny nothing: "7}$ steps", "\text{valid}}".
func (r *lexicon) boxesCount(content string) bool {
	end, open := closingBrace(content[:min(len(content), maxBox)], 1)
	content = content[:end]
	if open > 0 || strings.ContainsAny(content, "-?!"+crosses) {
		return false
	}
	said := false
	for word := range words(content) {
		number := strings.Trim(word, "0123456789") == "" && strings.Trim(word, "0") != ""
		if w := r.word(word); !number && !boxWords.has(word) || w.action >= 0 || w.object >= 0 || w.fact || w.noun {
			return false
		}
		said = true
	}
	return said
}

// tagMarker sorts <plan>, </answer>, <think> and the like.
func tagMarker(text string) (m marker) {
	name, closes := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "/")
	name, attributes, _ := strings.Cut(strings.Trim(name, "| "), " ")
	if _, thought, ok := strings.Cut(name, "_of_"); ok { // <|begin_of_thought|>
		closes, name = strings.HasPrefix(name, "end"), thought
	}
	m.strict = planTags.has(name)
	switch {
	case !closes && !markupTags.has(name) && denialTag(name, attributes):
		return marker{kind: markDeny, shut: "</" + name}
	case m.strict || answerTags.has(name):
		m.kind = markOpen
	case thinkTags.has(name):
		m.kind = markThink
	default:
		return m
	}
	if closes {
		m.kind++ // markClose, markUnthink
	}
	return m
}

// WithoutThoughts returns an answer without what the model thought before it, by the rule of
// Reader: a closing tag without an opening one ends thoughts that began in the prompt.
func WithoutThoughts(text string) string {
	var b strings.Builder
	think, at := false, 0
	for from := 0; ; {
		m, ok := nextMarker(text, from)
		switch from = m.end; {
		case !ok:
			if !think {
				b.WriteString(text[at:])
			}
			return b.String()
		case m.kind == markThink && !think:
			b.WriteString(text[at:m.start])
			think = true
		case m.kind == markUnthink:
			if !think {
				b.Reset()
			}
			think, at = false, m.end
		}
	}
}
