package state

import (
	"syscall"
	"unsafe"
)

const (
	madvHugepage = 14 // MADV_HUGEPAGE, missing in package syscall
	hugepage     = 2 << 20
)

// adviseHuge asks the kernel to back the whole huge pages inside words by huge pages: random
// access to a large table otherwise spends much of its time on address translation. It is
// advice; failure changes nothing.
func adviseHuge(words []uint64) {
	if len(words)*8 < 4*hugepage {
		return
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(words)))
	skip := (hugepage - p%hugepage) % hugepage / 8
	n := (uintptr(len(words)) - skip) &^ (hugepage/8 - 1)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[skip])), n*8)
	_ = syscall.Madvise(b, madvHugepage)
}
