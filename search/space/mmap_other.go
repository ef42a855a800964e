//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package space

import (
	"errors"
	"os"
)

// mapWords is not available: the file is read.
func mapWords(*os.File, int64) ([]uint64, error) { return nil, errors.ErrUnsupported }

func unmapWords([]uint64) {}
