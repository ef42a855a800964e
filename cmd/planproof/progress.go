package main

import (
	"bytes"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// rowBar counts rows on a terminal, and is silent elsewhere.
type rowBar struct{ bar *progressbar.ProgressBar }

func (e env) rowProgress() rowBar {
	if !isTerminal(e.err) || isTerminal(e.out) {
		return rowBar{} // rows on the terminal are progress enough
	}
	return rowBar{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(e.err), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("rows"), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())}
}

// count passes rows on to w and counts them on the bar as they go by.
func (b rowBar) count(w io.Writer) io.Writer {
	if b.bar == nil {
		return w
	}
	return countingWriter{w, b.bar}
}

type countingWriter struct {
	w   io.Writer
	bar *progressbar.ProgressBar
}

// Write implements io.Writer.
func (c countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	_ = c.bar.Add(bytes.Count(p[:n], []byte{'\n'}))
	return n, err
}

// add counts n rows.
func (b rowBar) add(n int) {
	if b.bar != nil {
		_ = b.bar.Add(n)
	}
}

func (b rowBar) done() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
