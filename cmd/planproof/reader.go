package main

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"
)

// reader reads --reader.
func (e env) reader() (kind extract.Kind, err error) {
	if kind, err = extract.ParseKind(e.String("reader")); err != nil {
		err = fmt.Errorf("--reader: %w", err)
	}
	return kind, err
}
