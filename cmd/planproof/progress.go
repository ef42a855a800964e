package main

import (
	"bytes"
	"fmt"
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

// liveLine is a line on a terminal that is written over a few times a second; silent
// elsewhere.
type liveLine struct {
	w           io.Writer // nil: silent
	start, last time.Time
}

// liveLine shows how far long work is.
func (e env) liveLine() *liveLine {
	now := time.Now()
	l := &liveLine{start: now, last: now}
	if isTerminal(e.err) && !e.Bool("json") {
		l.w = e.err
	}
	return l
}

func (l *liveLine) show(text string) {
	if l.w == nil || time.Since(l.last) < 200*time.Millisecond {
		return
	}
	l.last = time.Now()
	fmt.Fprintf(l.w, "\r\x1b[K%s, %.0f s", text, time.Since(l.start).Seconds())
}

func (l *liveLine) done() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
