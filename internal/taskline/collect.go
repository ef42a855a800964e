package taskline

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// smallGarbage is by how many percent a small heap grows before garbage is collected: reading and grounding leave
	// as much garbage as a short search has tables, and it stays resident. A collection of so little takes about a
	// millisecond.
	smallGarbage = 40
	smallHeap    = 8 << 20
)

// collectSmall collects garbage early, from the first collection on and as long as little is in use, until the function
// that it returns is called. If the user says when to collect, it does nothing. A task so small that nothing is ever
// collected pays nothing.
func collectSmall() (done func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	var mu sync.Mutex
	usual, early, ended := 0, false, false
	end := func() {
		if ended = true; early {
			debug.SetGCPercent(usual)
			early = false
		}
	}
	afterCollections(func() (more bool) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case ended:
		case liveHeap() > smallHeap:
			end()
		case !early:
			usual, early = debug.SetGCPercent(smallGarbage), true
		}
		return !ended
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		end()
	}
}

// sentinel is garbage at each collection. It holds a pointer, so that it shares its memory with nothing else.
type sentinel struct{ _ *int }

// afterCollections calls f soon after each collection of garbage, until f returns false.
func afterCollections(f func() (more bool)) {
	var again func(*sentinel)
	again = func(s *sentinel) {
		if f() {
			runtime.SetFinalizer(s, again)
		}
	}
	runtime.SetFinalizer(new(sentinel), again)
}

// liveHeap is what the last collection of garbage found in use, in bytes.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
