package rowjson

import (
	"encoding/json"
	"testing"
)

func TestFault(t *testing.T) {
	type row struct {
		Plan  *string
		Items []struct{ Text string }
		N     int
		Done  bool
		Chat  struct{ Role string }
	}
	for line, want := range map[string]string{
		`[]`:                     "not a JSON object but a JSON array",
		`7`:                      "not a JSON object but a JSON number",
		`{"Plan":5}`:             "Plan is a JSON number, not a string",
		`{"Items":{}}`:           "Items is a JSON object, not a list",
		`{"Items":[{"Text":1}]}`: "Items.Text is a JSON number, not a string",
		`{"N":"a"}`:              "N is a JSON string, not a number",
		`{"N":1.5}`:              "N is a JSON number 1.5, not an integer of at most 64 bits",
		`{"Done":1}`:             "Done is a JSON number, not true or false",
		`{"Chat":[]}`:            "Chat is a JSON array, not an object",
		`{"Plan":`:               "unexpected end of JSON input",
	} {
		if got := Fault(json.Unmarshal([]byte(line), &row{})); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
