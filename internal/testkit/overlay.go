package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/planproof/planproof/internal/rowjson"
)

// Overlay writes what stands in the place of Go files, by their absolute paths, and returns the argument of
// go build -overlay that has the compiler read it.
func Overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string, len(files))
	for path, text := range files {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(replace[path], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := rowjson.AppendValue(nil, map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}
