package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/planproof/planproof/internal/trim"
)

// program is the path of planproof, which is the binary of the tests.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "planproof") // TestMain looks at the name
	if err := os.Symlink(self, path); err != nil {
		t.Skip(err)
	}
	return path
}

// TestSolveIsSmall bounds the peak of solve on a small task, which is that of the program: 8 to 12 MB where the kernel
// maps single pages, else 18 to 24, and 32 to 45 with all pages of its file that start-up touches.
func TestSolveIsSmall(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps"); runtime.GOOS != "linux" || err != nil {
		t.Skip("the program is trimmed on Linux only")
	}
	most := int64(29 << 10)
	if page := make([]byte, 2*os.Getpagesize()); trim.Single([][]byte{aligned(page)}) {
		most = 17 << 10
	}
	// The shell forks: what is executed by the process of the test would have its peak.
	out, err := exec.Command("sh", "-c", `"$0" solve blocksworld:4-17 --json --search 'astar(blind())'; exit $?`, program(t)).Output()
	var r struct {
		Status string
		Peak   int64 `json:"peak_kb"`
	}
	if err != nil || json.Unmarshal(out, &r) != nil || r.Status != "solved-optimally" {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("peak: %d KB of at most %d", r.Peak, most)
	if r.Peak > most {
		t.Errorf("the peak is %d KB, more than %d", r.Peak, most)
	}
}

// aligned is the page that begins in a piece of two pages.
func aligned(pages []byte) []byte {
	size := os.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(&pages[0]))) & (size - 1)
	return pages[skip : skip+size]
}

// TestInitIsSmall bounds what our packages allocate before main: each command pays for it, and few need it. Regular
// expressions are of internal/pattern, and large tables are made when they are first used.
func TestInitIsSmall(t *testing.T) {
	cmd := exec.Command(program(t), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sum, packages := 0, 0
	for line := range strings.Lines(string(out)) {
		var name string
		var at, clock float64
		var bytes, allocs int
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &allocs); n != 5 ||
			!strings.HasPrefix(name, "github.com/planproof/planproof/") {
			continue
		}
		packages++
		if sum += bytes; bytes > 16<<10 {
			t.Logf("%s: %d bytes", name, bytes)
		}
	}
	t.Logf("%d bytes of %d packages", sum, packages)
	if packages < 20 || sum > 512<<10 {
		t.Errorf("our %d packages allocate %d bytes before main", packages, sum)
	}
}
