package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealModel runs the commands that ask models against the server of
// `make test-model`. Such a small model does not plan well: what must hold is that every
// answer is judged, that searches end with a status, and that replays give the same bytes.
func TestRealModel(t *testing.T) {
	url := os.Getenv("PLANPROOF_MODEL_URL")
	if url == "" {
		t.Skip("no model server: `make test-model` starts one")
	}
	dir := t.TempDir()
	record := filepath.Join(dir, "t.jsonl")
	runs := func(want []int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs})
		ok := false
		for _, w := range want {
			ok = ok || code == w
		}
		if !ok {
			t.Errorf("%s: exit code %d\n%s%s", strings.Join(args, " "), code, out.String(), errs.String())
		}
		t.Logf("%s: %d\n%s%s", strings.Join(args, " "), code, out.String(), errs.String())
		return out.String()
	}
	server := []string{"--model", "small", "--base-url", url, "--transcript", record, "--max-tokens", "120"}
	replay := []string{"--model", "small", "--replay", record, "--max-tokens", "120"}
	eval := []string{"eval", "blocksworld:3-1..3", "--method", "nl", "--method", "pddl+modulo-2", "--json"}
	first := runs([]int{exitYes}, append(eval, server...)...)
	if again := runs([]int{exitYes}, append(eval, replay...)...); first != again {
		t.Errorf("the replay gives\n%s\nand the run\n%s", again, first)
	}
	var cells struct {
		Cells []struct {
			Rows, Graded, Uncounted int
		}
	}
	if err := json.Unmarshal([]byte(first), &cells); err != nil || len(cells.Cells) != 2 {
		t.Fatalf("%v: %s", err, first)
	}
	for _, c := range cells.Cells {
		if c.Graded != 3 || c.Rows != 3 || c.Uncounted != 0 {
			t.Errorf("%+v", c)
		}
	}
	for i, method := range []string{"cats", "tot", "tot-dfs", "rap", "best-first"} {
		style := []string{"pddl", "nl"}[i%2]
		ask := []string{"ask", "blocksworld:3-3", "--guide", "model", "--style", style, "--method", method, "--budget", "tight", "--expansions", "12", "--json"}
		first := runs([]int{exitYes, exitLimit}, append(ask, server...)...)
		again := runs([]int{exitYes, exitLimit}, append(ask, replay...)...)
		if a, b := stable(t, first), stable(t, again); a != b {
			t.Errorf("%s: the replay gives\n%s\nand the run\n%s", method, b, a)
		}
	}
}

// stable is a report without what is measured.
func stable(t *testing.T, text string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{"ground_cpu_s", "search_cpu_s", "peak_kb"} {
		delete(v, name)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
