package rowjson

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzJSONStrings(f *testing.F) {
	for _, s := range []string{`"a"`, `"\n\"\\"`, `"\u0041\ud83d\ude00"`, "\"\xff\"", `"<&>"`, "\"\u2028\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var want string
		err := json.Unmarshal([]byte(raw), &want)
		if n := skipValue([]byte(raw), 0); n == len(raw) && strings.HasPrefix(raw, `"`) {
			got, gotErr := String([]byte(raw))
			if (gotErr == nil) != (err == nil) || got != want {
				t.Fatalf("%q read as %q, %v; want %q, %v", raw, got, gotErr, want, err)
			}
		}
		var back string
		if err := json.Unmarshal(AppendText(nil, raw), &back); err != nil || back != strings.ToValidUTF8(raw, "\ufffd") && len(back) < len(raw) {
			t.Fatalf("%q written as %s", raw, AppendText(nil, raw))
		}
	})
}
