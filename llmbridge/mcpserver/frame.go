package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/rowjson"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// checkFrame refuses a request that JSON readers would silently change or read differently, or that is no JSON.
func checkFrame(frame []byte) error {
	if !utf8.Valid(frame) {
		return errors.New("the request is not UTF-8: a text with replaced characters would be another one")
	}
	if !rowjson.Valid(frame) {
		return errors.New("the request is not JSON")
	}
	return checkNames(frame)
}

// checkNames refuses a request that names a member of it, or of its parameters, twice: programs that look at requests
// on the way could take another one than the server does.
func checkNames(frame []byte) error {
	frame = bytes.TrimSpace(frame)
	if len(frame) == 0 || frame[0] != '{' {
		return nil // what is no object is refused by the SDK
	}
	return rowjson.EachMember(frame, func(name string, value []byte) error {
		if name != "params" || value[0] != '{' {
			return nil
		}
		return rowjson.EachMember(value, func(string, []byte) error { return nil })
	})
}

// Stdio is the transport over a pipe: a line for each message. A line that is too long, not UTF-8 or no
// JSON is answered with an error, and the connection goes on.
func (s *Server) Stdio(in io.Reader, out io.Writer) mcp.Transport {
	r, w := io.Pipe()
	locked := &lockedWriter{w: out}
	go func() {
		w.CloseWithError(s.copyLines(w, in, locked))
	}()
	return &mcp.IOTransport{Reader: r, Writer: locked, MaxLineLength: -1}
}

// Pipe serves one connection over a pipe until its input or ctx ends.
func (s *Server) Pipe(ctx context.Context, in io.Reader, out io.Writer) error {
	err := s.Run(ctx, s.Stdio(in, out))
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// copyLines copies the lines that are in order, and refuses the others. The error is io.EOF at the end.
func (s *Server) copyLines(to io.Writer, in io.Reader, answers io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for {
		line = line[:0]
		var scan idScanner
		var length int64
		for {
			part, err := r.ReadSlice('\n')
			length += int64(len(part))
			scan.feed(part)
			if length <= s.opt.Frame {
				line = append(line, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && (length == 0 || !errors.Is(err, io.EOF)) {
				return err
			}
			break
		}
		fault := error(nil)
		switch {
		case length > s.opt.Frame:
			fault = fmt.Errorf("a request of %d bytes; at most %d are read: %s", length, s.opt.Frame, doShorten)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		default:
			fault = checkFrame(line)
		}
		if fault != nil {
			if err := refuse(answers, scan.id(), fault); err != nil {
				return err
			}
			continue
		}
		if line[len(line)-1] != '\n' {
			line = append(line, '\n')
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
}

// refuse answers a request that was not read.
func refuse(w io.Writer, id json.RawMessage, fault error) error {
	return rowjson.WriteLine(w, map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": fault.Error()},
	})
}

// lockedWriter lets the SDK and the guard write whole lines to one pipe.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Close implements io.Closer: the pipe is the caller's.
func (l *lockedWriter) Close() error { return nil }

// idScanner finds the member "id" of an object without keeping the object, so that a request that is
// too long to be read can be answered.
type idScanner struct {
	depth         int
	text, escaped bool
	token         []byte // of the outermost object: a key, or the value of "id"
	key           string
	value         bool // a value of the outermost object is being read
	found         []byte
}

// maxID bounds the ids that are found, and the keys that are looked at.
const maxID = 256

func (s *idScanner) feed(part []byte) {
	for _, c := range part {
		if s.text {
			s.keep(c)
			switch {
			case s.escaped:
				s.escaped = false
			case c == '\\':
				s.escaped = true
			case c == '"':
				s.text = false
			}
			continue
		}
		switch c {
		case '"':
			s.text = true
			s.keep(c)
		case '{', '[':
			s.depth++
		case '}', ']':
			if s.depth == 1 {
				s.end()
			}
			s.depth--
		case ':':
			if s.depth == 1 {
				s.key, s.token, s.value = string(s.token), nil, true
			}
		case ',':
			if s.depth == 1 {
				s.end()
			}
		case ' ', '\t', '\r', '\n':
		default:
			s.keep(c)
		}
	}
}

func (s *idScanner) keep(c byte) {
	if s.depth == 1 && len(s.token) <= maxID {
		s.token = append(s.token, c)
	}
}

// end ends a member of the outermost object.
func (s *idScanner) end() {
	if s.value && s.key == `"id"` && len(s.token) <= maxID {
		s.found = s.token
	}
	s.key, s.token, s.value = "", nil, false
}

// id is what was found, null if nothing was that can be an id.
func (s *idScanner) id() json.RawMessage {
	if len(s.found) > 0 && utf8.Valid(s.found) && rowjson.Valid(s.found) && (s.found[0] == '"' || s.found[0] == '-' || s.found[0] >= '0' && s.found[0] <= '9') {
		return s.found
	}
	return json.RawMessage("null")
}
