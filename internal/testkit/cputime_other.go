//go:build !unix

package testkit

import "time"

var began = time.Now()

// CPUTime returns elapsed time, where the system does not tell the processor's.
func CPUTime() time.Duration { return time.Since(began) }
