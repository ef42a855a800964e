package feedback_test

import (
	"context"
	"errors"
	"testing"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/llmbridge/feedback"
)

// TestCancelled: no critic is compiled for a context that has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	problem, _ := tasktest.Bundled("blocksworld:4-17")
	if _, err := feedback.NewCritic(ctx, problem, feedback.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
