package readings

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
)

// encodedAnswer is the answer by encoding/json alone.
func encodedAnswer(a *answer) string {
	var v any
	switch x := a.reading.(type) {
	case nil:
		v = struct {
			ID    json.RawMessage `json:"id"`
			Error string          `json:"error"`
		}{a.id, a.err}
	case *extract.StateReading:
		v = struct {
			ID json.RawMessage `json:"id"`
			*extract.StateReading
		}{a.id, x}
	case *extract.VerdictReading:
		v = struct {
			ID json.RawMessage `json:"id"`
			*extract.VerdictReading
		}{a.id, x}
	case *extract.Extraction:
		v = struct {
			ID json.RawMessage `json:"id"`
			*extract.Extraction
		}{a.id, x}
	}
	return string(rowjson.Append(nil, v))
}

// TestAppendAnswer compares answers with those of encoding/json, whatever members they
// have: a new one that is forgotten shows.
func TestAppendAnswer(t *testing.T) {
	ids := []json.RawMessage{
		nil, []byte(`null`), []byte(`7`), []byte(`-1.50e+3`), []byte(`"a/1"`), []byte(`"<&> \u00e9\n\" x"`), []byte("\"\u2028 \xff\""),
		[]byte(`{"a": [1, "x y"], "<":null}`), []byte("[ 1,\n2 ]"), []byte(`[]`),
	}
	texts := []string{"", "(move a b)", `say "x\y"`, "<tag> & more", "caf\u00e9", "\u2028\u2029", "a\xffb", "\x00\x1f\x7f", "tab\tline\n"}
	random := rand.New(rand.NewSource(1))
	fill := func(v any) any {
		value, ok := quick.Value(reflect.TypeOf(v), random)
		if !ok {
			t.Fatalf("no random %T", v)
		}
		return value.Interface()
	}
	text := func() string { return texts[random.Intn(len(texts))] }
	for range 3000 {
		a := &answer{id: ids[random.Intn(len(ids))]}
		switch random.Intn(4) {
		case 0:
			a.err = text()
		case 1:
			x := fill(extract.StateReading{}).(extract.StateReading)
			a.reading = &x
		case 2:
			x := fill(extract.VerdictReading{}).(extract.VerdictReading)
			a.reading = &x
		default:
			x := fill(extract.Extraction{}).(extract.Extraction)
			x.Unfinished = text()
			if random.Intn(2) == 0 {
				x.Plan, x.Lines, x.Malformed, x.Alternatives = []string{text(), text()}, nil, nil, nil
			}
			a.reading = &x
		}
		if got, want := string(appendAnswer([]byte("before"), a)), "before"+encodedAnswer(a); got != want {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
	}
}
