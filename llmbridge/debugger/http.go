package debugger

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"github.com/planproof/planproof/internal/loopback"
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
	mux.HandleFunc("POST /api/{name}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(d.opt.Text)))
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			http.Error(w, fmt.Sprintf("at most %d bytes are read", d.opt.Text), http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
			// Forms of other sites can send text without asking, but not this type.
			http.Error(w, "the Content-Type is application/json", http.StatusUnsupportedMediaType)
			return
		}
		answer, ok := d.Answer(r.Context(), r.PathValue("name"), body)
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

// Serve answers on a listener until ctx ends.
func (d *Debugger) Serve(ctx context.Context, l net.Listener) error {
	return loopback.Serve(ctx, l, d.Handler(), d.opt.Log, nil)
}
