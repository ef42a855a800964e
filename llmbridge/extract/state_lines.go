package extract

import (
	"strings"
)

// stateRun is a run of lines with facts, which describes a state. It continues over blank lines and ends at a heading,
// a marker or other words.
type stateRun struct {
	facts, denied, odd []string
	rank               int // 3 below a heading of the final state, 1 below that of something else, 0 without a fact
}

// stateHeading says what a heading or a marker announces.
type stateHeading uint8

const (
	headNone  stateHeading = iota // words without a fact
	headFinal                     // the final state
	headAside                     // something else
	headEnd                       // a closing marker
)

// scan reads the lines of a text, and keeps the run that counts in best.
func (sc *stateScan) scan(text string) {
	sc.run, sc.best, sc.heading, sc.runs, sc.final, sc.closed = stateRun{}, stateRun{}, headNone, 0, false, false
	for len(text) > 0 && !sc.closed {
		raw, rest, _ := strings.Cut(text, "\n")
		text = rest
		for len(raw) > maxLine {
			cut := cutLine(raw)
			sc.readLine(raw[:cut])
			raw = raw[cut:]
		}
		sc.readLine(raw)
	}
	sc.endRun()
}

// readLine reads a line, which may have a marker or a heading before its facts.
func (sc *stateScan) readLine(raw string) {
	if kind, after := stateMarker(raw); kind != headNone {
		sc.announce(kind)
		raw = after
	}
	if strings.TrimSpace(raw) == "" || sc.closed {
		return
	}
	sc.load(raw)
	var h lineHead
	sc.head(raw, &h)
	at, kind := sc.headingAt(h)
	if kind != headNone || at >= len(sc.toks) {
		sc.announce(kind)
	}
	if at >= len(sc.toks) {
		return
	}
	r, before := &sc.run, len(sc.run.facts)+len(sc.run.denied)+len(sc.run.odd)
	sc.readFacts(at)
	switch {
	case len(r.facts)+len(r.denied)+len(r.odd) > before:
	case h.style != styleBare: // a list entry that is no fact
		r.odd = append(r.odd, oneLine(sc.line[sc.toks[at].start:]))
	default:
		sc.announce(headNone)
	}
}

// announce ends the current run and notes what a heading says about the next one.
func (sc *stateScan) announce(kind stateHeading) {
	sc.endRun()
	switch {
	case kind == headEnd:
		sc.closed = sc.best.rank == 3
		sc.heading = headNone
	case kind != headNone || sc.heading != headFinal:
		sc.heading = kind
	}
	sc.final = sc.final || kind == headFinal
}

// endRun compares the current run with the best before it.
func (sc *stateScan) endRun() {
	r := sc.run
	if sc.run = (stateRun{}); len(r.facts)+len(r.denied)+len(r.odd) == 0 {
		return
	}
	if len(r.facts)+len(r.denied) > 0 {
		sc.runs++
		r.rank = [...]int{headNone: 2, headFinal: 3, headAside: 1}[sc.heading]
		if r.rank >= sc.best.rank {
			sc.best = r
		}
	}
	sc.heading = headNone
}

// verdict says how the best run was chosen.
func (sc *stateScan) verdict() (reading string, c Confidence) {
	switch {
	case sc.closed:
		return "last-state-block", ConfidenceHigh
	case sc.best.rank == 0 && sc.final:
		return "nothing-found", ConfidenceLow
	case sc.best.rank == 0:
		return "nothing-found", ConfidenceHigh
	case sc.best.rank == 3:
		return "last-state-heading", ConfidenceHigh
	case sc.runs == 1:
		return "only-list", ConfidenceHigh
	}
	return "last-list", ConfidenceMedium
}

// stateMarker reads [RESULTING STATE], <state> and their closing markers, and returns what follows the marker.
func stateMarker(raw string) (stateHeading, string) {
	s := strings.TrimSpace(raw)
	if s == "" || s[0] != '[' && s[0] != '<' {
		return headNone, raw
	}
	end := strings.IndexAny(s, "]>")
	if end < 0 || end > maxTag {
		return headNone, raw
	}
	name, after := strings.ToLower(s[1:end]), s[end+1:]
	switch {
	case name == "statement" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, " end") || strings.HasSuffix(name, "_end"):
		return headEnd, after
	case strings.Contains(name, "state"):
		return headFinal, after
	case strings.Contains(name, "action") || strings.Contains(name, "plan"):
		return headAside, after
	}
	return headNone, raw
}

// headingAt reads a heading, alone or before a colon. It returns the token after the heading and what
// it announces.
func (sc *stateScan) headingAt(h lineHead) (int, stateHeading) {
	end := h.at
	for end < len(sc.toks) && (h.heading || end < h.at+12) && sc.punct(end) != ':' {
		if p := sc.punct(end); !h.heading && (p == '.' || p == ',' || p == '(') {
			return h.at, headNone
		}
		end++
	}
	if sc.punct(end) != ':' && !h.heading {
		return h.at, headNone
	}
	final, other := false, false
	for k := h.at; k < end; k++ {
		word := strings.ToLower(sc.text(k))
		final, other = final || finalWords.has(word), other || asideWords.has(word)
	}
	switch {
	case final && !other:
		return end + 1, headFinal
	case !final && !other && !h.heading:
		return h.at, headNone // "So: the red block is clear"
	}
	return end + 1, headAside
}
