package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

// A run of bench treesearch that ends early prints the table of the tasks it has finished.
func TestBenchThatEndsEarly(t *testing.T) {
	testkit.Long(t)
	transcript := filepath.Join(t.TempDir(), "run.jsonl")
	var out, errs bytes.Buffer
	bench := func(ctx context.Context, args ...string) int {
		out.Reset()
		errs.Reset()
		return run(ctx, append([]string{"bench", "treesearch", "--method", "tot,best-first", "--guide", "model", "--budgets", "tight", "--jobs", "1"}, args...),
			streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	}
	if code := bench(context.Background(), "--model", "scripted:uniform", "--count", "4", "--expansions", "4", "--transcript", transcript); code != exitNo {
		t.Fatalf("code %d: %s", code, &errs)
	}
	whole := out.String()
	data, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	cut := filepath.Join(t.TempDir(), "cut.jsonl")
	svg := filepath.Join(t.TempDir(), "cut.svg")
	var seen []string
	for n := 1; n < len(lines); n++ {
		if err := os.WriteFile(cut, bytes.Join(lines[:n], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		code := bench(context.Background(), "--replay", cut, "--count", "4", "--expansions", "4", "--svg", svg)
		if n+1 == len(lines) { // after the last line stands nothing
			if code != exitNo || out.String() != whole {
				t.Errorf("the whole transcript: code %d, %s\n%s", code, &errs, &out)
			}
			break
		}
		if code != exitBad || !strings.Contains(errs.String(), "not-recorded") {
			t.Fatalf("%d lines: code %d, %s", n, code, &errs)
		}
		if _, err := os.Stat(svg); err == nil {
			t.Fatalf("%d lines: drawn", n)
		}
		head, table, _ := strings.Cut(out.String(), "\n")
		if out.Len() > 0 && strings.Count(table, " all ") != 2 {
			t.Fatalf("%d lines: %s", n, &out)
		}
		seen = append(seen, head)
	}
	if got := slices.Compact(seen); !slices.Equal(got, []string{"", "1 of 4 tasks", "2 of 4 tasks", "3 of 4 tasks"}) {
		t.Errorf("tables: %q", got)
	}

	// Interrupted by the user.
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	code := bench(ctx, "--model", "scripted:uniform", "--json", "--expansions", "200")
	if code != exitLimit || !regexp.MustCompile(`interrupted after \d+ of 1008 tasks`).MatchString(errs.String()) || !strings.HasSuffix(out.String(), "of 1008 tasks\",\"status\":\"interrupted\"}\n") {
		t.Errorf("code %d: %s\n%s", code, &errs, &out)
	}
}
