package travel

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/planproof/planproof/internal/pattern"
)

// nothing reports whether a field of a plan says that nothing is planned.
func nothing(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s == "-"
}

// normal is the form in which names are compared: Unicode NFC, lower case, no blanks around it, single blanks inside.
func normal(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || c >= 'A' && c <= 'Z' || c < ' ' || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(s))), " ")
}

// splitPlace splits "Name, City" at its last comma.
func splitPlace(s string) (name, city string, ok bool) {
	i := strings.LastIndexByte(s, ',')
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), true
}

// splitState splits "City(State)" or "City (State)"; state is "" where there is none.
func splitState(s string) (city, state string) {
	s = strings.TrimSpace(s)
	open := strings.LastIndexByte(s, '(')
	if open <= 0 || !strings.HasSuffix(s, ")") {
		return s, ""
	}
	return strings.TrimSpace(s[:open]), strings.TrimSpace(s[open+1 : len(s)-1])
}

// leg is a journey between two cities, as written.
type leg struct{ from, to string }

// legForm is the part of a text that says where a journey goes; the second city ends at a comma.
var legForm = pattern.New(`(?i)\bfrom\s+(.+?)\s+to\s+([^,]+)`)

// journey is the word by which a city's text is one of a travel day.
var journey = pattern.New(`(?i)\bfrom\b`)

// findLeg reads the first "from A to B" of a text, and returns its place.
func findLeg(s string) (l leg, begin, end int, ok bool) {
	m := legForm.FindStringSubmatchIndex(s)
	if m == nil {
		return leg{}, 0, 0, false
	}
	return leg{strings.TrimSpace(s[m[2]:m[3]]), strings.TrimSpace(s[m[4]:m[5]])}, m[0], m[1], true
}

// resolveLeg reads "A to B" again where a city's own name has the word "to" in it: the cut at which both cities are
// known is meant.
func (w *World) resolveLeg(l leg) leg {
	whole := l.from + " to " + l.to
	parts := strings.Split(whole, " to ")
	for i := 1; i < len(parts); i++ {
		from, to := strings.Join(parts[:i], " to "), strings.Join(parts[i:], " to ")
		if w.knowsCity(from) && w.knowsCity(to) {
			return leg{from, to}
		}
	}
	return l
}
