package store

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof/search"
)

// TestImport: an export fills another store with the same content; a row that was
// changed is refused.
func TestImport(t *testing.T) {
	s := newStore(t)
	inputs := blocks(t, 4, 5)
	fill(t, s, append(inputs, Input{Name: "a second name", DomainText: inputs[0].DomainText, ProblemText: inputs[0].ProblemText}),
		FillOptions{Schedules: schedules(t, "", "put-down=20,*=1"), Version: "test"})
	want := export(t, s, ExportOptions{Texts: true, Times: true})
	other := newStore(t)
	for range 2 { // twice is as once
		rows, faults, err := other.Import(context.Background(), strings.NewReader(want+"\n\n"), "x", nil)
		if err != nil || len(faults) > 0 || rows != 10 {
			t.Fatalf("%d rows, %v, %v", rows, faults, err)
		}
	}
	if got := export(t, other, ExportOptions{Texts: true}); got != export(t, s, ExportOptions{Texts: true}) {
		t.Errorf("the import differs:\n%s", got)
	}
	mustSound(t, other)

	line, _, _ := strings.Cut(want, "\n")
	change := func(edit func(map[string]any)) string {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		edit(row)
		b, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, c := range map[string]struct{ row, want string }{
		"a lower cost":      {change(func(r map[string]any) { r["cost"] = "1" }), "the judge"},
		"no cost":           {change(func(r map[string]any) { delete(r, "cost") }), "with cost"},
		"a shorter plan":    {change(func(r map[string]any) { r["plan"] = r["plan"].([]any)[1:]; delete(r, "steps") }), "not valid"},
		"other steps":       {change(func(r map[string]any) { r["steps"] = 3 }), "steps"},
		"two steps in one":  {change(func(r map[string]any) { p := r["plan"].([]any); p[0] = p[0].(string) + "\n" + p[1].(string) }), "step 1 is"},
		"another schedule":  {change(func(r map[string]any) { r["schedule"] = "*=7" }), "key"},
		"another problem":   {change(func(r map[string]any) { r["problem_text"] = strings.Replace(twoBlocks, "blocksworld", "domain", 1) }), "key"},
		"no texts":          {change(func(r map[string]any) { delete(r, "domain_text") }), "lacks"},
		"a made-up status":  {change(func(r map[string]any) { r["status"] = "solved-somehow" }), "status"},
		"solved to timeout": {change(func(r map[string]any) { r["status"] = "timeout" }), "with cost"},
		"no JSON":           {line[:40], "invalid character"},
	} {
		fresh := newStore(t)
		rows, faults, err := fresh.Import(context.Background(), strings.NewReader(c.row+"\n"), "x.jsonl", nil)
		if err != nil || rows != 0 || len(faults) != 1 {
			t.Errorf("%s: %d rows, %v, %v", name, rows, faults, err)
			continue
		}
		if msg := faults[0].Err.Error(); !strings.Contains(msg, c.want) || !strings.HasPrefix(msg, "x.jsonl:1: ") {
			t.Errorf("%s: %s", name, msg)
		}
	}
}

// TestImportConflict: a row that contradicts a proof is refused by itself; all others of its
// batch are stored, and a plan is stored as the lines that it has.
func TestImportConflict(t *testing.T) {
	source := newStore(t)
	fill(t, source, blocks(t, 4, 5), FillOptions{})
	rows := strings.SplitAfter(strings.TrimSuffix(export(t, source, ExportOptions{Texts: true}), "\n"), "\n")
	false2 := regexp.MustCompile(`"status":"solved-optimally","cost":"[0-9]+","steps":[0-9]+,"plan":\[[^]]*\]`).ReplaceAllString(rows[2], `"status":"unsolvable"`)
	if false2 == rows[2] {
		t.Fatal("the false row is not false")
	}
	comment := strings.Replace(rows[3], `)"`, `)\n;x"`, 1)
	timed := strings.Replace(rows[3], `"(`, `"1: (`, 1)
	s := newStore(t)
	if n, faults, err := s.Import(context.Background(), strings.NewReader(rows[2]), "first", nil); n != 1 || len(faults) > 0 || err != nil {
		t.Fatal(n, faults, err)
	}
	n, faults, err := s.Import(context.Background(), strings.NewReader(rows[0]+rows[1]+false2+"?\n"+comment+timed+rows[3]+rows[4]), "x", nil)
	if n != 4 || err != nil || len(faults) != 4 {
		t.Fatalf("%d rows, %v, %v", n, faults, err)
	}
	for i, want := range []string{"x:3: ", "x:4: ", `x:5: step 1 is "`, `x:6: step 1 is "1: `} {
		if !strings.HasPrefix(faults[i].Err.Error(), want) {
			t.Errorf("%v, want %s", faults[i].Err, want)
		}
	}
	if got, want := export(t, s, ExportOptions{Texts: true}), export(t, source, ExportOptions{Texts: true}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestConflict: a proof that contradicts what the store has is an error and changes
// nothing; a limit never replaces a proof; a proof replaces a limit.
func TestConflict(t *testing.T) {
	s := newStore(t)
	task := taskOf(t, blocksDomain(t), twoBlocks, "")
	put := func(r Record) error { return s.Put(context.Background(), []Item{{Name: "x", Task: task, Record: &r}}) }
	plan := []string{"(unstack b a)", "(put-down b)", "(pick-up a)", "(stack a b)"}
	solved := Record{Status: search.SolvedOptimally, Cost: "4", Steps: 4, Plan: plan, Search: "ucs()"}
	now := func() *Record {
		r, found, err := s.Lookup(task.Key)
		if err != nil || !found {
			t.Fatal(r, found, err)
		}
		return r
	}
	if err := put(Record{Status: search.Timeout, Limits: search.Limits{Nodes: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := put(solved); err != nil || now().Cost != "4" {
		t.Fatal(err, now())
	}
	if err := put(Record{Status: search.Nodeout}); err != nil || now().Cost != "4" {
		t.Error(err, now())
	}
	longer := solved
	longer.Cost = "6"
	for _, bad := range []Record{longer, {Status: search.Unsolvable}} {
		var conflict *ConflictError
		if err := put(bad); !errors.As(err, &conflict) || now().Cost != "4" {
			t.Errorf("%v, %+v", err, now())
		}
	}
	with := solved
	with.Search, with.Certificate = "other()", Attachment{"cert", Made}
	if err := put(with); err != nil || now().Certificate.File != "cert" || now().Search != "ucs()" {
		t.Error(err, now())
	}
	for _, bad := range []Record{{Status: search.SolvedOptimally}, {Status: "?"}, {Status: search.Timeout, Cost: "1"}, {Status: search.Unsolvable, Table: Attachment{Status: Made}}} {
		if err := put(bad); err == nil {
			t.Errorf("%+v was stored", bad)
		}
	}
}

// TestCheckFinds: each kind of damage that SQLite itself cannot see, done with SQL.
func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct{ stmt, kind string }{
		"a cost":          {"UPDATE truth SET cost = '1' WHERE key = (SELECT min(key) FROM truth)", "row"},
		"a plan":          {"UPDATE truth SET plan = replace(plan, 'a', 'b') WHERE key = (SELECT min(key) FROM truth)", "row"},
		"a text":          {"UPDATE text SET body = x'00' WHERE sum = (SELECT min(sum) FROM text)", "text"},
		"a missing text":  {"DELETE FROM text WHERE sum = (SELECT min(problem) FROM truth)", "text"},
		"a name":          {"UPDATE name SET name = 'x' WHERE name = (SELECT min(name) FROM name)", "name"},
		"a missing row":   {"DELETE FROM truth WHERE key = (SELECT min(key) FROM truth)", "name"},
		"an orphan":       {"INSERT INTO text VALUES (x'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', x'010000ffff')", Orphan},
		"swapped rows":    {"UPDATE truth SET cost = (SELECT max(cost) FROM truth)", "row"},
		"a dropped index": {"DROP INDEX name_key", ""},
	} {
		s := newStore(t)
		fill(t, s, blocks(t, 4, 4), FillOptions{})
		if _, err := s.db.Exec(c.stmt); err != nil {
			t.Fatal(name, err)
		}
		report, err := s.Check(context.Background(), CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found := c.kind == ""
		for _, p := range report.Problems {
			found = found || p.Kind == c.kind
		}
		if !found || report.Sound() != (c.kind == Orphan || c.kind == "") {
			t.Errorf("%s: %+v", name, report)
		}
	}
	// A row that is consistent in itself but false: the judge finds it.
	s := newStore(t)
	fill(t, s, blocks(t, 4, 1), FillOptions{})
	var r *Record
	if err := s.Each(context.Background(), Filter{}, func(row *Record) error { r = row; return nil }); err != nil {
		t.Fatal(err)
	}
	r.Cost = "3"
	if _, err := s.db.Exec("UPDATE truth SET cost = ?, sum = ?", r.Cost, r.checksum()); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Check(context.Background(), CheckOptions{}); err != nil || len(report.Problems) != 1 || report.Problems[0].Kind != "plan" {
		t.Errorf("%+v, %v", report, err)
	}
}
