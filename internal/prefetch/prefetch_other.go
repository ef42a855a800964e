//go:build !amd64 && !arm64

// Package prefetch brings memory into the cache before it is needed: see prefetch.go.
package prefetch

import "unsafe"

// Line does nothing here: see prefetch.go.
func Line(unsafe.Pointer) {}
