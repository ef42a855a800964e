package extract

import (
	"strings"
)

// stateLine is a line of an answer, as StateReader sees it.
type stateLine struct {
	kind   stateLineKind
	facts  []string
	denied []string
	odd    []string
}

type stateLineKind uint8

const (
	lineOther stateLineKind = iota // words without a fact
	lineBlank
	lineFacts
	lineFinal // a heading or marker of the final state
	lineAside // a heading of something else
	lineEnd   // a closing marker
)

// lines reads every line of a text. A line with both a heading and facts becomes two.
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
			l.kind = lineFacts // a list entry that is no fact
			if len(l.odd) == 0 {
				l.odd = []string{oneLine(sc.line[sc.toks[at].start:])}
			}
		}
	}
	return append(out, l)
}

// stateMarker reads [RESULTING STATE], <state> and their closing markers.
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

// stateHeading reads a heading, alone or before a colon. It returns the token after the heading and what
// it announces.
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

// chooseState picks the run of lines that describes the state. A run continues over blank lines and ends
// at a heading, a marker or other words.
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
