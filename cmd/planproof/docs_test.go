package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planproof/internal/testkit"
)

// TestPromptsPage runs the commands of docs/PROMPTS.md: the lines below each, up to the
// end of its block, must come in that order in what it prints; "..." stands for any
// lines between.
func TestPromptsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "PROMPTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, block := range strings.Split(string(page), "```")[1:] {
		block = strings.TrimPrefix(block, "\n")
		line, want, ok := strings.Cut(block, "\n")
		args, isCommand := strings.CutPrefix(line, "$ planproof ")
		if !ok || !isCommand {
			continue
		}
		commands++
		var out, errs bytes.Buffer
		run(context.Background(), strings.Fields(strings.ReplaceAll(args, "'", "")), streams{strings.NewReader(""), &out, &errs})
		rest := out.String()
		for i, part := range strings.Split(want, "...\n") {
			k := strings.Index(rest, part)
			if k < 0 || i == 0 && k > 0 {
				t.Errorf("%s prints\n%s%s\nnot, as the page says,\n%s", args, out.String(), errs.String(), part)
				break
			}
			rest = rest[k+len(part):]
		}
	}
	if commands < 12 {
		t.Errorf("only %d commands on the page", commands)
	}
}
