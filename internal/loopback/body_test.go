package loopback

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRoom: bodies are read within the bound of one and of all, and what they held is given back.
func TestRoom(t *testing.T) {
	room := &Room{Max: 300 << 10}
	read := func(body io.Reader, announced int64) (got []byte, leave func(), w *httptest.ResponseRecorder) {
		r := httptest.NewRequest(http.MethodPost, "/", body)
		r.ContentLength = announced
		w = httptest.NewRecorder()
		got, leave, ok := room.Read(w, r, 200<<10)
		if ok != (w.Code == http.StatusOK) {
			t.Errorf("ok is %v with %d", ok, w.Code)
		}
		return got, leave, w
	}
	long := strings.Repeat("0123456789", 15<<10) // 150 KB
	var leaves []func()
	for _, x := range []struct {
		what      string
		body      string
		announced int64
		want      int
	}{
		{"empty", "", 0, 200},
		{"short", "{}", 2, 200},
		{"of unknown length", long[:70<<10], -1, 200},
		{"too long", strings.Repeat("x", 200<<10+1), -1, 413},
		{"announced too long", "", 1 << 40, 413},
		{"long", long, int64(len(long)), 200},
		{"beside the long one", long, int64(len(long)), 503},
	} {
		got, leave, w := read(strings.NewReader(x.body), x.announced)
		if leaves = append(leaves, leave); w.Code != x.want || w.Code == 200 && !bytes.Equal(got, []byte(x.body)) {
			t.Errorf("%s: %d %s, %d bytes", x.what, w.Code, w.Body, len(got))
		}
		if x.what != "long" {
			leave()
			leaves = leaves[:len(leaves)-1]
		}
	}
	if held := room.Held(); held < int64(len(long)) || held > int64(len(long))+readStep {
		t.Errorf("%d bytes are held for %d", held, len(long))
	}
	for _, leave := range leaves {
		leave()
	}
	if _, leave, w := read(io.MultiReader(strings.NewReader("{"), cut{}), 100); w.Code != 400 {
		t.Errorf("a body that ends early: %d", w.Code)
	} else {
		leave()
	}
	if room.Held() != 0 {
		t.Errorf("%d bytes are held by nobody", room.Held())
	}
}

type cut struct{}

// Read implements io.Reader.
func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
