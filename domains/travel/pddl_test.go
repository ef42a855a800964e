package travel

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/search"
)

// TestEncodings solves trips that were encoded in PDDL twice: meals with each day, or days first. The optima were found
// by two other programs.
func TestEncodings(t *testing.T) {
	dir := testkit.Shared(t, "data", "travel", "pddl")
	text, err := os.ReadFile(filepath.Join(dir, "optima.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, row := range rows[1:] {
		name, want := row[column["problem"]], row[column["optimum_direct"]]
		t.Run(name, func(t *testing.T) {
			if len(row[column["expanded"]]) > 5 {
				testkit.Long(t)
			}
			encoding, _, _ := strings.Cut(name, "-")
			task, err := planproof.ReadTask(filepath.Join(dir, "domain-"+encoding+".pddl"), filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			s, err := planproof.Solve(t.Context(), task, planproof.SolveOptions{Search: "astar(blind())"})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case want == "unsolvable" && s.Status != search.Unsolvable, want != "unsolvable" && s.Cost.String() != want:
				t.Errorf("%v, cost %s, want %s", s.Status, s.Cost, want)
			}
		})
	}
	if len(rows) < 20 {
		t.Errorf("only %d rows", len(rows))
	}
}
