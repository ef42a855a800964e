// Package hugepages asks for huge pages under large tables.
package hugepages

import (
	"syscall"
	"unsafe"
)

const (
	madvHugepage = 14 // MADV_HUGEPAGE, missing in package syscall
	page         = 2 << 20
)

// Advise asks the kernel to back the whole huge pages inside a table by huge pages: random
// access to a large table otherwise spends much of its time on address translation. It is
// advice; failure changes nothing. T must hold no pointers.
func Advise[T any](table []T) {
	var zero T
	size := uintptr(len(table)) * unsafe.Sizeof(zero)
	if size < 4*page {
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(table))
	skip := (page - uintptr(p)%page) % page
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), (size-skip)&^(page-1)), madvHugepage)
}
