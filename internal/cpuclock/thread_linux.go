package cpuclock

import (
	"syscall"
	"time"
)

const (
	thread  = 1 // RUSAGE_THREAD, missing in package syscall
	process = syscall.RUSAGE_SELF
)

// processorTime returns the CPU time of the process, or of the calling thread, which the caller has locked.
func processorTime(who int) (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
