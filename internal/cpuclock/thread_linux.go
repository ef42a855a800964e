package cpuclock

import (
	"syscall"
	"time"
)

const rusageThread = 1 // RUSAGE_THREAD, missing in package syscall

// threadCPU returns the CPU time of the calling thread, which the caller has locked.
func threadCPU() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(rusageThread, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
