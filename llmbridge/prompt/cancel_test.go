package prompt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// TestCancelled: a prompt without a gold answer needs no search, and ends with its context all
// the same.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	problem, _ := tasktest.Bundled("blocksworld:4-17")
	if _, err := prompt.Make(ctx, prompt.Task{ID: "x", Problem: problem}, prompt.Options{NoGold: true}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
