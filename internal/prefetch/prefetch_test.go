package prefetch

import (
	"testing"
	"unsafe"
)

// TestLine: a prefetch reads nothing, so that no address is wrong.
func TestLine(t *testing.T) {
	x := [2]uint64{1, 2}
	Line(nil)
	Line(unsafe.Pointer(&x))
	if x != [2]uint64{1, 2} {
		t.Errorf("%v", x)
	}
}
