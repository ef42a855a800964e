//go:build !linux

package search

import "time"

// threadCPU is not available.
func threadCPU() (time.Duration, bool) { return 0, false }
