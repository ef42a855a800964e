package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Every format's files are the same whatever the number of threads, and whether a format is
// written alone or with others, which share what is derived from a record.
func TestFormatsDoNotDependOnThreads(t *testing.T) {
	o := Options{
		Settings: Settings{Dedup: DedupNone, Names: "letters", Style: "compact", Constraints: Constraints{Min: 0, Max: 1, Variants: 2}, Split: Ratio{80, 20, 0, 0}},
		Sources:  []Source{Sample(exhaust(t, 4, false), 12, 7)},
	}
	write := func(s *Set, formats ...Format) map[string]string {
		dir := t.TempDir()
		if err := s.Write(context.Background(), dir, formats); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == ManifestName || path == filepath.Join(dir, CardName) { // those name all formats
				return err
			}
			data, err := os.ReadFile(path)
			files[path[len(dir):]] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	o.Threads = 4
	together := write(prepare(t, o), Formats()...)
	alone := map[string]string{}
	o.Threads = 1
	single := prepare(t, o)
	for _, f := range Formats() {
		for name, data := range write(single, f) {
			alone[name] = data
		}
	}
	if len(together) < 2*len(Formats()) || len(together) != len(alone) {
		t.Fatalf("%d files together, %d alone, of %d formats", len(together), len(alone), len(Formats()))
	}
	for name, data := range together {
		if data != alone[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// meeting is a format whose records are made only when two are being made.
type meeting struct {
	io.Writer
	here chan struct{}
	got  *[]string
}

// Make implements Writer.
func (m meeting) Make(_ context.Context, r *Record) (any, error) {
	select {
	case m.here <- struct{}{}:
	case <-m.here:
	case <-time.After(20 * time.Second):
		return nil, errors.New("records are made one after the other")
	}
	return r.ID, nil
}

// Write implements Writer.
func (m meeting) Write(made any) error {
	*m.got = append(*m.got, made.(string))
	return nil
}

// Close implements Writer.
func (m meeting) Close() error { return nil }

func TestFormatsUseAllThreads(t *testing.T) {
	s := prepare(t, Options{Settings: Settings{Split: Ratio{100, 0, 0, 0}, Style: "compact"}, Sources: []Source{Sample(exhaust(t, 3, true), 8, 1)}, Threads: 2})
	var want, got []string
	for _, r := range all(t, s) {
		want = append(want, r.ID)
	}
	here := make(chan struct{})
	err := s.Write(context.Background(), t.TempDir(), []Format{{
		Name: "meeting", File: func(split string) string { return split },
		New: func(w io.Writer, _ string, _ *Manifest) (Writer, error) { return meeting{w, here, &got}, nil },
	}})
	if err != nil || len(want)%2 != 0 || !slices.Equal(got, want) {
		t.Fatalf("error %v; %v written, want %v", err, got, want)
	}
}

// Of several faults that of the first record is told.
func TestFirstFaultIsTold(t *testing.T) {
	s := prepare(t, Options{Settings: Settings{Split: Ratio{100, 0, 0, 0}, Style: "compact"}, Sources: []Source{Sample(exhaust(t, 3, true), 12, 1)}, Threads: 4})
	rows := all(t, s)
	slow, fast := rows[3].ID, rows[9].ID
	for range 5 {
		err := s.Write(context.Background(), t.TempDir(), []Format{{
			Name: "broken", File: func(split string) string { return split },
			New: func(w io.Writer, _ string, _ *Manifest) (Writer, error) {
				return &rowWriter[string]{sink: newSink[string](w, "jsonl"), make: func(_ context.Context, r *Record) ([]string, error) {
					switch r.ID {
					case slow:
						time.Sleep(2 * time.Millisecond)
						return nil, fmt.Errorf("%s is broken", r.ID)
					case fast:
						return nil, fmt.Errorf("%s is broken", r.ID)
					}
					return []string{r.ID}, nil
				}}, nil
			},
		}})
		if err == nil || err.Error() != slow+" is broken" {
			t.Fatalf("error %v, want that of %s", err, slow)
		}
	}
}
