package loopback

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// Room bounds the bytes of the requests that a server holds at a time, so that many clients together cannot take its
// memory. The zero Room has none.
type Room struct {
	Max  int64
	held atomic.Int64
}

// Held is how many bytes are taken.
func (m *Room) Held() int64 { return m.held.Load() }

// readStep is how many bytes a body takes from the room at a time: a client that announces much and sends little
// holds little.
const readStep = 64 << 10

// Read reads the body of a request of at most most bytes. Where it cannot, it answers the request and ok is false.
// The caller gives the bytes back by leave, whether ok or not.
func (m *Room) Read(w http.ResponseWriter, r *http.Request, most int64) (body []byte, leave func(), ok bool) {
	taken := int64(0)
	leave = func() { m.held.Add(-taken) }
	tooLong := func() ([]byte, func(), bool) {
		http.Error(w, fmt.Sprintf("at most %d bytes are read: send less, such as a shorter text", most), http.StatusRequestEntityTooLarge)
		return nil, leave, false
	}
	if r.ContentLength > most {
		return tooLong()
	}
	in := http.MaxBytesReader(w, r.Body, most)
	for {
		if len(body) == cap(body) {
			grow := max(readStep, cap(body))
			if left := r.ContentLength - int64(len(body)); r.ContentLength >= 0 && left < int64(grow) {
				grow = int(left) + 1
			}
			if taken += int64(grow); m.held.Add(int64(grow)) > m.Max {
				w.Header().Set("Retry-After", "1")
				w.Header().Set("Connection", "close")
				http.Error(w, fmt.Sprintf("other requests hold most of %d bytes: wait a second and ask again", m.Max), http.StatusServiceUnavailable)
				return nil, leave, false
			}
			body = append(make([]byte, 0, cap(body)+grow), body...)
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case err == io.EOF:
			return body, leave, true
		case errors.As(err, new(*http.MaxBytesError)):
			return tooLong()
		case err != nil:
			http.Error(w, "the body ends early: "+err.Error(), http.StatusBadRequest)
			return nil, leave, false
		}
	}
}
