package testkit

import (
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"testing"
)

// TestExtendingCompiles: the whole files that docs/EXTENDING.md says to write compile in their packages.
func TestExtendingCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles four packages and those between them")
	}
	written := regexp.MustCompile("(?s)\\*\\*\\d\\. Write[^*]*?`([^`]+\\.go)`.*?\n```go\n(package .*?)\n```\n").FindAllStringSubmatch(readPage(t, "docs/EXTENDING.md"), -1)
	if len(written) < 4 {
		t.Fatalf("%d files", len(written))
	}
	files, packages := map[string]string{}, []string{}
	for _, m := range written {
		files[filepath.Join(Root(), m[1])] = m[2] + "\n"
		packages = append(packages, "./"+path.Dir(m[1]))
	}
	args := append([]string{"build", "-overlay", Overlay(t, files)}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Dir = Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %v: %v\n%s", args, err, out)
	}
}
