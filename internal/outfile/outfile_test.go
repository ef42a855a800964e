package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestErrorsNameTheUsersFile: a temporary folder has no place in what users are told.
func TestErrorsNameTheUsersFile(t *testing.T) {
	temp := filepath.Join(t.TempDir(), ".planproof-1")
	write := func(path string) error {
		_, err := os.Create(path)
		return fmt.Errorf("rows: %w", errors.Join(err, errors.New("and more")))
	}
	for path, want := range map[string]string{
		filepath.Join(temp, "train.jsonl"):    filepath.Join("out", "train.jsonl"),
		filepath.Join(temp, "a", "val.jsonl"): filepath.Join("out", "a", "val.jsonl"),
	} {
		err := inPlaceOf(temp, "out", write(path))
		if got := err.Error(); got != "cannot write "+want+": no such file or directory" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q", path, got)
		}
	}
	err := inPlaceOf(temp, "out", os.Rename(temp, temp+"-old"))
	if err == nil || strings.Contains(err.Error(), ".planproof-") || !strings.HasPrefix(err.Error(), "cannot write out: ") {
		t.Errorf("rename: %v", err)
	}
	// An input that cannot be read is none of the output's.
	if err := write(temp + "-responses"); inPlaceOf(temp, "out", err) != err {
		t.Errorf("%v", inPlaceOf(temp, "out", err))
	}
}

func TestOpenDescriptor(t *testing.T) {
	for name, want := range map[string]int{
		"/dev/stdin": 0, "/dev/stdout": 1, "/dev//stderr": 2, "/dev/fd/17": 17, "/proc/self/fd/3": 3, fmt.Sprintf("/proc/%d/fd/4", os.Getpid()): 4,
		"/dev/null": -1, "/dev/fd/x": -1, "/dev/fd/-1": -1, "/proc/1/fd/4/x": -1, "stdout": -1, "fd/1": -1, "": -1,
	} {
		if got := openDescriptor(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// TestOutputTarget resolves links as the system does, though they may name files to come.
func TestOutputTarget(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a/b"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range [][2]string{{"a/b", "linked"}, {"../x", "a/b/up"}, {"y", "a/b/beside"}, {"a/b/up", "twice"}, {"loop", "loop"}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Skip(err)
		}
	}
	here, err := filepath.EvalSymlinks(".")
	if err != nil {
		t.Fatal(err)
	}
	if here, err = filepath.Abs(here); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"new": "new", "linked/new": "a/b/new", "linked/up": "a/x", "linked/beside": "a/b/y", "a/b/up": "a/x", "twice": "a/x", "missing/new": "missing/new",
		filepath.Join(here, "linked", "up"): "a/x",
	} {
		target, mode, err := Target(path)
		if err != nil || mode != 0o644 || oneName(target) != filepath.Join(here, want) {
			t.Errorf("%s: %s, %v, %v, want %s", path, target, mode, err, want)
		}
	}
	if _, _, err := Target("loop"); err == nil || !strings.HasPrefix(err.Error(), "cannot write loop: ") {
		t.Errorf("loop: %v", err)
	}
}
