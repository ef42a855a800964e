package trim

import (
	"runtime"
	"syscall"
	"unsafe"
)

// What Linux calls the parts of userfaultfd(2) that are used here. Package syscall has none of them.
const (
	userModeOnly  = 1       // UFFD_USER_MODE_ONLY: what a process without privileges may have
	apiVersion    = 0xaa    // UFFD_API
	writesAsync   = 1 << 15 // UFFD_FEATURE_WP_ASYNC, of Linux 6.7
	modeWrites    = 2       // UFFDIO_REGISTER_MODE_WP
	askForAPI     = 0xc018aa3f
	registerRange = 0xc020aa00
)

// Single has the kernel map single pages of memory where they are touched, and reports whether it does. Else each touch
// maps what is cached of the 64 KB around it, and a program this large, whose types and functions lie scattered, holds
// several times the pages that it uses.
//
// Linux has no call for that alone. It maps single pages where writes are watched, so they are, in the mode in which the
// kernel answers them itself. Nobody writes to this memory. Where it is older or forbids the call, as some containers
// do, nothing changes.
func Single(memory [][]byte) bool {
	number := map[string]uintptr{"amd64": 323, "arm64": 282, "riscv64": 282, "loong64": 282}[runtime.GOARCH]
	if number == 0 || len(memory) == 0 {
		return false
	}
	watch, _, failed := syscall.RawSyscall(number, syscall.O_CLOEXEC|userModeOnly, 0, 0)
	if failed != 0 {
		return false
	}
	api := [3]uint64{apiVersion, writesAsync, 0}
	if _, _, failed = syscall.RawSyscall(syscall.SYS_IOCTL, watch, askForAPI, uintptr(unsafe.Pointer(&api))); failed != 0 {
		_ = syscall.Close(int(watch))
		return false
	}
	all := true
	for _, m := range memory {
		mapped := [4]uint64{uint64(uintptr(unsafe.Pointer(&m[0]))), uint64(len(m)), modeWrites, 0}
		_, _, failed = syscall.RawSyscall(syscall.SYS_IOCTL, watch, registerRange, uintptr(unsafe.Pointer(&mapped)))
		all = all && failed == 0
	}
	return all // The descriptor stays open: the watch ends with it.
}
