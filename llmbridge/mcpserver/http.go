package mcpserver

import (
	"bytes"
	"context"
	"errors"
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
	return loopback.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != Path:
			http.Error(w, "the Model Context Protocol is at "+Path, http.StatusNotFound)
		case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && s.connections() >= s.opt.Connections:
			http.Error(w, fmt.Sprintf("%d connections are open, as many as there may be: end one with DELETE", s.opt.Connections), http.StatusServiceUnavailable)
		default:
			if s.readBody(w, r) {
				protocol.ServeHTTP(w, r)
			}
		}
	}))
}

func (s *Server) connections() (n int) {
	for range s.mcp.Sessions() {
		n++
	}
	return n
}

// readBody reads the body of a request and refuses what is too long, not UTF-8 or no JSON.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		return true
	}
	if r.ContentLength > s.opt.Frame {
		s.bodyTooLong(w)
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opt.Frame))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		s.bodyTooLong(w)
		return false
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	if err := checkFrame(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

func (s *Server) bodyTooLong(w http.ResponseWriter) {
	http.Error(w, fmt.Sprintf("at most %d bytes are read: %s", s.opt.Frame, doShorten), http.StatusRequestEntityTooLarge)
}

// Serve answers on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return loopback.Serve(ctx, l, s.Handler(), s.opt.Log, func() {
		for ss := range s.mcp.Sessions() {
			ss.Close()
		}
	})
}
