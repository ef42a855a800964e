//go:build !linux

// Package hugepages asks for huge pages under large tables.
package hugepages

// Advise does nothing here: see hugepages_linux.go.
func Advise[T any]([]T) {}
