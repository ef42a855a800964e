package store

import (
	"context"
	"sync"
)

// flights are the rows that are worked on or wait for their commit. A worker that comes with
// the same task meanwhile waits, and takes the first one's row instead of searching again.
type flights struct {
	mu   sync.Mutex
	rows map[Key]*flight
}

// flight is a row on its way. done is closed when r is there, and the result of who made it
// is in the queue of the writer; r is nil when the work was given up.
type flight struct {
	done chan struct{}
	r    *Record
}

// board returns the row of a key that another worker works on, once it is there. If no other
// does, the flight is the caller's own, which the caller ends by land.
func (f *flights) board(ctx context.Context, key Key) (r *Record, own *flight, err error) {
	for {
		f.mu.Lock()
		other := f.rows[key]
		if other == nil {
			if f.rows == nil {
				f.rows = map[Key]*flight{}
			}
			own = &flight{done: make(chan struct{})}
			f.rows[key] = own
			f.mu.Unlock()
			return nil, own, nil
		}
		f.mu.Unlock()
		select {
		case <-other.done:
			if other.r != nil {
				return other.r, nil, nil
			}
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// land hands the row to the workers that wait. If it goes to the writer, keep is set: later
// workers then get it from here until forget, which the writer may already have called.
func (f *flights) land(key Key, own *flight, r *Record, keep bool) {
	if !keep {
		f.forget(key)
	}
	own.r = r
	close(own.done)
}

// forget drops a row that the store has.
func (f *flights) forget(key Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.rows, key)
}
