package main

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"
)

// reader reads --reader.
func (e env) reader() (extract.Kind, error) {
	kind, err := extract.ParseKind(e.String("reader"))
	if err != nil {
		return "", fmt.Errorf("--reader: %w", err)
	}
	return kind, nil
}
