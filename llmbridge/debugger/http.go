package debugger

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/loopback"
	"github.com/planproof/planproof/internal/spell"
)

//go:embed page
var embedded embed.FS

// Page holds the files of the page: index.html and what it loads.
func Page() fs.FS {
	sub, err := fs.Sub(embedded, "page")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// Policy is the Content-Security-Policy of the page: it loads nothing from other hosts and runs no inline code.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page, and requests at /api/NAME, to this machine only.
func (d *Debugger) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(Page()))
	room := &loopback.Room{Max: heldTexts * int64(d.opt.Text)}
	mux.HandleFunc("POST /api/{name}", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			// Forms of other sites can send text without asking, but not this type.
			http.Error(w, "the Content-Type is application/json", http.StatusUnsupportedMediaType)
			return
		}
		body, leave, ok := room.Read(w, r, int64(d.opt.Text))
		defer leave()
		if !ok || !d.enter(w, r) {
			return
		}
		answer, ok := d.Answer(r.Context(), r.PathValue("name"), body)
		<-d.slots
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime)) // tests have connections without
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if !ok {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		_, _ = w.Write(answer)
	})
	return loopback.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	}))
}

const (
	heldTexts = 8           // requests of the greatest length that are held at a time
	writeTime = time.Minute // in which a client must have taken an answer
)

// enter waits for a slot, for as long as a request may take. Where none becomes free it answers the request and
// returns false.
func (d *Debugger) enter(w http.ResponseWriter, r *http.Request) bool {
	late := time.NewTimer(d.opt.Time)
	defer late.Stop()
	select {
	case d.slots <- struct{}{}:
		return true
	case <-late.C:
		w.Header().Set("Retry-After", "5")
		http.Error(w, fmt.Sprintf("%s are being answered: ask again when one has ended", spell.Plural(cap(d.slots), "request")), http.StatusServiceUnavailable)
	case <-r.Context().Done():
	}
	return false
}

// Serve answers on a listener until ctx ends.
func (d *Debugger) Serve(ctx context.Context, l net.Listener) error {
	return loopback.Serve(ctx, l, d.Handler(), d.opt.Log, nil)
}
