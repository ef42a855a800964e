//go:build !linux

package cpuclock

import "time"

// threadCPU is not available.
func threadCPU() (time.Duration, bool) { return 0, false }
