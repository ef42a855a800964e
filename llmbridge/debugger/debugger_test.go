package debugger

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// ask sends a request that must be answered.
func ask[Out any](t *testing.T, d *Debugger, name string, in any) *Out {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	raw, ok := d.Answer(t.Context(), name, body)
	out := new(Out)
	if err := json.Unmarshal(raw, out); err != nil || !ok {
		t.Fatalf("%s %s: %v %s", name, body, err, raw)
	}
	return out
}

// page is what the page reads of an answer of judge.
type page struct {
	Verdict     json.RawMessage
	Explanation string
	Text        string
	Steps       []step
	Start       *scene
	States      string
	Timeline    string
}

type in = map[string]any

// TestVerdicts: the page's verdicts are the façade's, byte for byte, for all bundled domains.
func TestVerdicts(t *testing.T) {
	d := New(Options{})
	for _, k := range domains.List() {
		task, err := planproof.ReadTask(k.Example)
		if err != nil {
			t.Fatal(err)
		}
		s, err := planproof.Solve(t.Context(), task, planproof.SolveOptions{Time: 10 * time.Second})
		if err != nil || len(s.Plan) == 0 {
			t.Logf("%s has no quick plan: %v", k.Example, err)
			s.Plan = []string{"(x)"}
		}
		for _, steps := range [][]string{s.Plan, s.Plan[1:], append(s.Plan[:1:1], s.Plan...), {}} {
			text := strings.Join(steps, "\n")
			want, err := planproof.Explain(t.Context(), task, text)
			if err != nil {
				t.Fatal(err)
			}
			got := ask[page](t, d, "judge", in{"task": k.Example, "answer": text, "reader": "plan"})
			if w := string(want.AppendJSON(nil, nil)); string(got.Verdict) != w {
				t.Errorf("%s %s:\n%s\n%s", k.Example, steps, got.Verdict, w)
			}
			if len(got.Steps) != len(steps) {
				t.Errorf("%s: %d steps of %d", k.Example, len(got.Steps), len(steps))
			}
		}
	}
}

// TestWalk: the states step by step, the step that fails and the one that broke it.
func TestWalk(t *testing.T) {
	got := ask[page](t, New(Options{}), "judge", in{"task": "blocksworld:4-17",
		"answer": "First:\n1. (unstack b c)\n2. (stack b a)\n3. (unstack c d)\n4. (unstack b c)\n5. (put-down c)"})
	var states []string
	for _, s := range got.Steps {
		culprit := ""
		if s.Culprit {
			culprit = "!"
		}
		states = append(states, string(s.State)+culprit)
	}
	if w := "done! done done! failed not-reached"; strings.Join(states, " ") != w {
		t.Errorf("%v, want %s", states, w)
	}
	if got.Steps[0].Line != 2 || got.Steps[3].Line != 5 {
		t.Errorf("lines %d, %d", got.Steps[0].Line, got.Steps[3].Line)
	}
	after := got.Steps[0].After
	if strings.Join(after.Added, " ") != "(clear c) (holding b)" || strings.Join(after.Deleted, " ") != "(clear b) (handempty) (on b c)" {
		t.Errorf("%+v", after)
	}
	if !strings.Contains(got.Start.Picture, "<svg") || !strings.Contains(after.Picture, "<svg") || got.Steps[3].After != nil {
		t.Error("pictures are missing, or the failing step leads somewhere")
	}
}

// TestMalformed: a line that is no step keeps its place, and nothing is executed.
func TestMalformed(t *testing.T) {
	got := ask[page](t, New(Options{}), "judge", in{"task": "blocksworld:4-17", "reader": "strict",
		"answer": "```plan\n(unstack b c)\n(stack b\n(pick-up a)\n```"})
	if len(got.Steps) != 3 || got.Steps[1].State != stepMalformed || got.Steps[0].State != stepNotReached || got.Steps[1].Line != 3 {
		t.Errorf("%+v", got.Steps)
	}
}

// TestSpace: the state space that is drawn has the distances of the exhaustive search.
func TestSpace(t *testing.T) {
	d := New(Options{})
	got := ask[spaceOut](t, d, "space", in{"task": "blocksworld:4-17", "plan": "(unstack b c)\n(put-down b)\n(pick-up b)"})
	var path []int64
	for _, h := range got.Path {
		path = append(path, *h)
	}
	if got.States != 125 || *got.Distance != 10 || len(path) != 3 || path[0] != 9 || path[2] != 9 {
		t.Errorf("%d states, distance %d, path %v", got.States, *got.Distance, path)
	}
	if n := strings.Count(got.SVG, "<circle") + strings.Count(got.SVG, "<rect"); n != 126 { // and the ground
		t.Errorf("%d shapes", n)
	}
	again := ask[spaceOut](t, d, "space", in{"task": "blocksworld:4-17", "plan": "(unstack b c)\n(put-down b)\n(pick-up b)"})
	if again.SVG != got.SVG {
		t.Error("the picture differs from run to run")
	}
	fails(t, d, "space", in{"task": "blocksworld:6-5"}, TooLarge)
}

// TestScore: a reward that compares with the cheapest plan gets it.
func TestScore(t *testing.T) {
	d := New(Options{})
	html, _ := fs.ReadFile(Page(), "index.html")
	_, list, _ := strings.Cut(string(html), `<select id="reward">`)
	list, _, _ = strings.Cut(list, "</select>")
	best := ask[struct{ Plan []string }](t, d, "solve", in{"task": "blocksworld:3-5"}).Plan
	for _, part := range strings.Split(list, "<option>")[1:] {
		name, _, _ := strings.Cut(part, "<")
		reward := func(steps []string) float64 {
			got := ask[struct {
				Score struct {
					Status string
					Reward *float64
				}
			}](t, d, "score", in{"task": "blocksworld:3-5", "reward": name, "reader": "plan", "answer": strings.Join(steps, "\n")})
			if got.Score.Reward == nil {
				t.Fatalf("%s: %s", name, got.Score.Status)
			}
			return *got.Score.Reward
		}
		if good, bad := reward(best), reward(best[1:]); good <= bad && name != "format" {
			t.Errorf("%s: %v for a cheapest plan, %v for a wrong one", name, good, bad)
		}
	}
}

func fails(t *testing.T, d *Debugger, name string, in any, want Code) (places int) {
	t.Helper()
	body, _ := json.Marshal(in)
	raw, ok := d.Answer(t.Context(), name, body)
	var out struct {
		Error *struct {
			Code        Code
			Diagnostics []json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &out); err != nil || ok || out.Error == nil || out.Error.Code != want {
		t.Errorf("%s %.100s: %v %.300s, want %s", name, body, err, raw, want)
		return 0
	}
	return len(out.Error.Diagnostics)
}

// TestHostile: what cannot be answered has a code, and nothing panics.
func TestHostile(t *testing.T) {
	d := New(Options{Time: time.Second, Text: 1 << 20})
	fails(t, d, "nothing", in{}, BadInput)
	fails(t, d, "judge", in{"task": "blocksworld:4-17", "domain_text": "x"}, BadInput)
	fails(t, d, "judge", in{"task": "../../etc/passwd"}, BadInput)
	fails(t, d, "judge", in{"taks": "blocksworld:4-17"}, BadInput)
	fails(t, d, "judge", in{"task": "blocksworld:4-17", "reader": "psychic"}, BadInput)
	fails(t, d, "score", in{"task": "blocksworld:4-17", "reward": "gold"}, BadInput)
	fails(t, d, "judge", in{"task": "blocksworld:4-17", "answer": strings.Repeat("x", 1<<20)}, TooLarge)
	fails(t, d, "boxnet", in{"rows": "{"}, BadInput)
	fails(t, d, "boxnet", in{"rows": "{}", "reading": "tea-leaves"}, BadInput)
	fails(t, d, "episode", in{"rows": "[]"}, BadInput)
	fails(t, d, "episode", in{"rows": ""}, BadInput)
	places := fails(t, d, "judge", in{"domain_text": "(define (domain d) (:predicates (q)", "problem_text": "(define"}, BadTask)
	if places < 2 {
		t.Errorf("%d places", places)
	}
	began := time.Now()
	raw, _ := d.Answer(t.Context(), "solve", []byte(`{"task":"blocksworld:30-5"}`))
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("1 s took %v: %.200s", took, raw)
	}
	for _, body := range []string{"", "null", "[]", "{", "{}x", `{"task":1}`, "\xff", `{"task":"a","task":"b"}`} {
		if raw, ok := d.Answer(t.Context(), "judge", []byte(body)); ok {
			t.Errorf("%q: %s", body, raw)
		}
	}
}

// TestRows: rows are scored and judged as the oracle does it, but name no files of this machine.
func TestRows(t *testing.T) {
	type reply struct {
		Items []struct {
			Status, Error string
			Score         *float64
		}
	}
	d := New(Options{})
	const task = "gripper:1"
	rows := func(row string) in {
		return in{"schema": "planproof.score/1", "items": []json.RawMessage{json.RawMessage(row)}}
	}
	if got := ask[reply](t, d, "v1-score", rows(`{"task":"gripper:1","completion":"(move rooma roomb)"}`)); len(got.Items) != 1 || got.Items[0].Status != "ok" {
		t.Errorf("%+v", got)
	}
	dir := t.TempDir()
	domain, problem, err := domains.Load(task)
	if err != nil {
		t.Fatal(err)
	}
	paths := [2]string{filepath.Join(dir, "d.pddl"), filepath.Join(dir, "p.pddl")}
	for i, src := range []*pddl.Source{domain, problem} {
		if err := os.WriteFile(paths[i], []byte(src.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, form := range []string{`{"task":{"domain":%q,"problem":%q},"completion":"(move rooma roomb)"}`, `{"domain":%q,"problem":%q,"completion":"(move rooma roomb)"}`} {
		got := ask[reply](t, d, "v1-score", rows(fmt.Sprintf(form, paths[0], paths[1])))
		if x := got.Items[0]; x.Status == "ok" || x.Score != nil {
			t.Errorf("%s reads files: %+v", form, x)
		}
	}
	fails(t, d, "v1-score", in{"schema": "planproof.truth/1", "items": []int{}}, BadInput)
	fails(t, d, "v1-score", in{"items": make([]int, 5000)}, TooLarge)
}

// TestHandler: the page and its requests over HTTP, and what is refused.
func TestHandler(t *testing.T) {
	h := New(Options{Text: 1 << 16}).Handler()
	do := func(method, path, kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "127.0.0.1:8017"
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, x := range []struct {
		method, path, kind, body string
		want                     int
	}{
		{http.MethodGet, "/", "", "", 200},
		{http.MethodGet, "/app.js", "", "", 200},
		{http.MethodGet, "/../debugger.go", "", "", 404},
		{http.MethodGet, "/..%2fdebugger.go", "", "", 404},
		{http.MethodGet, "/api/judge", "", "", 404},
		{http.MethodPost, "/api/judge", "text/plain", `{"task":"gripper:1"}`, 415},
		{http.MethodPost, "/api/judge", "application/json", `{"task":"gripper:1"}`, 200},
		{http.MethodPost, "/api/judge", "application/json", `{`, 422},
		{http.MethodPost, "/api/judge", "application/json", "{\"task\":\"gripper:1\",\"answer\":\"\xff\"}", 422},
		{http.MethodPost, "/api/judge", "application/json", strings.Repeat(" ", 1<<17), 413},
	} {
		w := do(x.method, x.path, x.kind, x.body)
		if w.Code != x.want && !(x.want == 404 && w.Code == 307) {
			t.Errorf("%s %s: %d %.100s, want %d", x.method, x.path, w.Code, w.Body, x.want)
		}
		if w.Header().Get("Content-Security-Policy") != Policy {
			t.Errorf("%s has no policy", x.path)
		}
	}
}

// TestBusy: a request that finds no slot for as long as it may take is refused, and the others go on.
func TestBusy(t *testing.T) {
	d := New(Options{Slots: 1, Time: 50 * time.Millisecond})
	ask := func() *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/api/tasks", strings.NewReader("{}"))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		return w
	}
	d.slots <- struct{}{} // a request that is being answered
	if w := ask(); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "1 request") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	<-d.slots
	if w := ask(); w.Code != http.StatusOK || len(d.slots) != 0 {
		t.Errorf("%d %.100s, %d slots are taken", w.Code, w.Body, len(d.slots))
	}
}

// TestPageIsWhole: the page asks for nothing that is not there, nor from elsewhere.
func TestPageIsWhole(t *testing.T) {
	for _, name := range []string{"index.html", "app.js", "engine.js", "style.css"} {
		text, err := fs.ReadFile(Page(), name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "http://") || strings.Contains(string(text), "https://") || strings.Contains(string(text), "innerHTML") {
			t.Errorf("%s names another host, or writes HTML", name)
		}
	}
	html, _ := fs.ReadFile(Page(), "index.html")
	js, _ := fs.ReadFile(Page(), "app.js")
	for _, part := range strings.Split(string(js), "$(\"")[1:] {
		if id, _, _ := strings.Cut(part, `"`); !strings.HasSuffix(id, "-") && !strings.Contains(string(html), `id="`+id+`"`) {
			t.Errorf("app.js uses #%s, which index.html does not have", id)
		}
	}
	for name := range requests {
		if name == "v1-score" {
			continue // for programs, and for the golden responses in browser/test.mjs
		}
		if !strings.Contains(string(js), `ask("`+name+`"`) {
			t.Errorf("the page never asks %q", name)
		}
	}
}

// FuzzAnswer: no request brings the debugger down.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{`{"task":"gripper:1","answer":"(x)"}`, `{"domain_text":"(define (domain d))","problem_text":"(define (problem p) (:domain d))"}`, `{"rows":"{}"}`} {
		for name := range requests {
			f.Add(name, body)
		}
	}
	d := New(Options{Time: time.Second, Memory: 64 << 20})
	f.Fuzz(func(t *testing.T, name, body string) {
		raw, _ := d.Answer(t.Context(), name, []byte(body))
		if !json.Valid(raw) || strings.Contains(string(raw), `"code":"internal"`) {
			t.Errorf("%s %q: %s", name, body, raw)
		}
	})
}
