// Package progress shows on one line of a terminal how far work is. The line is written over
// a few times a second, and wiped when the work is done:
//
//	12/100 rows, 3 rows/s, 4 s, about 29 s left
package progress

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// interval is the least time between two writes.
const interval = 200 * time.Millisecond

// Line is a line of a terminal. A nil Line is silent. It may be used by several goroutines.
type Line struct {
	w     io.Writer
	what  string
	total int
	start time.Time

	mu    sync.Mutex
	count int
	last  time.Time
}

// New begins a line that counts things, such as "rows", up to a total; 0 is one that nobody
// knows. It appears when the work has taken some time.
func New(w io.Writer, what string, total int) *Line {
	now := time.Now()
	return &Line{w: w, what: what, total: total, start: now, last: now}
}

// Show puts a text on the line.
func (l *Line) Show(text string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.due() {
		fmt.Fprintf(l.w, "\r\x1b[K%s, %.0f s", text, time.Since(l.start).Seconds())
	}
}

// due reports whether the line may be written again, and takes note that it is.
func (l *Line) due() bool {
	if time.Since(l.last) < interval {
		return false
	}
	l.last = time.Now()
	return true
}

// Set shows that n things are done.
func (l *Line) Set(n int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count = n
	l.write()
}

// Add shows that n more things are done.
func (l *Line) Add(n int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count += n
	l.write()
}

func (l *Line) write() {
	if !l.due() {
		return
	}
	seconds := time.Since(l.start).Seconds()
	rate := float64(l.count) / seconds
	of, left := "", ""
	if l.total > 0 {
		of = fmt.Sprintf("/%d", l.total)
		if l.count > 0 && l.count < l.total {
			left = fmt.Sprintf(", about %.0f s left", float64(l.total-l.count)/rate)
		}
	}
	fmt.Fprintf(l.w, "\r\x1b[K%d%s %s, %.3g %s/s, %.0f s%s", l.count, of, l.what, rate, l.what, seconds, left)
}

// Done wipes the line.
func (l *Line) Done() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprint(l.w, "\r\x1b[K")
}

// Count returns a writer that passes lines on to w and counts them.
func (l *Line) Count(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return counter{w, l}
}

type counter struct {
	w    io.Writer
	line *Line
}

// Write implements io.Writer.
func (c counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.line.Add(bytes.Count(p[:n], []byte{'\n'}))
	return n, err
}
