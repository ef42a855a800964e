package loopback

import (
	"strings"
	"testing"
)

// TestInUse: a port that another program has is refused with what to do.
func TestInUse(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if again, err := Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "0 for a free one") {
		t.Errorf("%v, %v", again, err)
	}
}
