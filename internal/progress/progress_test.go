package progress

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLine: the line is silent at first, shows the count, the rate and what is left, is not
// written too often, and is wiped.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b, rows strings.Builder
		l := New(&b, "rows", 40)
		l.Set(1)
		time.Sleep(2 * time.Second)
		if _, err := io.WriteString(l.Count(&rows), "a\nb\nc\n"); err != nil || rows.String() != "a\nb\nc\n" {
			t.Fatal(err, rows.String())
		}
		l.Add(1) // too early to be written
		time.Sleep(time.Second)
		l.Show("astar(lmcut())")
		l.Done()
		want := "\r\x1b[K4/40 rows, 2 rows/s, 2 s, about 18 s left\r\x1b[Kastar(lmcut()), 3 s\r\x1b[K"
		if b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	})
}

// TestNil: without a terminal nothing is counted or written.
func TestNil(t *testing.T) {
	var l *Line
	l.Set(1)
	l.Add(1)
	l.Show("x")
	l.Done()
	if w := l.Count(io.Discard); w != io.Discard {
		t.Error("a nil line stands between a writer and its rows")
	}
}
