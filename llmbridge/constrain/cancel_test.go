package constrain

import (
	"context"
	"errors"
	"testing"

	"github.com/planproof/planproof/internal/tasktest"
)

// TestCancelled: what a masker is made of is not made for a context that has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	problem, _ := tasktest.Bundled("blocksworld:4-17")
	for _, lifted := range []bool{false, true} {
		if _, err := NewMasker(ctx, problem, MaskOptions{Lifted: lifted}); !errors.Is(err, context.Canceled) {
			t.Errorf("lifted %v: %v", lifted, err)
		}
	}
}
