package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/oracle"
)

// taskFile has one task with its gold plan and one without.
const taskFile = `{"id": "first", "task": "blocksworld:3-5", "prompt": "Build it.", "gold": {"plan": ["(unstack b c)", "(put-down b)", "(unstack c a)", "(put-down c)", "(pick-up b)", "(stack b c)"], "cost": "6", "optimal": true}}
{"id": "second", "task": "blocksworld:3-6", "prompt": [{"role": "system", "content": "Plan."}, {"role": "user", "content": "And this."}]}
`

const goldText = `<plan>\n(unstack b c)\n(put-down b)\n(unstack c a)\n(put-down c)\n(pick-up b)\n(stack b c)\n</plan>`

func newTasks(t testing.TB) *oracle.TaskSet {
	t.Helper()
	tasks, err := oracle.ReadTasks(strings.NewReader(taskFile), "tasks.jsonl", ".")
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

func newOracle(t testing.TB, opt oracle.Options) *oracle.Oracle {
	t.Helper()
	opt.Version, opt.Build = "test", "none"
	opt.Reader = cmp.Or(opt.Reader, extract.Natural) // most answers of the tests have no markers
	o, err := oracle.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// start serves on a port of the loopback until the test ends, and checks that nothing of
// the server is left then.
func start(t testing.TB, opt Options, oracle oracle.Options) (s *Server, base string) {
	t.Helper()
	before := runtime.NumGoroutine()
	set(&opt.Linger, 5*time.Millisecond)
	s = New(newOracle(t, oracle), opt)
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
		for range 200 {
			if runtime.NumGoroutine() <= before+1 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	})
	return s, "http://" + l.Addr().String()
}

func post(t testing.TB, url, body string) (code int, text string) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

const scoreOne = `{"schema":"planproof.score/1","request_id":1,"items":[{"id":"a","task":"first","completion":"` + goldText + `"}]}`

// alive fails unless the server answers an ordinary request rightly.
func alive(t testing.TB, base string) {
	t.Helper()
	if code, text := post(t, base+"/v1/score", scoreOne); code != 200 || !strings.Contains(text, `"score":1`) || !strings.Contains(text, `"optimality_gap":0`) {
		t.Fatalf("%d %s", code, text)
	}
}

// TestContract compares the answer of every route with a golden file; UPDATE=1 rewrites
// it.
func TestContract(t *testing.T) {
	sum := newTasks(t).At(0).Sum
	long := strings.Repeat("x", 300<<10)
	var out strings.Builder
	s := New(newOracle(t, oracle.Options{Tasks: newTasks(t), Workers: 3}), Options{MaxBody: 1 << 20})
	for _, c := range []struct{ name, method, path, kind, body string }{
		{"score", "POST", "/v1/score", "", scoreOne},
		{"score by hash and reward", "POST", "/v1/score", "application/json; charset=utf-8", `{"spec":"process","task":"` + sum + `","items":[{"completion":"` + goldText + `"},{"completion":"<plan>\n(unstack b c)\n</plan>"},{"completion":"(unstack b","finish":"length"},{"completion":[{"role":"user","content":"x"},{"role":"assistant","content":"I cannot."}]}]}`},
		{"budget of an item", "POST", "/v1/score", "", `{"spec":"budget","task":"first","items":[{"completion":"` + goldText + `","gold":{"cost":6,"optimal":true},"budget":6},{"completion":"` + goldText + `","budget":5.5},{"completion":"x"}]}`},
		{"too long", "POST", "/v1/score", "", `{"task":"first","items":[{"completion":"` + long + `"}]}`},
		{"what is no item", "POST", "/v1/score", "", `{"items":[{"id":1,"task":"sha256:0","completion":"x"},{"id":2,"task":"third","completion":"x"},{"id":3,"task":"first"},{"id":4,"task":{"domain":"(define","problem":"x"},"completion":"x"},5]}`},
		{"no files", "POST", "/v1/score", "", `{"items":[{"task":{"domain":"/etc/passwd","problem":"/etc/passwd"},"completion":"x"}]}`},
		{"extract", "POST", "/v1/extract", "", `{"items":[{"id":1,"task":"first","completion":"<plan>\n(unstack b c)\nthrow it\n</plan>"},{"id":2,"task":"first"}]}`},
		{"validate", "POST", "/v1/validate", "", `{"task":"first","items":[{"plan":"(unstack b c)\n(put-down b)"},{"plan":["(unstack b c)","(put-down b)","(unstack c a)","(put-down c)","(pick-up b)","(stack b c)"]},{"plan":"(unstack b"},{"plan":7},{}]}`},
		{"truth", "POST", "/v1/truth", "", `{"items":[{"id":1,"task":"first"},{"id":2,"task":"second"},{"id":3,"task":"third"},{"id":4,"task":"first","schedule":7}]}`},
		{"mask", "POST", "/v1/mask", "", `{"task":"first","items":[{},{"prefix":["(unstack b c)","(put-down b)"]},{"prefix":["(pick-up c)"]},{"prefix":"(a)"},{"prefix":["(unstack b c)","(put-down b)","(unstack c a)","(put-down c)","(pick-up b)","(stack b c)"]}]}`},
		{"step", "POST", "/v1/step", "", `{"task":"first","items":[{"action":"(unstack b c)"},{"prefix":["(unstack b c)","(put-down b)","(unstack c a)","(put-down c)","(pick-up b)"],"action":"(stack b c)"},{"prefix":["(pick-up b)"],"action":"(stack b c)"},{"action":"(fly)"},{}]}`},
		{"tasks", "GET", "/v1/tasks?offset=1&limit=5", "", ""},
		{"tasks, bad", "GET", "/v1/tasks?offset=-1", "", ""},
		{"version", "GET", "/version", "", ""},
		{"healthz", "GET", "/healthz", "", ""},
		{"health", "GET", "/plan_step/health", "", ""},
		{"schema", "GET", "/plan_once/schema", "", ""},
		{"metadata", "GET", "/metadata", "", ""},
		{"state", "GET", "/state", "", ""},
		{"reset", "POST", "/reset", "", `{"seed": 3}`},
		{"reset, empty body", "POST", "/plan_once/reset", "", ``},
		{"reset of an unknown task", "POST", "/reset", "", `{"task":"sha256:1"}`},
		{"reset, bad", "POST", "/plan_step/reset", "", `{"max_steps":-1}`},
		{"step of plan_once", "POST", "/plan_once/step", "", `{"action":{"task":"first","plan":"` + goldText + `"}}`},
		{"reset of plan_adapt", "POST", "/plan_adapt/reset", "", `{"task":"first","profile":{"seed":3,"rounds":1}}`},
		{"step of plan_adapt", "POST", "/plan_adapt/step", "", `{"action":{"task":"first","profile":{"seed":3,"rounds":1},"plan":"<plan>\n(unstack b c)\n(put-down b)\n(unstack c a)\n(put-down c)\n(pick-up b)\n(stack b c)\n</plan>"}}`},
		{"reset of boxnet_replan", "POST", "/boxnet_replan/reset", "", `{"task":{"dimensions":3,"map":[2,2],"robots":[{"name":"A","base":[1.1,1.1],"arm":[1.24,0.61]}],"objects":[{"name":"x","at":[0.55,0.55],"target":[1.65,1.65]}],"optimal_steps":2,"proved":true}}`},
		{"step of boxnet_replan", "POST", "/boxnet_replan/step", "", `{"action":{"task":{"dimensions":3,"map":[2,2],"robots":[{"name":"A","base":[1.1,1.1],"arm":[1.24,0.61]}],"objects":[{"name":"x","at":[0.55,0.55],"target":[1.65,1.65]}],"optimal_steps":2,"proved":true},"action":"<think>x is near.</think>\n` + "```json\\n" + `{\"A\": \"Move [0.55, 0.55], False\"}\n` + "```" + `"}}`},
		{"step of boxnet_replan, bad", "POST", "/boxnet_replan/step", "", `{"action":{"task":"first","action":"x"}}`},
		{"step of plan_adapt, bad", "POST", "/plan_adapt/step", "", `{"action":{"task":"first","profile":{"rounds":4},"plan":"x"}}`},
		{"step of plan_step", "POST", "/plan_step/step", "", `{"action":{"task":"first","prefix":["(unstack b c)"],"action":"put down the blue block"}}`},
		{"step without action", "POST", "/step", "", `{"action":{}}`},
		{"no route", "GET", "/v2/score", "", ""},
		{"wrong method", "GET", "/v1/score", "", ""},
		{"wrong method", "POST", "/healthz", "", ""},
		{"wrong type", "POST", "/v1/score", "text/plain", scoreOne},
		{"no JSON", "POST", "/v1/score", "", `{"items":[`},
		{"other schema", "POST", "/v1/score", "", `{"schema":"planproof.mask/1","items":[]}`},
		{"too large", "POST", "/v1/score", "", strings.Repeat(" ", 1<<20+1)},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		if c.method == "POST" {
			if c.kind == "" {
				c.kind = "application/json"
			}
			r.Header.Set("Content-Type", c.kind)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if len(c.body) > 400 {
			c.body = c.body[:60] + "..."
		}
		fmt.Fprintf(&out, "## %s\n%s %s\n%s\n\n%d %s", c.name, c.method, c.path, c.body, w.Code, w.Header().Get("Content-Type"))
		for _, name := range []string{"Allow", "Retry-After"} {
			if v := w.Header().Get(name); v != "" {
				fmt.Fprintf(&out, " %s=%s", name, v)
			}
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: no JSON", c.name)
		}
		fmt.Fprintf(&out, "\n%s\n", w.Body)
	}
	golden := filepath.Join("testdata", "contract.golden")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wants := strings.Split(out.String(), "\n## "), strings.Split(string(want), "\n## ")
	if len(got) != len(wants) {
		t.Fatalf("%d answers, %d in the golden file", len(got), len(wants))
	}
	for i := range got {
		if got[i] != wants[i] {
			t.Errorf("got\n%s\nwant\n%s", got[i], wants[i])
		}
	}
}

// TestSameBytes: HTTP and pipe, one and many workers, give the same bytes.
func TestSameBytes(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"schema":"planproof.score/1","request_id":"x","spec":"process","items":[`)
	for i := range 300 {
		if i > 0 {
			b.WriteByte(',')
		}
		completion := []string{goldText, `<plan>\n(unstack b c)\n</plan>`, `nothing`, `<plan>\n(unstack b c)\nfoo\n</plan>`}[i%4]
		fmt.Fprintf(&b, `{"id":%d,"task":%q,"completion":"%s"}`, i, []string{"first", "second", "third"}[i%3], completion)
	}
	b.WriteString("]}")
	var want string
	for _, workers := range []int{1, 8} {
		opt := oracle.Options{Tasks: newTasks(t), Workers: workers}
		_, base := start(t, Options{}, opt)
		var out bytes.Buffer
		if err := newOracle(t, opt).ServeStdio(context.Background(), strings.NewReader(b.String()+"\n"), &out); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = out.String()
		}
		for range 2 {
			if code, text := post(t, base+"/v1/score", b.String()); code != 200 || text != want {
				t.Fatalf("%d workers: %d\n%.500s\nwant\n%.500s", workers, code, text, want)
			}
		}
		if out.String() != want {
			t.Fatalf("%d workers: the pipe differs", workers)
		}
	}
	if n := strings.Count(want, `"status":"bad_request","score":null`); n != 100 {
		t.Errorf("%d bad requests", n)
	}
}

func TestToken(t *testing.T) {
	s := New(newOracle(t, oracle.Options{Tasks: newTasks(t)}), Options{Token: "secret"})
	for _, c := range []struct {
		path, header string
		want         int
	}{
		{"/v1/tasks", "", 401}, {"/v1/tasks", "Bearer wrong", 401}, {"/v1/tasks", "secret", 401}, {"/v1/tasks", "Bearer secret", 200},
		{"/v1/tasks", "bearer secret", 200}, {"/v1/tasks", "BEARER secret", 200}, {"/v1/tasks", "Bearer  secret", 200}, {"/v1/tasks", "Basic secret", 401},
		{"/v1/tasks", "Bearersecret", 401}, {"/v1/tasks", "Bearer", 401}, {"/v1/tasks", "Bearer secret more", 401}, {"/v1/tasks", "Bearer Bearer secret", 401},
		{"/version", "", 401}, {"/metrics", "", 401}, {"/ws", "", 401}, {"/healthz", "", 200}, {"/health", "", 200},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Authorization", c.header)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s %q: %d", c.path, c.header, w.Code)
		}
	}
	r := httptest.NewRequest("POST", "/v1/score", strings.NewReader(scoreOne))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("score: %d", w.Code)
	}
}

// TestNoFiles: a request never makes the oracle read a file, whatever the oracle's own rows may.
func TestNoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("root:x:0:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, base := start(t, Options{}, oracle.Options{})
	for _, task := range []string{`{"domain":%q,"problem":%q}`, `{"domain_text":%q,"problem_text":%q}`, `%[1]q`} {
		task = fmt.Sprintf(task, path, path)
		for route, body := range map[string]string{
			"/v1/score": `{"items":[{"task":%s,"completion":"x"}]}`, "/v1/mask": `{"items":[{"task":%s,"prefix":[]}]}`, "/reset": `{"task":%s}`,
		} {
			code, text := post(t, base+route, fmt.Sprintf(body, strings.TrimSuffix(task, "%!(EXTRA string="+path+")")))
			if strings.Contains(text, "root") || strings.Contains(text, `"status":"ok"`) {
				t.Errorf("%s %s: %d %s", route, task, code, text)
			}
		}
	}
}

// TestCutOff: an environment that is not told how an answer ended pays nothing for a plan whose
// block is open, as the adapters for trainers do.
func TestCutOff(t *testing.T) {
	_, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	open := strings.TrimSuffix(goldText, `</plan>`)
	for _, c := range []struct {
		plan, finish string
		want         float64
	}{{goldText, "", 1}, {goldText, `"length"`, 1}, {open, "", 0}, {open, `"length"`, 0}, {open, `"stop"`, 1}} {
		finish := ""
		if c.finish != "" {
			finish = `,"finish":` + c.finish
		}
		code, text := post(t, base+"/plan_once/step", `{"action":{"task":"first","plan":"`+c.plan+`"`+finish+`}}`)
		if want := fmt.Sprintf(`"reward":%v,"done":true`, c.want); code != 200 || !strings.Contains(text, want) {
			t.Errorf("%q %s: %d %s", c.plan, c.finish, code, text)
		}
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	s := New(newOracle(t, oracle.Options{Tasks: newTasks(t)}), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	r, err := client.Post("http://oracle/v1/score", "application/json", strings.NewReader(scoreOne))
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	r.Body.Close()
	if _, err := Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "listening") {
		t.Errorf("a second listener: %v", err)
	}
	client.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	// What a killed process leaves behind is replaced.
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	if l, err = Listen("unix:" + path); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen("unix:" + path); err == nil {
		t.Error("a file was taken for a socket")
	}
}

func TestTLS(t *testing.T) {
	other := httptest.NewUnstartedServer(nil)
	other.StartTLS() // only for its certificate
	defer other.Close()
	_, base := start(t, Options{TLS: &tls.Config{Certificates: other.TLS.Certificates}}, oracle.Options{Tasks: newTasks(t)})
	client := other.Client()
	defer client.CloseIdleConnections()
	r, err := client.Post(strings.Replace(base, "http:", "https:", 1)+"/v1/score", "application/json", strings.NewReader(scoreOne))
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	r.Body.Close()
}

// TestStop: what has been taken is answered, nothing more is taken.
func TestStop(t *testing.T) {
	s := New(newOracle(t, oracle.Options{Tasks: newTasks(t)}), Options{Linger: 300 * time.Millisecond})
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	kept := &http.Client{Transport: &http.Transport{}}
	if r, err := kept.Get("http://" + l.Addr().String() + "/healthz"); err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	} else {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(scoreOne), scoreOne[:20])
	for s.bytes.Load() == 0 { // its body is being read: it has been taken
		time.Sleep(time.Millisecond)
	}
	cancel()
	for !s.stopping.Load() {
		time.Sleep(time.Millisecond)
	}
	// On a connection that was kept, on new ones, and while a large body is being sent.
	for i, client := range []*http.Client{kept, {Transport: &http.Transport{}}, {Transport: &http.Transport{}}} {
		body := scoreOne
		if i == 2 {
			body = `{"items":[],"x":"` + strings.Repeat("x", 8<<20) + `"}`
		}
		r, err := client.Post("http://"+l.Addr().String()+"/v1/score", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatalf("client %d: %v", i, err)
		}
		if text, err := io.ReadAll(r.Body); err != nil || r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || !r.Close || !strings.Contains(string(text), "stopping") {
			t.Errorf("client %d: %d %v %s", i, r.StatusCode, err, text)
		}
		r.Body.Close()
	}
	io.WriteString(c, scoreOne[20:])
	answer, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(answer), `"score":1`) {
		t.Errorf("%v %s", err, answer)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("still listening")
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/v1/score", strings.NewReader(scoreOne)))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("after the end: %d", w.Code)
	}
}
