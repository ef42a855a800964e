package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/model"
)

// TestRealModel runs the commands that ask models against real servers. Such small models
// do not plan well: what must hold is that every answer is judged, that searches end with a
// status, and that replays give the same bytes.
func TestRealModel(t *testing.T) {
	for _, server := range testkit.ModelServers(t) {
		t.Run(strings.ReplaceAll(server.Model+"@"+server.URL, "/", "_"), func(t *testing.T) { testCommands(t, server) })
	}
}

func testCommands(t *testing.T, s testkit.ModelServer) {
	dir := t.TempDir()
	record := filepath.Join(dir, "t.jsonl")
	runs := func(want []int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := run(context.Background(), args, streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
		if !slices.Contains(want, code) {
			t.Errorf("%s: exit code %d\n%s%s", strings.Join(args, " "), code, out.String(), errs.String())
		}
		t.Logf("%s: %d\n%s%s", strings.Join(args, " "), code, out.String(), errs.String())
		return out.String()
	}
	server := []string{"--model", s.Model, "--base-url", s.URL}
	var caps model.Capabilities
	if err := json.Unmarshal([]byte(runs([]int{exitYes}, append([]string{"capabilities", "--json"}, server...)...)), &caps); err != nil {
		t.Fatal(err)
	}
	server = append(server, "--transcript", record, "--max-tokens", "60")
	replay := []string{"--model", s.Model, "--replay", record, "--max-tokens", "60"}
	methods := []string{"nl", "pddl+modulo-2", "nl+cot"}
	if len(caps.Grammars) > 0 {
		methods = append(methods, "pddl+grammar")
	}
	eval := []string{"eval", "blocksworld:3-1..2", "--stream", "--samples", "2", "--temperature", "0.7", "--json"}
	for _, m := range methods {
		eval = append(eval, "--method", m)
	}
	first := runs([]int{exitYes}, append(eval, server...)...)
	if again := runs([]int{exitYes}, append(eval, replay...)...); first != again {
		t.Errorf("the replay gives\n%s\nand the run\n%s", again, first)
	}
	var cells struct {
		Cells []struct {
			Rows, Graded, Uncounted int
		}
	}
	if err := json.Unmarshal([]byte(first), &cells); err != nil || len(cells.Cells) != len(methods) {
		t.Fatalf("%v: %s", err, first)
	}
	for _, c := range cells.Cells {
		if c.Graded != 4 || c.Rows != 4 || s.Whole && c.Uncounted != 0 {
			t.Errorf("%+v", c)
		}
	}
	ask := []string{"ask", "blocksworld:3-3", "--method", "modulo", "--rounds", "2", "--json"}
	first = runs([]int{exitYes, exitLimit}, append(ask, server...)...)
	if again := runs([]int{exitYes, exitLimit}, append(ask, replay...)...); first != again {
		t.Errorf("the replay gives\n%s\nand the run\n%s", again, first)
	}
	for i, method := range []string{"cats", "tot", "tot-dfs", "rap", "best-first"} {
		style := []string{"pddl", "nl"}[i%2]
		ask := []string{"ask", "blocksworld:3-3", "--guide", "model", "--style", style, "--method", method, "--budget", "tight", "--expansions", "12", "--json"}
		if caps.Score == model.ScoreNone || caps.Score == model.ScoreTop || caps.Score == model.ScoreEcho && style == "nl" && caps.Chat {
			runs([]int{exitBad}, append(ask, server...)...) // told, and no number made up
			continue
		}
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
