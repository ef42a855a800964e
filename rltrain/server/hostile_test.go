package server

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/rltrain/oracle"
)

func dial(t *testing.T, base string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

const head = "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

// TestHostile sends what no good client does. Whoever sends it gets a code of an error, or
// nothing; everybody else is served.
func TestHostile(t *testing.T) {
	s, base := start(t, Options{HeaderTime: 300 * time.Millisecond, BodyTime: 400 * time.Millisecond, MaxBody: 1 << 20, MaxBytes: 8 << 20}, oracle.Options{Tasks: newTasks(t)})
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 64<<20))
	z.Close()
	for _, c := range []struct {
		name, send string
		want       int  // code of the answer, 0 for none
		hang       bool // the client waits with an open connection
	}{
		{"half a header", "POST /v1/sco", 0, true},
		{"half a header, gone", "POST /v1/sco", 0, false},
		{"half a body", head + "Content-Length: 1000\r\n\r\n{\"items\":[", 408, true},
		{"half a body, gone", head + "Content-Length: 1000\r\n\r\n{\"items\":[", 0, false},
		{"announces much", head + "Content-Length: 99999999999\r\n\r\n", 413, true},
		{"a negative length", head + "Content-Length: -5\r\n\r\n", 400, true},
		{"two lengths", head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}", 400, true},
		{"chunks without end", head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat("x", 0x10000)+"\r\n", 17), 413, true},
		{"bad chunks", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, true},
		{"a gzip bomb", head + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", bomb.Len(), bomb.String()), 415, true},
		{"many headers", head + strings.Repeat("X-A: "+strings.Repeat("b", 100)+"\r\n", 500) + "\r\n", 431, true},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400, true},
		{"another version", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, true},
		{"deep", head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", 200_000, strings.Repeat("[", 200_000)), 400, true},
		{"deep items", head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s%s%s", 11+400_000, `{"items":[`, strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000), "]")[:], 400, true},
		{"smuggled", head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, true},
	} {
		conn := dial(t, base)
		io.WriteString(conn, c.send)
		if !c.hang {
			conn.Close()
			alive(t, base)
			continue
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		switch {
		case c.want == 0 && err == nil && r.StatusCode/100 == 2, c.want != 0 && (err != nil || r.StatusCode != c.want):
			t.Errorf("%s: %v %v, want %d", c.name, r, err, c.want)
		}
		conn.Close()
		alive(t, base)
	}
	waitFor(t, func() bool { return s.requests.Load() == 0 && s.bytes.Load() == 0 })
}

// TestWebPages: no page of another site gets an answer, by asking across origins, in a WebSocket or by binding its name
// anew to this machine. Programs name no origin, and may use what names their network has.
func TestWebPages(t *testing.T) {
	_, open := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	_, guarded := start(t, Options{Token: "secret"}, oracle.Options{Tasks: newTasks(t)})
	const socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	for _, c := range []struct {
		base, line, host, more string
		want                   int
	}{
		{open, "GET /v1/tasks", "127.0.0.1:8700", "", 200},
		{open, "GET /v1/tasks", "127.0.0.1:8700", "Origin: http://localhost:3000\r\n", 200},
		{open, "GET /v1/tasks", "trainer", "", 200},
		{open, "GET /v1/tasks", "app.localhost:8700", "", 200},
		{open, "GET /v1/tasks", "127.0.0.1", "Origin: https://evil.example\r\n", 403},
		{open, "GET /v1/tasks", "127.0.0.1", "Origin: null\r\n", 403},
		{open, "GET /v1/tasks", "evil.example", "", 403},
		{open, "GET /v1/tasks", "evil.example.:8700", "", 403},
		{open, "GET /ws", "evil.example", "Origin: http://evil.example\r\n" + socket, 403},
		{open, "GET /ws", "127.0.0.1", "Origin: http://evil.example\r\n" + socket, 403},
		{guarded, "GET /v1/tasks", "proxy.example", "Authorization: Bearer secret\r\n", 200},
		{guarded, "GET /v1/tasks", "proxy.example", "", 401},
		{guarded, "GET /v1/tasks", "proxy.example", "Origin: https://evil.example\r\nAuthorization: Bearer secret\r\n", 403},
	} {
		conn := dial(t, c.base)
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", c.line, c.host, c.more)
		if r, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || r.StatusCode != c.want {
			t.Errorf("%+v: %v %v", c, r, err)
		}
		conn.Close()
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 500 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("something is still held")
}

// TestPipelining: requests that are sent before the answers come are answered in order.
func TestPipelining(t *testing.T) {
	_, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	c := dial(t, base)
	defer c.Close()
	const n = 50
	var in strings.Builder
	for i := range n {
		body := strings.Replace(scoreOne, `"request_id":1`, fmt.Sprintf(`"request_id":%d`, i), 1)
		fmt.Fprintf(&in, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	}
	go io.WriteString(c, in.String())
	r := bufio.NewReader(c)
	for i := range n {
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != 200 || !strings.Contains(string(body), fmt.Sprintf(`"request_id":%d,`, i)) || !strings.Contains(string(body), `"score":1`) {
			t.Fatalf("answer %d: %d %s", i, response.StatusCode, body)
		}
	}
}

// TestSlowBodies: many clients that announce much and send little hold nothing from
// others.
func TestSlowBodies(t *testing.T) {
	s, base := start(t, Options{BodyTime: 5 * time.Second, MaxBytes: 4 << 20}, oracle.Options{Tasks: newTasks(t)})
	var slow []net.Conn
	for range 50 {
		c := dial(t, base)
		io.WriteString(c, head+"Content-Length: 60000000\r\n\r\n{\"items\":[")
		slow = append(slow, c)
	}
	waitFor(t, func() bool { return s.requests.Load() == 50 })
	for range 10 {
		alive(t, base)
	}
	for _, c := range slow {
		c.Close()
	}
	waitFor(t, func() bool { return s.requests.Load() == 0 && s.bytes.Load() == 0 })
}

// TestBusy: beyond the queue the answer is 429 with a time to come again.
func TestBusy(t *testing.T) {
	s, base := start(t, Options{MaxRequests: 3, MaxBytes: 1 << 20, BodyTime: 5 * time.Second}, oracle.Options{Tasks: newTasks(t)})
	var slow []net.Conn
	for range 3 {
		c := dial(t, base)
		io.WriteString(c, head+"Content-Length: 6000\r\n\r\n{")
		slow = append(slow, c)
	}
	waitFor(t, func() bool { return s.requests.Load() == 3 })
	r, err := http.Post(base+"/v1/score", "application/json", strings.NewReader(scoreOne))
	if err != nil || r.StatusCode != 429 || r.Header.Get("Retry-After") == "" {
		t.Errorf("%v %v", r, err)
	}
	r.Body.Close()
	if r, err := http.Get(base + "/healthz"); err != nil || r.StatusCode != 200 {
		t.Errorf("health: %v %v", r, err)
	} else {
		r.Body.Close()
	}
	for _, c := range slow {
		c.Close()
	}
	waitFor(t, func() bool { return s.requests.Load() == 0 })
	alive(t, base)
	if code, text := post(t, base+"/v1/score", `{"items":[],"x":"`+strings.Repeat("y", 2<<20)+`"}`); code != 429 {
		t.Errorf("more bytes than there is room for: %d %s", code, text)
	}
	alive(t, base)
}

// TestLargeDoNotStall: small requests are answered while requests with many large
// completions and very long plans are worked on.
func TestLargeDoNotStall(t *testing.T) {
	s, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t), Workers: 2})
	big := `<plan>\n` + strings.Repeat(`(unstack b c)\n(stack b c)\n`, 9_000) + `</plan>` // 252 KB, too many steps
	long := `<plan>\n` + strings.Repeat(`(unstack b c)\n(stack b c)\n`, 4_900) + `</plan>`
	var b strings.Builder
	b.WriteString(`{"task":"first","deadline_ms":300000,"items":[`)
	for i := range 16 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"completion":"%s"}`, []string{big, long}[i%2])
	}
	b.WriteString("]}")
	huge := `{"task":"first","deadline_ms":300000,"items":[{"completion":"` + strings.Repeat(`(unstack b c)\n(stack b c)\n`, 500_000) + `"}]}` // a million steps
	var large sync.WaitGroup
	for _, body := range []string{b.String(), huge, b.String()} {
		large.Go(func() {
			if code, text := post(t, base+"/v1/score", body); code != 200 || strings.Contains(text, `"score":null`) || !strings.Contains(text, "too_long") {
				t.Errorf("%d %.200s", code, text)
			}
		})
	}
	waitFor(t, func() bool { return s.requests.Load() > 0 })
	answered := 0
	for s.requests.Load() > 0 && answered < 10_000 {
		alive(t, base)
		answered++
	}
	large.Wait()
	if answered < 3 {
		t.Errorf("only %d small requests were answered meanwhile", answered)
	}
	t.Logf("%d small requests were answered meanwhile", answered)
}

// TestIdleConnections fills the server with connections that nobody uses, some of which have
// been used: a new client is answered at once, and who is being served stays.
func TestIdleConnections(t *testing.T) {
	const most = 8
	s, base := start(t, Options{MaxConnections: most}, oracle.Options{Tasks: newTasks(t)})
	busy := dial(t, base)
	fmt.Fprintf(busy, "POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(scoreOne), scoreOne[:20])
	waitFor(t, func() bool { return s.requests.Load() == 1 })
	var idle []net.Conn
	for i := range 3 * most {
		c := dial(t, base)
		idle = append(idle, c)
		if i%2 == 0 {
			continue
		}
		io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || r.StatusCode != 200 {
			t.Fatal(r, err)
		}
		io.Copy(io.Discard, r.Body)
		time.Sleep(20 * time.Millisecond) // its answer comes before it counts as idle
	}
	from := time.Now()
	alive(t, base)
	if d := time.Since(from); d > 2*time.Second {
		t.Errorf("a new client waited for %v", d)
	}
	io.WriteString(busy, scoreOne[20:])
	if r, err := http.ReadResponse(bufio.NewReader(busy), nil); err != nil || r.StatusCode != 200 {
		t.Errorf("who was being served: %v %v", r, err)
	}
	closed := 0
	for i, c := range idle {
		c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			closed++
		} else if i < most {
			t.Errorf("connection %d of %d is still open", i, len(idle))
		}
	}
	if closed < 2*most || closed > 3*most-3 {
		t.Errorf("%d of %d are closed", closed, len(idle))
	}
}

// TestClientGone: a client that leaves while it is being served takes nothing with it.
func TestClientGone(t *testing.T) {
	s, base := start(t, Options{}, oracle.Options{Tasks: newTasks(t)})
	items := strings.TrimSuffix(strings.Repeat(`{"completion":"`+goldText+`"},`, 4000), ",")
	body := `{"task":"first","items":[` + items + `]}`
	for range 5 {
		c := dial(t, base)
		fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
		c.Close()
	}
	alive(t, base)
	waitFor(t, func() bool { return s.requests.Load() == 0 && s.bytes.Load() == 0 })
}

func FuzzBodies(f *testing.F) {
	f.Add("/v1/score", scoreOne)
	f.Add("/step", `{"action":{"task":"first","plan":"x"}}`)
	f.Add("/plan_step/step", `{"action":{"task":"first","prefix":["(unstack b c)"],"action":"(put-down b)","max_steps":2}}`)
	f.Add("/boxnet_replan/step", `{"action":{"task":{"robots":[],"map":[2,2],"objects":[],"optimal_steps":0,"proved":true},"prefix":["x"],"action":"x"}}`)
	f.Add("/plan_adapt/step", `{"action":{"task":"first","profile":{"seed":1},"prefix":["x"],"plan":"<plan>\n(put-down b)\n</plan>"}}`)
	f.Add("/plan_step/reset", `{"task":"second","seed":18446744073709551615}`)
	f.Add("/v1/mask", `{"items":[{"task":"first","prefix":["()"]}]}`)
	tasks, err := oracle.ReadTasks(strings.NewReader(taskFile), "tasks.jsonl", ".")
	if err != nil {
		f.Fatal(err)
	}
	o, err := oracle.New(oracle.Options{Tasks: tasks})
	if err != nil {
		f.Fatal(err)
	}
	s := New(o, Options{})
	f.Fuzz(func(t *testing.T, path, body string) {
		if !strings.HasPrefix(path, "/v1/") && !strings.HasSuffix(path, "step") && !strings.HasSuffix(path, "/reset") {
			path = "/v1/step"
		}
		r, err := http.NewRequest("POST", path, strings.NewReader(body))
		if err != nil {
			t.Skip()
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code == 500 || w.Code == 503 || strings.Contains(w.Body.String(), "internal-error") {
			t.Fatalf("%s %q: %d %s", path, body, w.Code, w.Body)
		}
	})
}
