//go:build !linux

package trim

// Program does nothing here: see trim_linux.go.
func Program() {}
