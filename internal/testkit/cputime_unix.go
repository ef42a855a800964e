//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that the process has used so far, for tests that
// bound how long something takes: elapsed time tells more about what else the machine
// does. Tests that run in parallel count too.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
