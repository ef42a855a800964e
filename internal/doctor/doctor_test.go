package doctor

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// TestExamine: here planproof works, and every figure is measured.
func TestExamine(t *testing.T) {
	r := Examine(context.Background(), true)
	if !r.OK || len(r.Speed) != len(documented) {
		t.Errorf("%+v", r)
	}
	for _, s := range r.Speed {
		if s.Here <= 0 || s.Ratio <= 0 {
			t.Errorf("%s: %v %s", s.Name, s.Here, s.Unit)
		}
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "certificate accepted") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestStopped: with its context over, doctor says what failed and does not go on.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := Examine(ctx, true); r.OK {
		t.Errorf("%+v", r)
	}
}

// TestDocumented: the figures compared with are those of the page.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(), "docs", "BENCHMARKS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## How fast is this machine?")
	section, _, _ = strings.Cut(section, "\n#")
	for key, s := range documented {
		m := regexp.MustCompile(`\| ` + regexp.QuoteMeta(s.Name) + `[^|]*\| ([0-9,]+) ` + s.Unit + ` \|`).FindStringSubmatch(section)
		if m == nil {
			t.Errorf("%s: no line of the table", key)
			continue
		}
		if x, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64); x != s.Docs {
			t.Errorf("%s: the page says %v, the code %v", key, x, s.Docs)
		}
	}
}
