package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
)

// namedRule is a rule of the natural reader with an example that needs it and one that looks alike and does not
// (testdata/rules.jsonl). The last two are what the reader makes of these.
type namedRule struct {
	Rule         string `json:"rule"`
	Says         string `json:"says"`
	Example      string `json:"example"`
	Counter      string `json:"counter"`
	Reads        string `json:"reads"`
	CounterReads string `json:"counter_reads"`
}

// TestRules: each rule decides its example and leaves its counter-example alone; docs/EXTRACTION.md shows them.
func TestRules(t *testing.T) {
	const file = "testdata/rules.jsonl"
	p := pddltest.Load(t, "blocksworld:3-5")
	r := NewReader(p.Domain, p, Natural)
	read := func(text string) string {
		x := r.Extract(text)
		switch {
		case x.Status != StatusPlan:
			return string(x.Status)
		case len(x.Malformed) > 0:
			return fmt.Sprintf("%s malformed: %q", strings.Join(x.Plan, " "), x.Malformed[0].Text)
		}
		return strings.Join(x.Plan, " ")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out, table bytes.Buffer
	table.WriteString("| rule | example | read as | counter-example | read as |\n| --- | --- | --- | --- | --- |\n")
	cell := func(s string) string {
		s = strings.NewReplacer("|", "\\|", "`", "ˋ", "\n", " ⏎ ").Replace(strings.TrimSuffix(s, "\n"))
		return "`` " + s + " ``"
	}
	for line := range strings.Lines(string(text)) {
		var x namedRule
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		got := x
		got.Reads, got.CounterReads = read(x.Example), read(x.Counter)
		if got != x && !*update {
			t.Errorf("%s:\n%s\nis read as %s, want %s\n%s\nis read as %s, want %s", x.Rule, x.Example, got.Reads, x.Reads, x.Counter, got.CounterReads, x.CounterReads)
		}
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(got); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "| %s: %s | %s | %s | %s | %s |\n", x.Rule, x.Says, cell(x.Example), cell(got.Reads), cell(x.Counter), cell(got.CounterReads))
	}
	page := filepath.Join(testkit.Root(), "docs", "EXTRACTION.md")
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- rules -->\n", "<!-- end of rules -->\n"
	before, rest, ok := strings.Cut(string(doc), begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part for the rules", page)
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, []byte(before+begin+table.String()+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != table.String() {
		t.Errorf("%s shows other rules than %s: run the test with -update", page, file)
	}
}
