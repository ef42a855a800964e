package validator

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestFailureJSON: a failure is written by hand as its tags say.
func TestFailureJSON(t *testing.T) {
	if n := reflect.TypeFor[Verdict]().NumField(); n != 18 {
		t.Errorf("a verdict has %d members: does AppendJSON know them all?", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.Just(""), rapid.StringN(0, 6, -1), rapid.Just("a\nb\"c\\d<é>"))
		number := rapid.OneOf(rapid.Just(0), rapid.Int())
		f := Failure{
			Kind: FailureKind(text.Draw(t, "kind")), Step: number.Draw(t, "step"), Action: text.Draw(t, "action"),
			Time: text.Draw(t, "time"), At: text.Draw(t, "at"), Line: number.Draw(t, "line"), Column: number.Draw(t, "column"),
			Unsatisfied: rapid.SliceOfN(text, 0, 3).Draw(t, "unsatisfied"), Because: text.Draw(t, "because"), Message: text.Draw(t, "message"),
		}
		want, err := json.Marshal(&f)
		if err != nil {
			t.Fatal(err)
		}
		// encoding/json escapes <, > and &, which a row need not: compare the values.
		var a, b any
		if err := json.Unmarshal(f.appendJSON(nil), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &b); err != nil {
			t.Fatal(err)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Fatalf("%s\nwant %s", x, y)
		}
	})
}
