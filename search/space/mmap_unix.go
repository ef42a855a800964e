//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package space

import (
	"os"
	"syscall"
	"unsafe"
)

// mapWords maps a file of a size that is a multiple of 8.
func mapWords(f *os.File, size int64) ([]uint64, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8), nil
}

// unmapWords ends a mapping. The only errors are those of a wrong address.
func unmapWords(words []uint64) { syscall.Munmap(bytesOf(words)) }
