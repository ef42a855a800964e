package model

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// maxEvent bounds one event of a stream in bytes.
const maxEvent = 8 << 20

// readEvents reads server-sent events and passes the data of each to yield, until the stream ends, "[DONE]"
// comes (then done is true), or yield fails. It skips other fields and comments, which llama.cpp sends to
// keep the connection alive.
func readEvents(r io.Reader, yield func(data []byte) error) (done bool, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxEvent)
	var data []byte
	pending := false
	dispatch := func() error {
		if !pending {
			return nil
		}
		pending = false
		text := bytes.TrimSuffix(data, []byte("\n"))
		data = data[:0]
		if len(text) == 0 {
			return nil
		}
		if string(bytes.TrimSpace(text)) == "[DONE]" {
			done = true
			return nil
		}
		return yield(text)
	}
	for in.Scan() {
		line := bytes.TrimSuffix(in.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if err := dispatch(); err != nil || done {
				return done, err
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		pending = true
		if len(data) > maxEvent {
			return false, errorf(KindMalformed, "an event of the stream is longer than %d MB", maxEvent>>20)
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return false, errorf(KindMalformed, "a line of the stream is longer than %d MB", maxEvent>>20)
	}
	if in.Err() != nil {
		return false, in.Err()
	}
	// Some servers omit the blank line after the last event.
	return done, dispatch()
}

// collector assembles the events of a stream.
type collector struct {
	out     Response
	index   []int // the server's index of each sample
	onChunk func(Chunk)
	first   int // index of the first sample, for chunks
}

func (c *collector) event(data []byte) error {
	if !utf8.Valid(data) {
		return errorf(KindMalformed, "the stream is not UTF-8")
	}
	var a wireAnswer
	if err := decodeJSON(data, &a); err != nil {
		return err
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		_, err := a.response()
		return err
	}
	if a.Model != "" {
		c.out.Model = a.Model
	}
	if u := a.Usage.usage(); u != nil {
		c.out.Usage = u // the last one counts: some servers send a running count
	}
	for i := range a.Choices {
		if err := c.choice(&a.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) choice(w *wireChoice) error {
	i := slices.Index(c.index, w.Index)
	if i < 0 {
		if len(c.index) >= maxSamples || w.Index < 0 {
			return errorf(KindMalformed, "the stream has a choice with the index %d", w.Index)
		}
		i = len(c.index)
		c.index = append(c.index, w.Index)
		c.out.Samples = append(c.out.Samples, Sample{NoText: true})
	}
	s := &c.out.Samples[i]
	m := w.Delta
	if m == nil {
		m = w.Message
	}
	text, reasoning, err := m.read()
	if err != nil {
		return err
	}
	if w.Text != nil {
		text = *w.Text
	}
	tokens, err := w.Logprobs.tokens()
	if err != nil {
		return err
	}
	s.NoText = s.NoText && w.Text == nil && !m.hasText()
	s.Text += text
	s.Reasoning += reasoning
	s.Tokens = append(s.Tokens, tokens...)
	if w.FinishReason != nil {
		s.Finish = finish(w.FinishReason)
	}
	if c.onChunk != nil && text != "" {
		c.onChunk(Chunk{Index: c.first + w.Index, Text: text})
	}
	return nil
}

// readStream reads a stream to its end. If a sample has no finish reason, the stream broke off and is no
// answer.
func readStream(r io.Reader, first int, onChunk func(Chunk)) (*Response, error) {
	c := &collector{first: first, onChunk: onChunk}
	_, err := readEvents(r, c.event)
	if err != nil {
		return nil, err
	}
	if len(c.out.Samples) == 0 {
		return nil, errorf(KindMalformed, "the stream ended without an answer")
	}
	for i := range c.out.Samples {
		if c.out.Samples[i].Finish == "" {
			return nil, errorf(KindMalformed, "the stream broke off in the middle of an answer")
		}
	}
	order := make([]int, len(c.index))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return c.index[a] - c.index[b] })
	sorted := make([]Sample, len(order))
	for to, from := range order {
		sorted[to] = c.out.Samples[from]
		sorted[to].dropEnd()
	}
	c.out.Samples = sorted
	return &c.out, nil
}
