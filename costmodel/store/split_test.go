package store

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planproof/planproof/search"
)

// TestSplit: fills of all shards, brought together, are the fill of all inputs; equal tasks are in
// one shard; and what a store has is left out.
func TestSplit(t *testing.T) {
	inputs := blocks(t, 4, 12)
	again := inputs[3]
	again.Name = "again"
	inputs = append(inputs, again)
	plan := schedules(t, "", "put-down=20,*=1")
	whole := newStore(t)
	fill(t, whole, inputs, FillOptions{Schedules: plan, Version: "test"})
	want := export(t, whole, ExportOptions{Texts: true})

	const shards = 4
	files := make([]*bytes.Buffer, shards)
	stats, err := Split(context.Background(), slices.Values(inputs), shards, func(i int) (io.Writer, error) {
		if files[i] != nil {
			t.Errorf("shard %d is opened twice", i)
		}
		files[i] = &bytes.Buffer{}
		return files[i], nil
	}, SplitOptions{Schedules: plan})
	if err != nil || stats.Rows != 26 || stats.Known != 0 || len(stats.Faults) != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}
	merged := newStore(t)
	solved, full := 0, 0
	for i, f := range files {
		if f == nil {
			continue
		}
		part := newStore(t)
		st, err := Fill(context.Background(), part, Rows(f, "shard"), FillOptions{Version: "test"})
		if err != nil || st.Rows != stats.PerShard[i] || st.ByStatus[search.SolvedOptimally] != st.Rows {
			t.Fatalf("shard %d: %+v, %v", i, st, err)
		}
		solved += st.Rows - st.Known
		full++
		var rows bytes.Buffer
		if err := part.Export(context.Background(), &rows, ExportOptions{Texts: true}); err != nil {
			t.Fatal(err)
		}
		if _, faults, err := merged.Import(context.Background(), &rows, "export", nil); err != nil || len(faults) > 0 {
			t.Fatal(faults, err)
		}
	}
	if got := export(t, merged, ExportOptions{Texts: true}); got != want {
		t.Errorf("the shards' stores together differ from one store:\n%s\n%s", got, want)
	}
	if solved != 24 || full < 2 {
		t.Errorf("%d rows were solved in %d shards; 24 are different", solved, full)
	}

	dir := t.TempDir()
	path := filepath.Join(dir, "known.db")
	known, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, known, inputs[:5], FillOptions{Schedules: plan, Version: "test"})
	if err := known.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "shards")
	stats, err = SplitFolder(context.Background(), slices.Values(inputs), shards, out, SplitOptions{Schedules: plan, Known: path})
	if err != nil || stats.Known != 10 || stats.Rows != 16 { // "again" is a name that the store does not have
		t.Errorf("%+v, %v", stats, err)
	}
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err = SplitFolder(context.Background(), slices.Values(inputs), shards, out, SplitOptions{}); err == nil {
		t.Error("a folder with other files was replaced")
	}
}
