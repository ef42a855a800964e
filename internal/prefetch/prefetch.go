//go:build amd64 || arm64

// Package prefetch brings memory into the cache before it is needed. An ordinary load that misses holds up all
// instructions behind it; a prefetch does not, so the misses of many look-ups overlap.
package prefetch

import "unsafe"

// Line asks for the cache line at p. It changes nothing else, whatever p is.
//
//go:noescape
func Line(p unsafe.Pointer)
