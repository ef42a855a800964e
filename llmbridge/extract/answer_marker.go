package extract

import (
	"slices"
	"strings"
)

// markerKind says what a marker does.
type markerKind uint8

const (
	markNone    markerKind = iota
	markOpen               // [PLAN], <plan>, <answer>, \boxed{
	markClose              // [PLAN END], </plan>
	markThink              // <think>
	markUnthink            // </think>
	markCut                // [STATEMENT]: a new problem begins
)

// marker is a tag in an answer.
type marker struct {
	kind       markerKind
	start, end int // bytes
	tag        string
}

// nextMarker finds the first marker at or after byte i of s. After each bracket it reads at most maxTag
// bytes.
func nextMarker(s string, i int) (marker, bool) {
	for ; i < len(s); i++ {
		var m marker
		switch s[i] {
		case '[':
			m = bracketMarker(s, i)
		case '<':
			m = tagMarker(s, i)
		case '\\':
			if strings.HasPrefix(s[i:], `\boxed{`) {
				m = boxed(s, i)
			}
		default:
			continue
		}
		if m.kind != markNone {
			return m, true
		}
	}
	return marker{}, false
}

// markerScan finds the bytes that markers can begin with. Most lines have none and need not be searched.
type markerScan struct {
	at    [3]int // the next position of each byte in markerBytes
	first int    // the smallest of them
}

var markerBytes = [3]byte{'[', '<', '\\'}

// newMarkerScan returns a scan at the start of a text.
func newMarkerScan() markerScan { return markerScan{[3]int{-1, -1, -1}, -1} }

// within reports whether such a byte stands in text[at:end]. Calls must go forward in the text.
func (m *markerScan) within(text string, at, end int) bool {
	if m.first < at {
		m.find(text, at)
	}
	return m.first < end
}

// find searches on from byte at.
func (m *markerScan) find(text string, at int) {
	m.first = len(text)
	for i, c := range markerBytes {
		if m.at[i] < at {
			if k := strings.IndexByte(text[at:], c); k >= 0 {
				m.at[i] = at + k
			} else {
				m.at[i] = len(text)
			}
		}
		m.first = min(m.first, m.at[i])
	}
}

const maxTag = 32

// bracketMarker reads [PLAN], [PLAN END], [QUERY_PLAN], [/PLAN] and [STATEMENT]: known words in
// brackets, separated by spaces or underscores, one of them PLAN or END.
func bracketMarker(s string, i int) marker {
	limit := min(len(s), i+maxTag)
	end := strings.IndexByte(s[i:limit], ']')
	if end < 0 {
		return marker{}
	}
	text := s[i+1 : i+end]
	m := marker{start: i, end: i + end + 1, tag: "plan"}
	plan, closes, other := false, strings.HasPrefix(text, "/"), false
	for rest := text; rest != ""; {
		w := rest
		if k := strings.IndexAny(rest, " _-/*"); k >= 0 {
			w, rest = rest[:k], rest[k+1:]
		} else {
			rest = ""
		}
		switch {
		case w == "":
		case strings.EqualFold(w, "PLAN"):
			plan = true
		case strings.EqualFold(w, "END"):
			closes = true
		case strings.EqualFold(w, "STATEMENT"):
			m.kind = markCut
			return m
		case !slices.ContainsFunc(markerWords, func(known string) bool { return strings.EqualFold(w, known) }):
			other = true
		}
	}
	switch {
	case other || !plan && !(closes && text == strings.ToUpper(text)):
		return marker{}
	case closes:
		m.kind = markClose
	default:
		m.kind = markOpen
	}
	return m
}

// markerWords are the other words that a marker in brackets may have.
var markerWords = []string{"QUERY", "START", "BEGIN", "FINAL", "PDDL", "THE", "OF", "ANSWER"}

// Tags that hold a plan and nothing else, tags that hold an answer, in which words may surround the
// plan, and tags that hold thoughts.
var (
	planTags   = map[string]bool{"plan": true, "final_plan": true, "final-plan": true, "boxed": true}
	answerTags = map[string]bool{"answer": true, "solution": true, "final_answer": true, "final-answer": true, "finalanswer": true, "final": true, "output": true}
	thinkTags  = map[string]bool{"think": true, "thinking": true, "thought": true, "thoughts": true, "reasoning": true, "scratchpad": true, "reflection": true}
)

// markupTags are layout: they say nothing about what they hold.
var markupTags = func() map[string]bool {
	tags := map[string]bool{}
	for _, t := range strings.Fields("ol ul li p br hr div span b i u em strong code pre tt kbd h1 h2 h3 h4 h5 h6 table thead tbody tr td th details summary section blockquote step steps action actions item list sequence") {
		tags[t] = true
	}
	return tags
}()

// emphasisTags are the markupTags that belong inside a line. A line of a plan with nothing else is not
// layout and counts as a malformed step.
var emphasisTags = map[string]bool{"b": true, "i": true, "u": true, "em": true, "strong": true, "span": true, "tt": true, "kbd": true}

// tagMarker reads <plan>, </answer>, <think> and the like.
func tagMarker(s string, i int) marker {
	limit := min(len(s), i+maxTag)
	end := strings.IndexByte(s[i:limit], '>')
	if end < 0 {
		return marker{}
	}
	name := strings.ToLower(strings.TrimSpace(s[i+1 : i+end]))
	name, closes := strings.CutPrefix(name, "/")
	name = strings.TrimSpace(name)
	m := marker{start: i, end: i + end + 1, tag: name}
	switch {
	case (answerTags[name] || planTags[name]) && closes:
		m.kind = markClose
	case answerTags[name] || planTags[name]:
		m.kind = markOpen
	case thinkTags[name] && closes:
		m.kind = markUnthink
	case thinkTags[name]:
		m.kind = markThink
	}
	return m
}

// boxed reads \boxed{, which opens a block that ends at the closing brace.
func boxed(s string, i int) marker {
	return marker{kind: markOpen, start: i, end: i + len(`\boxed{`), tag: "boxed"}
}

// WithoutThoughts returns an answer without what the model thought before it, by the rule of
// Reader: a closing tag without an opening one ends thoughts that began in the prompt.
func WithoutThoughts(text string) string {
	var b strings.Builder
	think, at := false, 0
	for from := 0; ; {
		m, ok := nextMarker(text, from)
		if !ok {
			break
		}
		from = m.end
		switch {
		case m.kind == markThink && !think:
			b.WriteString(text[at:m.start])
			think = true
		case m.kind == markUnthink && !think:
			b.Reset()
			at = m.end
		case m.kind == markUnthink:
			think, at = false, m.end
		}
	}
	if at == 0 && !think {
		return text
	}
	if !think {
		b.WriteString(text[at:])
	}
	return b.String()
}
