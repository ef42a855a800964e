//go:build invariants

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/invariants"
)

// TestPlantedCost lets every search report a cost that is one too large, and expects each
// command that writes an optimum, a gold plan or a plan to refuse. What went round the
// judge would print it.
func TestPlantedCost(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tasks := file("tasks.jsonl", `{"id":"a","task":"blocksworld:3-5"}`+"\n")
	results := file("results.jsonl", `{"id":"a","task":"blocksworld:3-5","plan":null}`+"\n")
	for _, args := range [][]string{
		{"solve", "blocksworld:3-5"},
		{"solve", "blocksworld:3-5", "--json"},
		{"solve", "blocksworld:3-5", "--search", "nbs(hmax())"},
		{"exhaust", "blocksworld:3-5"},
		{"exhaust", "blocksworld:3-5", "--json", "-o", filepath.Join(dir, "table")},
		{"exhaust", "blocksworld:3-5", "--top", "3"},
		{"exhaust", "blocksworld:3-5", "--goals", file("goals", "(or (on a b) (on b a))\n")},
		{"validate", "blocksworld:3-5", file("empty.plan", ""), "--repair"},
		{"prompt", "blocksworld:3-5", "--json"},
		{"prompt", "blocksworld:3-5", "--shots", "1"},
		{"prompt", "blocksworld:3-5", "--kind", "cost-optimal", "--json"},
		{"prompt", "--batch", tasks, "--json"},
		{"export", "blocksworld", "blocks=3", "--count", "4", "-o", filepath.Join(dir, "data")},
		{"restrict", "blocksworld:3-5", "--sample", "1", "-o", filepath.Join(dir, "restricted")},
		{"ask", "blocksworld:3-5", "--budget", "tight"},
		{"bench", "treesearch", "--count", "1"},
		{"truth", "fill", tasks, "--store", filepath.Join(dir, "truth.db")},
		{"eval", "blocksworld:3-5", "--model", "scripted:optimal", "--optimal"},
		{"cost", "budget", "blocksworld:3-5", "--schedule", "unit"},
		{"cost", "budget", tasks, "--schedule", "[1,1,20,1]", "--json"},
		{"cost", "shift", "blocksworld:3-5", "--schedule", "paper"},
		{"cost", "metrics", results, "--schedule", "unit"},
		{"generate", "budget-blocksworld", "-o", filepath.Join(dir, "set")},
	} {
		var out, errs bytes.Buffer
		invariants.PlantedCost = 1
		code := run(context.Background(), args, streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
		invariants.PlantedCost = 0
		said := out.String() + errs.String()
		refused := strings.Contains(said, "internal error: search found a plan of cost")
		if args[0] == "exhaust" { // no plan has the planted cost
			refused = strings.Contains(said, "internal error: no plan has the cost")
		}
		if args[0] == "cost" && len(args) == 5 && args[1] == "budget" { // two searches disagree before the judge is asked
			refused = strings.Contains(said, "internal error: a search found the cost")
		}
		if args[0] == "truth" { // tells the number of rows by status; the row has the reason
			refused = strings.Contains(said, "error              1")
		}
		if code == exitYes || code == exitNo || !refused {
			t.Errorf("planproof %s: code %d\n%s", strings.Join(args, " "), code, said)
		}
	}
}
