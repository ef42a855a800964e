package oracle

import (
	"sync"
	"time"
)

// slot is the right of a goroutine to work on items. There are as many as workers, first come
// first served, so that a small request waits for a few items of a large one and not for
// all of them. Who holds one for longer than slotTime, on a plan that takes seconds to judge,
// goes on, but somebody else gets the slot, too: else as many such plans as there are
// workers would hold everybody up.
type slot struct {
	slots chan struct{}
	timer *time.Timer

	mu    sync.Mutex
	held  bool
	since time.Time
}

// slotTime is how long a slot is held at most, and chunkTime after which time it is given
// back between two items.
const (
	slotTime  = 20 * time.Millisecond
	chunkTime = 2 * time.Millisecond
)

// slot waits for a slot.
func (o *Oracle) slot() *slot {
	s := &slot{slots: o.slots}
	s.enter()
	return s
}

func (s *slot) enter() {
	s.slots <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.since = true, time.Now()
	if s.timer == nil {
		s.timer = time.AfterFunc(slotTime, s.expire)
	} else {
		s.timer.Reset(slotTime)
	}
}

// leave gives the slot back, if it has not been taken.
func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	if s.held {
		s.held = false
		<-s.slots
	}
}

// expire takes the slot back from who holds it too long. A timer that fires after the slot was
// given back and entered again finds it young.
func (s *slot) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := slotTime - time.Since(s.since); s.held && left > 0 {
		s.timer.Reset(left)
	} else if s.held {
		s.held = false
		<-s.slots
	}
}

// pause lets others work if the slot has been held for chunkTime.
func (s *slot) pause() {
	if time.Since(s.since) > chunkTime {
		s.leave()
		s.enter()
	}
}
