package readings

import (
	"strconv"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
)

// The JSON of answers is put together by hand, since encoding/json takes longer than the
// reading. The bytes are those of encoding/json: TestAppendAnswer.

// appendAnswer appends an answer as a JSON object: the id and the members of the reading.
func appendAnswer(b []byte, a *answer) []byte {
	b = append(b, `{"id":`...)
	b = rowjson.AppendRaw(b, a.id)
	var members any
	switch x := a.reading.(type) {
	case *extract.Extraction:
		return append(appendExtraction(b, x), '}')
	case nil:
		b = append(b, `,"error":`...)
		return append(rowjson.AppendText(b, a.err), '}')
	default:
		members = x
	}
	text := rowjson.Append(nil, members)
	if len(text) > len("{}") {
		b = append(b, ',')
	}
	return append(b, text[1:]...)
}

// appendExtraction appends the members of an extraction, with a comma before each.
func appendExtraction(b []byte, x *extract.Extraction) []byte {
	b = append(b, `,"status":`...)
	b = rowjson.AppendText(b, string(x.Status))
	b = append(b, `,"reader":`...)
	b = rowjson.AppendText(b, string(x.Reader))
	b = append(b, `,"plan":`...)
	b = rowjson.AppendTexts(b, x.Plan)
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
			b = rowjson.AppendText(append(b, `,"text":`...), m.Text)
			if m.Why != "" {
				b = rowjson.AppendText(append(b, `,"why":`...), m.Why)
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if x.Unfinished != "" {
		b = rowjson.AppendText(append(b, `,"unfinished":`...), x.Unfinished)
	}
	b = rowjson.AppendText(append(b, `,"reading":`...), x.Reading)
	b = rowjson.AppendText(append(b, `,"confidence":`...), string(x.Confidence))
	if x.ClaimsUnsolvable {
		b = append(b, `,"claims_unsolvable":true`...)
	}
	if len(x.Alternatives) > 0 {
		b = append(b, `,"alternatives":[`...)
		for i, plan := range x.Alternatives {
			if i > 0 {
				b = append(b, ',')
			}
			b = rowjson.AppendTexts(b, plan)
		}
		b = append(b, ']')
	}
	return b
}
