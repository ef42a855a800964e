package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/rowjson"
)

// maxMessage bounds a message of the client, maxHeader its header.
const (
	maxMessage = 64 << 20
	maxHeader  = 8 << 10
)

// frames reads and writes messages with a header, as the base protocol has them. It is a channel of jrpc2. What is no
// message is answered here, and the connection goes on while it can be told where the next message begins.
type frames struct {
	r      *bufio.Reader
	in     chan []byte   // messages; closed at the end of the input
	closed chan struct{} // by Close: reading standard input cannot be interrupted, waiting for it can
	close  func()

	mu   sync.Mutex
	w    io.Writer
	owed int // requests that have no answer yet
}

func newFrames(r io.Reader, w io.Writer) *frames {
	f := &frames{r: bufio.NewReaderSize(r, 64<<10), w: w, in: make(chan []byte), closed: make(chan struct{})}
	f.close = sync.OnceFunc(func() { close(f.closed) })
	go f.pump()
	return f
}

func (f *frames) pump() {
	defer close(f.in)
	for {
		message, err := f.read()
		if err != nil {
			return
		}
		select {
		case f.in <- message:
		case <-f.closed:
			return
		}
	}
}

// Recv implements channel.Channel. The error is io.EOF at the end of the input.
func (f *frames) Recv() ([]byte, error) {
	select {
	case message, ok := <-f.in:
		if ok {
			if id, method := parts(message); id && method {
				f.mu.Lock()
				f.owed++
				f.mu.Unlock()
			}
			return message, nil
		}
		f.settle()
	case <-f.closed:
	}
	return nil, io.EOF
}

// grace is how long the end of the connection waits for the answers to what came before it.
const grace = time.Second

// settle waits until all requests are answered, or for grace.
func (f *frames) settle() {
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(time.Millisecond) {
		f.mu.Lock()
		owed := f.owed
		f.mu.Unlock()
		if owed <= 0 {
			return
		}
	}
}

// parts reports which of the members a message has that tell requests, answers and notifications apart. A batch has none.
func parts(message []byte) (id, method bool) {
	rowjson.EachMember(message, func(name string, _ []byte) error {
		id, method = id || name == "id", method || name == "method"
		return nil
	})
	return id, method
}

// Close implements channel.Channel: the pipe is the caller's.
func (f *frames) Close() error {
	f.close()
	return nil
}

// Send implements channel.Channel.
func (f *frames) Send(message []byte) error {
	id, method := parts(message)
	f.mu.Lock()
	defer f.mu.Unlock()
	if id && !method {
		f.owed--
	}
	_, err := f.w.Write(append(fmt.Appendf(make([]byte, 0, len(message)+32), "Content-Length: %d\r\n\r\n", len(message)), message...))
	return err
}

// read returns the next message. The error is io.EOF at the end of the input.
func (f *frames) read() ([]byte, error) {
	for {
		length, err := f.header()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil, io.EOF
			}
			f.refuse(err.Error())
			return nil, io.EOF // nobody knows where the next message begins
		}
		if length > maxMessage {
			if _, err := io.CopyN(io.Discard, f.r, length); err != nil {
				return nil, io.EOF
			}
			f.refuse(fmt.Sprintf("a message of %d bytes; at most %d are read", length, maxMessage))
			continue
		}
		message, err := io.ReadAll(io.LimitReader(f.r, length)) // grows as bytes come: a header alone takes no memory
		if err != nil || int64(len(message)) < length {
			return nil, io.EOF
		}
		switch {
		case !utf8.Valid(message):
			f.refuse("the message is not UTF-8")
		case !rowjson.Valid(message):
			f.refuse("the message is not JSON")
		default:
			// Of two members of one name the client may mean another one than is read.
			if err := rowjson.EachMember(message, func(string, []byte) error { return nil }); rowjson.IsRepeated(err) {
				f.refuse(rowjson.Fault(err))
				continue
			}
			return message, nil
		}
	}
}

// header reads the lines before a message and returns its length.
func (f *frames) header() (length int64, err error) {
	length, size := -1, 0
	for {
		line, err := f.r.ReadSlice('\n')
		if size += len(line); errors.Is(err, bufio.ErrBufferFull) || size > maxHeader {
			return 0, fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
		if err != nil {
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length < 0 {
				return 0, errors.New("a header without Content-Length")
			}
			return length, nil
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, errors.New("a header line without a colon")
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 62); err != nil || length < 0 {
				return 0, errors.New("Content-Length is not a number")
			}
		}
	}
}

// refuse answers what is no message.
func (f *frames) refuse(why string) {
	f.mu.Lock()
	f.owed++ // which sending pays
	f.mu.Unlock()
	b := rowjson.AppendText([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":`), why)
	f.Send(append(b, "}}"...))
}
