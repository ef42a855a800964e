package rowjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type namedRow struct {
	ID   string `json:"id"`
	Gold *struct {
		Cost string `json:"cost"`
	} `json:"gold"`
	Items []struct {
		Text string `json:"text"`
	} `json:"items"`
	Raw  json.RawMessage `json:"raw"`
	Free any             `json:"free"`
	Bare int
}

// TestExactNames reads rows whose names differ from those of the fields by the case of
// letters, which encoding/json takes for them.
func TestExactNames(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"ID":"x","Id":"y"}`, `{}`},
		{`{"id":"a","ID":"x"}`, `{"id":"a"}`},
		{`{"ID":"x","id":"a"}`, `{"id":"a"}`},
		{`{"\u0069d":"a","\u0049d":"x"}`, `{"id":"a"}`},
		{`{"Gold":{"cost":"1"}}`, `{}`},
		{`{"gold":{"Cost":"1","cost":"2"}}`, `{"cost":"2"}`},
		{`{"items":[{"Text":"a"},{"text":"b"}]}`, `[{"text":""},{"text":"b"}]`},
		{`{"itemſ":[{"text":"b"}]}`, `{}`},
		{`{"bare":1}`, `{}`},
		{`{"Bare":1}`, `"Bare":1`},
		{`{"raw":{"ID":1,"id":2}}`, `"raw":{"ID":1,"id":2}`},
	} {
		for _, strict := range []bool{false, true} {
			var v namedRow
			in := c.in
			err := Unmarshal([]byte(in), &v, strict)
			if strict && err != nil {
				if !strings.Contains(Fault(err), "unknown member") || strings.Contains(Fault(err), "#") {
					t.Errorf("%s: %v", in, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", in, err)
			}
			text, _ := json.Marshal(map[string]any{"id": v.ID, "gold": v.Gold, "items": v.Items, "raw": v.Raw, "Bare": v.Bare})
			if c.want == `{}` {
				c.want = `{"Bare":0,"gold":null,"id":"","items":null,"raw":null}`
			}
			if !strings.Contains(string(text), strings.TrimSuffix(strings.TrimPrefix(c.want, "{"), "}")) {
				t.Errorf("%s: %s, want %s", in, text, c.want)
			}
			if in != c.in {
				t.Error("the row was written over")
			}
		}
	}
}

// TestRepeatedNames asks every way to read an object for a name given twice, wherever.
func TestRepeatedNames(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	long := "{" + strings.Join(many, ",")
	for in, name := range map[string]string{
		`{"id":"a","id":"a"}`:                              "id",
		`{"id":"a","\u0069d":"b"}`:                         "id",
		`{"x":1,"x":2}`:                                    "x",
		`{"gold":{"cost":"1","cost":"2"}}`:                 "cost",
		`{"items":[{"text":"a"},{"text":"b","text":"b"}]}`: "text",
		`{"raw":[{"a":{"b":1,"b":1}}]}`:                    "b",
		`{"free":{"a":1,"a":2}}`:                           "a",
		`{"other":{"é":1,"é":2}}`:                          "é",
		`{"":1,"":2}`:                                      "",
		long + `,"k0":1}`:                                  "k0",
		long + `,"k199":1}`:                                "k199",
	} {
		want := fmt.Sprintf("the member %q is given twice", name)
		for _, strict := range []bool{false, true} {
			if err := Unmarshal([]byte(in), new(namedRow), strict); !strict && (!IsRepeated(err) || err.Error() != want) {
				t.Errorf("Unmarshal %s: %v", in, err)
			} else if strict && err == nil {
				t.Errorf("Unmarshal %s: no error", in)
			}
		}
		if ScanObject([]byte(in), func(_, _ []byte) bool { return true }) {
			t.Errorf("ScanObject takes %s", in)
		}
		err := EachMember([]byte(in), func(_ string, value []byte) error { return Check(value) })
		if !IsRepeated(err) || err.Error() != want {
			t.Errorf("EachMember %s: %v", in, err)
		}
		if _, err := Compact([]byte(in)); !IsRepeated(err) {
			t.Errorf("Compact %s: %v", in, err)
		}
	}
	for _, in := range []string{long + "}", `{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}],"id":"x","ID":2}`} {
		if err := Unmarshal([]byte(in), new(namedRow), false); err != nil {
			t.Errorf("%.60s: %v", in, err)
		}
		if !ScanObject([]byte(in), func(_, _ []byte) bool { return true }) {
			t.Errorf("ScanObject refuses %.60s", in)
		}
	}
}

// TestManyNames reads an object of many names in time that grows with their number.
func TestManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 300_000 {
		fmt.Fprintf(&b, `"%d":0,`, i)
	}
	b.WriteString(`"id":"x"}`)
	var v namedRow
	if err := Unmarshal([]byte(b.String()), &v, false); err != nil || v.ID != "x" {
		t.Error(v.ID, err)
	}
}

// FuzzExactNames holds Unmarshal to encoding/json: about what is no JSON both say the same, and
// what encoding/json reads is read unless a name is given twice.
func FuzzExactNames(f *testing.F) {
	for _, s := range []string{`{"id":"a","gold":{"cost":"1"},"items":[{"text":"x"},null],"raw":[1],"free":{"a":[{}]},"Bare":1}`, `{"id":1}`, `[]`, `{`, `{"id":"a"} x`, `{"a":1,"a":2}`, `{"ID":"x"}`, `{"free":[[[{"x":`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got, want namedRow
		err := Unmarshal([]byte(s), &got, false)
		wantErr := json.Unmarshal([]byte(s), &want)
		if IsRepeated(err) {
			if !json.Valid([]byte(s)) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if !json.Valid([]byte(s)) && (err == nil || err.Error() != wantErr.Error()) {
			t.Fatalf("%q: %v, want %v", s, err, wantErr)
		}
		if wantErr == nil && err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	})
}
