package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/groups"
)

func TestSpill(t *testing.T) {
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s, err := newSpill(&outFile{file: out})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("files %v, %v: the texts' has no name", list, err)
	}
	var at []spilled
	text := func(i int) string { return strings.Repeat(fmt.Sprint(i), i*i%3000) }
	for i := range 300 {
		x, err := s.put(text(i))
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, x)
	}
	for i := range at {
		i = (i * 7) % len(at)
		if got, err := s.get(at[i]); err != nil || got != text(i) {
			t.Fatalf("text %d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := s.get(spilled{s.at, 1}); err == nil {
		t.Error("a text behind the end")
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	// Errors name the file that is being made.
	var p *fs.PathError
	if _, err := s.get(at[1]); !errors.As(err, &p) || p.Path != out.Name() {
		t.Errorf("closed: %v", err)
	}
	if _, err := s.put(strings.Repeat("x", 1<<17)); !errors.As(err, &p) || p.Path != out.Name() {
		t.Errorf("closed: %v", err)
	}
}

// TestPairsHoldNoTexts: what a file of pairs needs in memory does not grow with the texts.
func TestPairsHoldNoTexts(t *testing.T) {
	m := &Manifest{Trainers: &TrainerOptions{}}
	w, err := beginPairs(groups.DPO)(io.Discard, "jsonl", Train, m)
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	const records, size = 400, 50_000
	before := heap()
	for i := range records {
		r := &Record{ID: fmt.Sprint(i), Prompt: strings.Repeat("p", size) + fmt.Sprint(i)}
		list := []candidate{{text: strings.Repeat("c", size) + fmt.Sprint(i), valid: true}, {text: strings.Repeat("r", size) + fmt.Sprint(i)}}
		if err := w.Write(madePairs{r, list}); err != nil {
			t.Fatal(err)
		}
	}
	if held := int64(heap()) - int64(before); held > records*size/10 {
		t.Errorf("%d bytes are held for %d of texts", held, 3*records*size)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := w.(Counter).Rows(); n != records {
		t.Errorf("%d pairs, want %d", n, records)
	}
}
