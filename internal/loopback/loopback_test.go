package loopback

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestListen: only loopback addresses are served, and Serve ends with its context.
func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "example.org:80", "[::]:0", "127.0.0.1"} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("%s is served", address)
		}
	}
	l, err := Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, closed := make(chan error, 1), false
	go func() { ended <- Serve(ctx, l, http.NotFoundHandler(), io.Discard, func() { closed = true }) }()
	if r, err := http.Get("http://" + l.Addr().String()); err != nil || r.StatusCode != http.StatusNotFound {
		t.Errorf("%v %v", r, err)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil || !closed {
			t.Errorf("it ended with %v, closed: %v", err, closed)
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}

// TestGuard: no web page of another site gets through, by rebinding its name or by asking across origins.
func TestGuard(t *testing.T) {
	guarded := Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, x := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:8017", "", 200},
		{"localhost", "", 200},
		{"[::1]:8017", "http://localhost:8017", 200},
		{"evil.example", "", 403},
		{"127.0.0.1.evil.example:80", "", 403},
		{"", "", 403},
		{"localhost", "https://evil.example", 403},
		{"localhost", "null", 403},
		{"localhost", "file://", 403},
		{"localhost", "http://localhost:1 http://evil.example", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(""))
		r.Host = x.host
		if x.origin != "" {
			r.Header.Set("Origin", x.origin)
		}
		w := httptest.NewRecorder()
		if guarded.ServeHTTP(w, r); w.Code != x.want {
			t.Errorf("%+v: %d", x, w.Code)
		}
	}
}
