package main

import (
	"io"
	"os"

	"github.com/planproof/planproof/internal/progress"
)

// rowProgress counts rows that are printed. Rows on a terminal are progress enough.
func (e env) rowProgress() *progress.Line {
	if !isTerminal(e.err) || isTerminal(e.out) {
		return nil
	}
	return progress.New(e.err, "rows", 0)
}

// countProgress shows how many of a number of things are done; total 0: nobody knows.
func (e env) countProgress(total int, what string) *progress.Line {
	if !isTerminal(e.err) || e.Bool("json") {
		return nil
	}
	return progress.New(e.err, what, total)
}

// liveLine shows in words how far work is.
func (e env) liveLine() *progress.Line { return e.countProgress(0, "") }

// isTerminal reports whether w is a terminal: progress is shown there and nowhere else.
func isTerminal(w io.Writer) bool {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
