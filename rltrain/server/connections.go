package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections bounds the connections of a listener. When there are as many as may be, the one
// that has waited longest for a request is closed for a new one: clients keep connections
// for the next request, and a thousand that nobody uses must not keep others out. When all
// are in use the new one waits.
type connections struct {
	net.Listener
	max int

	mu     sync.Mutex
	room   sync.Cond
	open   map[net.Conn]*list.Element // nil while a request is read or answered
	idle   list.List                  // of net.Conn, the longest idle first
	closed bool
	last   time.Time // of an Accept
}

func newConnections(l net.Listener, max int) *connections {
	c := &connections{Listener: l, max: max, open: map[net.Conn]*list.Element{}}
	c.room.L = &c.mu
	return c
}

// Accept implements net.Listener. A connection that came before the end is not closed
// without an answer.
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.open) >= c.max && !c.closed && !c.evict() {
		c.room.Wait()
	}
	c.open[conn] = c.idle.PushBack(conn)
	c.last = time.Now()
	return conn, nil
}

// quiet reports whether no connection has come for a while.
func (c *connections) quiet() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last) > quietTime
}

// quietTime is long enough for a connection that the kernel has accepted to be seen.
const quietTime = 10 * time.Millisecond

// evict closes the connection that has been idle for longest, false if none is.
func (c *connections) evict() bool {
	e := c.idle.Front()
	if e == nil {
		return false
	}
	conn := c.idle.Remove(e).(net.Conn)
	delete(c.open, conn)
	conn.Close()
	return true
}

// Close implements net.Listener.
func (c *connections) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.room.Broadcast()
	return c.Listener.Close()
}

// state notes what a connection does, as http.Server.ConnState.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.open[conn]
	if !known {
		return // evicted
	}
	if e != nil && state != http.StateNew {
		c.idle.Remove(e)
		c.open[conn] = nil
	}
	switch state {
	case http.StateIdle:
		c.open[conn] = c.idle.PushBack(conn)
	case http.StateHijacked, http.StateClosed: // sessions are bounded by themselves
		delete(c.open, conn)
	default:
		return
	}
	c.room.Signal()
}
