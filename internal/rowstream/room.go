package rowstream

import "sync"

// room bounds the bytes of the lines that are held at the same time.
type room struct {
	mu     sync.Mutex
	wait   sync.Cond
	left   int64
	closed bool
}

func newRoom(bytes int64) *room {
	r := &room{left: bytes}
	r.wait.L = &r.mu
	return r
}

// enter waits until there is room for n bytes and takes it; false when the room
// has been closed.
func (r *room) enter(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.left < n && !r.closed {
		r.wait.Wait()
	}
	r.left -= n
	return !r.closed
}

// leave gives n bytes back.
func (r *room) leave(n int64) {
	r.mu.Lock()
	r.left += n
	r.mu.Unlock()
	r.wait.Broadcast()
}

// close lets nobody wait any longer.
func (r *room) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.wait.Broadcast()
}
