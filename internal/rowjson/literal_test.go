package rowjson

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestReadLiteral(t *testing.T) {
	for text, want := range map[string]string{
		`{'x': 1}`:                             `{"x":1}`,
		`{"x":1,}`:                             `{"x":1}`,
		`[{'a': None, "b": True}, (1, 2,)]`:    `[{"a":null,"b":true},[1,2]]`,
		`'it\'s "so"'`:                         `"it's \"so\""`,
		`"M\u00fctter \ud83d\ude00 \q"`:        `"Mütter 😀 \\q"`,
		`[1_000, .5, 1., +2, -0.50, 1e3, 007]`: `[1000,0.5,1.0,2,-0.50,1e3,7]`,
		`[]`:                                   `[]`, ` {} `: `{}`, `null`: `null`,
	} {
		got, err := ReadLiteral(text)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{``, `{`, `[1`, `{'x'}`, `{'x': }`, `{1: 2}`, `'a`, `[1 2]`, `nil`, `[1] 2`, `{'a': 1 'b': 2}`, `-`, `1.2.3`, `{'x':`} {
		if got, err := ReadLiteral(text); err == nil {
			t.Errorf("%s: got %s, want an error", text, got)
		}
	}
}

func FuzzReadLiteral(f *testing.F) {
	f.Add(`{'x': [1, None, "a\\n"], "y": (True,)}`)
	f.Add(`[.5, -1e5, {'\ud83d\ude00': 'Mütter'}]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadLiteral(text)
		if err != nil {
			return
		}
		var one, two any
		if err := json.Unmarshal(got, &one); err != nil && !json.Valid(got) {
			t.Fatalf("%q: not JSON: %s", text, got)
		}
		again, err := ReadLiteral(string(got))
		_ = json.Unmarshal(again, &two)
		if err != nil || !reflect.DeepEqual(one, two) {
			t.Fatalf("%q: %s is read as %s, %v", text, got, again, err)
		}
	})
}
