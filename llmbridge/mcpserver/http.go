package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/planproof/planproof/internal/loopback"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the streamable HTTP transport is served.
const Path = "/mcp"

// Handler serves the streamable HTTP transport at [Path], to this machine only.
func (s *Server) Handler() http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp },
		&mcp.StreamableHTTPOptions{SessionTimeout: s.opt.Idle, MaxRequestBodyBytes: s.opt.Frame, JSONResponse: true})
	room := &loopback.Room{Max: heldFrames * s.opt.Frame}
	return loopback.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		switch {
		case r.URL.Path != Path:
			http.Error(w, "the Model Context Protocol is at "+Path, http.StatusNotFound)
		case id != "" && !s.knows(id): // before its body is read
			http.Error(w, "no connection has this Mcp-Session-Id, or not any more: begin with initialize", http.StatusNotFound)
		case r.Method == http.MethodPost && id == "" && s.connections() >= s.opt.Connections:
			http.Error(w, fmt.Sprintf("%d connections are open, as many as there may be: end one with DELETE", s.opt.Connections), http.StatusServiceUnavailable)
		case r.Method == http.MethodPost:
			body, leave, ok := room.Read(w, r, s.opt.Frame)
			defer leave()
			if !ok {
				return
			}
			if err := checkFrame(body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			protocol.ServeHTTP(w, r)
		default:
			protocol.ServeHTTP(w, r)
		}
	}))
}

// heldFrames is how many requests of the greatest length are held at a time.
const heldFrames = 8

func (s *Server) connections() (n int) {
	for range s.mcp.Sessions() {
		n++
	}
	return n
}

// knows reports whether a connection has an id.
func (s *Server) knows(id string) bool {
	for ss := range s.mcp.Sessions() {
		if ss.ID() == id {
			return true
		}
	}
	return false
}

// Serve answers on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return loopback.Serve(ctx, l, s.Handler(), s.opt.Log, func() {
		for ss := range s.mcp.Sessions() {
			ss.Close()
		}
	})
}
