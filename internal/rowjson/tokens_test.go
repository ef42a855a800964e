package rowjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestTokens: each token with its bytes in the text, which begins with a byte order mark.
func TestTokens(t *testing.T) {
	text := BOM + ` {"a" : [1.50, "b\n"],` + "\n" + `"c": null} x`
	in := NewTokens(text)
	var got []string
	for range 8 {
		tok, from, to, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%T %s", tok, text[from:to]))
	}
	want := "json.Delim {, string \"a\", json.Delim [, json.Number 1.50, string \"b\\n\", json.Delim ], string \"c\", <nil> null"
	if strings.Join(got, ", ") != want {
		t.Errorf("tokens %s\nwant   %s", strings.Join(got, ", "), want)
	}
	if in.More() {
		t.Error("a member after the last one")
	}
	if tok, _, _, err := in.Next(); tok != json.Delim('}') || err != nil {
		t.Errorf("the end is %v, %v", tok, err)
	}
	if rest, at := in.Rest(); rest != "x" || at != len(text)-1 {
		t.Errorf("the rest is %q at %d of %d", rest, at, len(text))
	}
}

// TestTokensSkip: a value that is passed has its bytes, and a fault its place.
func TestTokensSkip(t *testing.T) {
	text := `[ {"a": [1]} , "x", tru`
	in := NewTokens(text)
	if _, _, _, err := in.Next(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"a": [1]}`, `"x"`} {
		if from, to, err := in.Skip(); err != nil || text[from:to] != want {
			t.Errorf("skipped %q, %v, want %s", text[from:to], err, want)
		}
	}
	if from, _, err := in.Skip(); !errors.Is(err, ErrEnd) || from != len(text) {
		t.Errorf("the unfinished value: %v at %d", err, from)
	}
	in = NewTokens(`[1 2]`)
	for range 2 {
		if _, _, _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if _, from, _, err := in.Next(); err == nil || from != 3 {
		t.Errorf("the missing comma: %v at %d", err, from)
	}
}

// TestSyntaxAt: the byte where a text stops being JSON; numbers are what RFC 8259 says.
func TestSyntaxAt(t *testing.T) {
	for text, want := range map[string]int{`{"a": 1}`: -1, `[1, x]`: 4, `{"a" 1}`: 5, `[`: 0, ``: 0} {
		at, bad := SyntaxAt([]byte(text))
		if bad != (want >= 0) || bad && at != want || bad == Valid([]byte(text)) {
			t.Errorf("%q: %d, %v, want %d", text, at, bad, want)
		}
	}
	for _, text := range []string{"0", "-1.5e+3", "12", "-", "", "01", "1.", "+1", ".5", "1e", "1 ", `"1"`, "NaN"} {
		if got := IsNumber(text); got != (Valid([]byte(text)) && strings.TrimSpace(text) == text && text[0] != '"') {
			t.Errorf("IsNumber(%q) is %v", text, got)
		}
	}
}
