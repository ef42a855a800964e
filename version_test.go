package planproof_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof"
)

// TestVersion: the form that Go modules and Python wheels share, and nobody writes it a
// second time. rltrain/python/tests/test_package.py asks the command, the oracle and a wheel.
func TestVersion(t *testing.T) {
	if !regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$`).MatchString(planproof.Version()) {
		t.Errorf("version %q", planproof.Version())
	}
	for _, file := range []string{"Makefile", "rltrain/python/pyproject.toml", "rltrain/python/wheel.py", "rltrain/python/backend.py", "rltrain/python/src/planproof/__init__.py"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), planproof.Version()) {
			t.Errorf("%s holds the version; it is to be read from VERSION", file)
		}
	}
}
