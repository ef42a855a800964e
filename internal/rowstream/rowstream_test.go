package rowstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

func noFlush() error { return nil }

// collect runs a stream whose answers are the lines with their numbers.
func collect(in io.Reader, opt Options) (got []string, err error) {
	err = Run(context.Background(), in, opt,
		func(_ context.Context, l *Line) string { return tell(l.Number, l.Row, l.Length, string(l.Text)) },
		func(s string) error { got = append(got, s); return nil }, noFlush)
	return got, err
}

func tell(number, row int, length int64, text string) string {
	return fmt.Sprintf("%d/%d: %d bytes %q", number, row, length, text)
}

// expected splits a text line by line.
func expected(text string, maxLine int) (want []string) {
	row := 0
	for i, line := range slices.Collect(strings.Lines(text)) {
		length := len(line)
		if i == 0 {
			line = strings.TrimPrefix(line, "\xef\xbb\xbf")
		}
		if length > maxLine {
			line = ""
		} else if strings.TrimSpace(line) == "" {
			continue
		}
		row++
		want = append(want, tell(i+1, row, int64(length), line))
	}
	return want
}

// TestRunIsLineByLine compares Run with a loop over the lines, however they are read.
func TestRunIsLineByLine(t *testing.T) {
	piece := rapid.SampledFrom([]string{"\n", "\r\n", " \n", "a\n", "bb\n", "{\"x\":1}\n", strings.Repeat("c", 30) + "\n", strings.Repeat("d", 100), strings.Repeat("e", 70_000) + "\n", "f", "\xef\xbb\xbf", "\x00\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
		opt := Options{Workers: rapid.IntRange(0, 4).Draw(t, "workers"), MaxLine: rapid.SampledFrom([]int{8, 40, 65_536, 1 << 20}).Draw(t, "longest"), Reuse: rapid.Bool().Draw(t, "reuse")}
		var in io.Reader = strings.NewReader(text)
		switch rapid.IntRange(0, 3).Draw(t, "reader") {
		case 0:
			in = iotest.HalfReader(in)
		case 1:
			in = iotest.DataErrReader(in)
		case 2:
			if len(text) < 2000 {
				in = iotest.OneByteReader(in)
			}
		}
		got, err := collect(in, opt)
		if want := expected(text, opt.MaxLine); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %q, want %q", err, got, want)
		}
	})
}

type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// trickle brings a line at a time.
type trickle string

func (t trickle) Read(p []byte) (int, error) { return copy(p, t), nil }

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// TestFaultOfReading answers the lines before it and not the one that it cut off.
func TestFaultOfReading(t *testing.T) {
	broken := errors.New("broken")
	got, err := collect(io.MultiReader(strings.NewReader("a\nb\nhalf"), iotest.ErrReader(broken)), Options{MaxLine: 99})
	if !errors.Is(err, broken) || len(got) != 2 {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := collect(silent{}, Options{MaxLine: 99}); !errors.Is(err, io.ErrNoProgress) || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAnswersAtOnce talks line by line, each after the answer to the one before.
func TestAnswersAtOnce(t *testing.T) {
	in, w := io.Pipe()
	answers := make(chan string)
	ended := make(chan error, 1)
	var buffered []string // until the flush
	go func() {
		ended <- Run(context.Background(), in, Options{MaxLine: 99},
			func(_ context.Context, l *Line) string { return string(l.Text) },
			func(s string) error { buffered = append(buffered, s); return nil },
			func() error {
				for _, s := range buffered {
					answers <- s
				}
				buffered = nil
				return nil
			})
	}()
	for i := range 50 {
		line := fmt.Sprintf("%d\n", i)
		io.WriteString(w, line)
		if got := <-answers; got != line {
			t.Fatalf("%q to %q", got, line)
		}
	}
	w.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLongAnswer shows that an answer that takes long keeps neither those before it back
// nor those after it from being made.
func TestLongAnswer(t *testing.T) {
	release, last := make(chan struct{}), make(chan struct{})
	flushed := make(chan int, 1000)
	emitted := 0
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), strings.NewReader("first\nlong\nthird\nlast\n"), Options{Workers: 2, MaxLine: 99},
			func(_ context.Context, l *Line) string {
				switch string(l.Text) {
				case "long\n":
					<-release
				case "last\n":
					close(last)
				}
				return string(l.Text)
			},
			func(string) error { emitted++; return nil },
			func() error {
				select {
				case flushed <- emitted:
				default:
				}
				return nil
			})
	}()
	<-last
	for n := range flushed {
		if n == 1 {
			break
		}
	}
	close(release)
	if err := <-ended; err != nil || emitted != 4 {
		t.Errorf("%d, %v", emitted, err)
	}
}

// TestEndedWhileReading ends a stream in the middle of its input: the error is always that
// of the context, whichever of its goroutines sees the end first.
func TestEndedWhileReading(t *testing.T) {
	for i := range 500 {
		ctx, cancel := context.WithCancel(context.Background())
		err := Run(ctx, trickle("line\n"), Options{Workers: 2, MaxLine: 99, Finish: time.Duration(i%2) * time.Second},
			func(_ context.Context, l *Line) int {
				if l.Number > i%10 {
					cancel()
				}
				return 0
			}, func(int) error { return nil }, noFlush)
		if cancel(); !errors.Is(err, context.Canceled) {
			t.Fatalf("run %d: %v", i, err)
		}
	}
}

// TestContextEnds ends a stream whose reader and workers both wait.
func TestContextEnds(t *testing.T) {
	for _, finish := range []bool{false, true} {
		in, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithCancel(context.Background())
		begun, release := make(chan struct{}), make(chan struct{})
		var got []string
		go func() {
			io.WriteString(w, "a\nb\nc\n")
			<-begun
			cancel()
			if finish {
				time.Sleep(3 * tick)
				close(release)
			}
		}()
		err := Run(ctx, in, Options{Workers: 1, MaxLine: 99, Finish: map[bool]time.Duration{true: time.Minute}[finish]},
			func(ctx context.Context, l *Line) string {
				if string(l.Text) == "b\n" {
					close(begun)
					<-release
				}
				return string(l.Text)
			},
			func(s string) error { got = append(got, s); return nil }, noFlush)
		want := []string{"a\n"}
		if finish {
			want = []string{"a\n", "b\n", "c\n"}
		} else {
			close(release)
		}
		if !errors.Is(err, context.Canceled) || !slices.Equal(got, want) {
			t.Errorf("finish %v: %q, %v", finish, got, err)
		}
	}
}

// TestReadIsAnswered ends a stream when many lines have been read and few are answered: all
// are, under a context that has not ended, until Options.Finish is over.
func TestReadIsAnswered(t *testing.T) {
	const lines = 5_000
	for _, finish := range []time.Duration{time.Minute, time.Millisecond} {
		in, w := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		cut, emitted := atomic.Int64{}, 0
		go func() {
			for range lines / 100 {
				io.WriteString(w, strings.Repeat("line\n", 100)) // each is read by itself
			}
			cancel() // the last write has been read
		}()
		err := Run(ctx, in, Options{Workers: 2, MaxLine: 99, Finish: finish}, func(ctx context.Context, l *Line) int {
			if l.Number%100 == 1 {
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
				}
			}
			if ctx.Err() != nil {
				cut.Add(1)
			}
			return 0
		}, func(int) error { emitted++; return nil }, noFlush)
		w.Close()
		if !errors.Is(err, context.Canceled) || emitted != lines || (cut.Load() > 0) != (finish < time.Second) {
			t.Errorf("%v: %d of %d lines are answered, %d under a context that has ended, %v", finish, emitted, lines, cut.Load(), err)
		}
	}
}

// TestEmitFails ends a stream whose input goes on for ever.
func TestEmitFails(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, finish := range []bool{false, true} {
		for _, where := range []string{"emit", "flush"} {
			n := 0
			fail := func(at string) error {
				if n++; at == where && n > 1000 {
					return broken
				}
				return nil
			}
			err := Run(context.Background(), endless("line\n"), Options{Workers: 3, MaxLine: 99, Finish: map[bool]time.Duration{true: time.Minute}[finish]},
				func(context.Context, *Line) int { return 0 },
				func(int) error { return fail("emit") },
				func() error {
					if where == "flush" {
						n += 1000
					}
					return fail("flush")
				})
			if !errors.Is(err, broken) {
				t.Errorf("%s, finish %v: %v", where, finish, err)
			}
		}
	}
}

// counting counts what is read.
type counting struct {
	io.Reader
	n atomic.Int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// TestReadsNoFurther shows that somebody who does not take the answers is not read from
// without end.
func TestReadsNoFurther(t *testing.T) {
	for _, line := range []string{"x\n", strings.Repeat("y", 300_000) + "\n"} {
		in := &counting{Reader: endless(line)}
		if len(line) > chunkBytes {
			in.Reader = bufio.NewReaderSize(&repeated{line: line}, 1<<20)
		}
		ctx, cancel := context.WithCancel(context.Background())
		stuck := make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, in, Options{Workers: 2, MaxLine: 400_000},
				func(context.Context, *Line) int { return 0 },
				func(int) error { <-stuck; return nil }, noFlush)
		}()
		last := int64(-1)
		for n := in.n.Load(); n != last; n = in.n.Load() {
			last = n
			time.Sleep(100 * time.Millisecond)
		}
		if last > 48<<20 {
			t.Errorf("%d bytes read ahead", last)
		}
		cancel()
		close(stuck)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// repeated is a line again and again.
type repeated struct {
	line string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.line[r.at:])
	r.at = (r.at + n) % len(r.line)
	return n, nil
}

// FuzzRun sends any bytes.
func FuzzRun(f *testing.F) {
	f.Add([]byte("a\n\nb\r\n\xef\xbb\xbf"), 3)
	f.Add(bytes.Repeat([]byte("x"), 100), 7)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		got, err := collect(iotest.HalfReader(bytes.NewReader(text)), Options{Workers: 2, MaxLine: 1 + size&63})
		if want := expected(string(text), 1+size&63); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %q, want %q", err, got, want)
		}
	})
}
