package dataset

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// spill keeps texts in a file that has no name, beside the file they are for: what a format
// needs again at the end, and too much of it for memory. Put all texts before getting one.
type spill struct {
	file *os.File
	buf  *bufio.Writer
	name string // of the file they are for, which errors name
	at   int64
	last []byte
}

// spilled says where a text is.
type spilled struct {
	at int64
	n  int
}

// newSpill makes one for what is written to w.
func newSpill(w io.Writer) (*spill, error) {
	s := &spill{name: "texts"}
	dir := "" // that for temporary files
	if f, ok := w.(*outFile); ok {
		s.name = f.file.Name()
		dir = filepath.Dir(s.name)
	}
	file, err := os.CreateTemp(dir, ".texts-*")
	if err != nil {
		return nil, s.fault(err)
	}
	if err := os.Remove(file.Name()); err != nil { // it goes when it is closed, however this process ends
		return nil, errors.Join(s.fault(err), file.Close())
	}
	s.file, s.buf = file, bufio.NewWriterSize(file, 1<<16)
	return s, nil
}

// fault names the file that users know.
func (s *spill) fault(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return &fs.PathError{Op: p.Op, Path: s.name, Err: p.Err}
	}
	return err
}

func (s *spill) put(text string) (spilled, error) {
	n, err := s.buf.WriteString(text)
	at := spilled{s.at, n}
	s.at += int64(n)
	return at, s.fault(err)
}

func (s *spill) get(x spilled) (string, error) {
	if s.buf.Buffered() > 0 {
		if err := s.buf.Flush(); err != nil {
			return "", s.fault(err)
		}
	}
	if cap(s.last) < x.n {
		s.last = make([]byte, x.n)
	}
	text := s.last[:x.n]
	if _, err := s.file.ReadAt(text, x.at); err != nil {
		return "", s.fault(err)
	}
	return string(text), nil
}

func (s *spill) close() error { return s.file.Close() }
