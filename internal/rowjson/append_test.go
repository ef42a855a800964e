package rowjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"
)

// FuzzAppend compares what is appended with what encoding/json writes.
func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "(a b)", "(a b)\n(c)", `"q\"`, "<&>", "caf\u00e9\n\u2028", "a\n\xff\n", "\x00\b\f\r\t\x7f", `{"a": [1, "x y"]}`, "[ ]", `"\ud800"`, "\xe2\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := AppendText([]byte("x"), s), encoded(t, s); string(got) != "x"+want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		list := []string{s, "", s}
		if got, want := AppendTexts(nil, list), encoded(t, list); string(got) != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		raw := json.RawMessage(bytes.TrimSpace([]byte(s)))
		if !json.Valid(raw) {
			return
		}
		if got, want := AppendRaw(nil, raw), encoded(t, raw); string(got) != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	})
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
}

func TestAppendAbsent(t *testing.T) {
	for _, got := range [][]byte{AppendRaw(nil, nil), AppendTexts(nil, nil), Append(nil, func() {})} {
		if string(got) != "null" {
			t.Errorf("%s", got)
		}
	}
}

// FuzzEcho: an echo is what encoding/json reads strings as, and shares no memory.
func FuzzEcho(f *testing.F) {
	for _, s := range []string{"", "7", `"caf\u00e9"`, "\"\xff\xfe\"", "[\"\xe2\x80\"]", "\"\xed\xa0\x80\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := json.RawMessage(s)
		var got, want any
		echo := Echo(raw)
		if !utf8.Valid(echo) || (json.Unmarshal(echo, &got) == nil) != (json.Unmarshal(raw, &want) == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, read as %v and %v", s, echo, got, want)
		}
	})
}
