package validator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// mutant breaks one rule of docs/SEMANTICS.md in the code: old becomes fresh in a file, its first occurrence. caught
// is the test that must fail then.
type mutant struct{ rule, what, file, old, fresh, caught string }

// TestMutantsAreCurrent: each mutant still changes the code, and each rule of docs/SEMANTICS.md has one.
func TestMutantsAreCurrent(t *testing.T) {
	ruled := map[string]bool{}
	for _, m := range mutants {
		for _, rule := range strings.Split(m.rule, ", ") {
			ruled[rule] = true
		}
		text, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), m.old) {
			t.Errorf("rule %s, %s: %s does not hold %q", m.rule, m.what, m.file, m.old)
		}
	}
	page, err := os.ReadFile("../docs/SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(string(page), -1)
	if len(rules) < 27 {
		t.Fatalf("%d rules", len(rules))
	}
	for _, rule := range rules {
		if !ruled[rule[1]] {
			t.Errorf("no mutant breaks rule %s", rule[1])
		}
	}
}

// TestMutants compiles the judge, or the reader, once for each mutant and runs the test that must fail.
// PLANPROOF_MUTANTS=20-40 takes these mutants only.
func TestMutants(t *testing.T) {
	if os.Getenv("PLANPROOF_LONG") == "" {
		t.Skip("compiles a package once for each mutant: set PLANPROOF_LONG=1")
	}
	from, to := 0, len(mutants)
	if s := os.Getenv("PLANPROOF_MUTANTS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal("PLANPROOF_MUTANTS: ", err)
		}
	}
	for _, m := range mutants[from:min(to, len(mutants))] {
		path, err := filepath.Abs(m.file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		overlay := testkit.Overlay(t, map[string]string{path: strings.Replace(string(text), m.old, m.fresh, 1)})
		cmd := exec.Command("go", "test", "-short", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-run", "^("+m.caught+")$", ".")
		cmd.Dir = filepath.Dir(path)
		cmd.Env = append(os.Environ(), "PLANPROOF_LONG=", "PLANPROOF_SHARED=/nowhere")
		out, err := cmd.CombinedOutput()
		switch {
		case err == nil:
			t.Errorf("rule %s, %s: %s does not notice", m.rule, m.what, m.caught)
		case !strings.Contains(string(out), "--- FAIL") && !strings.Contains(string(out), "panic:"):
			t.Errorf("rule %s, %s: does not compile: %s", m.rule, m.what, out)
		default:
			t.Logf("rule %s, %s: %s", m.rule, m.what, m.caught)
		}
	}
}
