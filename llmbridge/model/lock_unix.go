//go:build unix

package model

import (
	"os"
	"syscall"
)

// lock keeps other runs from writing a file until it is closed.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
