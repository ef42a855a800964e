package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
)

// blocks is a task whose shortest plan is 4 steps: b is on a, and a must be on b.
var blocks = taskref.Ref{
	DomainText: `(define (domain blocks) (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (handempty) (holding ?x))
	 (:action pick-up :parameters (?x) :precondition (and (clear ?x) (ontable ?x) (handempty))
	  :effect (and (not (ontable ?x)) (not (clear ?x)) (not (handempty)) (holding ?x)))
	 (:action put-down :parameters (?x) :precondition (holding ?x)
	  :effect (and (not (holding ?x)) (clear ?x) (handempty) (ontable ?x)))
	 (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y))
	  :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (handempty) (on ?x ?y)))
	 (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (handempty))
	  :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (handempty)) (not (on ?x ?y)))))`,
	ProblemText: `(define (problem two) (:domain blocks) (:objects a b)
	 (:init (on b a) (ontable a) (clear b) (handempty)) (:goal (on a b)))`,
}

const goldBlocks = "(unstack b a)\n(put-down b)\n(pick-up a)\n(stack a b)\n"

// answers are completions with the score, verdict and first bad step that each must get.
var answers = []struct {
	completion, finish string
	score              string // under "valid"; "null" for none
	verdict            string
	bad                int
}{
	{"<plan>\n" + goldBlocks + "</plan>", "stop", "1", "valid", -1},
	{"<plan>\n(unstack b a)\n(put-down b)\n</plan>", "stop", "0", "goal", -1},
	{"<plan>\n(pick-up a)\n</plan>", "stop", "0", "precondition", 1},
	{"<plan>\n(unstack b a)\nthrow b away\n</plan>", "stop", "0", "parse", 2},
	{"<plan>\n(unstack b c)\n</plan>", "stop", "0", "unknown_symbol", 1},
	{"<plan>\n</plan>", "stop", "0", "empty", -1},
	{"<plan>\n(unstack b a)\n(put-down", "length", "0", "truncated", -1},
	{"I give up.", "stop", "0", "no_plan", -1},
	{"No plan exists: the goal cannot be reached.", "stop", "0", "claims_unsolvable", -1},
}

type scoreAnswer struct {
	Schema    string          `json:"schema"`
	RequestID json.RawMessage `json:"request_id"`
	Items     []struct {
		ID           json.RawMessage    `json:"id"`
		Status       string             `json:"status"`
		Score        json.RawMessage    `json:"score"`
		Components   map[string]float64 `json:"components"`
		Verdict      string             `json:"verdict"`
		PlanLen      int                `json:"plan_len"`
		RefLen       *int               `json:"ref_len"`
		RefOptimal   bool               `json:"ref_optimal"`
		FirstBadStep int                `json:"first_bad_step"`
		Cost, Gap    json.RawMessage
		Digest       *string `json:"digest"`
		Reason       string  `json:"reason"`
		Message      string  `json:"message"`
	} `json:"items"`
}

func callJSON(t testing.TB, o *Oracle, op Op, body string) string {
	t.Helper()
	r, fault := o.Call(context.Background(), op, []byte(body))
	if fault != nil {
		return string(fault.JSON())
	}
	if !json.Valid(r.Body) || bytes.ContainsAny(r.Body, "\n\r") {
		t.Fatalf("not one line of JSON: %s", r.Body)
	}
	return string(r.Body)
}

func quote(v any) string { b, _ := rowjson.AppendValue(nil, v); return string(b) }

func inlineBlocks() string {
	return fmt.Sprintf(`{"domain":%s,"problem":%s}`, quote(blocks.DomainText), quote(blocks.ProblemText))
}

// answerBatch is a request with n items that go through answers again and again.
func answerBatch(n int, spec string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"schema":"planproof.score/1","request_id":"r","spec":%q,"task":%s,"items":[`, spec, inlineBlocks())
	for i := range n {
		a := answers[i%len(answers)]
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"completion":%s,"finish":%q}`, i, quote(a.completion), a.finish)
	}
	b.WriteString("]}")
	return b.String()
}

func TestCallScore(t *testing.T) {
	o := newTestOracle(t, Options{})
	var a scoreAnswer
	text := callJSON(t, o, OpScore, answerBatch(len(answers), "valid"))
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if a.Schema != "planproof.score/1" || string(a.RequestID) != `"r"` || len(a.Items) != len(answers) {
		t.Fatal(text)
	}
	for i, want := range answers {
		got := a.Items[i]
		if string(got.ID) != fmt.Sprint(i) || got.Status != "ok" || string(got.Score) != want.score || got.Verdict != want.verdict || got.FirstBadStep != want.bad || got.Digest == nil {
			t.Errorf("%q: %+v", want.completion, got)
		}
		if (got.Message == "") != (want.verdict == "valid") {
			t.Errorf("%q: message %q", want.completion, got.Message)
		}
	}
}

// TestCallSameMembers: trainers take the members of the first item for those of all.
func TestCallSameMembers(t *testing.T) {
	o := newTestOracle(t, Options{})
	body := `{"schema":"planproof.score/1","items":[` +
		`{"id":1,"task":"blocksworld:3-5","completion":"x"},{"task":"sha256:00","completion":"x"},{"task":5,"completion":"x"},` +
		`{"task":"blocksworld:3-5"},7,{"task":{"domain":"(","problem":"("},"completion":"x"},{"task":"blocksworld:3-5","completion":{"role":"user","content":"x"}}]}`
	var a struct{ Items []map[string]json.RawMessage }
	text := callJSON(t, o, "", body)
	if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Items) != 7 {
		t.Fatalf("%v: %s", err, text)
	}
	for i, item := range a.Items {
		if len(item) != len(a.Items[0]) {
			t.Errorf("item %d has %d members, the first %d: %v", i, len(item), len(a.Items[0]), item)
		}
		wantOK := i == 0
		if ok := string(item["status"]) == `"ok"`; ok != wantOK || (string(item["score"]) == "null") == wantOK {
			t.Errorf("item %d: status %s, score %s", i, item["status"], item["score"])
		}
		if !wantOK && string(item["status"]) != `"bad_request"` {
			t.Errorf("item %d: status %s", i, item["status"])
		}
	}
}

// TestCallWorkers: the number of workers and what was asked before change no byte.
func TestCallWorkers(t *testing.T) {
	for _, spec := range []string{"valid", "process"} {
		body := answerBatch(500, spec)
		want := callJSON(t, newTestOracle(t, Options{Workers: 1}), OpScore, body)
		o := newTestOracle(t, Options{Workers: 7})
		callJSON(t, o, OpScore, answerBatch(3, "process"))
		for range 3 {
			if got := callJSON(t, o, OpScore, body); got != want {
				t.Fatalf("%s: differs with 7 workers:\n%.300s\n%.300s", spec, got, want)
			}
		}
	}
}

func TestCallFaults(t *testing.T) {
	o := newTestOracle(t, Options{Limits: Limits{Items: 3}})
	for _, c := range []struct{ op, body, want string }{
		{"", `{`, `bad_request","message":"the request is not one JSON object`},
		{"score", ``, `bad_request","message":"the request is not one JSON object`},
		{"score", `[]`, `bad_request","message":"the request is not one JSON object`},
		{"score", `{"items":[]} x`, `bad_request","message":"the request is not one JSON object`},
		{"score", `{"items":[{"completion":"\x"}]}`, `bad_request","message":"the request is not one JSON object`},
		{"score", `{"items":[{"task":"blocksworld:3-5","completion":"\x"}]}`, `bad_request","message":"the request is not one JSON object`},
		{"score", `{"items":[{"task":"blocksworld:3-5","completion":"x"},{]}`, `bad_request","message":"the request is not one JSON object`},
		{"score", `{"items":[tru]}`, `bad_request","message":"the request is not one JSON object`},
		{"score", `{"items":7}`, `bad_request","message":"no list of items`},
		{"score", `{}`, `bad_request","message":"no list of items`},
		{"score", `{"items":[1,2,3,4]}`, `too_large","message":"4 items, more than 3`},
		{"", `{"items":[]}`, `bad_request","message":"no schema`},
		{"score", `{"schema":"planproof.scores/1","items":[]}`, `did you mean \"planproof.score/1\"?`},
		{"score", `{"schema":"planproof.score/2","items":[]}`, `did you mean \"planproof.score/1\"?`},
		{"score", `{"schema":"planproof.mask/1","items":[]}`, `the schema is planproof.mask/1, the operation score`},
		{"score", `{"spec":"valdi","items":[]}`, `did you mean \"valid\"?`},
		{"score", `{"spec":7,"items":[]}`, `bad_request`},
		{"score", `{"deadline_ms":-1,"items":[]}`, `deadline_ms is not a positive number`},
		{"score", `{"items":[]}`, `"items":[]}`},
	} {
		if got := callJSON(t, o, Op(c.op), c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

// TestCallDeadline: what the deadline cuts off has no score, and the next one who asks
// does.
func TestCallDeadline(t *testing.T) {
	o := newTestOracle(t, Options{Workers: 2, Limits: Limits{TableTime: 300 * time.Millisecond}})
	task := endlessTask("slow")
	body := fmt.Sprintf(`{"spec":"process","deadline_ms":50,"items":[{"task":{"domain":%s,"problem":%s},"completion":"(mk o1 o2)"}]}`, quote(task.DomainText), quote(task.ProblemText))
	if got := callJSON(t, o, OpScore, body); !strings.Contains(got, `"status":"unavailable","score":null`) {
		t.Error(got)
	}
	// Others are served meanwhile.
	if got := callJSON(t, o, OpScore, answerBatch(1, "valid")); !strings.Contains(got, `"score":1`) {
		t.Error(got)
	}
	body = strings.Replace(body, `"deadline_ms":50,`, "", 1)
	if got := callJSON(t, o, OpScore, body); !strings.Contains(got, `"status":"timeout","score":null`) {
		t.Error(got)
	}
}

func TestCallStdio(t *testing.T) {
	o := newTestOracle(t, Options{})
	in := answerBatch(2, "valid") + "\n" +
		`{"id":3,"task":"blocksworld:3-5","response":"x","schema":"planproof.score/1"}` + "\n" + // a row: the schema is not first
		`{"schema":"planproof.nothing/1","items":[]}` + "\n" +
		`{"schema":"mine/2","id":4,"task":"blocksworld:3-5","response":"x"}` + "\n" +
		`{"ping":1}` + "\n"
	var out bytes.Buffer
	if err := o.ServeStdio(context.Background(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{`{"schema":"planproof.score/1","request_id":"r"`, `{"id":3,"reward":0`, `{"schema":"planproof.error/1"`, `{"id":4,"reward":0`, `{"pong":1}`}
	if len(lines) != len(want) {
		t.Fatal(out.String())
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %d: %s, want %s", i+1, lines[i], want[i])
		}
	}
	if lines[0] != callJSON(t, o, OpScore, answerBatch(2, "valid")) {
		t.Error("the pipe answers with other bytes")
	}
}

func FuzzDecodeCall(f *testing.F) {
	f.Add(answerBatch(3, "valid"))
	f.Add(`{"items":[{"completion":"a\n\u00e9\ud800","finish":null, "id" : {"a":[1, 2]}}], "request_id":1e5}`)
	f.Add("{\"items\":[{\"completion\":\"a\x01\"}]}")
	f.Add(`{"items":[{"plan":["(a)"],"prefix":[],"schedule":"x"}],"task":{"domain":"x","problem":"\""}}`)
	f.Add(`{"items":[{"id":01}]}`)
	f.Add(`{"items":[{"x":[}]},{"x":{]}]}`)
	o, err := New(Options{Workers: 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, op := range Ops() {
			r, fault := o.Call(context.Background(), op, []byte(body))
			switch {
			case fault == nil && !json.Valid([]byte(body)):
				t.Fatalf("%s: answered what is not JSON", op)
			case fault != nil && strings.Contains(fault.Message, "not one JSON object") && json.Valid([]byte(body)) && strings.HasPrefix(strings.TrimSpace(body), "{"):
				t.Fatalf("%s: refused what is JSON: %v", op, fault)
			case fault != nil:
				continue
			}
			if !json.Valid(r.Body) || bytes.ContainsAny(r.Body, "\n\r") {
				t.Fatalf("%s: answer is not one line of JSON: %s", op, r.Body)
			}
			again, _ := o.Call(context.Background(), op, []byte(body))
			if again == nil || !bytes.Equal(again.Body, r.Body) {
				t.Fatalf("%s: a second answer differs", op)
			}
		}
	})
}

func BenchmarkCall(b *testing.B) {
	plan := "<think>" + strings.Repeat("first the upper block has to go, then the lower one;\n", 18) + "</think>\n<plan>\n" + goldBlocks + "</plan>"
	var body strings.Builder
	fmt.Fprintf(&body, `{"schema":"planproof.score/1","task":%s,"items":[`, inlineBlocks())
	for i := range 4096 {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"id":%d,"completion":%s,"finish":"stop"}`, i, quote(plan))
	}
	body.WriteString("]}")
	for _, workers := range []int{1, 2} {
		o := newTestOracle(b, Options{Workers: workers})
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			b.SetBytes(int64(body.Len()))
			b.ReportAllocs()
			var judge, work time.Duration
			for range b.N {
				r, fault := o.Call(context.Background(), OpScore, []byte(body.String()))
				if fault != nil {
					b.Fatal(fault)
				}
				judge += r.Judge
				work += r.Decode + r.Work + r.Encode
			}
			b.ReportMetric(float64(judge.Microseconds())/1e3/float64(b.N), "judge-ms/op")
			b.ReportMetric(float64(work.Microseconds())/1e3/float64(b.N), "call-ms/op")
		})
	}
}
