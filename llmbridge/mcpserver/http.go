package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the streamable HTTP transport is served.
const Path = "/mcp"

// Listen opens a loopback address such as "127.0.0.1:8090" or "localhost:0". Others are refused: there is no
// authentication, so whoever can connect can use the server.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf("%s is not a loopback address: only programs on this machine may connect; put a proxy that authenticates in front for others", address)
	}
	return net.Listen("tcp", address)
}

// isLoopback reports whether a host is this machine, as seen from itself.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// Handler serves the streamable HTTP transport at [Path]. Requests with a foreign Host or Origin are refused,
// so that no web page can reach the server by way of the user's browser.
func (s *Server) Handler() http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp },
		&mcp.StreamableHTTPOptions{SessionTimeout: s.opt.Idle, MaxRequestBodyBytes: s.opt.Frame, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !localHost(r.Host):
			http.Error(w, "the Host is not this machine", http.StatusForbidden)
		case !localOrigins(r.Header):
			http.Error(w, "the Origin is not this machine: a web page may not use this server", http.StatusForbidden)
		case r.URL.Path != Path:
			http.Error(w, "the Model Context Protocol is at "+Path, http.StatusNotFound)
		case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && s.connections() >= s.opt.Connections:
			http.Error(w, fmt.Sprintf("%d connections are open, as many as there may be: end one with DELETE", s.opt.Connections), http.StatusServiceUnavailable)
		default:
			if s.readBody(w, r) {
				protocol.ServeHTTP(w, r)
			}
		}
	})
}

func localHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return isLoopback(host)
}

// localOrigins reports whether all origins that a request names are pages of this machine.
func localOrigins(h http.Header) bool {
	for _, origin := range h.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !localHost(u.Host) {
			return false
		}
	}
	return true
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
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(s.opt.Log, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	for ss := range s.mcp.Sessions() {
		ss.Close()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if h.Shutdown(grace) != nil {
		h.Close()
	}
	<-ended
	return nil
}
