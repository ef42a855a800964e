package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/search"
)

// TestResults: what a run has written is there for the next one, a torn line is not, and what was not solved is tried
// again within more time.
func TestResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.csv")
	open := func() *Results {
		t.Helper()
		r, err := OpenResults(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	rows := []Row{
		{"s", "1", "7", map[string]float64{"a": 0.5, "b": 30}},
		{"s", "2", "8", map[string]float64{"a": 20}},
		{"t", "1", "9", map[string]float64{"b": 1}},
		{"t", "2", "9", nil},
	}
	r := open()
	for _, x := range []Result{
		{"s", "1", search.SolvedOptimally, "7", "astar(lmcut(), stubborn=1)", 3, 10},
		{"s", "2", search.Timeout, "", "auto()", 10, 10},
		{"t", "1", search.SolvedOptimally, "9", "symbolic()", 12, 60},
	} {
		if err := r.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("t,2,solved-opt"); err != nil {
		t.Fatal(err)
	}
	f.Close()

	r = open()
	for i, want := range []string{"10 60", "10", "10 60", ""} {
		got := ""
		for _, limit := range []string{"10", "60"} {
			if _, ok := r.Of(rows[i], map[string]float64{"10": 10, "60": 60}[limit]); ok {
				got += " " + limit
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s/%s is known within %q, want %q", rows[i].Suite, rows[i].Problem, got, want)
		}
	}
	if x, _ := r.Of(rows[0], 10); x.Search != "astar(lmcut(), stubborn=1)" || x.Seconds != 3 {
		t.Errorf("%+v", x)
	}
	got := strings.Join(strings.Fields(r.Summary(rows, 10)), " ")
	if want := "suite tasks planproof a b s 2 1 1 0 t 1 0 0 1 all 3 1 1 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := r.Add(Result{"t", "2", search.Timeout, "", "", 10, 10}); err != nil {
		t.Fatal(err)
	}
	if _, ok := open().Of(rows[3], 10); !ok {
		t.Error("what follows a torn line is lost")
	}
	if err := os.WriteFile(name, []byte("s,1,solved-optimally\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenResults(name); err == nil {
		t.Error("a line of three fields is read")
	}
	if got := (&Results{}).Summary(rows, 10); got != "no results\n" {
		t.Error(got)
	}
}
