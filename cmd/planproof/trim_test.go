package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestSolveIsSmall bounds the peak of solve on a small task, which is that of the program: 20 to 24 MB, and 32 to 45 with
// all pages of its file that start-up touches.
func TestSolveIsSmall(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps"); runtime.GOOS != "linux" || err != nil {
		t.Skip("the program is trimmed on Linux only")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "planproof") // TestMain looks at the name
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	// The shell forks: what is executed by the process of the test would have its peak.
	out, err := exec.Command("sh", "-c", `"$0" solve blocksworld:4-17 --json --search 'astar(blind())'; exit $?`, program).Output()
	var r struct {
		Status string
		Peak   int64 `json:"peak_kb"`
	}
	if err != nil || json.Unmarshal(out, &r) != nil || r.Status != "solved-optimally" {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("peak: %d KB", r.Peak)
	if r.Peak > 29<<10 {
		t.Errorf("the peak is %d KB", r.Peak)
	}
}
