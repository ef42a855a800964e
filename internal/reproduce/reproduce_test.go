package reproduce

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/model"
)

func smoke(t *testing.T) *Options {
	t.Helper()
	m, err := model.NewScripted("distance")
	if err != nil {
		t.Fatal(err)
	}
	return &Options{Smoke: true, Seed: 1, Jobs: 2, Model: m}
}

// makeTwice makes a paper, and again in the same folder: nothing is measured twice, and the page stays the same.
func makeTwice(t *testing.T, p *Paper, o *Options) (dir string, results []*Result) {
	t.Helper()
	dir = t.TempDir()
	results, err := p.Make(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	first := readFile(t, filepath.Join(dir, "README.md"))
	again := *o
	again.Begun = func(id string) { t.Errorf("%s is measured again", id) }
	if _, err := p.Make(context.Background(), dir, &again); err != nil {
		t.Fatal(err)
	}
	if second := readFile(t, filepath.Join(dir, "README.md")); second != first {
		t.Errorf("another page:\n%s\nbefore:\n%s", second, first)
	}
	return dir, results
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSmoke makes all items of all papers with small samples, and holds each to what must come out.
func TestSmoke(t *testing.T) {
	want := map[string]Status{
		"cats/lengths": Measured, "cats/table-1": Differs, "cats/tables-2-3": Beaten, "boxnet/table-6": Beaten,
		"thesis/states": Beaten, "thesis/tables-3.4-3.5": Reproduced, "adaplan/table-2": Beaten, "carl/table-8": Beaten,
	}
	for _, p := range Papers() {
		t.Run(p.Name, func(t *testing.T) {
			if p.Name == "cats" { // two thirds of the time of all
				testkit.Long(t)
			}
			t.Parallel()
			dir, results := makeTwice(t, p, smoke(t))
			if len(results) != len(p.Items) {
				t.Errorf("%d results of %d items", len(results), len(p.Items))
			}
			for i, r := range results {
				made := p.Items[i].Missing == ""
				if (r.Status == NotMade) == made || made && len(r.Tables) == 0 {
					t.Errorf("%s: %s with %d tables", r.ID, r.Status, len(r.Tables))
				}
				for k := range r.Tables {
					for _, row := range r.Tables[k].Rows {
						if len(row) != len(r.Tables[k].Columns) {
							t.Errorf("%s: %d cells in %d columns: %q", r.ID, len(row), len(r.Tables[k].Columns), row)
						}
					}
				}
				if w, ok := want[p.Name+"/"+r.ID]; ok && r.Status != w {
					t.Errorf("%s is %s, not %s", r.ID, r.Status, w)
				}
				if r.Plot != nil && !strings.Contains(readFile(t, filepath.Join(dir, r.ID+".svg")), "</svg>") {
					t.Errorf("%s: no plot", r.ID)
				}
			}
		})
	}
}

// TestOtherRun: items of a run with other options are refused, and so is what is no item.
func TestOtherRun(t *testing.T) {
	p := thesis()
	o := &Options{Smoke: true, Seed: 1, Items: []string{"states"}}
	dir := t.TempDir()
	if _, err := p.Make(context.Background(), dir, o); err != nil {
		t.Fatal(err)
	}
	other := *o
	other.Seed = 2
	if _, err := p.Make(context.Background(), dir, &other); err == nil || !strings.Contains(err.Error(), "other options") {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(dir, "items", "states.json")
	if err := os.WriteFile(path, []byte(`{"run":`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Make(context.Background(), dir, o); err == nil || !strings.Contains(err.Error(), "bad-json") {
		t.Errorf("got %v", err)
	}
	o.Items = []string{"table-99"}
	if _, err := p.Make(context.Background(), t.TempDir(), o); err == nil {
		t.Error("an item that there is not was made")
	}
}

// TestNeedsModel: without a model what needs one says so.
func TestNeedsModel(t *testing.T) {
	results, err := thesis().Make(context.Background(), t.TempDir(), &Options{Smoke: true, Seed: 1, Items: []string{"table-3.1"}})
	if err != nil || results[0].Status != NeedsModel {
		t.Errorf("got %v, %v", results, err)
	}
}

// TestOutage: an answer that does not come is an error, never a score.
func TestOutage(t *testing.T) {
	m, err := model.NewScripted("down")
	if err != nil {
		t.Fatal(err)
	}
	_, err = thesis().Make(context.Background(), t.TempDir(), &Options{Smoke: true, Seed: 1, Items: []string{"table-3.1"}, Model: m})
	if err == nil {
		t.Error("an outage was scored")
	}
}

// TestPage: docs/PAPERS.md lists every item as it is.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := List(&b); err != nil {
		t.Fatal(err)
	}
	page := readFile(t, filepath.Join(testkit.Root(), "docs", "PAPERS.md"))
	if !strings.Contains(page, b.String()) {
		t.Errorf("docs/PAPERS.md does not hold the list of items (planproof reproduce --list):\n%s", b.String())
	}
}
