package main

import (
	"bytes"
	"encoding/json"
	"strconv"

	"planproof/llmbridge"
)

// Answers of extract --batch are put together by hand, since encoding/json takes longer for
// them than the reading. The bytes are those of encoding/json: TestAppendAnswer.

// appendAnswer appends an answer as a JSON object: the id and the members of the reading.
func appendAnswer(b []byte, a *rowAnswer) []byte {
	b = append(b, `{"id":`...)
	b = appendRaw(b, a.id)
	var members any
	switch x := a.reading.(type) {
	case *llmbridge.Extraction:
		return append(appendExtraction(b, x), '}')
	case nil:
		b = append(b, `,"error":`...)
		return append(appendText(b, a.err), '}')
	default:
		members = x
	}
	text := bytes.TrimSuffix(jsonLine(members), []byte{'\n'})
	if len(text) > len("{}") {
		b = append(b, ',')
	}
	return append(b, text[1:]...)
}

// appendExtraction appends the members of an extraction, with a comma before each.
func appendExtraction(b []byte, x *llmbridge.Extraction) []byte {
	b = append(b, `,"status":`...)
	b = appendText(b, string(x.Status))
	b = append(b, `,"plan":`...)
	b = appendTexts(b, x.Plan)
	if len(x.Lines) > 0 {
		b = append(b, `,"lines":[`...)
		for i, n := range x.Lines {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
		b = append(b, ']')
	}
	if len(x.Malformed) > 0 {
		b = append(b, `,"malformed":[`...)
		for i, m := range x.Malformed {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(append(b, `{"line":`...), int64(m.Line), 10)
			b = strconv.AppendInt(append(b, `,"step":`...), int64(m.Step), 10)
			b = append(appendText(append(b, `,"text":`...), m.Text), '}')
		}
		b = append(b, ']')
	}
	if x.Unfinished != "" {
		b = appendText(append(b, `,"unfinished":`...), x.Unfinished)
	}
	b = appendText(append(b, `,"reading":`...), x.Reading)
	b = appendText(append(b, `,"confidence":`...), string(x.Confidence))
	if x.ClaimsUnsolvable {
		b = append(b, `,"claims_unsolvable":true`...)
	}
	if len(x.Alternatives) > 0 {
		b = append(b, `,"alternatives":[`...)
		for i, plan := range x.Alternatives {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTexts(b, plan)
		}
		b = append(b, ']')
	}
	return b
}

func appendTexts(b []byte, list []string) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, s)
	}
	return append(b, ']')
}

// appendText appends a JSON string.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return append(b, bytes.TrimSuffix(jsonLine(s), []byte{'\n'})...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendRaw appends a value that is JSON without white space around its parts.
func appendRaw(b []byte, raw json.RawMessage) []byte {
	switch {
	case len(raw) == 0:
		return append(b, "null"...)
	case raw[0] != '{' && raw[0] != '[':
		return append(b, raw...)
	}
	text := bytes.NewBuffer(b)
	if err := json.Compact(text, raw); err != nil {
		return append(b, "null"...)
	}
	return text.Bytes()
}
