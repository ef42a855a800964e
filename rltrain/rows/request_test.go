package rows

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
)

func TestParseRequest(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       string // responses joined by |, "!" before an error; "[...]" for a list
		err        string
	}{
		{"string", `{"id":1,"response":"a"}`, "a", ""},
		{"completion", `{"completion":"a"}`, "a", ""},
		{"empty string", `{"response":""}`, "", ""},
		{"list of strings", `{"response":["a","b"]}`, "[a|b]", ""},
		{"list of one", `{"response":["a"]}`, "[a]", ""},
		{"empty list", `{"response":[]}`, "[]", ""},
		{"chat", `{"response":[{"role":"user","content":"u"},{"role":"assistant","content":"a"}]}`, "a", ""},
		{"last assistant", `{"response":[{"role":"assistant","content":"a"},{"role":"tool","content":"t"},{"role":"assistant","content":"b"},{"role":"user","content":"u"}]}`, "b", ""},
		{"list of chats", `{"response":[[{"role":"assistant","content":"a"}],"b"]}`, "[a|b]", ""},
		{"content parts", `{"response":[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}]}`, "ab", ""},
		{"one message", `{"response":{"role":"assistant","content":"a"}}`, "a", ""},
		{"completion object", `{"response":{"completion":"a"}}`, "a", ""},
		{"completion chat", `{"completion":{"completion":[{"role":"assistant","content":"a"}]}}`, "a", ""},
		{"list of objects", `{"response":[{"completion":"a"},{"response":"b"}]}`, "[a|b]", ""},
		{"items", `{"items":[{"completion":"a"},{"response":[{"role":"assistant","content":"b"}]}]}`, "[a|b]", ""},
		{"no assistant", `{"response":[{"role":"user","content":"u"}]}`, "!no message by the assistant", ""},
		{"a number", `{"response":7}`, "!neither a string nor a chat", ""},
		{"null", `{"response":null}`, "", "no response"},
		{"missing", `{"id":3}`, "", "no response"},
		{"bad item among good", `{"items":[{"completion":"a"},{},7,{"completion":"b"}]}`, "[a|!no response|!item|b]", ""},
		{"both", `{"items":[],"response":"a"}`, "", "both items and a response"},
		{"items no list", `{"items":"a"}`, "", "items is not a list"},
		{"too many", `{"response":["a","b","c","d","e"]}`, "", "more than 4"},
		{"too many items", `{"items":[{},{},{},{},{}]}`, "", "more than 4"},
		{"no JSON", `{"response":`, "", "unexpected EOF"},
		{"a list", `[]`, "", "not a JSON object but a JSON array"},
		{"two objects", `{"response":"a"} {"response":"b"}`, "", "something after the JSON object"},
		{"wrong kind", `{"response":"a","domain":7}`, "", "domain"},
		{"bad task", `{"response":"a","task":7}`, "", "task is neither"},
		{"tower", `{"response":{"response":{"response":"a"}}}`, "!an object inside", ""},
		{"deep", `{"response":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "", "exceeded max depth"},
	} {
		r, err := ParseRequest([]byte(c.line), 4)
		if c.err != "" || err != nil {
			if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		var parts []string
		for _, i := range r.Items {
			if i.Err != nil {
				parts = append(parts, "!"+i.Err.Error())
			} else {
				parts = append(parts, i.Response)
			}
		}
		want := c.want
		if r.List != strings.HasPrefix(want, "[") {
			t.Errorf("%s: list is %v", c.name, r.List)
		}
		wants := strings.Split(strings.Trim(want, "[]"), "|")
		if want == "[]" {
			wants = nil
		}
		ok := len(wants) == len(parts)
		for i := 0; ok && i < len(wants); i++ {
			if e, isErr := strings.CutPrefix(wants[i], "!"); isErr {
				ok = strings.HasPrefix(parts[i], "!") && strings.Contains(parts[i], e)
			} else {
				ok = parts[i] == wants[i]
			}
		}
		if !ok {
			t.Errorf("%s: %q, want %q", c.name, parts, wants)
		}
	}
}

func TestParseRequestTask(t *testing.T) {
	for line, want := range map[string]taskref.Ref{
		`{"response":"","domain":"d","problem":"p"}`:                            {Domain: "d", Problem: "p"},
		`{"response":"","domain_text":"d","problem_text":"p"}`:                  {DomainText: "d", ProblemText: "p"},
		`{"response":"","task":"gripper:2"}`:                                    {Task: "gripper:2"},
		`{"response":"","task":{"domain":"d","problem":"p"}}`:                   {DomainText: "d", ProblemText: "p"},
		`{"response":"","task":null}`:                                           {},
		`{"domain":"d","problem":"p","items":[{"completion":"","task":"g:1"}]}`: {Task: "g:1"},
		`{"domain":"d","problem":"p","items":[{"completion":""}]}`:              {Domain: "d", Problem: "p"},
	} {
		r, err := ParseRequest([]byte(line), 4)
		if err != nil || r.Items[0].Task != want {
			t.Errorf("%s: %+v, %v", line, r, err)
		}
	}
}

func TestParseRequestMembers(t *testing.T) {
	r, err := ParseRequest([]byte(`{"id":{"a":[1]},"response":"x","group":7,"finish":"length","reward":"binary","unknown":1}`), 4)
	if err != nil || string(r.ID) != `{"a":[1]}` || r.Items[0].Group != "7" || !r.Items[0].Truncated || r.Reward != "binary" {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = ParseRequest([]byte(`{"ping":5}`), 4)
	if err != nil || string(r.Ping) != "5" {
		t.Errorf("%+v, %v", r, err)
	}
}

// FuzzParseRequest shows that no line panics and that what is read can be answered.
func FuzzParseRequest(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"response":["a",[{"role":"assistant","content":[{"text":"x"}]}]],"group":"g"}`,
		`{"items":[{"completion":{"response":"a"}},{}],"task":{"domain":"d","problem":"p"}}`, `{"ping":null}`, `[`, `{"response":[[]]}`, "{\"id\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseRequest(line, 8)
		if err != nil {
			return
		}
		if len(r.Items) > 8 || r.Ping == nil && !r.List && len(r.Items) != 1 {
			t.Fatalf("%d items, list %v", len(r.Items), r.List)
		}
		if r.ID != nil && !json.Valid(r.ID) {
			t.Fatalf("id %q", r.ID)
		}
	})
}
