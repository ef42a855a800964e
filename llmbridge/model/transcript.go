package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
)

// Entry is one line of a transcript: a request and its answer or error.
type Entry struct {
	Version int    `json:"v"`
	Key     string `json:"key"`
	Model   string `json:"model"`
	// Exactly one of Generate and Score is set, and exactly one of Response, Scores and Error.
	Generate *Request       `json:"generate,omitempty"`
	Score    *ScoreRequest  `json:"score,omitempty"`
	Response *Response      `json:"response,omitempty"`
	Scores   *ScoreResponse `json:"scores,omitempty"`
	Error    *Error         `json:"error,omitempty"`
}

// check returns an error if an entry is incomplete or does not belong to its key.
func (e *Entry) check() error {
	switch {
	case e.Version != 1:
		return fmt.Errorf("version %d is not known", e.Version)
	case (e.Generate == nil) == (e.Score == nil):
		return errors.New("it does not have exactly one request")
	case e.Error == nil && (e.Generate != nil) != (e.Response != nil), e.Error == nil && (e.Score != nil) != (e.Scores != nil):
		return errors.New("its answer does not fit its request")
	case e.Error != nil && (e.Response != nil || e.Scores != nil):
		return errors.New("it has an answer and an error")
	case e.Response != nil && len(e.Response.Samples) != e.Generate.samples():
		return errors.New("the number of its samples is not the number asked for")
	case e.Scores != nil && len(e.Scores.Scores) != len(e.Score.Continuations):
		return errors.New("the number of its scores is not the number asked for")
	case e.Key != e.key():
		return errors.New("its key does not match its request: the line was changed")
	}
	return nil
}

func (e *Entry) key() string {
	if e.Score != nil {
		return requestKey(e.Model, "score", e.Score)
	}
	return requestKey(e.Model, "generate", e.Generate)
}

// MaxLine is the maximum size of a line of a transcript, in bytes.
const MaxLine = 128 << 20

// ReadTranscript reads JSON Lines and passes each entry to yield. It returns the total length of the whole
// entries in bytes. The last line may be torn, as after a killed run; it does not count. For another bad
// line it returns an error with the line number.
func ReadTranscript(r io.Reader, yield func(*Entry) error) (whole int64, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return whole, nil // nothing, or a line without a line end
		}
		if err != nil {
			return whole, fmt.Errorf("line %d: %w", line, err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			e := new(Entry)
			if err = rowjson.Unmarshal(text, e, false); err == nil {
				err = e.check()
			}
			if err == nil {
				err = yield(e)
			}
			if err != nil {
				if _, peek := in.Peek(1); errors.Is(peek, io.EOF) && e.Version == 0 {
					return whole, nil // a last line that was written only in part
				}
				return whole, fmt.Errorf("line %d: %w", line, err)
			}
		}
		whole += int64(len(text))
	}
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := in.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case err == nil:
			return out, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(out) > MaxLine:
			return nil, fmt.Errorf("longer than %d MB", MaxLine>>20)
		}
	}
}

// Transcript is an append-only file of entries. Several goroutines may use it at once, but only one process
// can open it for writing.
type Transcript struct {
	mu      sync.Mutex
	file    *os.File // nil if the transcript is read-only
	entries map[string]*Entry
	synced  time.Time
	broken  error // the first failed write, after which nothing is written

	// Recovered is the size of a torn last line, which was cut off, in bytes.
	Recovered int64
}

// OpenTranscript opens a transcript to continue it, and creates it if it does not exist. A torn last line is
// cut off.
func OpenTranscript(path string) (*Transcript, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // answers may be confidential
	if err != nil {
		return nil, err
	}
	t := &Transcript{file: f}
	if err := t.load(f, true); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// LoadTranscript reads a transcript for replay. It does not change the file.
func LoadTranscript(path string) (*Transcript, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &Transcript{}
	if err := t.load(f, false); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (t *Transcript) load(f *os.File, write bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("a transcript must be a file")
	}
	if write {
		if err := lock(f); err != nil {
			return errors.New("another run is writing this transcript")
		}
	}
	t.entries = map[string]*Entry{}
	whole, err := ReadTranscript(f, func(e *Entry) error { t.keep(e); return nil })
	if err != nil {
		return err
	}
	t.Recovered = info.Size() - whole
	if !write {
		return nil
	}
	if t.Recovered > 0 {
		if err := f.Truncate(whole); err != nil {
			return err
		}
	}
	_, err = f.Seek(whole, io.SeekStart)
	return err
}

// keep remembers an entry. Answers replace errors but not the other way round. Of two answers the first one
// counts, as in the run that recorded both.
func (t *Transcript) keep(e *Entry) {
	if old := t.entries[e.Key]; old == nil || old.Error != nil {
		t.entries[e.Key] = e
	}
}

// Find returns the entry for a key, or nil.
func (t *Transcript) Find(key string) *Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries[key]
}

// recall sets the capabilities that the entries of a model show. Callers choose their requests by
// capabilities, and in a replay they must choose as in the recorded run.
func (t *Transcript) recall(name string, caps *Capabilities) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var chat, plain bool
	var methods []ScoreMethod
	var grammars []GrammarKind
	for _, e := range t.entries {
		if e.Model != name {
			continue
		}
		in := &Input{}
		if e.Score != nil {
			in = &e.Score.Input
		} else if e.Generate != nil {
			in = &e.Generate.Input
			if g := e.Generate.Grammar; g != nil {
				grammars = append(grammars, g.Kind)
			}
		}
		chat = chat || len(in.Messages) > 0
		plain = plain || in.Prompt != ""
		if e.Scores != nil && e.Scores.Method != ScoreNone {
			methods = append(methods, e.Scores.Method)
		}
	}
	if len(methods) > 0 {
		caps.Score = slices.Min(methods) // if there are several, always the same one
	}
	if len(grammars) > 0 {
		slices.Sort(grammars)
		caps.Grammars = slices.Compact(grammars)
	}
	if chat != plain {
		caps.Chat, caps.Completions = chat, plain
	}
}

// Len returns the number of requests with an answer or an error.
func (t *Transcript) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.entries)
}

// models returns the names of the models with entries, sorted.
func (t *Transcript) models() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	set := map[string]bool{}
	for _, e := range t.entries {
		set[e.Model] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// Add appends an entry with a single write. After a failed write it refuses further entries, because a
// transcript with a torn line in the middle cannot be read.
func (t *Transcript) Add(e *Entry) error {
	e.Version = 1
	e.Key = e.key()
	line, err := encodeLine(e)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.file == nil:
		return errors.New("the transcript is open only for reading")
	case t.broken != nil:
		return t.broken
	}
	if _, err := t.file.Write(line); err != nil {
		t.broken = fmt.Errorf("the transcript cannot be written: %w", err)
		return t.broken
	}
	if now := time.Now(); now.Sub(t.synced) > time.Second { // a crash of the machine loses at most a second
		t.synced = now
		if err := t.file.Sync(); err != nil {
			t.broken = fmt.Errorf("the transcript cannot be written: %w", err)
			return t.broken
		}
	}
	t.keep(e)
	return nil
}

func encodeLine(v any) ([]byte, error) {
	line, err := rowjson.AppendValue(nil, v)
	return append(line, '\n'), err
}

// Close syncs and closes the file. Nothing can be added afterwards.
func (t *Transcript) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	err := errors.Join(t.file.Sync(), t.file.Close())
	t.file = nil
	return err
}
