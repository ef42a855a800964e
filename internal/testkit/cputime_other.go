//go:build !unix

package testkit

import "time"

var began = time.Now()

// CPUTime returns elapsed time, since this system does not report processor time.
func CPUTime() time.Duration { return time.Since(began) }
