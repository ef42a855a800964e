package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rowReaders are the commands that read rows, with a row that each of them takes. The row is
// on standard input where no argument is "rows.jsonl".
var rowReaders = []struct{ args, row string }{
	{"score - --json", `{"id":1,"task":"blocksworld:3-5","response":"(pick-up a)"}`},
	{"oracle --stdio", `{"id":1,"task":"blocksworld:3-5","response":"(pick-up a)"}`},
	{"oracle --stdio", `{"schema":"planproof.score/1","id":1,"items":[{"id":1,"task":"blocksworld:3-5","completion":"(pick-up a)"}]}`},
	{"extract --batch - --json", `{"id":1,"task":"blocksworld:3-5","response":"(pick-up a)"}`},
	{"validate --batch - --json", `{"id":1,"task":"blocksworld:3-5","plan":"(pick-up a)"}`},
	{"prompt --batch rows.jsonl --json", `{"id":"1","task":"blocksworld:3-5"}`},
	{"group - --json", `{"id":1,"group":"g","reward":1}`},
	{"pairs - --json", `{"id":1,"group":"g","task":"blocksworld:3-5","prompt":"p","response":"(pick-up a)"}`},
	{"eval --tasks rows.jsonl --model mock:gold --json", `{"id":"1","task":"blocksworld:3-5"}`},
	{"eval --responses rows.jsonl --json", `{"id":"1","task":"blocksworld:3-5","response":"(pick-up a)"}`},
	{"export rows.jsonl -o out", `{"id":"1","task":"blocksworld:3-5"}`},
	{"oracle --listen 127.0.0.1:0 --tasks rows.jsonl", `{"id":"1","task":"blocksworld:3-5"}`},
}

// TestRowNames gives every reader of rows a name twice, at the top and within, and a name in
// other letters that must be no member.
func TestRowNames(t *testing.T) {
	ask := func(args, row string) string {
		dir := t.TempDir()
		t.Chdir(dir)
		writeTestFile(t, filepath.Join(dir, "rows.jsonl"), row+"\n")
		var out, errs bytes.Buffer
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		if strings.Contains(args, "--listen") && !strings.Contains(row, `"x"`) {
			stop() // it would serve
		}
		run(ctx, strings.Fields(args), streams{Stdin: strings.NewReader(row + "\n"), Stdout: &out, Stderr: &errs})
		return out.String() + errs.String()
	}
	twice := func(c struct{ args, row string }, name, row string) {
		want := fmt.Sprintf("the member %q is given twice", name)
		if said := strings.ReplaceAll(ask(c.args, row), `\"`, `"`); !strings.Contains(said, want) {
			t.Errorf("%s: %s\nsays %.300s", c.args, row, said)
		}
	}
	for _, c := range rowReaders {
		first, _, _ := strings.Cut(strings.TrimPrefix(c.row, "{"), ",")
		name, _, _ := strings.Cut(first, ":")
		twice(c, strings.Trim(name, `"`), "{"+first+","+strings.TrimPrefix(c.row, "{"))
		if strings.Contains(c.args, "--tasks rows.jsonl --model") || strings.HasPrefix(c.args, "prompt") {
			continue // refuses unknown names
		}
		for _, more := range []string{`"x":1,"x":2}`, `"x":1,"\u0078":2}`, `"x":[{"x":1,"x":1}]}`} {
			twice(c, "x", strings.TrimSuffix(c.row, "}")+","+more)
		}
		for _, name := range []string{"task", "plan", "response", "group", "items"} {
			if !strings.Contains(c.row, fmt.Sprintf("%q", name)) {
				continue
			}
			other := strings.ToUpper(name[:1]) + name[1:]
			with := ask(c.args, strings.Replace(c.row, fmt.Sprintf("%q", name), fmt.Sprintf("%q", other), 1))
			without := ask(c.args, strings.Replace(c.row, fmt.Sprintf("%q", name), `"zzzz"`, 1))
			if strings.ReplaceAll(with, other, "zzzz") != without {
				t.Errorf("%s: %s for %s is not ignored:\n%.300s\n%.300s", c.args, other, name, with, without)
			}
		}
	}
}
