package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sameRequest compares ParseRequest with the reference.
func sameRequest(t interface{ Fatalf(string, ...any) }, line []byte) {
	given := bytes.Clone(line)
	got, gotErr := ParseRequest(line, 6)
	if !bytes.Equal(line, given) {
		t.Fatalf("%q was written over: %q", given, line)
	}
	for i := range line { // as the next row will
		line[i] = 'x'
	}
	want, wantErr := referenceRequest(given, 6)
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		t.Fatalf("%q: error %v, want %v", given, gotErr, wantErr)
	}
	for _, r := range []*Request{got, want} {
		for i := 0; r != nil && i < len(r.Items); i++ {
			if err := r.Items[i].Err; err != nil {
				r.Items[i].Err = fmt.Errorf("%s", err)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\n%+v\nwant\n%+v", given, got, want)
	}
}

var oddRows = []string{
	``, ` `, `{}`, ` {} `, "{}\v", "{}\u00a0", `{}x`, `{} {}`, `{,}`, `{"id":1,}`, `{"id" 1}`, `{"id":}`, `{"id":1`, `{"id`, `[]`, `null`, `"x"`, `7`, "\ufeff{}",
	`{"response":"a","response":"b"}`, `{"domain":"","domain":"d","response":""}`, `{"domain":"d","domain":"","response":""}`, `{"domain":"d","domain":null,"response":""}`,
	`{"constrained_decoding":true,"constrained_decoding":false,"response":""}`, `{"id":1,"id":null,"response":""}`, `{"id":null,"request_id":2,"response":""}`,
	`{"Response":"a","ID":1}`, `{"RESPONSE":"a","response":"b"}`, `{"re\u0073ponse":"a"}`, `{"reſponse":"a"}`, `{"tasK":"g"}`, `{"Übung":1,"response":"a"}`, `{"Column":1,"response":"a"}`, `{"":1,"response":"a"}`,
	`{"response":"\ud83d\ude00 \ud83d \ude00\ud83d \ud83dx \ud83d\u0041 \ud83d\n"}`, `{"response":"\u0000\u001f\u00e9\u20AC\uFFFD"}`, `{"response":"\u12"}`, `{"response":"\u12g4"}`, `{"response":"\x"}`, `{"response":"\`,
	`{"response":"\ud83d\`, `{"response":"\ud83d\u`, `{"response":"\ud83d\ude0"}`, "{\"response\":\"a\xff\xc0\xafb\"}", "{\"response\":\"a\tb\"}", "{\"response\":\"a\x7fb\u2028\"}", "{\"response\":\"\x00\"}", "{\"\x01\":1}",
	`{"response":"ends in backslash\\"}`, `{"response":"\\\"","id":"\""}`, `{"response":"\/\b\f\r\t\n\\\""}`, `{"response":"a` + "\n" + `"}`,
	`{"response":null}`, `{"response":true}`, `{"response":tru}`, `{"response":truex}`, `{"response":-}`, `{"response":01}`, `{"response":1.}`, `{"response":1e}`, `{"response":-0.5E+7}`, `{"response":.5}`, `{"response":+1}`, `{"response":1e400}`, `{"response":NaN}`,
	`{"finish":7,"response":"a","id":3}`, `{"id":3,"constrained_decoding":"true","response":"a"}`, `{"step_rewards":1,"response":"a"}`, `{"step_rewards":null,"constrained_decoding":true,"finish":null,"response":"a"}`,
	`{"ping":null}`, `{"ping":[1, 2]}`, `{"ping":1,"response":7,"items":3}`, `{"mask":["(a)"],"task":"gripper:1"}`, `{"mask":"(a)"}`, `{"mask":"(a"}`, `{"mask":7}`,
	`{"items":[{"id":1,"response":"a"},{"ID":2,"response":"b"},{"domain":7},null,[],{"response":{"role":"assistant","content":"\u00e9"}}],"group":"\u0041"}`, `{"items":"a"}`, `{"items":{}}`, `{"items":[]}`, `{"items":[1,2,3,4,5,6,7]}`,
	`{"response":[]}`, `{"response":[ "a" , "b" ]}`, `{"response":[1,null,{},[],"x"]}`, `{"response":[{"role":"assistant","content":[{"type":"text","text":"a"},{"text":"b"},{"type":"image","text":"c"}]}]}`,
	`{"response":[{"Role":"assistant","content":"a"}]}`, `{"response":{"Response":"a"}}`, `{"response":{"content":"a","role":"assistant","role":"user"}}`, `{"response":{"response":"","completion":"b"}}`, `{"response":{"response":null,"completion":"b"}}`, `{"response":{"response":{}}}`,
	`{"response":["a","b"],"completion":"c"}`, `{"response":null,"completion":"c"}`, `{"completion":"c","items":[]}`, `{"response":"a","items":null}`,
	`{"task":{"domain":"d","problem":"p"},"response":"a"}`, `{"task":{"domain":"d"},"response":"a"}`, `{"task":{"Domain":"d","PROBLEM":"p"},"response":"a"}`, `{"task":null,"response":"a"}`, `{"task":7,"response":"a"}`, `{"task":"\ud800","domain":"d","response":"a"}`,
	`{"group":7,"response":"a"}`, `{"group":[ 1 ],"response":"a"}`, `{"group":"","response":"a"}`, `{"group":null,"response":"a"}`,
	`{"gold":{"plan":["(a)"],"cost":"1/3"},"budget":7,"response":"a"}`, `{"gold":7,"response":"a"}`, `{"budget":"x","response":"a"}`,
	`{"prompt":{"a":[{"b":1.5e3},[],{},"\u00e9",null,true,false]},"response":"a"}`, `{"prompt":{"a":1,},"response":"a"}`, `{"prompt":{"a"},"response":"a"}`, `{"prompt":{1:2},"response":"a"}`, `{"prompt":[1,],"response":"a"}`, `{"prompt":[1 2],"response":"a"}`, `{"prompt":[1}`, `{"prompt":{"a":1]`,
	` { "id" : 1 , "response" : "a" } `, "\t{\n\"id\"\r:\t1,\"response\":\"a\"}\r\n", "{\"id\":1,\"response\":\"a\"}\x00",
}

// TestRowReference compares the two on rows that are odd, and on all that begin like them.
func TestRowReference(t *testing.T) {
	deep := func(n int) string {
		return `{"prompt":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `,"response":"a"}`
	}
	for _, s := range slices.Concat(oddRows, []string{deep(64), deep(69), deep(9_999), deep(10_001)}) {
		sameRequest(t, []byte(s))
		for n := range min(len(s), 300) {
			sameRequest(t, []byte(s[:n]))
		}
	}
}

// TestScannedRows shows that the rows of data sets are read in one pass.
func TestScannedRows(t *testing.T) {
	for _, s := range []string{
		`{"id": "a/1", "domain": "d.pddl", "problem": "p.pddl", "response": "a \"plan\"\n\u2192 done"}`, `{"task":"gripper:1","completion":["a",{"role":"assistant","content":"b"}],"group":7,"Model":"m","score":-1.5e-3,"tags":[{"x":null},true]}`, `{}`,
		`{"ping":1}` + "\n", "{\"response\":\"caf\u00e9\",\"finish\":null,\"step_rewards\":true}\r\n",
	} {
		var got, want wireRow
		if !got.scan([]byte(s)) {
			t.Errorf("not read: %s", s)
		}
		if err := json.Unmarshal([]byte(s), &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v (%v)", s, got, want, err)
		}
	}
}

// TestRowReferenceAssembled compares the two on rows put together of odd pieces.
func TestRowReferenceAssembled(t *testing.T) {
	names := []string{"id", "request_id", "reward", "domain", "problem", "domain_text", "problem_text", "task", "response", "completion", "finish", "constrained_decoding", "step_rewards", "group", "items", "gold", "budget", "ping", "mask", "prompt", "Response", "ITEMS", "Domain", "fini\\u0073h", "\u017fcore", "x"}
	values := []string{`1`, `"a"`, `""`, `null`, `true`, `false`, `"length"`, `[]`, `{}`, `["a","b"]`, `[{"response":"a","id":2},{"domain":"d","Completion":"b"}]`, `{"domain":"d","problem":"p"}`, `{"role":"assistant","content":"c"}`, `"\u00e9\ud800"`, "\"\xff\"", `1.5e3`, `01`, `"\q"`, `[1,]`, `-`, `{"a":{"b":[null]}}`}
	spaces := []string{"", "", "", " ", "\n\t"}
	rapid.Check(t, func(t *rapid.T) {
		space := func() string { return rapid.SampledFrom(spaces).Draw(t, "space") }
		var b strings.Builder
		b.WriteString(space() + "{")
		for i := range rapid.IntRange(0, 5).Draw(t, "members") {
			if i > 0 {
				b.WriteString("," + space())
			}
			b.WriteString(`"` + rapid.SampledFrom(names).Draw(t, "name") + `"` + space() + ":" + space() + rapid.SampledFrom(values).Draw(t, "value") + space())
		}
		b.WriteString("}" + space())
		sameRequest(t, []byte(b.String()))
	})
}

// FuzzRowReference compares the two on any bytes.
func FuzzRowReference(f *testing.F) {
	for _, s := range oddRows {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) { sameRequest(t, bytes.Clone(line)) })
}
