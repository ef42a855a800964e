package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExtractLongRow: a row that is too long is named by its number, and those after it are
// answered.
func TestExtractLongRow(t *testing.T) {
	row := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"task":"blocksworld:4-17","response":"(pick-up a)"}`+"\n", id)
	}
	in := row(1) + strings.Repeat("x", 64<<20) + "\n" + row(3)
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"extract", "--batch", "-", "--json"}, streams{Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs})
	lines := strings.Split(out.String(), "\n")
	if code != exitBad || len(lines) != 4 || !strings.HasPrefix(lines[0], `{"id":1,"status":"plan"`) || !strings.HasPrefix(lines[2], `{"id":3,"status":"plan"`) ||
		lines[1] != `{"id":null,"error":"row 2: bad row: 67108865 bytes, more than 67108864"}` {
		t.Errorf("code %d\n%s%s", code, out.String(), errs.String())
	}
}

// TestExtractSeesChangedFiles: who talks row by row has each answer by the files as they are.
func TestExtractSeesChangedFiles(t *testing.T) {
	dir := t.TempDir()
	domain, problem := filepath.Join(dir, "d.pddl"), filepath.Join(dir, "p.pddl")
	in, rows := io.Pipe()
	answers, out := io.Pipe()
	go func() {
		var errs bytes.Buffer
		run(context.Background(), []string{"extract", "--batch", "-", "--json"}, streams{Stdin: in, Stdout: out, Stderr: &errs})
		out.Close()
	}()
	lines := bufio.NewScanner(answers)
	ask := func(want string) {
		t.Helper()
		fmt.Fprintf(rows, `{"domain":%q,"problem":%q,"response":"(go)"}`+"\n", domain, problem)
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Errorf("%s, want %s", lines.Text(), want)
		}
	}
	ask("no such file")
	writeTestFile(t, domain, "(define (domain d) (:predicates (p)) (:action go :parameters () :effect (p)))")
	ask("no such file")
	writeTestFile(t, problem, "(define (problem x) (:domain d) (:init) (:goal (p)))")
	ask(`"status":"plan"`)
	ask(`"status":"plan"`)
	writeTestFile(t, domain, "(define")
	ask("error[malformed-file]")
	if err := os.Remove(domain); err != nil {
		t.Fatal(err)
	}
	ask("no such file")
	rows.Close()
}
