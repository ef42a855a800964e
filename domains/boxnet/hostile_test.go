package boxnet

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// check answers rows; instances have no plan.
func check(t testing.TB, rows string) string {
	t.Helper()
	var out bytes.Buffer
	_, err := CheckBatch(context.Background(), strings.NewReader(rows), &out, BatchOptions{
		Reading: Default, JSON: true, Workers: 1,
		Optimum: func(context.Context, *Instance, Reading) (Optimum, error) { return Optimum{-1, true}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestBadRows answers every bad row with its own error, and every bad plan with a verdict.
func TestBadRows(t *testing.T) {
	state := `"map":[2,2],"robots":[{"name":"A","base":[1,1],"arm":[0.75,0.75]}],"objects":[{"name":"x","at":[0.75,0.75],"target":[0.25,0.25]}]`
	for _, c := range []struct{ row, want string }{
		{`{"kind":"instance","id":1,` + state + `}`, `{"id":1,"optimal_steps":null,"proved":true,"reading":"default"}`},
		{`{"kind":"instance","id":{"a":1}}`, `{"id":{"a":1},"error":"row 1: the row has no member \"map\""}`},
		{`{"kind":"walk","id":1}`, `{"id":1,"error":"row 1: kind is step, plan or instance, not \"walk\""}`},
		{`{"id":1}`, `the row has no member \"kind\"`},
		{`7`, `"error":"row 1: not a JSON object but a JSON number"`},
		{`{"kind":`, `"error":"row 1: `},
		{`{"kind":"step","id":1,` + state + `}`, `the row has no member \"step\"`},
		{`{"kind":"plan","id":1,` + state + `,"plan":null}`, `the row has no member \"plan\"`},
		{`{"kind":"step","id":1,` + state + `,"step":[]}`, `"legal":false,"reason":"unreadable: [] is not an object of moves"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":7}}`, `"legal":false,"reason":"unreadable: the move of A is 7, not a string"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[3/4, 0.75] -> [0.25, 0.25], True"}}`, `"legal":false,"reason":"unreadable: the move of A: character 2 of`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[NaN, 0.75] -> [0.25, 0.25], True"}}`, `want a number"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[0.75, 0.75] -> [0.25, 0.25], true"}}`, `want True or False"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[0.75, 0.75] -> [0.25, 0.25], True."}}`, `want the end"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[0.75, 0.75] -> [0.2500000000001, 0.25], True"}}`, `want a number with at most 12 decimals"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[0.75, 0.75] -> [1e999999999999999999999, 0.25], True"}}`, `"legal":false,"reason":"out of reach"`},
		{`{"kind":"step","id":1,` + state + `,"step":{"A":"[0.75, 0.75] -> [0.25, 0.25], True","A":"[0.75, 0.75] -> [0.25, 0.25], True"}}`, `"legal":false,"reason":"robot moves twice"`},
		{`{"kind":"plan","id":1,` + state + `,"plan":[{"A":"[0.75, 0.75] -> [0.25, 0.25], True"}]}`, `{"id":1,"valid":true,"reason":"","step":0,"reading":"default"}`},
		{`{"kind":"plan","id":1,` + state + `,"plan":"none"}`, `"valid":false,"reason":"unreadable: \"none\" is not a list of steps","step":0`},
		{`{"kind":"plan","id":1,` + state + `,"plan":[{},{"A":""}]}`, `"valid":false,"reason":"unreadable: step 2: the move of A: character 1 of \"\": want '['","step":2`},
		{`{"kind":"plan","id":1,` + strings.Replace(state, `,"target":[0.25,0.25]`, "", 1) + `,"plan":[]}`, `objects[0] (x): it has no \"target\"`},
		{`{"kind":"step","id":1,` + strings.Replace(state, `"arm":[0.75,0.75]`, `"arm":[0.75]`, 1) + `,"step":{}}`, `robots[0] (A): arm is [0.75], not a list of two numbers`},
		{`{"kind":"step","id":1,` + strings.Replace(state, `"base":[1,1]`, `"base":["1",1]`, 1) + `,"step":{}}`, `base: \"1\" is not a number`},
		{`{"kind":"step","id":1,` + strings.Replace(state, `"base":[1,1]`, `"base":[1e7,1]`, 1) + `,"step":{}}`, `base: 1e7 is a number beyond a million`},
		{`{"kind":"step","id":1,` + strings.Replace(state, `[2,2]`, `[2,0]`, 1) + `,"step":{}}`, `map: 0 is not a number of cells from 1 to 1000`},
		{`{"kind":"step","id":1,"map":[2,2],"robots":{},"objects":[],"step":{}}`, `robots is not a list`},
		{`{"kind":"step","id":1,"map":[2,2],"robots":[],"objects":[{"at":[1,1]}],"step":{}}`, `objects[0] has no name`},
		{`{"kind":"step","id":1,"map":[2,2],"robots":[],"objects":[{"name":"x","at":[1,1]},{"name":"x","at":[1,1.5]}],"step":{}}`, `there are two with the name \"x\"`},
		{`{"kind":"step","id":1,"map":[2,2],"robots":[],"objects":[{"name":"x","at":[1,1]},{"name":"y","at":[1,1]}],"step":{}}`, `x and y are both at [1.0, 1.0]`},
		{`{"kind":"step","id":1,"map":[2,2],"robots":[],"objects":[{"name":"x","name":"y","at":[1,1]}],"step":{}}`, `is given twice`},
	} {
		got := check(t, c.row+"\n")
		if !strings.Contains(got, c.want) || strings.Count(got, "\n") != 1 || !json.Valid([]byte(got)) {
			t.Errorf("%s\nis answered %swant %s", c.row, got, c.want)
		}
	}
}

// TestNumbers reads numbers and writes them back.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0.0", "-0": "0.0", "1": "1.0", "0.75": "0.75", "-2.50": "-2.5", "75e-2": "0.75", "0.0075E+2": "0.75", "1000000": "1000000.0",
		"0.000000000001": "0.000000000001", "0.1000000000000000000000": "0.1", "0e999999999999": "0.0", "999999.999999999999": "999999.999999999999",
	} {
		if c, err := parseCoord(text); err != nil || c.String() != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for text, want := range map[string]error{
		"": errNumber, ".5": errNumber, "5.": errNumber, "+1": errNumber, "01": errNumber, "1e": errNumber, "1e+-2": errNumber, "--1": errNumber, "NaN": errNumber, "Infinity": errNumber, "0x1": errNumber, "1_0": errNumber, "1/2": errNumber, "١": errNumber,
		"1000000.1": errHuge, "1e7": errHuge, "-9e99999999999999999999": errHuge, "0.0000000000001": errDecimals, "1e-13": errDecimals, "1e-99999999999999999999": errDecimals,
	} {
		if c, err := parseCoord(text); err != want {
			t.Errorf("%q: %v, %v, want %v", text, c, err, want)
		}
	}
}

// FuzzCheck looks for rows that are not answered in one line of JSON.
func FuzzCheck(f *testing.F) {
	for _, c := range stepCases {
		f.Add(`{"kind":"step","id":1,` + strings.ReplaceAll(twoArms[1:len(twoArms)-1], "\n", " ") + `,"step":` + c.step + `}`)
		f.Add(`{"kind":"plan","id":"a",` + strings.ReplaceAll(twoArms[1:len(twoArms)-1], "\n", " ") + `,"plan":[` + c.step + `,{}]}`)
	}
	f.Fuzz(answersInOneLine)
}

func answersInOneLine(t *testing.T, row string) {
	row = strings.NewReplacer("\n", " ", "\r", " ").Replace(row)
	got := check(t, row)
	if strings.Contains(got, "internal error") || strings.TrimSpace(row) != "" && (strings.Count(got, "\n") != 1 || !json.Valid([]byte(got))) {
		t.Errorf("%q is answered %q", row, got)
	}
}

// FuzzMove looks for moves that are read and not written back as they are.
func FuzzMove(f *testing.F) {
	f.Add("[0.75, 0.75] -> [1.25, 0.25], True")
	f.Add(" [ 75e-2,-0 ]->[1.000,0.000000000001],False ")
	f.Add("Move [0.55, 1.65] True")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMove(text)
		if err != nil {
			return
		}
		again, err := parseMove(m.text())
		if err != nil || again != m {
			t.Errorf("%q is read as %+v, and %q as %+v, %v", text, m, m.text(), again, err)
		}
	})
}
