package testkit

import (
	"encoding/json"
	"os"
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
	replace := map[string]string{}
	args := []string{"build", "-overlay", filepath.Join(t.TempDir(), "overlay.json")}
	for _, m := range written {
		file := filepath.Join(t.TempDir(), path.Base(m[1]))
		if err := os.WriteFile(file, []byte(m[2]+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(Root(), m[1])] = file
		args = append(args, "./"+path.Dir(m[1]))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(args[2], overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %v: %v\n%s", args, err, out)
	}
}
