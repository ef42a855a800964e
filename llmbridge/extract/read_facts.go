package extract

import (
	"github.com/planproof/planproof/internal/atomtext"
	"slices"
	"strings"
)

// stateScan finds the facts of a text, line by line.
type stateScan struct {
	lineReader
	facts, denied, odd []string
}

// stateLine is a line of an answer as a state reader sees it.
type stateLine struct {
	kind   stateLineKind
	facts  []string
	denied []string
	odd    []string
}

type stateLineKind uint8

const (
	lineOther stateLineKind = iota // words that tell no fact
	lineBlank
	lineFacts
	lineFinal // a heading or marker of the final state
	lineAside // a heading of something else
	lineEnd   // a closing marker
)

// Read returns the state that a text tells. Of several, the one that the text calls
// the final or resulting state counts, and among equals the last; a text that tells
// only one needs no such heading. Thoughts are not read. It is deterministic and
// reads the text once.
func (s *StateReader) Read(text string) StateReading {
	if len(text) > maxBytes {
		return StateReading{Facts: []string{}, Reading: "too-long", Confidence: ConfidenceLow}
	}
	sc := s.r.buffers.Get().(*stateScan)
	defer s.r.buffers.Put(sc)
	lines := sc.lines(WithoutThoughts(text))
	lo, hi, reading, conf := chooseState(lines)
	x := StateReading{Facts: []string{}, Reading: reading, Confidence: conf}
	if reading == "nothing-found" {
		return x
	}
	x.Found = true
	x.Facts = slices.Clone(s.unsaid)
	for i := lo; i < hi; i++ {
		x.Facts = append(x.Facts, lines[i].facts...)
		x.Denied = append(x.Denied, lines[i].denied...)
		x.Unread = append(x.Unread, lines[i].odd...)
	}
	for _, list := range []*[]string{&x.Facts, &x.Denied} {
		atomtext.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(x.Unread) > 0 {
		x.Confidence = ConfidenceLow
	}
	return x
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

// lines reads every line of a text. A line that has both a heading and facts becomes
// two.
func (sc *stateScan) lines(text string) []stateLine {
	var out []stateLine
	for len(text) > 0 {
		raw, rest, _ := strings.Cut(text, "\n")
		text = rest
		for len(raw) > maxLine {
			cut := maxLine
			if k := strings.LastIndexByte(raw[:cut], ' '); k > 0 {
				cut = k
			}
			out = sc.addLine(out, raw[:cut])
			raw = raw[cut:]
		}
		out = sc.addLine(out, raw)
	}
	return out
}

func (sc *stateScan) addLine(out []stateLine, raw string) []stateLine {
	if kind := stateMarker(raw); kind != lineOther {
		if kind == lineAside && len(out) > 0 && strings.Contains(strings.ToUpper(raw), "[STATEMENT]") {
			return append(out, stateLine{kind: lineEnd})
		}
		out = append(out, stateLine{kind: kind})
		_, after, _ := strings.Cut(raw, "]")
		if after == "" {
			_, after, _ = strings.Cut(raw, ">")
		}
		if strings.TrimSpace(after) == "" {
			return out
		}
		raw = after
	}
	if strings.TrimSpace(raw) == "" {
		return append(out, stateLine{kind: lineBlank})
	}
	sc.load(raw)
	h := sc.head(raw)
	at, kind := sc.stateHeading(h)
	if kind != lineOther {
		out = append(out, stateLine{kind: kind})
	}
	if at >= len(sc.toks) {
		if kind == lineOther {
			out = append(out, stateLine{kind: lineOther})
		}
		return out
	}
	sc.facts, sc.denied, sc.odd = nil, nil, nil
	sc.readFacts(at)
	l := stateLine{kind: lineFacts, facts: sc.facts, denied: sc.denied, odd: sc.odd}
	if len(l.facts)+len(l.denied) == 0 {
		if l.kind = lineOther; h.style != styleBare || len(l.odd) > 0 {
			l.kind = lineFacts // an entry of a list that says something else
			if len(l.odd) == 0 {
				l.odd = []string{oneLine(sc.line[sc.toks[at].start:])}
			}
		}
	}
	return append(out, l)
}

// stateMarker reads [RESULTING STATE], <state> and their ends.
func stateMarker(raw string) stateLineKind {
	s := strings.ToLower(strings.TrimSpace(raw))
	if s == "" || s[0] != '[' && s[0] != '<' {
		return lineOther
	}
	end := strings.IndexAny(s[1:], "]>")
	if end < 0 || end > maxTag {
		return lineOther
	}
	name := s[1 : 1+end]
	switch {
	case strings.HasPrefix(name, "/") || strings.HasSuffix(name, " end") || strings.HasSuffix(name, "_end"):
		return lineEnd
	case strings.Contains(name, "state") && name != "statement":
		return lineFinal
	case name == "statement" || strings.Contains(name, "action") || strings.Contains(name, "plan"):
		return lineAside
	}
	return lineOther
}

// stateHeading reads a heading, alone or before a colon: it returns the token after
// it, and what the heading is about.
func (sc *stateScan) stateHeading(h lineHead) (int, stateLineKind) {
	end := -1
	for k := h.at; k < len(sc.toks) && k < h.at+12; k++ {
		if sc.punct(k) == ':' {
			end = k
			break
		}
		if sc.punct(k) == '.' || sc.punct(k) == ',' || sc.punct(k) == '(' {
			break
		}
	}
	stop := end
	if end < 0 {
		if !h.heading {
			return h.at, lineOther
		}
		stop = len(sc.toks)
	}
	final, other := false, false
	for k := h.at; k < stop; k++ {
		if sc.toks[k].kind == tokPunct {
			continue
		}
		switch strings.ToLower(sc.text(k)) {
		case "final", "resulting", "result", "end", "new", "answer":
			final = true
		case "initial", "before", "step", "current", "action", "reason", "goal", "preconditions", "effects", "start", "starting", "explanation":
			other = true
		}
	}
	kind := lineAside
	switch {
	case final && !other:
		kind = lineFinal
	case final:
		kind = lineAside
	case !other && end >= 0 && !h.heading:
		return h.at, lineOther // "So: the red block is clear"
	}
	if end < 0 {
		return len(sc.toks), kind
	}
	return end + 1, kind
}

// readFacts collects the facts from token i to the end of the line.
func (sc *stateScan) readFacts(i int) {
	for i < len(sc.toks) {
		f, ok := sc.factAt(i)
		if !ok {
			i++
			continue
		}
		text := sc.format(&f)
		known := f.name != ""
		if !known {
			text = "(" + sc.line[sc.toks[i+1].start:sc.toks[f.end-1].end]
		}
		for _, a := range f.args {
			known = known && a.object >= 0
		}
		switch {
		case !known:
			sc.odd = append(sc.odd, oneLine(text))
		case sc.denies(i, f.end):
			sc.denied = append(sc.denied, text)
		default:
			sc.facts = append(sc.facts, text)
		}
		i = f.end
	}
}

// factAt reads the fact that begins at token i, the longest one where several do.
func (sc *stateScan) factAt(i int) (best found, ok bool) {
	if sc.punct(i) == '(' {
		f, status := sc.parenthesised(i)
		if status != parsedStep {
			return f, false
		}
		k := sc.r.lookup(f.name)
		if k < 0 || sc.r.info[k].action < 0 || sc.r.actions[sc.r.info[k].action].arity != len(f.args) {
			if sc.denyingWord(i + 1) {
				return f, false // (not (on a b)): what is inside is read
			}
			f.name = "" // no fact of the task
		}
		return f, true
	}
	if sc.toks[i].kind == tokPunct {
		return best, false
	}
	if s := sc.matchSentence(i, nil); s != nil {
		if best, ok = sc.complete(s); ok {
			best.args = slices.Clone(best.args)
		}
	}
	action, at := sc.actionName(i)
	if action < 0 || ok && best.end >= at+sc.r.actions[action].arity {
		return best, ok
	}
	f, status := found{}, parsedNone
	if sc.punct(at) == '(' {
		f, status = sc.call(action, at, ')')
	} else {
		f, status = sc.prefix(action, i, at)
	}
	if status == parsedStep && len(f.args) == sc.r.actions[action].arity && f.end > best.end {
		return f, true
	}
	return best, ok
}

// prefix reads "on a b", and a fact without arguments that stands alone.
func (sc *stateScan) prefix(action int32, i, at int) (found, parsed) {
	a := &sc.r.actions[action]
	f := found{name: a.name, args: sc.newArgs(), end: at}
	if a.arity == 0 {
		if (i == 0 || sc.joint(i-1)) && (at == len(sc.toks) || sc.joint(at)) {
			return f, parsedStep
		}
		return f, parsedNone
	}
	for len(f.args) < a.arity {
		arg, end, ok := sc.formalObject(f.end)
		if !ok || arg.object < 0 {
			return f, parsedNone
		}
		f.args, f.end = append(f.args, arg), end
	}
	return f, parsedStep
}

// joint tells whether token i separates facts: a sign, a number or "and".
func (sc *stateScan) joint(i int) bool {
	t := &sc.toks[i]
	return t.kind != tokWord || t.word == sc.r.phrases.and || t.word >= 0 && sc.r.info[t.word].class == classLead
}

// denies tells whether the words around a fact say that it does not hold.
func (sc *stateScan) denies(start, end int) bool {
	for k := start - 1; k >= 0 && k >= start-8; k-- {
		if p := sc.punct(k); p == ',' || p == ';' || p == '.' || p == ':' || p == ')' {
			break
		}
		if sc.toks[k].word == sc.r.phrases.and {
			break
		}
		if sc.denyingWord(k) {
			return true
		}
	}
	for k := end; k < len(sc.toks) && k < end+4; k++ {
		switch p := sc.punct(k); p {
		case ',', ';', '.', '(':
			return false
		}
		if sc.denyingWord(k) || sc.toks[k].kind == tokWord && strings.EqualFold(sc.text(k), "false") {
			return true
		}
		if _, ok := sc.factAt(k); ok {
			return false
		}
	}
	return false
}

func (sc *stateScan) denyingWord(k int) bool {
	c := sc.info(k).class
	return c == classNot || c == classNo
}

// chooseState picks the lines that tell the state. A run of lines goes on over blank
// lines, and ends at a heading, a marker or other words.
func chooseState(lines []stateLine) (lo, hi int, reading string, conf Confidence) {
	lo, hi = -1, -1
	rank, runs := 0, 0
	heading := lineOther
	emptyFinal := false
	for i := 0; i < len(lines); {
		switch lines[i].kind {
		case lineFacts:
			j, last := i, i
			said := false
			for ; j < len(lines) && (lines[j].kind == lineFacts || lines[j].kind == lineBlank); j++ {
				if lines[j].kind == lineFacts {
					last = j
					said = said || len(lines[j].facts)+len(lines[j].denied) > 0
				}
			}
			r := 2
			switch {
			case !said:
				r = 0
			case heading == lineFinal:
				r = 3
			case heading == lineAside:
				r = 1
			}
			if r > 0 {
				runs++
			}
			if r > 0 && r >= rank {
				lo, hi, rank = i, last+1, r
			}
			heading = lineOther
			i = j
			continue
		case lineFinal:
			heading, emptyFinal = lineFinal, true
		case lineAside:
			heading = lineAside
		case lineEnd:
			heading = lineOther
			if rank == 3 {
				return lo, hi, "last-state-block", ConfidenceHigh
			}
		case lineOther:
			if heading != lineFinal {
				heading = lineOther
			}
		}
		i++
	}
	switch {
	case rank == 0 && emptyFinal:
		return 0, 0, "nothing-found", ConfidenceLow
	case rank == 0:
		return 0, 0, "nothing-found", ConfidenceHigh
	case rank == 3:
		return lo, hi, "last-state-heading", ConfidenceHigh
	case runs == 1:
		return lo, hi, "only-list", ConfidenceHigh
	}
	return lo, hi, "last-list", ConfidenceMedium
}
