package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Root returns the project's root folder: from the path of this source file or, in a test
// built with -trimpath, which removes that, by searching upwards from the working folder.
func Root() string {
	if _, file, _, _ := runtime.Caller(0); filepath.IsAbs(file) {
		return filepath.Join(filepath.Dir(file), "..", "..")
	}
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	return "."
}

// Shared returns a path in the folder of corpora: $PLANPROOF_SHARED, else ../shared beside
// the project. If the path does not exist, the test is skipped, unless
// PLANPROOF_REQUIRE_SHARED is set, as in CI, where a skipped corpus test would prove
// nothing.
func Shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	base := os.Getenv("PLANPROOF_SHARED")
	if base == "" {
		base = filepath.Join(Root(), "..", "shared")
	}
	path := filepath.Join(append([]string{base}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("PLANPROOF_REQUIRE_SHARED") != "" {
			tb.Fatalf("the corpora are required but missing: %v", err)
		}
		tb.Skipf("the corpora are not here (set PLANPROOF_SHARED): %v", err)
	}
	return path
}

// Long leaves a test to `make test-all`, which .ci/run calls: it takes seconds, and has
// one thread where `make race` runs its package, since to that one it would say nothing.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("long: make test-all runs it")
	}
}

// Golden compares got with the file testdata/NAME of the calling package, or
// rewrites the file when UPDATE is set in the environment (`make golden`).
func Golden(tb testing.TB, name string, got []byte) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%v (run `make golden` to create it)", err)
	}
	if string(want) != string(got) {
		tb.Errorf("%s differs (run `make golden` and read the diff)\n--- want\n%s\n--- got\n%s", path, want, got)
	}
}
