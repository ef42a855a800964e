package rowjson

import (
	"errors"
	"strings"
	"testing"
)

// TestFaults: the place is a character of the file, whatever stands before it.
func TestFaults(t *testing.T) {
	type row struct {
		ID   string
		Gold struct{ Cost string }
		N    []struct{ Text string }
	}
	for _, c := range []struct {
		text string
		err  error // nil: that of reading
		want string
	}{
		{`{"ID":"a"`, nil, "f:7:10: error[bad-json]: unexpected end of JSON input\n  {\"ID\":\"a\"\n           ^"},
		{`{"ID":"é",x}`, nil, "f:7:11: error[bad-json]: invalid character 'x' looking for beginning of object key string\n  {\"ID\":\"é\",x}\n            ^"},
		{`{"ID":"é","N":5}`, nil, "f:7:11: error[wrong-json-type]: N is a JSON number, not a list\n  {\"ID\":\"é\",\"N\":5}\n            ^"},
		{`{"ID":"a","Gold":{"x\"y":1,"Cost":[]}}`, nil, "f:7:19: error[unknown-member]: the row has an unknown member \"x\\\"y\"\n"},
		{`{"ID":"a", "Gold": {"Cost":[]}}`, nil, "f:7:21: error[wrong-json-type]: Gold.Cost is a JSON array, not a string\n"},
		{`[]`, nil, "f:7:1: error[wrong-json-type]: not a JSON object but a JSON array\n"},
		{`  {"ID":"a"} {}`, nil, "f:7:14: error[bad-json]: invalid character '{' after top-level value\n"},
		{`{"ID":"a","gold":{"cost":"x"}}`, Errorf("bad-value", "gold.cost", "no cost"), "f:7:19: error[bad-value]: no cost\n"},
		{`{"ID":"a","gold":{"cost":"x"}}`, Errorf("missing-member", "gold.plan", "no plan"), "f:7:11: error[missing-member]: no plan\n"},
		{`{"ID":"a"}`, Errorf("missing-member", "gold.plan", "no plan"), "f:7:1: error[missing-member]: no plan\n"},
		{`{"ID":"gold","gold":1}`, At("bad-value", "gold", errors.New("odd")), "f:7:14: error[bad-value]: odd\n"},
		{`{"ID":"a"}`, errors.New("odd"), "f:7:1: error[bad-value]: odd\n"},
		{"{\n \"ID\":\"a\",\n \"é\": \"gold\", \"gold\":1\n}", Errorf("bad-value", "gold", "odd"), "f:9:15: error[bad-value]: odd\n   \"é\": \"gold\", \"gold\":1\n                ^"},
	} {
		err := c.err
		if err == nil {
			err = Unmarshal([]byte(c.text), &row{}, true)
		}
		if err == nil {
			t.Errorf("%s: no error", c.text)
			continue
		}
		var f Faults
		f.Add("f", 7, 1, []byte(c.text), err)
		if got := f.Err().Error() + "\n"; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
	var f Faults
	if f.Err() != nil {
		t.Error("faults of nothing")
	}
	for n := range MaxFaults + 3 {
		f.Add("f", n+1, 1, []byte("{}"), errors.New("odd"))
	}
	if got := f.Error(); strings.Count(got, "odd") != MaxFaults || !strings.HasSuffix(got, "\nand 3 more") {
		t.Errorf("%s", got)
	}
}

// FuzzPlace: whatever a row and the member are, the place is in the row.
func FuzzPlace(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1}}`), "a.b")
	f.Add([]byte("{\"a\":\n\xff"), "a")
	f.Add([]byte(""), "")
	f.Fuzz(func(t *testing.T, row []byte, path string) {
		type any1 struct{ A, B struct{ C string } }
		for _, err := range []error{Errorf("x", path, "odd"), Unmarshal(row, &any1{}, true)} {
			if err == nil {
				continue
			}
			if at, code := place(row, err); at < 0 || at > len(row) || code == "" {
				t.Fatalf("%d in %q", at, row)
			}
			var faults Faults
			faults.Add("f", 1, 1, row, err)
			if faults.Err() == nil {
				t.Fatal("no error")
			}
		}
	})
}
