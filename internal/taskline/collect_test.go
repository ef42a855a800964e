package taskline

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// percent is how much garbage is allowed. Setting it to read it would meet what is tested.
func percent() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

// collectUntil collects garbage until so much is allowed.
func collectUntil(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); percent() != want; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d percent, want %d", percent(), want)
		}
	}
}

// TestCollectSmall: garbage is collected early until the heap is no longer small, or the caller says so.
func TestCollectSmall(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(123))
	done := collectSmall()
	collectUntil(t, smallGarbage)
	done()
	if got := percent(); got != 123 {
		t.Errorf("%d percent after all", got)
	}

	done = collectSmall()
	collectUntil(t, smallGarbage)
	large := make([]byte, smallHeap+1)
	collectUntil(t, 123)
	runtime.KeepAlive(large)
	done()

	t.Setenv("GOGC", "77")
	done = collectSmall()
	runtime.GC()
	runtime.GC()
	if got := percent(); got != 123 {
		t.Errorf("%d percent although the user says when", got)
	}
	done()
}
