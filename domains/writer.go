package domains

import (
	"fmt"
	"strings"
)

// writer writes a problem: sections in the usual order, one fact per line.
type writer struct{ b strings.Builder }

// newWriter opens a problem of the domain.
func newWriter(name, domain string) *writer {
	w := &writer{}
	fmt.Fprintf(&w.b, "(define (problem %s)\n  (:domain %s)\n", name, domain)
	return w
}

// section opens a section: objects, init, goal.
func (w *writer) section(keyword string) { fmt.Fprintf(&w.b, "  (:%s", keyword) }

// line adds one line to the open section.
func (w *writer) line(format string, args ...any) {
	w.b.WriteString("\n    ")
	fmt.Fprintf(&w.b, format, args...)
}

// objects adds a line with objects of one type; nothing when there are none.
func (w *writer) objects(names []string, typ string) {
	switch {
	case len(names) == 0:
	case typ == "":
		w.line("%s", strings.Join(names, " "))
	default:
		w.line("%s - %s", strings.Join(names, " "), typ)
	}
}

// end closes the open section.
func (w *writer) end() { w.b.WriteString(")\n") }

// finish closes the problem and returns its text.
func (w *writer) finish() string { return strings.TrimSuffix(w.b.String(), "\n") + ")\n" }

// numbered returns prefix0, prefix1, ...
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}
