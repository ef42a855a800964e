//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that the process has used so far, including parallel
// tests. It is for tests that bound how long something takes: elapsed time depends on what
// else the machine does.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
