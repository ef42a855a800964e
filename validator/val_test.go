package validator

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unlikeVAL are the cases of TestPlus in which VAL 3c7a1f3 differs, with the rule of docs/SEMANTICS.md.
var unlikeVAL = map[string]string{
	"constraints see what events do between steps": "rule 22",
}

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
	for _, c := range plusCases {
		if strings.Contains(c.plan, "@") || c.plan == "" {
			continue
		}
		domain, problem := c.texts()
		valid, ok, out := runVAL(t, bin, &pair{domain: domain, problem: problem, plan: strings.ReplaceAll(c.plan, ") ", ")\n")})
		if ok && (valid != (c.want == "valid")) != (unlikeVAL[c.name] != "") {
			t.Errorf("%s: VAL says valid: %v, we say %s\n%s", c.name, valid, c.want, out)
		} else if !ok {
			t.Logf("%s: VAL has no verdict", c.name)
		}
	}
}
