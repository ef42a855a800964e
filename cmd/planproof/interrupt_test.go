package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/cmdline"
)

// TestInterrupted: whatever a signal ends says the same, by code 3 and the status, and no
// time limit is blamed that nobody set.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	domain, problem := filepath.Join(dir, "d.pddl"), filepath.Join(dir, "p.pddl")
	var rows strings.Builder
	for range 400 {
		rows.WriteString(`{"task":"blocksworld:9-3","response":"no plan"}` + "\n")
	}
	big, bigProblem := wideTask(24)
	for name, text := range map[string]string{domain: big, problem: bigProblem, filepath.Join(dir, "rows.jsonl"): rows.String()} {
		writeTestFile(t, name, text)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	validate := "validate logistics:4-4-4-7 " + file("empty.plan") + " --repair"
	again := 5 // for validate
	lines := []string{
		"solve logistics:4-4-4-7 --heuristic blind",
		"solve " + domain + " " + problem,
		"ground " + domain + " " + problem,
		"exhaust blocksworld:9-3",
		"exhaust blocksworld:8-3 --goals " + file("goals.txt"),
		"exhaust blocksworld:9-3 --export " + file("space"),
		"ask blocksworld:30-1 --method best-first --expansions 100000000",
		"cost shift logistics:4-4-4-7 --schedule *=1,load-truck=3",
		"restrict logistics:4-4-4-7 --sample 2",
		"prompt logistics:4-4-4-7 --kind cost-optimal",
		"truth fill logistics:4-4-4-7 --store " + file("s.db"),
		"export logistics:4-4-4-7 -o " + file("data"),
		"eval logistics:4-4-4-7 --model scripted:silent --optimal",
		"bench treesearch --method best-first --guide table --count 100",
		validate,
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		writeTestFile(t, file("goals.txt"), "(on a b)\n")
		writeTestFile(t, file("empty.plan"), "\n")
		ctx, cancel := context.WithCancel(context.Background())
		ended := time.AfterFunc(150*time.Millisecond, cancel)
		var out, errs bytes.Buffer
		code := run(ctx, append(strings.Fields(line), "--json"), streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
		early := ended.Stop()
		cancel()
		printed := strings.Split(strings.TrimSpace(out.String()), "\n")
		var told struct {
			Status, Reason string
			Interrupted    bool
		}
		_ = json.Unmarshal([]byte(printed[len(printed)-1]), &told)
		if line == validate { // the verdict is there; what was looked for beyond it is not
			if code == exitLimit && told.Status == cmdline.Interrupted && again > 0 {
				again, i = again-1, i-1 // a busy machine was cut off before it had the verdict, and says so
				continue
			}
			if early || code != exitNo || !strings.Contains(out.String(), `"reason":"interrupted"`) || strings.Contains(out.String(), "timeout") {
				t.Errorf("%s: ended early: %t, code %d\n%s", line, early, code, &out)
			}
			continue
		}
		if early || code != exitLimit || told.Status != cmdline.Interrupted && told.Reason != cmdline.Interrupted && !told.Interrupted || !strings.Contains(errs.String(), cmdline.Interrupted) || strings.Contains(errs.String(), "time limit") {
			t.Errorf("%s: ended early: %t, code %d\n%.300s\n%.300s", line, early, code, &out, &errs)
		}
	}
}

// wideTask has an action with many instances: grounding it takes long.
func wideTask(n int) (domain, problem string) {
	domain = `(define (domain wide) (:requirements :strips) (:predicates (p ?x) (q ?x ?y))
  (:action a :parameters (?a ?b ?c ?d ?e ?f) :precondition (and (p ?a) (p ?b) (p ?c) (p ?d) (p ?e) (p ?f)) :effect (q ?a ?f)))`
	var objects, init strings.Builder
	for i := range n {
		name := " o" + string(rune('a'+i))
		objects.WriteString(name)
		init.WriteString("(p" + name + ")")
	}
	return domain, "(define (problem w) (:domain wide) (:objects" + objects.String() + ") (:init " + init.String() + ") (:goal (q oa ob)))"
}

func writeTestFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
