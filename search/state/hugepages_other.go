//go:build !linux

package state

// adviseHuge does nothing here.
func adviseHuge([]uint64) {}
