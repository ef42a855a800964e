package validator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unlikeVAL are the cases of TestPlus in which VAL 3c7a1f3 differs, with the rule of docs/SEMANTICS.md.
var unlikeVAL = map[string]string{}

// valBinary is VAL's validator: $PLANPROOF_VAL, or Validate on the path.
func valBinary(t *testing.T) string {
	if bin := os.Getenv("PLANPROOF_VAL"); bin != "" {
		return bin
	}
	bin, err := exec.LookPath("Validate")
	if err != nil {
		t.Skip("VAL is not installed: set PLANPROOF_VAL to its program Validate")
	}
	return bin
}

// TestPlusAgainstVAL judges the cases of TestPlus with VAL too, where it is installed. VAL
// knows no end marker, so that plans with one are left out.
func TestPlusAgainstVAL(t *testing.T) {
	bin := valBinary(t)
	dir := t.TempDir()
	for _, c := range plusCases {
		if strings.Contains(c.plan, "@") || c.plan == "" {
			continue
		}
		domain, problem := c.texts()
		args := []string{"-v"}
		for i, text := range []string{domain, problem, strings.ReplaceAll(c.plan, ") ", ")\n") + "\n"} {
			file := filepath.Join(dir, []string{"domain.pddl", "problem.pddl", "plan"}[i])
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
		out, _ := exec.Command(bin, args...).CombinedOutput()
		if valid := strings.Contains(string(out), "Plan valid"); valid != (c.want == "valid") != (unlikeVAL[c.name] != "") {
			t.Errorf("%s: VAL says valid: %v, we say %s\n%s", c.name, valid, c.want, out)
		}
	}
}
