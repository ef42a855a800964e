// Package server is the oracle over HTTP: the routes of docs/ORACLE.md, OpenEnv's
// environments, health and metrics. Package oracle answers; this package admits.
//
// # Admission
//
//	connection ─► header (5 s) ─► token ─► a place in the queue ─► body (30 s) ─► Oracle.Call
//	                                            │ none: 429          │ no room: 429
//
// A body takes room as its bytes arrive, so that a client that announces much and sends
// little holds nothing. The work of all requests is shared item by item (package oracle, runItems).
package server

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/rltrain/oracle"
)

// Options of a Server. A zero field means its default.
type Options struct {
	// Token is what clients must show as a bearer token; "" asks for none.
	Token string
	// TLS is the certificate; nil serves plain HTTP.
	TLS *tls.Config
	// MaxBody bounds the body of a request (64 MB), MaxBytes the bodies that are held at
	// the same time (256 MB), MaxRequests the requests in the house (256), MaxConnections
	// the connections (1,024; idle ones are closed for new ones) and MaxSessions the sessions of environments (4,096).
	MaxBody, MaxBytes                        int64
	MaxRequests, MaxConnections, MaxSessions int
	// HeaderTime and BodyTime bound the time in which a client must have sent a header (5 s)
	// and a body (30 s), WriteTime that in which it must have taken an answer (60 s), and
	// Grace how long requests may take to end when the server stops (4 s). For at least
	// Linger of that (1 s) it answers new requests that it is stopping.
	HeaderTime, BodyTime, WriteTime, Grace, Linger time.Duration
	// Log is where the server tells of broken connections; nil is nowhere.
	Log io.Writer
}

func (o *Options) setDefaults() {
	set(&o.MaxBody, 64<<20)
	set(&o.MaxBytes, 256<<20)
	set(&o.MaxRequests, 256)
	set(&o.MaxConnections, 1024)
	set(&o.MaxSessions, 4096)
	set(&o.HeaderTime, 5*time.Second)
	set(&o.BodyTime, 30*time.Second)
	set(&o.WriteTime, 60*time.Second)
	set(&o.Grace, 4*time.Second)
	set(&o.Linger, min(time.Second, o.Grace/2))
	if o.Log == nil {
		o.Log = io.Discard
	}
}

func set[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Server serves an oracle over HTTP.
type Server struct {
	oracle  *oracle.Oracle
	opt     Options
	token   [sha256.Size]byte
	metrics *metrics
	handler http.Handler

	requests atomic.Int64 // in the house
	bytes    atomic.Int64 // of bodies
	buffers  sync.Pool
	stopping atomic.Bool
	sockets  sockets
}

// New makes a server.
func New(oracle *oracle.Oracle, opt Options) *Server {
	opt.setDefaults()
	s := &Server{oracle: oracle, opt: opt, token: sha256.Sum256([]byte(opt.Token)), metrics: newMetrics()}
	s.buffers.New = func() any { return new([]byte) }
	s.metrics.watch(s)
	s.handler = s.routes()
	return s
}

// Handler returns the routes, for tests and for servers of one's own.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers on a listener until ctx ends. Then it takes no more requests, answers them
// that it is stopping, lets those that it has end for Options.Grace, closes the sessions and
// returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.opt.TLS != nil {
		l = tls.NewListener(l, s.opt.TLS)
	}
	admitted := newConnections(l, s.opt.MaxConnections)
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	h := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: s.opt.HeaderTime, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(s.opt.Log, "", 0),
		BaseContext: func(net.Listener) context.Context { return base },
		ConnState:   admitted.state,
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(admitted) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	grace, stop := context.WithTimeout(base, s.opt.Grace)
	defer stop()
	s.sockets.close()
	s.linger(grace, admitted)
	if err := h.Shutdown(grace); err != nil {
		cancel() // what is still being done is answered as unavailable, or not at all
		h.Close()
	}
	s.sockets.wait()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// linger waits until the requests that were taken are answered, and at least for
// Options.Linger. Clients learn meanwhile that the server is stopping: closing the listener
// at once would reset those whose connections have not been accepted, or are kept for the
// next request. It ends when no new connection comes.
func (s *Server) linger(grace context.Context, c *connections) {
	least := time.After(s.opt.Linger)
	for s.requests.Load() > 0 || least != nil || !c.quiet() {
		select {
		case <-least:
			least = nil
		case <-time.After(5 * time.Millisecond):
		case <-grace.Done():
			return
		}
	}
}
