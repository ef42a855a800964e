package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/search"
)

// TestFolder: the ways in which a folder may pair domains with problems.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, kind := range map[string]string{
		"one/domain.pddl": "domain", "one/p1.pddl": "problem", "one/p2.PDDL": "problem", "one/plan.txt": "x",
		"each/p01-domain.pddl": "domain", "each/p02-domain.pddl": "domain", "each/p01-x-y.pddl": "problem", "each/p02.pddl": "problem",
		"ipc/domain_p01.pddl": "domain", "ipc/domain-p02.pddl": "domain", "ipc/domain.pddl": "domain",
		"ipc/p01.pddl": "problem", "ipc/p02.pddl": "problem", "ipc/p03.pddl": "problem",
		"up/domain.pddl": "domain", "up/instances/i-1.pddl": "problem",
		"named/blocks.pddl": "domain", "named/a.pddl": "problem",
		"two/a.pddl": "domain", "two/b.pddl": "domain", "two/c.pddl": "problem",
		"none/p.pddl": "problem", "none/odd.pddl": "plan",
	} {
		writeFile(t, filepath.Join(dir, name), []byte("; a comment (define (domain\n\n   ( DEFINE\n("+kind+" x))"))
	}
	inputs, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, in := range inputs {
		if in.Err != nil {
			got[in.Name] = "error"
			continue
		}
		rel, _ := filepath.Rel(dir, in.DomainFile)
		got[in.Name] = filepath.ToSlash(rel)
	}
	want := map[string]string{
		"one/p1": "one/domain.pddl", "one/p2": "one/domain.pddl",
		"each/p01-x-y": "each/p01-domain.pddl", "each/p02": "each/p02-domain.pddl",
		"ipc/p01": "ipc/domain_p01.pddl", "ipc/p02": "ipc/domain-p02.pddl", "ipc/p03": "ipc/domain.pddl",
		"up/instances/i-1": "up/domain.pddl", "named/a": "named/blocks.pddl",
		"two/c": "error", "none/p": "error", "none/odd": "error",
	}
	// p2.PDDL has its domain by the lower-case name only if the file system says so.
	want["one/p2"] = got["one/p2"]
	for name, domain := range want {
		if got[name] != domain {
			t.Errorf("%s: domain %q, want %q", name, got[name], domain)
		}
	}
	if len(got) != len(want) || got["one/p2"] == "" || !slices.IsSortedFunc(inputs, func(a, b Input) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%v", got)
	}
	if _, err := Folder(filepath.Join(dir, "absent")); err == nil {
		t.Error("a folder that is not there has tasks")
	}
}

// TestFolderOddFiles: what cannot be read is a fault by itself and hides nothing else.
func TestFolderOddFiles(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "domain.pddl"), []byte("(define (domain x))"))
	writeFile(t, filepath.Join(dir, "p1.pddl"), []byte("(define (problem x))"))
	writeFile(t, filepath.Join(dir, "p\xff.pddl"), []byte("(define (problem x))"))
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"p2.pddl": "p1.pddl", "loop.pddl": "loop.pddl", "gone.pddl": "nothing.pddl", "folder.pddl": "sub"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("this file system has no links:", err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.pddl"), 0o666); err != nil {
		t.Skip("this file system has no pipes:", err)
	}
	inputs, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, in := range inputs {
		got += fmt.Sprintf("%q %v\n", in.Name, in.Err != nil)
	}
	want := `"folder" true
"gone" true
"loop" true
"p1" false
"p2" false
"pipe" true
"p\xff" true
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFolderCorpus: every task of the corpus is found with the domain file that the
// corpus lists for it, and costs what the corpus says where it is quick to solve.
func TestFolderCorpus(t *testing.T) {
	dir := testkit.Shared(t, "data", "bench")
	inputs, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	byFile := map[string]Input{}
	for _, in := range inputs {
		if in.Err != nil {
			t.Errorf("%s: %v", in.Name, in.Err)
		}
		byFile[in.ProblemFile] = in
	}
	costs, quick := map[string]string{}, []Input{}
	for _, row := range testkit.Table(t, "data", "bench", "optimal.csv") {
		cell := func(name string) string { return row[name] }
		in, ok := byFile[filepath.Join(dir, cell("domain"), cell("problem_file"))]
		if !ok || filepath.Base(in.DomainFile) != filepath.Base(cell("domain_file")) {
			t.Errorf("%s/%s: domain %q, want %s", cell("domain"), cell("problem_file"), in.DomainFile, cell("domain_file"))
			continue
		}
		if expanded := cell("blind_expanded"); cell("blind_status") == "solved" && len(expanded) < 4 {
			costs[in.Name] = cell("blind_cost")
			quick = append(quick, in)
		}
	}
	if testing.Short() {
		return
	}
	s := newStore(t)
	fill(t, s, quick, FillOptions{})
	if err := s.Each(context.Background(), Filter{}, func(r *Record) error {
		for _, name := range r.Names {
			if r.Status != search.SolvedOptimally || r.Cost != costs[name] {
				t.Errorf("%s: %s, cost %s, the corpus says %s", name, r.Status, r.Cost, costs[name])
			}
			delete(costs, name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(costs) > 0 || len(quick) < 15 {
		t.Errorf("%d tasks, without a row: %v", len(quick), costs)
	}
}

// TestRows: rows that are read, and what is said of those that are not.
func TestRows(t *testing.T) {
	domain := blocksDomain(t)
	cases := []struct{ row, name, err string }{
		{`{"id":"a","domain":"d.pddl","problem":"p.pddl"}`, "a", ""},
		{`{"id":17,"domain_text":"x","problem":"p.pddl","more":[1]}`, "17", ""},
		{`{"domain":"d.pddl","problem":"dir/p.pddl"}`, "dir/p", ""},
		{`{"domain_text":"","problem_text":"","schedule":"a=1/2"}`, "line 4", ""},
		{`{"task":"blocksworld:4-1"}`, "blocksworld:4-1", ""},
		{`{"id":"b"}`, "b", "names no task"},
		{`{"id":"b","domain":"d"}`, "b", "lacks problem"},
		{`{"id":"b","problem_text":"d"}`, "b", "lacks domain"},
		{`{"id":"b","domain":"d","domain_text":"d","problem":"p"}`, "b", "both domain and domain_text"},
		{`{"id":"b","task":"x","problem":"p"}`, "b", "task stands for both"},
		{`{"id":["b"],"domain":"d","problem":"p"}`, "line 11", "neither a string nor a number"},
		{`{"id":"a\nb","domain":"d","problem":"p"}`, "a\nb", "control character"},
		{`{"id":"b","domain":3,"problem":"p"}`, "line 13", "domain is a JSON number"},
		{`{"id":"b","domain":"d","problem":"p","schedule":"a=x"}`, "b", "not a number"},
		{`[]`, "line 15", "not a JSON object"},
		{`{"id":`, "line 16", "unexpected end"},
		{`{"name":"n-1","domain":"d","problem":"p"}`, "n-1", ""},
		{`{"name":"n-1","id":"i","domain":"d","problem":"p"}`, "i", ""},
		{`{"name":{},"domain":"d","problem":"p"}`, "line 19", "name is neither a string nor a number"},
		{`{"id":"b","domain":"-","problem":"p"}`, "b", "standard input"},
		{`{"id":"b","domain":"d","problem":"-"}`, "b", "standard input"},
		{"{\"id\":\"b\xff\",\"domain\":\"d\",\"problem\":\"p\"}", "line 22", "not UTF-8"},
		{`{"ids":["x","y"],"domain":"d","problem":"p"}`, "x", ""},
		{`{"ids":[],"domain":"d","problem":"p"}`, "p", ""},
		{`{"domain":"d","problem":"p","schedule":"[1,1,20,1]"}`, "p", ""},
		{`{"domain":"d","problem":"p","schedule":"unit"}`, "p", ""},
	}
	text := "\xef\xbb\xbf"
	for _, c := range cases {
		text += c.row + "\n"
	}
	var got []Input
	for in := range Rows(strings.NewReader(text+"  \n"+cases[0].row), "rows.jsonl") {
		got = append(got, in)
	}
	if len(got) != len(cases)+1 {
		t.Fatalf("%d rows, want %d", len(got), len(cases)+1)
	}
	for i, c := range cases {
		in := got[i]
		if in.Name != c.name {
			t.Errorf("row %d is named %q, want %q", i+1, in.Name, c.name)
		}
		if c.err == "" && in.Err != nil || c.err != "" && (in.Err == nil || !strings.Contains(in.Err.Error(), c.err) || !strings.HasPrefix(in.Err.Error(), "rows.jsonl:")) {
			t.Errorf("row %d: %v, want %q", i+1, in.Err, c.err)
		}
	}
	if in := got[3]; len(in.Schedules) != 1 || in.Schedules[0].String() != "a=0.5" {
		t.Errorf("%+v", in.Schedules)
	}
	if a, b := got[24].Schedules, got[25].Schedules; a[0].String() != "pick-up=1,unstack=1,put-down=20,stack=1" || b[0].String() != "*=1" {
		t.Errorf("named schedules: %v, %v", a, b)
	}
	if texts, err := got[4].texts(); err != nil || !strings.Contains(texts.Domain, "pick-up") || domain == "" {
		t.Errorf("%v", err)
	}
	broken := errors.New("broken pipe")
	for in := range Rows(&failingReader{data: []byte(cases[0].row + "\n"), err: broken}, "rows.jsonl") {
		got = append(got, in)
	}
	if last := got[len(got)-1]; !errors.Is(last.Err, broken) {
		t.Errorf("an error of reading became %v", last.Err)
	}
}

type failingReader struct {
	data []byte
	err  error
}

func (r *failingReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, r.err
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// FuzzRows: no bytes make the reader panic or drop a row without a word.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"id":"a","domain":"d.pddl","problem":"p.pddl"}` + "\n\n" + `{"id":1.5,"domain_text":"","problem_text":"x","schedule":"*=1/3"}`))
	f.Add([]byte("\xef\xbb\xbf{\"task\":\"blocksworld:4-1\"}\r\n[]\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		want := 0
		for _, row := range bytes.Split(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\n")) {
			if len(bytes.TrimSpace(row)) > 0 {
				want++
			}
		}
		got := 0
		for in := range Rows(bytes.NewReader(data), "fuzz") {
			got++
			if in.Name == "" {
				t.Error("a row without a name")
			}
			if in.Err == nil && in.Load == nil && (in.DomainFile == "" && in.DomainText == nil || in.ProblemFile == "" && in.ProblemText == nil) {
				t.Errorf("a row without a task: %+v", in)
			}
		}
		if got != want {
			t.Errorf("%d rows read of %d", got, want)
		}
	})
}

// FuzzImport: no row is imported that its own export does not give back, and nothing
// unsound gets in.
func FuzzImport(f *testing.F) {
	s := newStore(f)
	fill(f, s, blocks(f, 4, 2), FillOptions{Version: "test"})
	for _, row := range strings.SplitAfter(export(f, s, ExportOptions{Texts: true}), "\n") {
		f.Add([]byte(row))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		items, err := importRow(data)
		if err != nil {
			return
		}
		r := items[0].Record
		if err := r.consistent(); err != nil {
			t.Error(err)
		}
		if err := r.rejudge(items[0].Task); err != nil {
			t.Error(err)
		}
	})
}
