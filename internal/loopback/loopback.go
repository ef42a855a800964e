// Package loopback serves HTTP to this machine only: for servers without authentication, which whoever can
// connect may use.
//
//	Listen (loopback addresses only) ─► Serve ─► Guard (Host and Origin are this machine) ─► handler
package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Listen opens a loopback address such as "127.0.0.1:8090" or "localhost:0". Others are refused.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf("%s is not a loopback address: only programs on this machine may connect; put a proxy that authenticates in front for others", address)
	}
	return ListenTCP(address)
}

// ListenTCP opens an address of any host, and says what to do if another program has the port.
func ListenTCP(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w; another program listens there: name another port, or 0 for a free one", err)
	}
	return l, err
}

// isLoopback reports whether a host is this machine, as seen from itself.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// Guard refuses requests with a foreign Host or Origin, so that no web page of another site can reach the
// server by way of the user's browser.
func Guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !localHost(r.Host):
			http.Error(w, "the Host is not this machine", http.StatusForbidden)
		case !LocalOrigins(r.Header):
			http.Error(w, "the Origin is not this machine: a web page may not use this server", http.StatusForbidden)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

func localHost(hostport string) bool { return isLoopback(hostName(hostport)) }

// hostName is a host without its port.
func hostName(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return hostport
}

// LocalOrigins reports whether all origins that a request names are pages of this machine. Browsers name the
// page that sends a request; programs name none.
func LocalOrigins(h http.Header) bool {
	for _, origin := range h.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !localHost(u.Host) {
			return false
		}
	}
	return true
}

// Rebound reports whether a request that came to a loopback address names a host that only the public name service
// can have led here: a page of another site has its name bound anew to this machine, and its browser then takes the
// server for a part of that site.
func Rebound(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	host := strings.ToLower(strings.TrimSuffix(hostName(r.Host), "."))
	if at == nil || !at.IP.IsLoopback() || strings.HasSuffix(host, ".localhost") {
		return false
	}
	return strings.Contains(host, ".") && net.ParseIP(host) == nil
}

// Serve answers on a listener until ctx ends, and then waits a second for what has begun. closing, if it is
// not nil, is called as ctx ends, for connections that would not end by themselves.
func Serve(ctx context.Context, l net.Listener, h http.Handler, errors io.Writer, closing func()) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(errors, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if closing != nil {
		closing()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if s.Shutdown(grace) != nil {
		s.Close()
	}
	<-ended
	return nil
}
