package pddl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// Pos is a byte offset into a Source. It costs four bytes per node, which limits a file
// to 4 GB; lines and columns are only computed when a message is printed.
type Pos uint32

// MaxSourceSize is the longest text a Source may hold, set by the width of Pos.
const MaxSourceSize = 1<<32 - 2

// Source is one input text with the name used in messages. Nodes keep substrings
// of Text, so it stays alive as long as they do. A Source must not be copied
// after its first use.
type Source struct {
	Name string
	Text string

	once  sync.Once
	lines []Pos // offset of each line's first byte

	mu     sync.Mutex
	memo   Pos // the last position asked for, and its column: generated files have
	column int // lines of megabytes, whose characters should not be counted again
}

// NewSource returns a source with the given name and text.
func NewSource(name, text string) *Source { return &Source{Name: name, Text: text} }

// NewSourceBytes returns a source over text without copying it. The caller must
// not change text afterwards.
func NewSourceBytes(name string, text []byte) *Source {
	return &Source{Name: name, Text: unsafe.String(unsafe.SliceData(text), len(text))}
}

// ReadSource reads the file name, or standard input for "-", into a source. A file may have
// [MaxSourceSize] bytes, a pipe or device 512 MB, since nobody knows where it ends.
func ReadSource(name string) (*Source, error) { return readSource(context.Background(), name) }

// ReadSourceContext is [ReadSource] that ends when ctx does, with its error, also where nobody writes into a pipe. What
// the system is reading at that moment is lost.
func ReadSourceContext(ctx context.Context, name string) (*Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var src *Source
	done := make(chan error, 1)
	go func() {
		var err error
		src, err = readSource(ctx, name)
		done <- err
	}()
	select {
	case err := <-done:
		return src, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readSource(ctx context.Context, name string) (*Source, error) {
	if name == "-" {
		return readSourceFrom(ctx, "<stdin>", os.Stdin)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxSourceSize {
		return nil, fmt.Errorf("%s is larger than 4 GB", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() && !info.IsDir() {
		return readSourceFrom(ctx, name, f)
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := b.ReadFrom(untilDone{ctx, f}); err != nil {
		return nil, err
	}
	return NewSourceBytes(name, b.Bytes()), nil
}

// untilDone reads from a reader until a context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p[:min(len(p), 1<<20)])
}

// maxStream is the size of the largest text that is read from a pipe or device.
const maxStream = 512 << 20

// ReadSourceFrom reads a source of a given name from r, of at most 512 MB.
func ReadSourceFrom(name string, r io.Reader) (*Source, error) {
	return readSourceFrom(context.Background(), name, r)
}

func readSourceFrom(ctx context.Context, name string, r io.Reader) (*Source, error) {
	b, err := io.ReadAll(io.LimitReader(untilDone{ctx, r}, maxStream+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(b) > maxStream {
		return nil, fmt.Errorf("%s: more than %d MB; write it to a file first", name, maxStream>>20)
	}
	return NewSourceBytes(name, b), nil
}

// LineCol returns the 1-based line and column of pos. A line ends at "\n", at
// "\r\n" or at a lone "\r"; the column counts Unicode characters, and a byte
// order mark at the start of the text is not one. The first call scans the text
// once; it is safe for concurrent use.
func (s *Source) LineCol(pos Pos) (line, col int) {
	if line, col = s.near(int(pos)); line > 0 {
		return line, col
	}
	s.once.Do(s.findLines)
	p := max(min(int(pos), len(s.Text)), int(s.lines[0]))
	i := sort.Search(len(s.lines), func(i int) bool { return int(s.lines[i]) > p }) - 1
	s.mu.Lock()
	defer s.mu.Unlock()
	from, col := s.lines[i], 1
	if s.column > 0 && s.memo >= from && int(s.memo) <= p {
		from, col = s.memo, s.column
	}
	col += utf8.RuneCountInString(s.Text[from:p])
	if p == len(s.Text) || utf8.RuneStart(s.Text[p]) {
		s.memo, s.column = Pos(p), col
	}
	return i + 1, col
}

// near is LineCol for places near the start of a text without "\r", where counting needs less than a
// table of lines: a verdict names one place of a short plan. Elsewhere it returns 0.
func (s *Source) near(p int) (line, col int) {
	const most = 512
	if p = min(p, len(s.Text)); p > most {
		return 0, 0
	}
	first := 0
	if hasBOM(s.Text) {
		first = len(bom)
	}
	before := s.Text[first:max(p, first)]
	if strings.IndexByte(before, '\r') >= 0 {
		return 0, 0
	}
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

func (s *Source) findLines() {
	first := 0
	if hasBOM(s.Text) {
		first = len(bom)
	}
	s.lines = append(make([]Pos, 0, 1+strings.Count(s.Text, "\n")), Pos(first))
	if strings.IndexByte(s.Text, '\r') < 0 {
		for i := first; ; {
			n := strings.IndexByte(s.Text[i:], '\n')
			if n < 0 {
				return
			}
			i += n + 1
			s.lines = append(s.lines, Pos(i))
		}
	}
	for i := first; i < len(s.Text); i++ {
		switch s.Text[i] {
		case '\n':
			s.lines = append(s.lines, Pos(i+1))
		case '\r':
			if i+1 == len(s.Text) || s.Text[i+1] != '\n' {
				s.lines = append(s.lines, Pos(i+1))
			}
		}
	}
}

// bom is the UTF-8 byte order mark that some editors put before the text.
const bom = "\xef\xbb\xbf"

func hasBOM(s string) bool { return len(s) >= len(bom) && s[:len(bom)] == bom }
