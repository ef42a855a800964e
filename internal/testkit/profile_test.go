package testkit

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestProfile: the compiler finds hot functions by the paths of their packages, and says
// nothing when those have moved. Run `make profile` then.
func TestProfile(t *testing.T) {
	f, err := os.Open(filepath.Join(Root(), "cmd", "planproof", "default.pgo"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"pddl", "grounder", "validator", "search", "search/heuristic", "search/state", "search/space", "llmbridge/extract", "rltrain/oracle"} {
		if _, err := os.Stat(filepath.Join(Root(), pkg)); err != nil || !bytes.Contains(text, []byte("github.com/planproof/planproof/"+pkg+".(*")) {
			t.Errorf("the profile names no method of %s (%v)", pkg, err)
		}
	}
}
