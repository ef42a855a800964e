package space

import (
	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
)

func choose(t *rapid.T) tasktest.Choose {
	return func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
}

func anyTask(t *rapid.T) *grounder.Task { return tasktest.Any(choose(t)) }
