//go:build unix

package pddl_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/planproof/planproof/pddl"
)

// TestReadingPipeEnds: a pipe into which nobody writes holds nobody beyond a context.
func TestReadingPipeEnds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if src, err := pddl.ReadSourceContext(ctx, name); src != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", src, err)
	}
	// The reader that was left waiting goes when somebody opens the other end.
	if w, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		syscall.Close(w)
	}
}
