//go:build !linux

package trim

// Program does nothing here: see trim_linux.go.
func Program() {}

// Single does nothing here.
func Single([][]byte) bool { return false }
