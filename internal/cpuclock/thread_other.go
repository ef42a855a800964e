//go:build !linux

package cpuclock

import "time"

const thread, process = 1, 0

// processorTime is not available.
func processorTime(int) (time.Duration, bool) { return 0, false }
